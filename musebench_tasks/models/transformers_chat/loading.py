"""From an identifier or a directory to a processor and a model, whichever Auto class knows it.

Membership is looked up in the class's mapping: trying `from_pretrained` would download a checkpoint twice.
Code of a checkpoint is never run.
"""

import hashlib
import importlib.util
import os
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from musebench_tasks.base.errors import InputError, ModelUnusableError
from musebench_tasks.base.text import cut

AUTO_CLASSES = (
    "AutoModelForMultimodalLM",
    "AutoModelForImageTextToText",
    "AutoModelForSeq2SeqLM",
    "AutoModelForCausalLM",
)
_PACKAGES = ("torch", "transformers")
_WEIGHTS = (".safetensors", ".bin", ".pt", ".pth")
_SAMPLE_BYTES = 1 << 20
_LARGEST_READ = 1 << 28
"""Bytes of a file, whatever it is, of which only a sample is looked at."""
_LONGEST_REASON = 300
NO_OWN_CODE: dict[str, Any] = {"trust_remote_code": False}
"""Told to every `from_pretrained`: left unsaid, transformers asks at the terminal, and runs the code after a `y`."""
_COMMIT = re.compile("[0-9a-f]{40}")


@dataclass(frozen=True)
class Placement:
    """Where weights lie and in which type.

    `device` holds all of them; or `device_map` (accelerate's: `auto`, `balanced`, `sequential`, or a mapping from
    modules to devices) spreads them, within `max_memory` a device, what does not fit going to `offload_folder`.
    """

    device: str | None = None
    dtype: str | None = None
    device_map: str | dict[str, int | str] | None = None
    max_memory: dict[int | str, int | str] | None = None
    offload_folder: str | None = None

    def __post_init__(self) -> None:
        if self.device is not None and self.device_map is not None:
            raise InputError("give device (one for all weights) or device_map (weights on several), not both.")
        spread = {"max_memory": self.max_memory, "offload_folder": self.offload_folder}
        idle = [name for name, value in spread.items() if value is not None]
        if idle and self.device_map is None:
            raise InputError(f"{' and '.join(idle)} only means something with device_map; add device_map: auto.")

    @cached_property
    def single(self) -> str:
        """The one device, or the kind of device that a map begins with."""
        return choose_device(self.device)

    @cached_property
    def torch_dtype(self) -> Any:
        """The type of the weights."""
        return choose_dtype(self.dtype, self.single)

    def load_options(self) -> dict[str, Any]:
        """What `from_pretrained` is told."""
        options: dict[str, Any] = {"dtype": self.torch_dtype}
        has_accelerate = importlib.util.find_spec("accelerate") is not None
        if self.device_map is None:
            # Straight onto the device: the weights of one process a GPU may be more than the machine's own memory.
            goes_straight = has_accelerate and self.single != "cpu"
            return options | ({"device_map": {"": self.single}} if goes_straight else {})
        if not has_accelerate:
            raise InputError("accelerate not found; install musebench-tasks[hf] to spread weights by device_map.")
        if self.max_memory is not None:
            # YAML and JSON know device numbers as keys only as text.
            options["max_memory"] = {_device_key(key): value for key, value in self.max_memory.items()}
        if self.offload_folder is not None:
            options["offload_folder"] = self.offload_folder
        return options | {"device_map": self.device_map}


def require_packages() -> None:
    """InputError where torch or transformers are missing."""
    missing = [name for name in _PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        raise InputError(f"{' and '.join(missing)} not found; install musebench-tasks[hf] to run transformers models.")


def load_config(source: str, revision: str | None = None, called: str = "model") -> Any:
    """The configuration of a checkpoint; InputError where there is none or it needs code of its own."""
    from transformers import AutoConfig

    try:
        return AutoConfig.from_pretrained(source, revision=revision, **NO_OWN_CODE)
    except Exception as error:  # Whatever a library that reads foreign files may meet.
        raise InputError(f'{called} "transformers:{source}": no usable configuration: {told_of(error)}') from error


def load_processor(source: str, revision: str | None = None) -> Any:
    """The processor of a checkpoint; InputError where it lacks one for media and chat."""
    from transformers import AutoProcessor

    try:
        processor = AutoProcessor.from_pretrained(source, revision=revision, **NO_OWN_CODE)
    except Exception as error:
        raise InputError(f'model "transformers:{source}": no usable processor: {told_of(error)}') from error
    if getattr(processor, "tokenizer", None) is None:
        raise InputError(
            f'model "transformers:{source}": it reads text alone. Choose a multimodal checkpoint; a model of text '
            "behind a server can be asked as openai:MODEL@URL."
        )
    if not getattr(processor, "chat_template", None):
        raise InputError(f'model "transformers:{source}": its processor has no chat template; choose a chat model.')
    return processor


def model_class(config: Any, loader: str | None = None) -> Any:
    """The class that loads checkpoints of this configuration: `loader`, or an Auto class; InputError where none does.

    Where a checkpoint's Auto class would also load a talker, for nothing, `loader` is the class that answers in text.
    """
    import transformers

    if loader is not None:
        return getattr(transformers, loader)
    for name in AUTO_CLASSES:
        auto = getattr(transformers, name, None)
        if auto is not None and type(config) in auto._model_mapping:
            return auto
    raise InputError(
        f'model type "{config.model_type}" has no Auto class among {", ".join(AUTO_CLASSES)} '
        f"in transformers {transformers.__version__}; a newer version may know it."
    )


def load_weights(
    source: str, config: Any, placement: Placement, *, revision: str | None = None, loader: str | None = None
) -> Any:
    """The model in evaluation mode where `placement` puts it. Raises ModelUnusableError."""
    import torch
    from transformers.utils import logging

    logging.disable_progress_bar()
    options = placement.load_options()
    try:
        if placement.device_map is None and placement.single.startswith("cuda"):
            # Kernels that are not torch's own run on the current device, which is the first GPU for every process.
            torch.cuda.set_device(placement.single)
        model = model_class(config, loader).from_pretrained(source, revision=revision, **NO_OWN_CODE, **options)
        return (_spread(model) if "device_map" in options else model.to(placement.single)).eval()
    except Exception as error:
        raise ModelUnusableError(
            f'model "transformers:{source}": its weights cannot be loaded: {told_of(error).rstrip(".")}. '
            "Complete the checkpoint or free memory, then give the same command again."
        ) from error


def complete_ends(model: Any, tokenizer: Any) -> Any:
    """The model, its answers ending also at the tokenizer's own end token, where its generation settings forget that.

    Else a turn that has ended goes on as another one, up to the last token of the budget.
    """
    told = model.generation_config.eos_token_id
    ends = list(told) if isinstance(told, list | tuple) else [] if told is None else [told]
    if tokenizer.eos_token_id is not None and tokenizer.eos_token_id not in ends:
        model.generation_config.eos_token_id = [*ends, tokenizer.eos_token_id]
    return model


def _spread(model: Any) -> Any:
    """The model, its `device` being where prompts go also where its first weights lie on disk and have no device."""
    import torch

    if model.device.type != "meta":
        return model
    home = torch.device(getattr(getattr(model, "_hf_hook", None), "execution_device", None) or "cpu")
    plain = type(model)
    model.__class__ = type(plain.__name__, (plain,), {"device": property(lambda _: home)})
    return model


def choose_device(wanted: str | None = None) -> str:
    """`wanted`, else the CPU where there is no GPU; a GPU without a number is this process's, by LOCAL_RANK or RANK."""
    import torch

    if wanted not in (None, "", "cuda"):
        return str(wanted)
    if not torch.cuda.is_available():
        return wanted or "cpu"
    rank = int(os.environ.get("LOCAL_RANK") or os.environ.get("RANK") or 0)
    return f"cuda:{rank % torch.cuda.device_count()}"


def choose_dtype(wanted: str | None, device: str) -> Any:
    """The torch dtype called `wanted`, else bfloat16 on a GPU and float32 on the CPU."""
    import torch

    name = wanted or ("bfloat16" if device.startswith("cuda") else "float32")
    dtype = getattr(torch, name, None)
    if not isinstance(dtype, torch.dtype):
        raise InputError(f'dtype "{name}" is unknown; use float32, bfloat16 or float16.')
    return dtype


def context_tokens(config: Any) -> int | None:
    """Tokens that the language model was made for, where its configuration says so."""
    core = getattr(config, "thinker_config", config)
    return getattr(core.get_text_config(), "max_position_embeddings", None)


def checkpoint_revision(source: str, pinned: str | None = None) -> str:
    """The Hub commit, or for a directory a SHA-256 over its small files and a sample of the large ones."""
    if not Path(source).is_dir():
        return hub_commit(source, pinned) or "unknown"
    digest = hashlib.sha256()
    for path in sorted(path for path in Path(source).iterdir() if path.is_file() and not path.name.startswith(".")):
        is_large = path.suffix in _WEIGHTS or path.stat().st_size > _LARGEST_READ
        content = _weight_sample(path) if is_large else path.read_bytes()
        digest.update(f"{path.name}\x1f{path.stat().st_size}\x1f".encode())
        digest.update(hashlib.sha256(content).digest())
    return f"sha256:{digest.hexdigest()}"


def hub_commit(source: str, pinned: str | None = None) -> str | None:
    """The commit that a Hub id stands for now, found as transformers finds it; None where it is not to be had."""
    from huggingface_hub import hf_hub_download

    try:
        commit = Path(hf_hub_download(source, "config.json", revision=pinned)).parent.name
    except Exception:  # Whatever it is, transformers meets it next and has it told.
        return None
    return commit_of(commit)


def commit_of(revision: str) -> str | None:
    """`revision` where it is a commit; None where it is a name or a hash of a directory."""
    return revision if _COMMIT.fullmatch(revision) else None


def _device_key(key: int | str) -> int | str:
    return int(key) if str(key).isdigit() else key


def _weight_sample(path: Path) -> bytes:
    """First and last MiB: names and shapes of the weights, and some of their values."""
    with path.open("rb") as file:
        head = file.read(_SAMPLE_BYTES)
        file.seek(max(0, path.stat().st_size - _SAMPLE_BYTES))
        return head + file.read(_SAMPLE_BYTES)


def told_of(error: Exception) -> str:
    """What an error of transformers comes down to, on one line."""
    if "trust_remote_code" in str(error):
        return "it needs code of its own, which is never run. Choose a checkpoint that transformers knows by itself"
    return cut(str(error).strip().partition("\n")[0] or type(error).__name__, _LONGEST_REASON)
