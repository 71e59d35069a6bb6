"""Gold is kept from models by type: what they, prompts, media and workers are made of can hold none of it."""

import ast
import dataclasses
import importlib
import typing
from pathlib import Path

import pytest
from pydantic import BaseModel

from musebench_tasks.base import records
from musebench_tasks.base.records import Item, MusicTruth, Reference, Request, Response, Segment
from musebench_tasks.inference import Job
from musebench_tasks.media import MediaGroup
from musebench_tasks.prompts import render_prompt

PACKAGE = Path(records.__file__).parents[2]
ASKING_ROOMS = ("prompts", "media", "models", "inference")
GOLD_NAMES = {
    "Reference",
    "MusicTruth",
    "load_references",
    "LoadedReferences",
    "load_notes",
    "Notes",
    "evaluator_cells",
}
SCORING_ROOMS = {"evaluation", "scoring", "statistics", "items.notes", "items.evaluator_only"}


def modules(room):
    return sorted((PACKAGE / room).rglob("*.py"))


def imported(tree):
    """(module, name) of every import in a module, whatever function it stands in."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, alias.name) for alias in node.names)


@pytest.mark.parametrize("room", ASKING_ROOMS)
def test_rooms_that_ask_know_no_gold(room):
    files = modules(room)
    assert files
    wrong = [
        f"{path.relative_to(PACKAGE)}: {module} {name}"
        for path in files
        for module, name in imported(ast.parse(path.read_text()))
        if name in GOLD_NAMES
        or any(module.startswith(f"musebench_tasks.{gold}") for gold in SCORING_ROOMS)
        or (name == "Segment" and "records" in module)
    ]
    assert not wrong


@pytest.mark.parametrize("room", ASKING_ROOMS)
def test_nor_do_they_read_it_off_something(room):
    wrong = [
        f"{path.relative_to(PACKAGE)} line {node.lineno}"
        for path in modules(room)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and node.attr in ("references", "gold", "correct_answer", "core_intent")
    ]
    assert not wrong


def parts_of(kind, seen):
    """Every class that a value of type `kind` can hold, as far as annotations tell."""
    for argument in typing.get_args(kind):
        parts_of(argument, seen)
    if not isinstance(kind, type) or kind in seen:
        return
    seen.add(kind)
    if issubclass(kind, BaseModel):
        for field in kind.model_fields.values():
            parts_of(field.annotation, seen)
    elif dataclasses.is_dataclass(kind):
        module = importlib.import_module(kind.__module__)
        for hint in typing.get_type_hints(kind, vars(module)).values():
            parts_of(hint, seen)


@pytest.mark.parametrize("kind", [Item, Request, Response, Job], ids=lambda kind: kind.__name__)
def test_what_is_asked_can_hold_no_gold(kind):
    seen = set()
    parts_of(kind, seen)
    assert kind in seen
    assert not seen & {Reference, MusicTruth, Segment}


def test_the_walk_over_types_finds_gold_where_there_is_some():
    seen = set()
    parts_of(dict[str, list[Reference | None]], seen)
    assert {Reference, MusicTruth, Segment} <= seen


@pytest.mark.parametrize("function", [render_prompt, MediaGroup.__init__], ids=["render_prompt", "MediaGroup"])
def test_prompts_and_groups_are_made_of_no_gold(function):
    seen = set()
    for name, hint in typing.get_type_hints(function, localns={"LeakGuard": object}).items():
        assert name != "reference"
        parts_of(hint, seen)
    assert seen
    assert not seen & {Reference, MusicTruth, Segment}


def test_an_item_refuses_gold():
    fields = set(Item.model_fields)
    assert not fields & {"answer", "correct_answer", "core_intent", "tempo_bpm", "key", "time_signature", "segments"}
    with pytest.raises(ValueError, match="answer"):
        Item(id="i", benchmark="b", kind="single", cluster_id="c", answer=("x",))
