"""Devices that fail for good, numbers that are none, and weights that go where they shall."""

import copy
from types import SimpleNamespace

import pytest
from fakes.clip_prompts import answers, asks, prompts_of

from musebench_tasks.base.errors import DeviceLostError
from musebench_tasks.models.transformers_chat import batching, loading

OMNI = "qwen2_5_omni_thinker"
ASSERTION = "CUDA error: device-side assert triggered\nCompile with TORCH_USE_CUDA_DSA"
LETTERS = ((5,), (6,))


@pytest.fixture
def engine(tiny_chat, torch):
    from musebench_tasks.models.transformers_chat.engine import Engine

    def make(**settings):
        return Engine(tiny_chat(OMNI).weights, **settings)

    return make


@pytest.mark.parametrize("sharing", ["shared", "plain"])
def test_a_device_that_does_nothing_more_ends_the_work(engine, tiny_chat, torch, monkeypatch, sharing):
    from musebench_tasks.models.transformers_chat import engine as module

    def assertion(*_, **__):
        raise RuntimeError(ASSERTION)

    for name in ("continue_rows", "generate"):
        monkeypatch.setattr(module, name, assertion)
    prompts = prompts_of(tiny_chat(OMNI))
    found = answers(engine(sharing=sharing), prompts, asks())
    assert all(each.error == f"RuntimeError: {ASSERTION}" for each in found.values()), "this one still works"
    monkeypatch.setattr(batching, "is_lost", lambda device: True)
    with pytest.raises(DeviceLostError, match=r"cpu failed \(CUDA error: device-side assert triggered\) and does"):
        answers(engine(sharing=sharing), prompts, asks())


@pytest.mark.parametrize(
    ("problem", "lost"),
    [
        (None, False),
        (RuntimeError("CUDA error: device-side assert triggered"), True),
        (RuntimeError("CUDA error: out of memory"), False),
        (RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"), False),
    ],
)
def test_a_device_is_lost_when_nothing_goes_though_it_has_memory(torch, monkeypatch, problem, lost):
    from musebench_tasks.models.transformers_chat.batching import is_lost

    ones = torch.ones

    def tried(*size, device):
        if problem is not None:
            raise problem
        return ones(*size)

    monkeypatch.setattr(torch, "ones", tried)
    assert is_lost(SimpleNamespace(type="cuda")) is lost
    assert not is_lost(SimpleNamespace(type="cpu"))


@pytest.mark.parametrize("sharing", ["shared", "sequential", "plain"])
@pytest.mark.parametrize(
    "wanted", [asks(), asks(letters=LETTERS), asks(temperature=1.0)], ids=["text", "letters", "drawn"]
)
def test_logits_that_are_no_numbers_are_no_answer(engine, tiny_chat, monkeypatch, sharing, wanted):
    model = tiny_chat(OMNI)
    forward = model.weights.lm_head.forward
    monkeypatch.setattr(model.weights.lm_head, "forward", lambda hidden: forward(hidden) * float("nan"))
    asked = engine(sharing=sharing)
    for each in answers(asked, prompts_of(model), wanted).values():
        assert each.error.startswith("NotNumbersError: the logits are no numbers (NaN)")
        assert (each.tokens, each.shares) == ([], ())
    monkeypatch.undo()
    sound = answers(asked, prompts_of(model), wanted)
    assert {each.error for each in sound.values()} == {None}, "it is no verdict on the model"
    assert {each.prefix.mode for each in sound.values()} == {"shared": {"batched"}, "sequential": {"shared"}}.get(
        sharing, {"plain"}
    )


class Loaded:
    """Stands for what `from_pretrained` is called on, and for the model that it gives."""

    device = SimpleNamespace(type="cuda")

    def __init__(self):
        self.options, self.moved = None, []

    def from_pretrained(self, source, **options):
        self.options = options
        return self

    def to(self, device):
        self.moved.append(device)
        return self

    def eval(self):
        return self


@pytest.fixture
def loaded(torch, monkeypatch):
    found = Loaded()
    found.current = []
    monkeypatch.setattr(loading, "model_class", lambda *_: found)
    monkeypatch.setattr(torch.cuda, "set_device", found.current.append)
    return found


@pytest.mark.parametrize("has_accelerate", [True, False])
def test_weights_go_straight_onto_their_gpu(loaded, monkeypatch, has_accelerate):
    monkeypatch.setattr(loading.importlib.util, "find_spec", lambda name: has_accelerate or None)
    loading.load_weights("some/id", None, loading.Placement("cuda:3", "bfloat16"))
    assert loaded.options.get("device_map") == ({"": "cuda:3"} if has_accelerate else None)
    assert loaded.moved == ([] if has_accelerate else ["cuda:3"])
    assert loaded.current == ["cuda:3"], "kernels of other packages take the current device"


def test_weights_on_the_cpu_and_spread_ones_are_placed_as_before(loaded):
    loading.load_weights("some/id", None, loading.Placement("cpu"))
    assert (set(loaded.options), loaded.moved) == ({"revision", "trust_remote_code", "dtype"}, ["cpu"])
    loading.load_weights("some/id", None, loading.Placement(device_map="auto", dtype="bfloat16"))
    assert (loaded.options["device_map"], loaded.moved, loaded.current) == ("auto", ["cpu"], [])


@pytest.mark.parametrize(
    ("wanted", "device"), [("cuda", "cuda:1"), ("cuda:0", "cuda:0"), ("cpu", "cpu"), (None, "cuda:1")]
)
def test_a_gpu_without_a_number_is_that_of_the_process(torch, monkeypatch, wanted, device):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setenv("LOCAL_RANK", "3")
    assert loading.choose_device(wanted) == device


@pytest.mark.parametrize(("told", "ends"), [(None, [7]), (3, [3, 7]), ([3, 4], [3, 4, 7]), (7, 7), ([3, 7], [3, 7])])
def test_an_answer_ends_where_the_tokenizer_says_that_a_turn_does(told, ends):
    model = SimpleNamespace(generation_config=SimpleNamespace(eos_token_id=told))
    loading.complete_ends(model, SimpleNamespace(eos_token_id=7))
    assert model.generation_config.eos_token_id == ends
    loading.complete_ends(model, SimpleNamespace(eos_token_id=None))
    assert model.generation_config.eos_token_id == ends


@pytest.mark.parametrize("family", [OMNI, "gemma4"])
def test_all_that_is_worked_out_lies_on_the_models_device_in_its_type(tiny_chat, torch, monkeypatch, family):
    """The meta device in the place of a GPU: it works nothing out, but refuses what lies on the CPU."""
    from transformers import masking_utils

    from musebench_tasks.models.transformers_chat import cache
    from musebench_tasks.models.transformers_chat import prefix_decode as continuing
    from musebench_tasks.models.transformers_chat.cache import Positions
    from musebench_tasks.models.transformers_chat.sampling import PromptRow

    model = copy.deepcopy(tiny_chat(family).weights).to(torch.bfloat16).to("meta")
    ids = torch.zeros((1, 40), dtype=torch.long, device="meta")
    prompts = SimpleNamespace(whole=lambda place: {"input_ids": ids, "attention_mask": torch.ones_like(ids)}, extras={})
    length, seen = 30, []

    def place(*_):
        beginning = torch.arange(length, device="meta")[None]
        three = any(hasattr(each, "rope_deltas") for each in model.modules())
        return Positions(beginning.expand(3, 1, length) if three else beginning, length, three)

    def take(rows, logits):
        seen.append(logits.device.type)
        for row in rows:
            row.new.append(3)

    monkeypatch.setattr(masking_utils, "fast_all", lambda mask: True, raising=False)
    monkeypatch.setattr(cache, "positions_of", place)
    monkeypatch.setattr(continuing, "_start", take)
    monkeypatch.setattr(continuing, "choose", take)
    with torch.inference_mode():
        prefix = cache.Prefix(model, prompts, length)
    for count in (3, 1):
        rows = [PromptRow(at, [0] * (length + 5), asks(max_tokens=4)[0], frozenset()) for at in range(count)]
        continuing.continue_rows(prefix, rows)
        assert [len(row.new) for row in rows] == [4] * count
    assert set(seen) == {"meta"}
    held = [each for layer in prefix.cache.layers for each in (layer.keys, layer.values)]
    assert {(each.device.type, each.dtype) for each in held} == {("meta", torch.bfloat16)}
