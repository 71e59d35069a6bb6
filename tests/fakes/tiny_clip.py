"""Random CLIP-like checkpoints, built from their configurations."""

from pathlib import Path

SIDE = 32


def tokenizer():
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    inner = Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    letters = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=300, show_progress=False, special_tokens=["<end>"], initial_alphabet=letters
    )
    inner.train_from_iterator(["Who sings the first verse?"], trainer)
    return PreTrainedTokenizerFast(tokenizer_object=inner, eos_token="<end>", pad_token="<end>")


def build_clip(torch, folder: Path, kind: str = "clip") -> Path:
    """A saved checkpoint of `kind`: clip or siglip."""
    import transformers

    names = {
        "clip": ("CLIPConfig", "CLIPModel", "CLIPProcessor"),
        "siglip": ("SiglipConfig", "SiglipModel", "SiglipProcessor"),
    }[kind]
    config_class, model_class, processor_class = (getattr(transformers, name) for name in names)
    sizes = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    text = {**sizes, "vocab_size": 300, "max_position_embeddings": 20, "projection_dim": 16, "projection_size": 16}
    text |= {"bos_token_id": 0, "eos_token_id": 0, "pad_token_id": 0}
    vision = {**sizes, "image_size": SIDE, "patch_size": 16, "projection_dim": 16}
    torch.manual_seed(3)
    model_class(config_class(text_config=text, vision_config=vision, projection_dim=16)).save_pretrained(folder)
    size = {"size": {"height": SIDE, "width": SIDE}, "crop_size": {"height": SIDE, "width": SIDE}}
    images = transformers.CLIPImageProcessor(**size)
    processor_class(image_processor=images, tokenizer=tokenizer()).save_pretrained(folder)
    return folder
