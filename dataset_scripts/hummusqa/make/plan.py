"""The twenty-six excerpts of hummusqa_demo, each arranged by hand for what is asked about it.

Tunes were drawn with seed 42 (`score.Excerpt`); keys, tempi and bands are chosen for the questions, so that textures,
dynamics, articulation, harmony, dances and styles all occur. Nothing is chosen by what a system says about it.
"""

from dataset_scripts.hummusqa.make.dances import DANCES
from dataset_scripts.hummusqa.make.styles import STYLES

SEED = 42
EXCERPTS = DANCES + STYLES
