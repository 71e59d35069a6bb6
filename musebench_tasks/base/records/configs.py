"""What a user writes (TaskConfig, Suite) and what a run records of it (RunConfig)."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field

from musebench_tasks.base.conditions import Condition, Modality
from musebench_tasks.base.records.base import ReadableText, Record, readable_name
from musebench_tasks.base.records.enums import MUSIC_FIELDS, Kind

PositiveInt = Annotated[int, Field(gt=0)]
PositiveFloat = Annotated[float, Field(gt=0)]
TOOL_ASSISTED = "tool_assisted"
"""The track of systems that work with something beside the medium."""


class Columns(Record):
    """Which column of a dataset holds what. Defaults are the columns of musebench and mub."""

    id: str | None = None
    media: str | None = None
    """A column, or a path made of columns: `videos/{videoID}.mp4`, `audio/{track}.*`."""
    question: str | None = None
    options: tuple[str, ...] | str | None = None
    answer: str | None = None
    distractors: tuple[str, ...] | str | None = None
    kind: str | None = None
    start_s: str | None = None
    end_s: str | None = None
    duration_s: str | None = None
    category: str | None = None
    subdomain: str | None = None
    difficulty: str | None = None
    cluster_id: str | None = None
    transcript: str | None = None
    alignment: str | None = None
    tags: str | None = None
    license: str | None = None
    attribution: str | None = None
    tempo_bpm: str | None = None
    beat_unit: str | None = None
    key: str | None = None
    time_signature: str | None = None
    segments: str | None = None
    multi_valued: str | None = None


class Cells(Record):
    """How cells are written where a dataset has a way of its own."""

    option_labels: bool = False
    """Options carry their letter (`A. flute`, `(A) flute`): it is taken off, and off the answer."""
    option_separator: Annotated[str, Field(min_length=1)] | None = None
    """What stands between options that are written in one text."""


class Chunking(Record):
    """Parts that follow one another, in which a model gets sound that is longer than it takes at once."""

    seconds: PositiveFloat | Literal["limit"] = "limit"
    """Of each part; `limit` = as long as the model takes, the whole in one where it names no limit."""
    overlap_s: Annotated[float, Field(ge=0)] = 0.0
    """Seconds of a part that the next one repeats."""


class NarratorRemoval(Record):
    """How narration was taken out of the clips."""

    method: str
    version: str


class Protocol(Record):
    """How items are put to a model."""

    media: tuple[Modality, ...] = ()
    conditions: tuple[Condition, ...] = (Condition.FULL,)
    """Conditions that the task allows; a run plans `full` unless asked otherwise."""
    runs: PositiveInt = 1
    option_order: Literal["stored", "shuffled"] = "stored"
    seed: int = 42
    answer: Literal["letter", "json"] = "letter"
    fields: tuple[Literal["tempo", "key", "time_signature", "segments"], ...] = ()
    fps: PositiveFloat = 1.0
    max_frames: PositiveInt | None = None
    max_pixels: PositiveInt | None = None
    frames: str = "uniform"
    """Which frames stand for a clip: `uniform`, `keyframes`, `scene_changes[:THRESHOLD]` or `query:SCORER` (MB-59)."""
    max_audio_s: PositiveFloat | None = None
    sample_rate: PositiveInt | None = None
    chunking: Chunking | None = None
    """None = sound longer than a model takes is cut off there, and said to be."""
    narrator_removal: NarratorRemoval | None = None
    track: Literal["native_audio", "tool_assisted"] | None = None
    tools: tuple[str, ...] = ()


class GenerationSettings(Record):
    """lm-eval's `generation_kwargs`."""

    max_gen_toks: PositiveInt = 16
    do_sample: bool = False
    temperature: Annotated[float, Field(ge=0)] = 0.0
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    seed: int | None = None


SliceField = Literal["category", "subdomain", "difficulty", "kind"]
"""The fields of an item by whose values scores are told apart."""


class MetricConfig(Record):
    """One entry of `metric_list`: a metric, its version, and the kinds of item it is for (none = all it fits)."""

    MACRO: ClassVar[str] = ".macro."
    """Stands between a metric and the field over whose values it is averaged, in the name of a macro measure."""

    metric: str
    version: str | None = None
    kinds: tuple[Kind, ...] = ()
    by: SliceField | None = None
    """Measured on the items of each value of this field, and nowhere else."""
    macro: SliceField | None = None
    """Averaged over the values of this field, each counting alike."""

    @property
    def name(self) -> str:
        """What the entry's headline is called: `caa`, `caa.macro.difficulty`."""
        return self.metric if self.macro is None else f"{self.metric}{self.MACRO}{self.macro}"


class TaskMetadata(Record):
    """Lines about the task itself."""

    version: float | str = 1.0
    headline: str
    """The metric named first."""
    description: str | None = None


class TaskConfig(Record):
    """A resolved task YAML: includes merged, every default filled in."""

    task: str
    task_alias: str | None = None
    description: str | None = None
    dataset_path: str
    """A Hub id, a directory, or a registered name."""
    data_from: str | None = None
    """Where people get data that nobody can fetch for them, and how they lie; told where they are not found."""
    dataset_name: str | None = None
    """The dataset's configuration; None = its default."""
    revision: str | None = None
    test_split: str = "test"
    kind: Literal["choice", "music"] = "choice"
    columns: Columns = Columns()
    cells: Cells = Cells()
    rows: dict[str, Any] = Field(default_factory=dict)
    """Columns of the dataset, and the text or texts of which a row has one; other rows are not looked at."""
    exclude: tuple[str, ...] = ()
    """Ids of rows that are not looked at either, because something is wrong with them."""
    filter: dict[str, Any] = Field(default_factory=dict)
    """Column-like item fields and the value, or list of values, an item must have."""
    protocol: Protocol = Protocol()
    slices: tuple[SliceField, ...] = ()
    doc_to_text: str | None = None
    """A template of `prompts/`, or a path ending in .jinja; None = the kind's own."""
    system: str | None = None
    generation_kwargs: GenerationSettings = GenerationSettings()
    metric_list: tuple[MetricConfig, ...]
    metadata: TaskMetadata

    @property
    def dimensions(self) -> tuple[SliceField, ...]:
        """The fields by whose values some measure is told apart: `slices`, then those that `by` alone names."""
        return tuple(dict.fromkeys((*self.slices, *(each.by for each in self.metric_list if each.by is not None))))

    @property
    def modalities(self) -> frozenset[Modality]:
        """Streams that the task uses."""
        return frozenset(self.protocol.media)

    @property
    def fields(self) -> tuple[str, ...]:
        """Music fields asked for; all four where a music task names none."""
        if self.kind == "choice":
            return ()
        return tuple(self.protocol.fields) or MUSIC_FIELDS

    def track_with(self, tools: tuple[str, ...]) -> str | None:
        """The track of a system that works with `tools`: with any it is on no other than `tool_assisted` (MU-08)."""
        return TOOL_ASSISTED if tools else self.protocol.track


class Suite(Record):
    """Tasks times models."""

    suite: str
    description: str | None = None
    tasks: tuple[str, ...]
    models: tuple[str, ...]
    conditions: tuple[Condition, ...] = (Condition.FULL,)
    selection: str | None = None
    """None = all items, `limit:N` or `stratified:N`."""
    frames: str | None = None
    """How frames are chosen, in place of what the tasks say (`Protocol.frames`)."""
    chunk: PositiveFloat | Literal["limit", "none"] | None = None
    """Seconds of the parts that long sound comes in, in place of what the tasks say (`Protocol.chunking`)."""


class BenchmarkBlock(Record):
    """Which data were asked."""

    name: str
    version: str
    split: str
    data_sha256: str
    selection: str | None = None
    """None = all items, `limit:N` or `stratified:N`."""


SystemName = Annotated[str, Field(max_length=1000), AfterValidator(readable_name)]
"""What a system is called in files and tables: one line that can be read."""


class SystemBlock(Record):
    """Who was asked."""

    name: SystemName
    type: Literal["model", "human", "baseline"] = "model"
    tier: ReadableText | None = None
    provider: ReadableText | None = None
    revision: ReadableText | None = None
    weights: ReadableText | None = None
    quantization: ReadableText | None = None
    size: ReadableText | None = None


class PromptBlock(Record):
    """With which words. `sha256` covers the template's text and the system text. All None: not known (imported)."""

    id: str | None = None
    sha256: str | None = None
    system: str | None = None
    template: str | None = None


class DecodingBlock(Record):
    """How the answer was generated."""

    answering: Literal["text", "letters"] = "text"
    temperature: float | None = 0.0
    """None = not known (imported), as with `max_tokens`."""
    top_p: float | None = None
    max_tokens: int | None = 16
    seed: int | None = None
    context_tokens: int | None = None
    """Tokens that the model takes in all, where it is known."""
    reasoning: str | None = None
    """Whether and how far the model may reason before it answers; None = not known to reason."""
    prefix: Literal["shared", "sequential", "plain"] | None = None
    """How prompts about one medium are read: from the beginning they share, together or one by one, or each whole."""


class MediaBlock(Record):
    """How media were prepared."""

    fps: float | None = None
    max_frames: int | None = None
    resolution: str | None = None
    modalities: tuple[Literal["T", "A", "V"], ...] | None = ("T",)
    """None = not known (imported)."""
    audio_sr: int | None = None
    truncation: str | None = None
    """What of the sound is left out, or the parts it comes in: `audio after 30 s`, `chunks of 30 s`."""
    frames: str | None = None
    """How frames are chosen; None = spread evenly."""
    frame_scorer: str | None = None
    """Revision of what chooses them by the question."""
    audio_route: str | None = None
    """`transcript` where words stand in for the sound; None = the sound itself, or none."""
    narrator_removal: NarratorRemoval | None = None


class ProtocolBlock(Record):
    """The rules of the run."""

    track: str | None = None
    tools: tuple[str, ...] = ()
    conditions: tuple[Condition, ...]
    runs: int
    option_order: Literal["stored", "shuffled"]
    seed: int


class HarnessBlock(Record):
    """Which code ran; not compared when a run is resumed."""

    name: str = "musebench-tasks"
    version: str | None
    git: str | None = None
    packages: dict[str, str] = Field(default_factory=dict)
    decoding: str | None = None
    """How pictures and sound are decoded, mixed down and resampled."""


class RunConfig(Record):
    """run.yaml: configuration only, written first, never changed."""

    schema_version: str = "1"
    task: str
    benchmark: BenchmarkBlock
    system: SystemBlock
    prompt: PromptBlock
    decoding: DecodingBlock
    media: MediaBlock
    protocol: ProtocolBlock
    harness: HarnessBlock
