"""How the weights of `dsp` (musebench_tasks/models/dsp/weights.json) are made; see `fit` for what it needs."""
