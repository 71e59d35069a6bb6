"""What the metrics of `metrics/` share as modules of `evaluate`: checked inputs, the base class, the Space's page.

The rooms below compute; here inputs are checked and results named. Import the parts one by one: `inputs` and `results`
know nothing of `evaluate`, whose import takes seconds.
"""
