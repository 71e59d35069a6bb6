"""Tiny models beside Qwen: Flamingos, Gemma 4 (sliding attention), LLaVA-OneVision, InternVL, VideoLLaMA 3."""

from typing import Any

from musebench_tasks.models.tiny.words import Sizes, qwen2_text, template, text_sizes, tokenizer

SAMPLE_RATE = 16_000
_SOUND_TOKENS = {"audio_token": "<sound>", "audio_bos_token": "<|sound_bos|>", "audio_eos_token": "<|sound_eos|>"}
_PICTURE_SIDE = 56


def audioflamingo3(sizes: Sizes) -> tuple[Any, Any]:
    """Sound in windows of 30 s, up to 600 s."""
    from transformers import AudioFlamingo3Config, AudioFlamingo3ForConditionalGeneration, AudioFlamingo3Processor

    words = tokenizer({"audio_token": _SOUND_TOKENS["audio_token"]})
    config = AudioFlamingo3Config(
        text_config=qwen2_text(words, sizes), audio_config=_sound(sizes), audio_token_id=words.audio_token_id
    )
    processor = AudioFlamingo3Processor(_extractor(), words, chat_template=template({"audio": "<sound>"}))
    return AudioFlamingo3ForConditionalGeneration(config), processor


def musicflamingo(sizes: Sizes) -> tuple[Any, Any]:
    """Sound in windows of 30 s, up to 1,200 s, each token with its time."""
    from transformers import MusicFlamingoConfig, MusicFlamingoForConditionalGeneration, MusicFlamingoProcessor

    words = tokenizer(_SOUND_TOKENS)
    config = MusicFlamingoConfig(
        text_config=qwen2_text(words, sizes),
        audio_config={**_sound(sizes), "model_type": "musicflamingo_encoder"},
        audio_token_id=words.audio_token_id,
        audio_bos_token_id=words.audio_bos_token_id,
        audio_eos_token_id=words.audio_eos_token_id,
    )
    processor = MusicFlamingoProcessor(_extractor(), words, chat_template=template({"audio": "<sound>"}))
    return MusicFlamingoForConditionalGeneration(config), processor


def gemma4(sizes: Sizes) -> tuple[Any, Any]:
    """Video with times as text, and sound; every second layer, from the first on, is one of sliding attention."""
    from transformers import (
        Gemma4AudioFeatureExtractor,
        Gemma4Config,
        Gemma4ForConditionalGeneration,
        Gemma4ImageProcessor,
        Gemma4Processor,
        Gemma4VideoProcessor,
    )

    names = {"image": "<|image|>", "audio": "<|audio|>", "boi": "<|image>", "eoi": "<image|>"}
    names |= {"boa": "<|audio>", "eoa": "<audio|>", "video": "<|video|>"}
    words = tokenizer({f"{name}_token": token for name, token in names.items()})
    config = Gemma4Config(
        text_config={
            **text_sizes(words, sizes),
            "head_dim": sizes.head_dim,
            "global_head_dim": sizes.head_dim,
            "layer_types": [("sliding_attention", "full_attention")[layer % 2] for layer in range(sizes.layers)],
            "sliding_window": sizes.window,
            "hidden_size_per_layer_input": 8,
            "vocab_size_per_layer_input": len(words),
        },
        vision_config={
            "hidden_size": sizes.encoder_hidden,
            "intermediate_size": 2 * sizes.encoder_hidden,
            "num_hidden_layers": sizes.encoder_layers,
            "num_attention_heads": 2,
            "num_key_value_heads": 2,
            "head_dim": sizes.encoder_hidden // 2,
            "position_embedding_size": 64,
        },
        audio_config={
            "hidden_size": sizes.encoder_hidden,
            "num_hidden_layers": sizes.encoder_layers,
            "num_attention_heads": 2,
            "output_proj_dims": sizes.encoder_hidden,
            "subsampling_conv_channels": [128, 4],
        },
        eoa_token_index=words.eoa_token_id,
        **{f"{name}_token_id": getattr(words, f"{name}_token_id") for name in names if name != "eoa"},
    )
    processor = Gemma4Processor(
        Gemma4AudioFeatureExtractor(),
        Gemma4ImageProcessor(max_soft_tokens=70),
        words,
        Gemma4VideoProcessor(),
        chat_template=template({"image": "<|image|>", "video": "<|video|>", "audio": "<|audio|>"}),
    )
    return Gemma4ForConditionalGeneration(config), processor


def llava_onevision(sizes: Sizes) -> tuple[Any, Any]:
    """Video, all frames pooled to the same few tokens."""
    from transformers import (
        LlavaOnevisionConfig,
        LlavaOnevisionForConditionalGeneration,
        LlavaOnevisionImageProcessor,
        LlavaOnevisionProcessor,
        LlavaOnevisionVideoProcessor,
    )

    words = tokenizer({"image_token": "<image>", "video_token": "<video>"})
    side = {"height": _PICTURE_SIDE, "width": _PICTURE_SIDE}
    pinpoints = [[_PICTURE_SIDE, _PICTURE_SIDE]]
    config = LlavaOnevisionConfig(
        text_config=qwen2_text(words, sizes),
        vision_config={**_vision(sizes), "model_type": "siglip_vision_model", "vision_use_head": False},
        image_token_index=words.image_token_id,
        video_token_index=words.video_token_id,
        image_grid_pinpoints=pinpoints,
    )
    processor = LlavaOnevisionProcessor(
        LlavaOnevisionImageProcessor(size=side, image_grid_pinpoints=pinpoints),
        words,
        LlavaOnevisionVideoProcessor(size=side),
        num_image_tokens=(_PICTURE_SIDE // 14) ** 2,
        vision_feature_select_strategy="full",
        chat_template=template({"image": "<image>", "video": "<video>"}),
    )
    return LlavaOnevisionForConditionalGeneration(config), processor


def internvl(sizes: Sizes) -> tuple[Any, Any]:
    """Video as numbered pictures."""
    from transformers import (
        GotOcr2ImageProcessor,
        InternVLConfig,
        InternVLForConditionalGeneration,
        InternVLProcessor,
        InternVLVideoProcessor,
    )

    names = {"start_image": "<img>", "end_image": "</img>", "context_image": "<IMG_CONTEXT>", "video": "<video>"}
    words = tokenizer({f"{name}_token": token for name, token in names.items()})
    side = {"height": _PICTURE_SIDE, "width": _PICTURE_SIDE}
    tokens = (_PICTURE_SIDE // 14) ** 2 // 4
    config = InternVLConfig(
        text_config=qwen2_text(words, sizes),
        vision_config={
            **_vision(sizes),
            "image_size": [_PICTURE_SIDE, _PICTURE_SIDE],
            "patch_size": [14, 14],
        },
        image_token_id=words.context_image_token_id,
        image_seq_length=tokens,
        tie_word_embeddings=False,
    )
    processor = InternVLProcessor(
        GotOcr2ImageProcessor(size=side),
        words,
        InternVLVideoProcessor(size=side),
        image_seq_length=tokens,
        chat_template=template({"image": "<IMG_CONTEXT>", "video": "<video>"}),
    )
    return InternVLForConditionalGeneration(config), processor


def video_llama_3(sizes: Sizes) -> tuple[Any, Any]:
    """Video with times as text; patches that do not change are left out."""
    from transformers import (
        VideoLlama3Config,
        VideoLlama3ForConditionalGeneration,
        VideoLlama3ImageProcessor,
        VideoLlama3Processor,
        VideoLlama3VideoProcessor,
    )

    words = tokenizer({"image_token": "<image>", "video_token": "<video>"})
    config = VideoLlama3Config(
        text_config=qwen2_text(words, sizes),
        vision_config=_vision(sizes),
        image_token_id=words.image_token_id,
        video_token_id=words.video_token_id,
    )
    processor = VideoLlama3Processor(
        VideoLlama3ImageProcessor(),
        words,
        VideoLlama3VideoProcessor(),
        chat_template=template({"image": "<image>", "video": "<video>"}),
    )
    return VideoLlama3ForConditionalGeneration(config), processor


def _vision(sizes: Sizes) -> dict[str, Any]:
    return {
        "hidden_size": sizes.encoder_hidden,
        "intermediate_size": 2 * sizes.encoder_hidden,
        "num_hidden_layers": sizes.encoder_layers,
        "num_attention_heads": 2,
        "image_size": _PICTURE_SIDE,
        "patch_size": 14,
    }


def _sound(sizes: Sizes) -> dict[str, Any]:
    return {
        "hidden_size": sizes.encoder_hidden,
        "num_hidden_layers": sizes.encoder_layers,
        "num_attention_heads": 2,
        "intermediate_size": 2 * sizes.encoder_hidden,
        "num_mel_bins": 128,
        "model_type": "audioflamingo3_encoder",
    }


def _extractor() -> Any:
    from transformers import WhisperFeatureExtractor

    return WhisperFeatureExtractor(
        feature_size=128, sampling_rate=SAMPLE_RATE, chunk_length=30, return_attention_mask=True
    )
