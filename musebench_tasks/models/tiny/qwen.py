"""Tiny Qwen models: VL 2.5, VL 3, 3.5 (linear attention), and the thinkers of Omni 2.5 and Omni 3."""

from typing import Any

from musebench_tasks.models.tiny.words import THINKING, Sizes, media_rope, template, text_sizes, tokenizer

SAMPLE_RATE = 16_000
_VL_TOKENS = {
    "image_token": "<|image_pad|>",
    "video_token": "<|video_pad|>",
    "vision_start_token": "<|vision_start|>",
    "vision_end_token": "<|vision_end|>",
}
_VL_PLACES = {
    "image": "<|vision_start|><|image_pad|><|vision_end|>",
    "video": "<|vision_start|><|video_pad|><|vision_end|>",
}
_VL_TEMPLATE = template(_VL_PLACES)
_OMNI_TOKENS = {
    "image_token": "<|IMAGE|>",
    "audio_token": "<|AUDIO|>",
    "video_token": "<|VIDEO|>",
    "vision_bos_token": "<|vision_bos|>",
    "vision_eos_token": "<|vision_eos|>",
    "audio_bos_token": "<|audio_bos|>",
    "audio_eos_token": "<|audio_eos|>",
}
_OMNI_TEMPLATE = template(
    {
        "image": "<|vision_bos|><|IMAGE|><|vision_eos|>",
        "video": "<|vision_bos|><|VIDEO|><|vision_eos|>",
        "audio": "<|audio_bos|><|AUDIO|><|audio_eos|>",
    }
)


def qwen2_5_vl(sizes: Sizes) -> tuple[Any, Any]:
    """Video; positions in three dimensions."""
    from transformers import Qwen2_5_VLConfig, Qwen2_5_VLForConditionalGeneration, Qwen2_5_VLProcessor
    from transformers import Qwen2VLVideoProcessor as VideoProcessor

    words = tokenizer(_VL_TOKENS)
    config = Qwen2_5_VLConfig(
        text_config={**text_sizes(words, sizes), "rope_parameters": media_rope(sizes)},
        vision_config={**_vision(sizes, 14), "fullatt_block_indexes": [sizes.encoder_layers - 1]},
        **_vl_ids(words),
    )
    processor = Qwen2_5_VLProcessor(_pictures(14), words, VideoProcessor(**_pixels(14)), chat_template=_VL_TEMPLATE)
    return Qwen2_5_VLForConditionalGeneration(config), processor


def qwen3_vl(sizes: Sizes) -> tuple[Any, Any]:
    """Video with times as text; features enter at several depths."""
    from transformers import Qwen3VLConfig, Qwen3VLForConditionalGeneration

    words = tokenizer(_VL_TOKENS)
    config = Qwen3VLConfig(
        text_config={**_qwen3_text(words, sizes), "rope_parameters": media_rope(sizes)},
        vision_config={**_vision(sizes, 16), "deepstack_visual_indexes": [0], "num_position_embeddings": 64},
        **_vl_ids(words),
    )
    return Qwen3VLForConditionalGeneration(config), _qwen3_processor(words)


def qwen3_5(sizes: Sizes) -> tuple[Any, Any]:
    """Video; every second layer, from the first on, is one of linear attention; it reasons where it is let."""
    from transformers import Qwen3_5Config, Qwen3_5ForConditionalGeneration

    words = tokenizer(_VL_TOKENS, THINKING)
    text = {
        **_qwen3_text(words, sizes),
        "rope_parameters": {**media_rope(sizes), "partial_rotary_factor": 1.0, "mrope_interleaved": True},
        "layer_types": [("linear_attention", "full_attention")[layer % 2] for layer in range(sizes.layers)],
        "linear_key_head_dim": sizes.head_dim,
        "linear_value_head_dim": sizes.head_dim,
        "linear_num_key_heads": sizes.key_value_heads,
        "linear_num_value_heads": sizes.heads,
    }
    vision = {**_vision(sizes, 16), "num_position_embeddings": 64}
    config = Qwen3_5Config(text_config=text, vision_config=vision, **_vl_ids(words))
    return Qwen3_5ForConditionalGeneration(config), _qwen3_processor(words, template(_VL_PLACES, thinks=True))


def qwen2_5_omni_thinker(sizes: Sizes) -> tuple[Any, Any]:
    """Video and sound, woven together; positions in three dimensions."""
    from transformers import Qwen2_5OmniProcessor, Qwen2_5OmniThinkerConfig, Qwen2_5OmniThinkerForConditionalGeneration
    from transformers import Qwen2VLVideoProcessor as VideoProcessor

    words = tokenizer(_OMNI_TOKENS)
    config = Qwen2_5OmniThinkerConfig(
        text_config={
            **text_sizes(words, sizes),
            "tie_word_embeddings": False,
            "rope_parameters": media_rope(sizes),
        },
        vision_config={**_vision(sizes, 14), "fullatt_block_indexes": [sizes.encoder_layers - 1]},
        audio_config={**_audio(sizes), "output_dim": sizes.hidden},
        audio_token_index=words.audio_token_id,
        image_token_index=words.image_token_id,
        video_token_index=words.video_token_id,
        audio_start_token_id=words.audio_bos_token_id,
        audio_end_token_id=words.audio_eos_token_id,
        user_token_id=words("user").input_ids[0],
    )
    _name_vision_ends(config, words)
    processor = Qwen2_5OmniProcessor(
        _pictures(14), VideoProcessor(**_pixels(14)), _extractor(), words, chat_template=_OMNI_TEMPLATE
    )
    return Qwen2_5OmniThinkerForConditionalGeneration(config), processor


def qwen3_omni_moe_thinker(sizes: Sizes) -> tuple[Any, Any]:
    """Video and sound, woven together; a mixture of experts."""
    from transformers import Qwen2VLVideoProcessor as VideoProcessor
    from transformers import (
        Qwen3OmniMoeProcessor,
        Qwen3OmniMoeThinkerConfig,
        Qwen3OmniMoeThinkerForConditionalGeneration,
    )

    words = tokenizer(_OMNI_TOKENS)
    config = Qwen3OmniMoeThinkerConfig(
        text_config={
            **text_sizes(words, sizes),
            "head_dim": sizes.head_dim,
            "num_experts": 4,
            "num_experts_per_tok": 2,
            "moe_intermediate_size": sizes.hidden,
            "rope_parameters": {**media_rope(sizes), "mrope_interleaved": True},
        },
        vision_config={**_vision(sizes, 16), "deepstack_visual_indexes": [0], "num_position_embeddings": 64},
        audio_config={**_audio(sizes), "output_dim": sizes.hidden, "downsample_hidden_size": 16},
        audio_token_id=words.audio_token_id,
        image_token_id=words.image_token_id,
        video_token_id=words.video_token_id,
        audio_start_token_id=words.audio_bos_token_id,
        audio_end_token_id=words.audio_eos_token_id,
        user_token_id=words("user").input_ids[0],
    )
    _name_vision_ends(config, words)
    processor = Qwen3OmniMoeProcessor(
        _pictures(16), VideoProcessor(**_pixels(16)), _extractor(), words, chat_template=_OMNI_TEMPLATE
    )
    return Qwen3OmniMoeThinkerForConditionalGeneration(config), processor


def qwen2_audio(sizes: Sizes) -> tuple[Any, Any]:
    """Sound of up to 30 s; positions in one dimension."""
    from transformers import (
        Qwen2AudioConfig,
        Qwen2AudioForConditionalGeneration,
        Qwen2AudioProcessor,
        WhisperFeatureExtractor,
    )

    from musebench_tasks.models.tiny.words import qwen2_text

    names = ("audio_token", "audio_bos_token", "audio_eos_token")
    words = tokenizer({name: _OMNI_TOKENS[name] for name in names})
    config = Qwen2AudioConfig(
        text_config=qwen2_text(words, sizes), audio_config=_audio(sizes), audio_token_index=words.audio_token_id
    )
    processor = Qwen2AudioProcessor(
        WhisperFeatureExtractor(feature_size=128, sampling_rate=SAMPLE_RATE),
        words,
        chat_template=template({"audio": "<|audio_bos|><|AUDIO|><|audio_eos|>"}),
    )
    return Qwen2AudioForConditionalGeneration(config), processor


def _qwen3_text(words: Any, sizes: Sizes) -> dict[str, Any]:
    text = {**text_sizes(words, sizes), "head_dim": sizes.head_dim}
    return {name: value for name, value in text.items() if value is not None}


def _qwen3_processor(words: Any, chat_template: str = _VL_TEMPLATE) -> Any:
    from transformers import Qwen3VLProcessor, Qwen3VLVideoProcessor

    return Qwen3VLProcessor(_pictures(16), words, Qwen3VLVideoProcessor(**_pixels(16)), chat_template=chat_template)


def _vl_ids(words: Any) -> dict[str, int]:
    return {f"{name}_id": getattr(words, f"{name}_id") for name in _VL_TOKENS}


def _name_vision_ends(config: Any, words: Any) -> None:
    """Read where positions are reckoned, yet no declared fields."""
    config.vision_start_token_id = words.vision_bos_token_id
    config.vision_end_token_id = words.vision_eos_token_id


def _vision(sizes: Sizes, patch: int) -> dict[str, Any]:
    return {
        "depth": sizes.encoder_layers,
        "hidden_size": sizes.encoder_hidden,
        "intermediate_size": 2 * sizes.encoder_hidden,
        "num_heads": 2,
        "out_hidden_size": sizes.hidden,
        "patch_size": patch,
    }


def _audio(sizes: Sizes) -> dict[str, Any]:
    return {
        "encoder_layers": sizes.encoder_layers,
        "d_model": sizes.encoder_hidden,
        "encoder_attention_heads": 2,
        "encoder_ffn_dim": 2 * sizes.encoder_hidden,
        "num_mel_bins": 128,
    }


def _pixels(patch: int) -> dict[str, Any]:
    side = 2 * patch
    return {"size": {"shortest_edge": side * side * 4, "longest_edge": side * side * 16}, "patch_size": patch}


def _pictures(patch: int) -> Any:
    from transformers import Qwen2VLImageProcessor

    return Qwen2VLImageProcessor(**_pixels(patch))


def _extractor() -> Any:
    from transformers import WhisperFeatureExtractor

    return WhisperFeatureExtractor(
        feature_size=128, sampling_rate=SAMPLE_RATE, chunk_length=30, return_attention_mask=True
    )
