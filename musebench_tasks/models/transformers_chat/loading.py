"""From an identifier or a directory to a processor and a model, whichever Auto class knows it (models.md 1).

Membership is looked up in the class's mapping: trying `from_pretrained` would download a checkpoint twice.
Code of a checkpoint is never run.
"""

import hashlib
import importlib.util
import os
from pathlib import Path
from typing import Any

from musebench_tasks.errors import InputError, ModelUnusableError

THINKERS = {
    "qwen2_5_omni": "Qwen2_5OmniThinkerForConditionalGeneration",
    "qwen3_omni_moe": "Qwen3OmniMoeThinkerForConditionalGeneration",
}
"""Models whose Auto class would also load a talker, for nothing: the class that answers in text."""
AUTO_CLASSES = (
    "AutoModelForMultimodalLM",
    "AutoModelForImageTextToText",
    "AutoModelForSeq2SeqLM",
    "AutoModelForCausalLM",
)
_PACKAGES = ("torch", "transformers")
_WEIGHTS = (".safetensors", ".bin", ".pt", ".pth")
_SAMPLE_BYTES = 1 << 20


def require_packages() -> None:
    """InputError where torch or transformers are missing."""
    missing = [name for name in _PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        raise InputError(f"{' and '.join(missing)} not found; install musebench-tasks[hf] to run transformers models.")


def load_config(source: str, revision: str | None = None) -> Any:
    """The configuration of a checkpoint; InputError where there is none or it needs code of its own."""
    from transformers import AutoConfig

    try:
        return AutoConfig.from_pretrained(source, revision=revision)
    except (OSError, ValueError, KeyError) as error:
        raise InputError(f'model "transformers:{source}": no usable configuration: {_first_line(error)}') from error


def load_processor(source: str, revision: str | None = None) -> Any:
    """The processor of a checkpoint; InputError where it lacks one with a chat template."""
    from transformers import AutoProcessor

    try:
        processor = AutoProcessor.from_pretrained(source, revision=revision)
    except (OSError, ValueError, KeyError, ImportError) as error:
        raise InputError(f'model "transformers:{source}": no usable processor: {_first_line(error)}') from error
    if not getattr(processor, "chat_template", None):
        raise InputError(f'model "transformers:{source}": its processor has no chat template; choose a chat model.')
    return processor


def model_class(config: Any) -> Any:
    """The class that loads checkpoints of this configuration; InputError where none does."""
    import transformers

    if config.model_type in THINKERS:
        return getattr(transformers, THINKERS[config.model_type])
    if getattr(config, "architectures", None) and config.architectures[0] in THINKERS.values():
        return getattr(transformers, config.architectures[0])
    for name in AUTO_CLASSES:
        auto = getattr(transformers, name, None)
        if auto is not None and type(config) in auto._model_mapping:
            return auto
    raise InputError(
        f'model type "{config.model_type}" has no Auto class among {", ".join(AUTO_CLASSES)} '
        f"in transformers {transformers.__version__}; a newer version may know it."
    )


def load_weights(source: str, config: Any, *, device: str, dtype: Any, revision: str | None = None) -> Any:
    """The model in evaluation mode on `device`. Raises ModelUnusableError."""
    from transformers.utils import logging

    logging.disable_progress_bar()
    try:
        model = model_class(config).from_pretrained(source, dtype=dtype, revision=revision)
        return model.to(device).eval()
    except Exception as error:
        raise ModelUnusableError(
            f'model "transformers:{source}": its weights cannot be loaded: {_first_line(error).rstrip(".")}. '
            "Complete the checkpoint or free memory, then give the same command again."
        ) from error


def choose_device(wanted: str | None = None) -> str:
    """`wanted`, else this process's GPU by LOCAL_RANK or RANK, else the CPU."""
    import torch

    if wanted:
        return wanted
    if not torch.cuda.is_available():
        return "cpu"
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


def checkpoint_revision(source: str, config: Any) -> str:
    """The Hub commit, or for a directory a SHA-256 over its small files and a sample of its weights."""
    if not Path(source).is_dir():
        return str(getattr(config, "_commit_hash", None) or "unknown")
    digest = hashlib.sha256()
    for path in sorted(path for path in Path(source).iterdir() if path.is_file() and not path.name.startswith(".")):
        content = _weight_sample(path) if path.suffix in _WEIGHTS else path.read_bytes()
        digest.update(f"{path.name}\x1f{path.stat().st_size}\x1f".encode())
        digest.update(hashlib.sha256(content).digest())
    return f"sha256:{digest.hexdigest()}"


def _weight_sample(path: Path) -> bytes:
    """First and last MiB: names and shapes of the weights, and some of their values."""
    with path.open("rb") as file:
        head = file.read(_SAMPLE_BYTES)
        file.seek(max(0, path.stat().st_size - _SAMPLE_BYTES))
        return head + file.read(_SAMPLE_BYTES)


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0] or type(error).__name__
