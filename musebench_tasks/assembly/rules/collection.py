"""Rules on rows together: ids, repeated and almost repeated questions, clusters."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from musebench_tasks.assembly.rules.findings import flaw
from musebench_tasks.assembly.rules.near_duplicates import near_duplicates
from musebench_tasks.assembly.rules.question import Question
from musebench_tasks.base.problems import Problem
from musebench_tasks.base.text import shown

FEWEST_FOR_CLUSTERS = 20


class Placed(NamedTuple):
    """A problem and the position of its row; None for all rows together."""

    position: int | None
    problem: Problem


def id_flaws(names: Sequence[Any], numbers: Sequence[int], column: str) -> Iterator[Placed]:
    """Rows whose id an earlier row has; ids that differ in case alone would be one file on some machines."""
    first: dict[str, int] = {}
    for position, name in enumerate(names):
        if not isinstance(name, str) or not name:
            continue
        earlier = first.setdefault(name.casefold(), position)
        if earlier != position:
            same = "" if names[earlier] == name else f" as {shown(names[earlier])}"
            found = f"{shown(name)} stands in row {numbers[earlier]} already{same}."
            yield Placed(position, flaw("ID_DUPLICATE", column, found, "Give each row its own id."))


def question_flaws(questions: Sequence[Question], positions: Sequence[int], numbers: Sequence[int]) -> Iterator[Placed]:
    """Questions that are asked twice: about one medium, in almost the same words, or of several media."""
    keys = [_key(each) for each in questions]
    first: dict[tuple[Any, str], int] = {}
    repeated: dict[int, int] = {}
    for place, (key, question) in enumerate(zip(keys, questions, strict=True)):
        earlier = first.setdefault((key, question.medium), place)
        if earlier != place:
            repeated[place] = earlier
            found = f"the question of row {numbers[earlier]}, about the same medium."
            yield Placed(positions[place], flaw("ITEM_DUPLICATE", question.columns[0], found, "Remove one of the two."))
    texts = [" ".join((each.stem, *sorted(each.options))) for each in questions]
    told: set[int] = set(repeated)
    for one, other in near_duplicates(texts, [each.cluster for each in questions]):
        if other not in told and keys[one] != keys[other]:
            told.add(other)
            found = f"almost the words of row {numbers[one]}, of the same cluster."
            problem = flaw("NEAR_DUPLICATE", questions[other].columns[0], found, "Ask something else.")
            yield Placed(positions[other], problem)
    yield from repeated_questions(questions, keys, numbers)


def repeated_questions(questions: Sequence[Question], keys: Sequence[Any], numbers: Sequence[int]) -> Iterator[Placed]:
    """One problem for each question that is asked about several media with the same options."""
    rows: dict[Any, dict[str, int]] = defaultdict(dict)
    for place, (key, question) in enumerate(zip(keys, questions, strict=True)):
        rows[key].setdefault(question.medium, place)
    for media in rows.values():
        if len(media) > 1:
            places = list(media.values())
            named = ", ".join(str(numbers[place]) for place in places[:3])
            found = f"{len(media)} rows ({named}…) ask the same with the same options, about other media."
            problem = flaw(
                "QUESTION_REPEATED", questions[places[0]].columns[0], found, "Right where media are compared."
            )
            yield Placed(None, problem)


def _key(question: Question) -> tuple[str, tuple[str, ...]]:
    return " ".join(question.stem.casefold().split()), tuple(sorted(question.options))


def cluster_flaws(media: Sequence[Any], clusters: Sequence[str], numbers: Sequence[int]) -> Iterator[Placed]:
    """Rows of one medium in several clusters; all rows in one. `media`: what names each row's, None = unknown."""
    first: dict[Any, int] = {}
    for position, (medium, cluster) in enumerate(zip(media, clusters, strict=True)):
        if medium is None:
            continue
        earlier = first.setdefault(medium, position)
        if clusters[earlier] != cluster:
            other = f"row {numbers[earlier]} has the same medium and cluster {shown(clusters[earlier])}"
            found = f"{shown(cluster)}, but {other}."
            yield Placed(position, flaw("CLUSTER", "cluster_id", found, "Give rows of one source one cluster."))
    if len(clusters) >= FEWEST_FOR_CLUSTERS and len(set(clusters)) == 1:
        found = f"all {len(clusters)} rows are of cluster {shown(clusters[0])}: no interval can be computed."
        yield Placed(None, flaw("CLUSTER", "cluster_id", found, "Name the source of each row."))
