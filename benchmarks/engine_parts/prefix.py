"""CPU seconds a request, led on from a shared beginning or read whole.

The plain path is each request on its own with `--prefix plain`, nothing kept from the one before: decoded, processed,
encoded and read whole, as in a harness that plans nothing. Shared is the default: the requests of a film as one group.
Both start from an empty cache, so that decoding counts in both. Two notes stand beside, for what the parts give: plain
with the cache of decoded media, and plain as one group (decoded and processed once, each prompt read whole).
"""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path
from typing import Any

from engine_parts.lines import Line, cpu_of, paired, seconds, single_threaded
from engine_parts.material import SECONDS, questions, write_film

FRAMES = 64
FAMILY = "qwen2_5_omni_thinker"
SIZES = {"tiny": {}, "medium": {"hidden": 256, "layers": 4}}
COUNTS = (1, 4, 16)
WINDOW_S = 300
TARGETS = {
    ("text", 1): 1.05,
    ("letters", 1): 1.05,
    ("text", 4): 3,
    ("text", 16): 8,
    ("letters", 4): 3,
    ("letters", 16): 10,
}


def measure(size: str, pairs: int) -> list[Line]:
    """The lines of one size of model: answers as text and as letters, N = 1, 4, 16."""
    started = time.process_time()
    single_threaded()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), size)
        start_s = time.process_time() - started
        lines = [Line(f"{size}: start-up, excluded below", seconds(start_s), "", "", start_s, "note")]
        for answering in ("text", "letters"):
            for count in COUNTS:
                lines += bench.lines(answering, count, pairs if count == 1 else min(pairs, 3))
    return lines


class Bench:
    """One model, one film, and every request about it."""

    def __init__(self, folder: Path, size: str) -> None:
        from musebench_tasks.models.tiny import build_tiny

        self.folder, self.size = folder, size
        self.film = write_film(folder / "film.mp4")
        self.checkpoint = with_long_audio(build_tiny(FAMILY, folder / "checkpoint", **SIZES[size]))
        self.models: dict[tuple[str, str], Any] = {}
        self.caches = 0
        self.run("text", "shared", 2)
        self.run("text", "plain", 2)

    def lines(self, answering: str, count: int, pairs: int) -> list[Line]:
        self.run(answering, "shared", count)
        target = TARGETS[answering, count]
        what = f"{self.size}, {answering}, N = {count}"
        if count == 1:
            ours, theirs, ratio = paired(
                lambda: self.run(answering, "shared", 1), lambda: self.run(answering, "plain", 1), pairs
            )
            return [Line(what, seconds(ours), "plain", seconds(theirs), ratio, "at most", target)]
        theirs, ours, ratio = paired(
            lambda: self.run(answering, "plain", count, keeps=False),
            lambda: self.run(answering, "shared", count),
            pairs,
        )
        cached, together = self.run(answering, "plain", count, keeps=True), self.run(answering, "plain", count)
        return [
            Line(what, seconds(ours), "plain", seconds(theirs), ratio, "times", target),
            Line("", seconds(ours), "plain, media from our cache", seconds(cached), cached / ours, "note"),
            Line("", seconds(ours), "plain, as one group", seconds(together), together / ours, "note"),
        ]

    def model(self, answering: str, sharing: str) -> Any:
        from musebench_tasks.models.transformers_chat import load

        if (answering, sharing) not in self.models:
            loaded = load(str(self.checkpoint), device="cpu", max_frames=FRAMES, answering=answering, prefix=sharing)
            _ = loaded.weights
            self.models[answering, sharing] = loaded
        return self.models[answering, sharing]

    def run(self, answering: str, sharing: str, count: int, *, keeps: bool | None = None) -> float:
        """CPU seconds a request, decoding included, from an empty cache.

        `keeps`: None = all as one group; else each on its own, with what was decoded kept for the next or not.
        """
        from musebench_tasks.media import MediaGroup
        from musebench_tasks.media.counts import decode_counts

        model = self.model(answering, sharing)
        requests = requests_for(model, self.film, count)
        groups = [requests] if keeps is None else [(each,) for each in requests]
        cache = self.cache()

        def work() -> None:
            for group in groups:
                for response in model.answer(
                    MediaGroup(group, model.limits, cache if keeps is not False else self.cache())
                ):
                    if response.error is not None:
                        raise SystemExit(f"{FAMILY}: {response.error}")

        return cpu_of(work, lambda: sum(each.cpu_s for each in decode_counts().values())) / count

    def cache(self) -> Any:
        """An empty cache."""
        from musebench_tasks.media.cache import MediaCache

        self.caches += 1
        return MediaCache(self.folder / f"cache-{self.caches}")


def with_long_audio(checkpoint: Path) -> Path:
    """The checkpoint with windows of 300 s for sound, as the real Qwen2.5-Omni has them."""
    path = checkpoint / "processor_config.json"
    config = json.loads(path.read_text())
    extractor = config["feature_extractor"]
    rate = extractor["sampling_rate"]
    extractor |= {"chunk_length": WINDOW_S, "n_samples": WINDOW_S * rate}
    extractor["nb_max_frames"] = WINDOW_S * rate // extractor["hop_length"]
    path.write_text(json.dumps(config))
    return checkpoint


def requests_for(model: Any, film: Path, count: int) -> Any:
    """`count` requests about the film, as a run would make them."""
    from musebench_tasks.base.records import Condition
    from musebench_tasks.inference import build_requests

    return build_requests(choice_task(), questions(film, count), model, [Condition.FULL])


def choice_task(**more: Any) -> Any:
    """A task that shows 64 frames and 60 s of sound; `more` are fields of its protocol."""
    from musebench_tasks.base.records import MetricConfig, Modality, Protocol, TaskConfig, TaskMetadata

    protocol = {"media": tuple(Modality), "fps": FRAMES / SECONDS, "max_frames": FRAMES, **more}
    return TaskConfig(
        task="engine",
        dataset_path="engine",
        protocol=Protocol(**protocol),
        metric_list=(MetricConfig(metric="accuracy"),),
        metadata=TaskMetadata(headline="accuracy"),
    )
