"""What to do about what was found: the server's own flags where it says what it is, then settings on our side."""

from __future__ import annotations

from enum import StrEnum
from string import Template


class Problem(StrEnum):
    """What can be wrong."""

    FEWER_PICTURES = "fewer_pictures"
    SMALLER_PICTURES = "smaller_pictures"
    NO_PICTURES = "no_pictures"
    TOO_MANY_PICTURES = "too_many_pictures"
    FEWER_FILM_PICTURES = "fewer_film_pictures"
    SOUND_TWICE = "sound_twice"
    NO_FILM = "no_film"
    FILM_ARRIVES = "film_arrives"
    VIDEO_ARRIVES = "video_arrives"
    PICTURES_ARRIVE = "pictures_arrive"
    SHORTER_SOUND = "shorter_sound"
    NO_SOUND = "no_sound"
    SOUND_BY_ADDRESS = "sound_by_address"
    SOUND_ITSELF = "sound_itself"
    TOO_LONG_SOUND = "too_long_sound"
    DROPPED_TOGETHER = "dropped_together"
    WRONG_MEDIA_CACHED = "wrong_media_cached"
    WRONG_MEDIA_ALWAYS = "wrong_media_always"
    NO_PREFIX_CACHE = "no_prefix_cache"
    CACHE_UNTOLD = "cache_untold"
    NO_LETTERS = "no_letters"
    TOO_LONG = "too_long"
    TOOLS = "tools"
    REASONING = "reasoning"
    TEXT_REFUSED = "text_refused"


_VLLM = {
    Problem.NO_PICTURES: """Start vLLM with --limit-mm-per-prompt '{"image": 64}' and a model that takes pictures""",
    Problem.TOO_MANY_PICTURES: """Start vLLM with --limit-mm-per-prompt '{"image": 64, "video": 1, "audio": 1}'""",
    Problem.FEWER_FILM_PICTURES: """Start vLLM with --media-io-kwargs '{"video": {"num_frames": -1}}'""",
    Problem.WRONG_MEDIA_CACHED: "Start vLLM with --no-enable-prefix-caching, or use a newer version",
    Problem.WRONG_MEDIA_ALWAYS: "Start vLLM with --mm-processor-cache-gb 0, or use a newer version",
    Problem.NO_PREFIX_CACHE: "Start vLLM with --enable-prefix-caching (models with linear attention may reuse nothing)",
    Problem.CACHE_UNTOLD: "Start vLLM with --enable-prompt-tokens-details to be told",
    Problem.NO_LETTERS: "Start vLLM with --max-logprobs 20",
    Problem.TOO_LONG: "Start vLLM with a larger --max-model-len",
    Problem.TOOLS: "Start vLLM without --enable-auto-tool-choice",
}
_SGLANG = {
    Problem.NO_PICTURES: "Start SGLang with --enable-multimodal and a model that takes pictures",
    Problem.TOO_MANY_PICTURES: """Start SGLang with --limit-mm-data-per-request '{"image": 64}'""",
    Problem.WRONG_MEDIA_CACHED: "Start SGLang with --disable-radix-cache, or use a newer version",
    Problem.NO_PREFIX_CACHE: "Start SGLang without --disable-radix-cache",
    Problem.CACHE_UNTOLD: "Start SGLang with --enable-cache-report to be told",
    Problem.TOO_LONG: "Start SGLang with a larger --context-length",
    Problem.TOOLS: "Start SGLang without --tool-call-parser",
}
_FLAGS = {"vllm": _VLLM, "sglang": _SGLANG}
_ANY_SERVER = {
    Problem.FEWER_PICTURES: "Raise the server's limit of pictures",
    Problem.SMALLER_PICTURES: "Raise the server's pixel budget",
    Problem.NO_PICTURES: "Use a model that takes pictures",
    Problem.TOO_MANY_PICTURES: "Raise the server's limit of pictures",
    Problem.TOO_LONG_SOUND: "Raise the server's limit of sound",
    Problem.NO_SOUND: "Use a model that hears",
    Problem.DROPPED_TOGETHER: "Use a server and a model that take both at once",
    Problem.WRONG_MEDIA_CACHED: "Turn the server's prefix cache off, or use a newer version",
    Problem.WRONG_MEDIA_ALWAYS: "Turn the server's caches of media off, or use a newer version",
    Problem.NO_PREFIX_CACHE: "Turn the server's prefix cache on",
    Problem.CACHE_UNTOLD: "Let the server tell prompt_tokens_details.cached_tokens",
    Problem.TOO_LONG: "Raise the server's context length",
    Problem.TOOLS: "Turn tools off in the server",
}
_OURS = {
    Problem.FEWER_PICTURES: "Or give run --max-frames $arrived: what is left out is then known and told",
    Problem.SMALLER_PICTURES: "Or give run --max-frames $even",
    Problem.NO_PICTURES: "Or use a card with limits: {modalities: [audio]}",
    Problem.TOO_MANY_PICTURES: "Or give run --max-frames $sent",
    Problem.FEWER_FILM_PICTURES: "Or send pictures: video_as: frames in the model card",
    Problem.SOUND_TWICE: "Put video_as: frames into the model card, so that sound arrives once",
    Problem.NO_FILM: "Put video_as: frames into the model card",
    Problem.FILM_ARRIVES: "Put video_as: clip into a model card: a film arrives",
    Problem.VIDEO_ARRIVES: "Put video_as: video into a model card (server: vllm says so too): all pictures arrive "
    "as one video",
    Problem.PICTURES_ARRIVE: "Put video_as: frames into the model card: pictures arrive one by one",
    Problem.SHORTER_SOUND: "Put limits: {max_audio_s: $arrived} into a model card: what is cut is then known and told",
    Problem.NO_SOUND: "Or use a card with limits: {modalities: [video]}: a transcript takes the place of sound where a "
    "task has one",
    Problem.SOUND_BY_ADDRESS: "Put audio_as: audio_url into a model card (server: sglang says so too)",
    Problem.SOUND_ITSELF: "Put audio_as: input_audio into the model card",
    Problem.TOO_LONG_SOUND: "Or put limits: {max_audio_s: $sent} into a model card",
    Problem.DROPPED_TOGETHER: "Or use a card with the one modality that arrives",
    Problem.NO_PREFIX_CACHE: "Every question about a clip costs the whole clip",
    Problem.NO_LETTERS: "Or keep --answering text",
    Problem.TOO_LONG: "Or give run a smaller --max-frames",
    Problem.TOOLS: "Answers found with tools count as violations",
    Problem.REASONING: "Put reasoning_tokens into a model card, or a run's answers are cut before they begin; "
    "or turn thinking off in the card's extra settings",
    Problem.TEXT_REFUSED: "Put what the message asks for into a model card: server: openai, vllm or sglang; "
    "max_tokens_field; extra",
}


def advice(problem: Problem, server: str | None = None, flag: str | None = None, **amounts: int | None) -> str:
    """What to do with the server, then on our side; `flag`: the flag that this server is known to need."""
    of_server = _FLAGS.get((server or "").lower(), {}).get(problem)
    if of_server is None:
        of_server = f"Start the server with {flag}" if flag else _ANY_SERVER.get(problem, "")
    known = {name: amount for name, amount in amounts.items() if amount}
    ours = Template(_OURS.get(problem, "")).safe_substitute(known)
    sentences = [text for text in (of_server, "" if "$" in ours else ours) if text]
    first = [sentences[0].removeprefix("Or ")] if sentences else []
    return " ".join(f"{text[0].upper()}{text[1:]}." for text in (*first, *sentences[1:]))
