"""The gallery of examples: which items it shows, and what stands beside them."""

import re

import pytest
from fakes.read_page import faults, read_page
from fakes.scored_material import choice_item

from musebench_tasks.base.errors import InputError
from musebench_tasks.base.records import Kind
from musebench_tasks.cli import main
from musebench_tasks.reports.gallery import choose_examples


def items(n=12, categories=("film", "stage")):
    return [
        choice_item(
            f"i{number:02d}",
            kind=Kind.MULTI if number % 4 == 0 else Kind.SINGLE,
            cluster=f"c{number // 2}",
            category=categories[number % len(categories)],
            subdomain=f"s{number % 3}",
        )
        for number in range(n)
    ]


def test_every_category_has_a_pair_of_different_kinds_and_sources():
    groups = choose_examples(items())
    assert [group.name for group in groups] == ["film", "stage"]
    first, second = groups[0].items
    assert {first.kind, second.kind} == {Kind.SINGLE, Kind.MULTI}
    assert first.cluster_id != second.cluster_id
    assert first.subdomain != second.subdomain


def test_the_draw_depends_on_the_seed_and_not_on_the_order():
    drawn = choose_examples(items())
    assert choose_examples(reversed(items())) == drawn
    others = [choose_examples(items(), seed=seed) for seed in range(5)]
    assert any(other != drawn for other in others)


def test_more_pairs_and_chosen_categories():
    (group,) = choose_examples(items(), ["STAGE"], pairs=2)
    assert group.name == "stage"
    assert len({item.id for item in group.items}) == 4
    (few,) = choose_examples(items(3, ("film",)), pairs=9)
    assert len(few.items) == 3
    assert [group.name for group in choose_examples(items(), ["Fi", "stag"])] == ["film", "stage"]
    with pytest.raises(InputError, match=r"nearest: stage.*Known: film, stage"):
        choose_examples(items(), ["stages"])
    with pytest.raises(InputError, match="Known: film, firm"):
        choose_examples(items(categories=("film", "firm")), ["fi"])


def test_items_without_a_category_are_one_group():
    (group,) = choose_examples([choice_item("a"), choice_item("b")])
    assert (group.name, len(group.items)) == ("", 2)


@pytest.fixture(scope="module")
def gallery(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cards")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MUSEBENCH_CACHE", str(folder / "cache"))
        assert main(["cards", "--out", str(folder / "film"), "--category", "cinematic"]) == 0
        assert main(["cards", "--task", "mub_demo", "--out", str(folder / "music")]) == 0
    return folder


def test_the_page_shows_frames_sound_gold_intent_and_strategies(gallery):
    page = read_page((gallery / "film" / "index.html").read_text())
    assert not faults(page)
    (section,) = page.find_all("section", **{"class": "gallery"})
    assert len(section.find_all("article")) == 2
    assert len(section.find_all("img")) == 10
    assert all(image.attributes["src"].startswith("data:image/jpeg;base64,") for image in section.find_all("img"))
    assert all(re.fullmatch(r"(M\d+\.5 [\d.]+V[\d.]+){240}", path.attributes["d"]) for path in section.find_all("path"))
    text = section.text
    assert "✓ correct" in text
    assert "What it is about" in text
    assert "factual error" in text


def test_recordings_have_an_outline_and_no_frames(gallery):
    page = read_page((gallery / "music" / "index.html").read_text())
    assert not faults(page)
    assert not page.find_all("img")
    assert len(page.find_all("svg", **{"class": "outline"})) == 2


def test_a_page_asks_nothing_of_the_network(gallery):
    text = (gallery / "film" / "index.html").read_text()
    assert not re.search(r'(?:src|href)="(?:https?:)?//', text)
