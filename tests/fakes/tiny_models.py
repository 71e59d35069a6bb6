"""Multimodal models of 160 k random weights, built from configurations: what tests of real code paths run on."""

from pathlib import Path

TEXT = (
    "user assistant system What is the tempo of this recording? Answer with the letter only.",
    "A. violin B. piano C. trumpet D. guitar The answer is: A B C D E F G H",
    "Listen to the audio and watch the video. Which of these options is right?",
)
OMNI_TOKENS = {
    "image_token": "<|IMAGE|>",
    "audio_token": "<|AUDIO|>",
    "video_token": "<|VIDEO|>",
    "vision_bos_token": "<|vision_bos|>",
    "vision_eos_token": "<|vision_eos|>",
    "audio_bos_token": "<|audio_bos|>",
    "audio_eos_token": "<|audio_eos|>",
}
OMNI_TEMPLATE = """{% for m in messages %}<|im_start|>{{ m.role }}
{% if m.content is string %}{{ m.content }}{% else %}{% for c in m.content %}\
{% if c.type == 'image' %}<|vision_bos|><|IMAGE|><|vision_eos|>\
{% elif c.type == 'video' %}<|vision_bos|><|VIDEO|><|vision_eos|>\
{% elif c.type == 'audio' %}<|audio_bos|><|AUDIO|><|audio_eos|>\
{% else %}{{ c.text }}{% endif %}{% endfor %}{% endif %}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""
QWEN2_AUDIO_TOKENS = {
    "audio_token": "<|AUDIO|>",
    "audio_bos_token": "<|audio_bos|>",
    "audio_eos_token": "<|audio_eos|>",
}
WEIGHT_SCALE = 4
"""Without it logits hardly depend on the media (models.md 3)."""
SAMPLE_RATE = 16_000


def build_tiny_omni(directory: Path) -> Path:
    """Save a Qwen2.5-Omni thinker (image, video, audio, text) with its processor; return `directory`."""
    from transformers import (
        Qwen2_5OmniProcessor,
        Qwen2_5OmniThinkerForConditionalGeneration,
        Qwen2VLImageProcessor,
        Qwen2VLVideoProcessor,
        WhisperFeatureExtractor,
    )

    tokenizer = _tokenizer(OMNI_TOKENS)
    size = {"size": {"shortest_edge": 28 * 28 * 4, "longest_edge": 28 * 28 * 16}}
    processor = Qwen2_5OmniProcessor(
        image_processor=Qwen2VLImageProcessor(**size),
        video_processor=Qwen2VLVideoProcessor(**size),
        feature_extractor=WhisperFeatureExtractor(
            feature_size=128, sampling_rate=SAMPLE_RATE, chunk_length=30, return_attention_mask=True
        ),
        tokenizer=tokenizer,
        chat_template=OMNI_TEMPLATE,
    )
    return _save(Qwen2_5OmniThinkerForConditionalGeneration(_omni_config(tokenizer)), processor, directory)


def build_tiny_qwen2_audio(directory: Path) -> Path:
    """Save a Qwen2-Audio model (audio, text) with its processor; return `directory`."""
    from transformers import (
        Qwen2AudioConfig,
        Qwen2AudioForConditionalGeneration,
        Qwen2AudioProcessor,
        WhisperFeatureExtractor,
    )

    tokenizer = _tokenizer(QWEN2_AUDIO_TOKENS)
    config = Qwen2AudioConfig(
        text_config={"model_type": "qwen2", **_text_sizes(tokenizer), "rope_theta": 1e4},
        audio_config={
            "encoder_layers": 2,
            "d_model": 32,
            "encoder_attention_heads": 2,
            "encoder_ffn_dim": 64,
            "num_mel_bins": 128,
        },
        audio_token_index=tokenizer.audio_token_id,
    )
    processor = Qwen2AudioProcessor(
        feature_extractor=WhisperFeatureExtractor(feature_size=128, sampling_rate=SAMPLE_RATE),
        tokenizer=tokenizer,
        chat_template=OMNI_TEMPLATE,
    )
    return _save(Qwen2AudioForConditionalGeneration(config), processor, directory)


def _omni_config(tokenizer):
    from transformers import Qwen2_5OmniThinkerConfig

    config = Qwen2_5OmniThinkerConfig(
        text_config={
            **_text_sizes(tokenizer),
            "tie_word_embeddings": False,
            "rope_parameters": {"rope_type": "default", "rope_theta": 1e4, "mrope_section": [2, 1, 1]},
        },
        vision_config={
            "depth": 2,
            "hidden_size": 32,
            "intermediate_size": 64,
            "num_heads": 2,
            "out_hidden_size": 32,
            "patch_size": 14,
            "fullatt_block_indexes": [1],
        },
        audio_config={
            "encoder_layers": 2,
            "d_model": 32,
            "encoder_attention_heads": 2,
            "encoder_ffn_dim": 64,
            "output_dim": 32,
            "num_mel_bins": 128,
        },
        audio_token_index=tokenizer.audio_token_id,
        image_token_index=tokenizer.image_token_id,
        video_token_index=tokenizer.video_token_id,
        audio_start_token_id=tokenizer.audio_bos_token_id,
        audio_end_token_id=tokenizer.audio_eos_token_id,
        user_token_id=tokenizer("user").input_ids[0],
    )
    config.vision_start_token_id = tokenizer.vision_bos_token_id
    config.vision_end_token_id = tokenizer.vision_eos_token_id
    return config


def _text_sizes(tokenizer) -> dict:
    return {
        "vocab_size": len(tokenizer),
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "bos_token_id": None,
        "eos_token_id": tokenizer.eos_token_id,
        "pad_token_id": tokenizer.pad_token_id,
    }


def _tokenizer(named: dict[str, str]):
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=600,
        show_progress=False,
        special_tokens=["<|im_start|>", "<|im_end|>", "<|endoftext|>", *named.values()],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    tokenizer.train_from_iterator(TEXT, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        padding_side="left",
        extra_special_tokens=named,
    )


def _save(model, processor, directory: Path) -> Path:
    import torch

    model = model.eval()
    model.generation_config.eos_token_id = processor.tokenizer.eos_token_id
    model.generation_config.pad_token_id = processor.tokenizer.pad_token_id
    with torch.no_grad():
        for weights in model.parameters():
            if weights.ndim >= 2:
                weights.mul_(WEIGHT_SCALE)
    model.save_pretrained(directory)
    processor.save_pretrained(directory)
    return Path(directory)
