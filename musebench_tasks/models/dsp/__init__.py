"""Tempo, key, metre and segments by signal processing: the reference systems `dsp` and `dsp:paper`."""

from musebench_tasks.models.dsp.model import PARAMETERS, DspModel, load

__all__ = ["PARAMETERS", "DspModel", "load"]
