"""What the package gives is what it gave before its code was rearranged: `make.py` says more."""

import pytest
from goldens.make import BEFORE, GROUPS, differences, hashes, make, other_versions, stored


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """From the name of a group to its hashes, made once a session."""
    folder, done = tmp_path_factory.mktemp("goldens"), {}

    def get(name):
        if name in BEFORE:
            get(BEFORE[name])
        if name not in done:
            done[name] = hashes(make(name, folder))
        return done[name]

    return get


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if group.is_slow else name for name, group in GROUPS.items()]
)
def test_nothing_differs(name, made):
    if versions := other_versions(name):
        pytest.xfail(f"made with {versions}")
    assert differences(made(name), stored(name)) == []


def test_a_changed_a_new_and_a_missing_golden_are_told_by_name():
    golden = hashes({"kept": b"1", "changed": b"2", "gone": b"3"})
    made = hashes({"kept": b"1", "changed": b"!", "added": b"4"})
    assert differences(made, golden) == ["added: is new", "changed: differs", "gone: is gone"]
