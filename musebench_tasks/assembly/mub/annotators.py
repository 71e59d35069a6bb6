"""Annotators of whom a table of tracks tells in numbered columns, as SALAMI's metadata.csv does.

`annotator1`, `submission_date1`, `annotator2`, … of a track say who its annotators 1 and 2 are, and when each of them
handed in what stands in files of theirs.
"""

from __future__ import annotations

from collections.abc import Mapping

from musebench_tasks.assembly.mub.statements import Archive, Fact, Submission, utc_time
from musebench_tasks.base.errors import InputError
from musebench_tasks.items.annotations import Fault

NUMBERED_NAMES, NUMBERED_TIMES = "annotator{}", "submission_date{}"


def name_annotators(archive: Archive) -> None:
    """Give submissions that know their annotator's number alone the name and the time that the track's facts tell."""
    named: dict[Submission, Submission] = {}
    for number, statement in enumerate(archive.statements):
        submission = statement.submission
        if submission.annotator.isdecimal() and not submission.id and not submission.time:
            if submission not in named:
                named[submission] = _named(submission, archive.facts.get(submission.track, {}), archive)
            archive.statements[number] = statement._replace(submission=named[submission])


def _named(submission: Submission, facts: Mapping[str, Fact], archive: Archive) -> Submission:
    name = facts.get(NUMBERED_NAMES.format(submission.annotator))
    told = facts.get(NUMBERED_TIMES.format(submission.annotator))
    time = ""
    if told is not None:
        try:
            time = utc_time(told.value)
        except InputError as problem:
            column = NUMBERED_TIMES.format(submission.annotator)
            archive.faults.append(Fault(submission.track, column, told.place, str(problem)))
    return submission._replace(annotator=name.value if name else submission.annotator, time=time)
