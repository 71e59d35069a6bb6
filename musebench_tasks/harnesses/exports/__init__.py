"""Runs written for other tools."""

from musebench_tasks.harnesses.exports.every_eval_ever import RELATIONSHIPS, Publisher, write_every_eval_ever
from musebench_tasks.harnesses.exports.label_studio import write_label_studio
from musebench_tasks.harnesses.exports.samples import Exported

__all__ = ["RELATIONSHIPS", "Exported", "Publisher", "write_every_eval_ever", "write_label_studio"]
