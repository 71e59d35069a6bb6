"""Tries of checkpoints on a generated film with sound: does all of it arrive, and does it change the answers?"""

from musebench_tasks.models.smoke.trial import CHECKS, Check, Trial, try_family, try_model

__all__ = ["CHECKS", "Check", "Trial", "try_family", "try_model"]
