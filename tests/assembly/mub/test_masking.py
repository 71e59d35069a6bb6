"""MU-04, MU-05: ids that tell nothing, and fingerprints of files."""

import re

import pytest

from musebench_tasks.assembly.mub import audio_hash, masked_name
from musebench_tasks.assembly.mub.masking import masked_ids
from musebench_tasks.base.errors import InputError

MIB = 1_048_576


@pytest.mark.parametrize(  # music_metrics.md 7
    ("encoded", "digits"),
    [
        (b"", "e3b0c44298fc1c14"),
        (b"a", "ca978112ca1bbdca"),
        (b"abc", "ba7816bf8f01cfea"),
        (bytes(MIB), "30e14955ebf13522"),
        (bytes(MIB + 1), "30e14955ebf13522"),
        (bytes(MIB - 1), "ca7ed0c4a8e67cbd"),
        (b"\xff" * MIB, "f5fb04aa5b882706"),
        (bytes(range(256)) * 4096, "fbbab289f7f94b25"),
        (bytes(range(256)) * 5000, "fbbab289f7f94b25"),
        (b"RIFF" + bytes(2 * MIB), "40156986d75499c7"),
    ],
)
def test_fingerprint_of_the_first_mebibyte(encoded, digits):
    assert audio_hash(encoded) == digits


def test_a_masked_name_is_stable_and_depends_on_key_and_kind():
    name = masked_name("recording", "platform-7", "key")
    assert name == masked_name("recording", "platform-7", "key")
    assert re.fullmatch(r"[0-9a-f]{12}", name)
    others = {masked_name("recording", "platform-7", "other"), masked_name("composition", "platform-7", "key")}
    assert name not in others
    assert len(others) == 2


def test_two_tracks_of_one_id_are_refused(monkeypatch):
    monkeypatch.setattr("musebench_tasks.assembly.mub.masking.masked_name", lambda kind, name, key: "0" * 12)
    with pytest.raises(InputError, match='"a" and "b" would both get the id 000000000000. Change mask_key'):
        masked_ids(["a", "b"], "key")
