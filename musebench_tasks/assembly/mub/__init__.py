"""MUB collections out of archives of annotations."""

from musebench_tasks.assembly.mub.archive import read_archive
from musebench_tasks.assembly.mub.assemble import assemble, evaluator_paths
from musebench_tasks.assembly.mub.config import MubConfig, load_config
from musebench_tasks.assembly.mub.counts import as_csv, as_markdown, as_text, count_rows
from musebench_tasks.assembly.mub.duplicates import find_duplicates, same_artist, same_title
from musebench_tasks.assembly.mub.leak_scan import find_leaks
from musebench_tasks.assembly.mub.masking import audio_hash, masked_name
from musebench_tasks.assembly.mub.outcome import AssemblyOutcome, first_problems, report_text, summary
from musebench_tasks.assembly.mub.sampling import Stratum, draw, tempo_bin
from musebench_tasks.assembly.mub.tracks import MubTrack, UnusableTrack, validate_tracks

__all__ = [
    "AssemblyOutcome",
    "MubConfig",
    "MubTrack",
    "Stratum",
    "UnusableTrack",
    "as_csv",
    "as_markdown",
    "as_text",
    "assemble",
    "audio_hash",
    "count_rows",
    "draw",
    "evaluator_paths",
    "find_duplicates",
    "find_leaks",
    "first_problems",
    "load_config",
    "masked_name",
    "read_archive",
    "report_text",
    "same_artist",
    "same_title",
    "summary",
    "tempo_bin",
    "validate_tracks",
]
