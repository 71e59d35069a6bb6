from musebench_tasks.base.records import (
    BenchmarkBlock,
    Condition,
    DecodingBlock,
    FieldAnswer,
    HarnessBlock,
    Hashes,
    Item,
    Kind,
    MediaBlock,
    MusicTruth,
    Prediction,
    PromptBlock,
    ProtocolBlock,
    Reference,
    RunConfig,
    Segment,
    Status,
    SystemBlock,
    TaskConfig,
    make_options,
)

CHOICE_METRICS = ["accuracy", "caa", "exact_match", "set_f1", "position_bias"]
MUSIC_METRICS = ["mub_tempo", "mub_key", "mub_time_signature", "mub_segments"]
HASHES = Hashes(data_sha256="d", references_sha256="r", predictions_sha256="p")


def choice_task(metrics=CHOICE_METRICS, runs=1, slices=(), headline="accuracy", conditions=("full",)):
    return TaskConfig(
        task="t",
        dataset_path="d",
        protocol={"runs": runs, "option_order": "shuffled" if runs > 1 else "stored", "conditions": conditions},
        slices=slices,
        metric_list=[{"metric": metric} for metric in metrics],
        metadata={"headline": headline},
    )


def music_task(fields=("tempo", "key", "time_signature", "segments")):
    return TaskConfig(
        task="t",
        dataset_path="d",
        kind="music",
        protocol={"fields": fields},
        metric_list=[{"metric": metric} for metric in MUSIC_METRICS],
        metadata={"headline": "mub_key"},
    )


def choice_item(name, n_options=4, *, kind=Kind.SINGLE, cluster=None, **more):
    options = make_options(name, [f"option {number}" for number in range(n_options)])
    return Item(id=name, benchmark="b", kind=kind, options=options, cluster_id=cluster or name, **more)


def letters(item, text):
    return tuple(item.options["ABCDEFGH".index(letter)].id for letter in text)


def gold(item, text):
    return Reference(item_id=item.id, answer=letters(item, text))


def answer(item, text, *, run=0, status=None, condition=Condition.FULL):
    """`text` = letters in the stored order; None = no readable answer."""
    status = status or (Status.UNPARSED if text is None else Status.OK)
    parsed = None if text is None else tuple(sorted(letters(item, text)))
    order = item.option_ids
    return Prediction(item_id=item.id, run=run, condition=condition, option_order=order, parsed=parsed, status=status)


def recording(name, cluster=None):
    return Item(id=name, benchmark="b", kind=Kind.MUSIC, cluster_id=cluster or name, duration_s=30.0)


def truth(item, tempo=100.0, key="C major", metre="4/4", bounds=((0, 10, "A"), (10, 20, "B"), (20, 30, "A"))):
    segments = tuple(Segment(start_s=start, end_s=end, label=label) for start, end, label in bounds)
    return Reference(
        item_id=item.id, music=MusicTruth(tempo_bpm=tempo, key=key, time_signature=metre, segments=segments)
    )


def music_answer(item, status=Status.OK, **values):
    fields = {
        name: FieldAnswer(value=value, status=Status.OK if value is not None else Status.UNPARSED, rule="json")
        for name, value in values.items()
    }
    return Prediction(
        item_id=item.id,
        run=0,
        condition=Condition.FULL,
        parsed=fields if status.is_answer else None,
        status=status,
    )


def run_config(task, conditions=(Condition.FULL,)):
    protocol = task.protocol
    return RunConfig(
        task=task.task,
        benchmark=BenchmarkBlock(name="b", version="1", split="test", data_sha256="d"),
        system=SystemBlock(name="m"),
        prompt=PromptBlock(id="p", sha256="s", template="p.jinja"),
        decoding=DecodingBlock(),
        media=MediaBlock(),
        protocol=ProtocolBlock(
            conditions=conditions, runs=protocol.runs, option_order=protocol.option_order, seed=protocol.seed
        ),
        harness=HarnessBlock(version="1"),
    )
