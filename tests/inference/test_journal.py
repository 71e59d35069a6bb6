import errno
import os

import pytest

from musebench_tasks.base.errors import InputError, MuseError
from musebench_tasks.base.records import Response
from musebench_tasks.inference import Journal, JournalReader, journal_path, read_responses


def response(key, raw="A", failure=None):
    return Response(key=key, item_id=key, run=0, condition="full", raw=raw, failure=failure, error=failure and "why")


def write(folder, worker, *responses):
    with Journal(journal_path(folder, worker)) as journal:
        for each in responses:
            journal.append(each)


def test_a_torn_last_line_is_skipped_when_read_and_cut_before_the_next(tmp_path):
    write(tmp_path, 0, response("a"), response("b"))
    path = journal_path(tmp_path, 0)
    path.write_bytes(path.read_bytes()[:-7])
    assert set(read_responses(tmp_path)) == {"a"}
    write(tmp_path, 0, response("c"))
    assert set(read_responses(tmp_path)) == {"a", "c"}
    assert path.read_bytes().count(b"\n") == 2


def test_a_journal_that_is_nothing_but_a_torn_line_starts_anew(tmp_path):
    path = journal_path(tmp_path, 0)
    path.parent.mkdir(parents=True)
    path.write_bytes(b'{"key": "a"')
    write(tmp_path, 0, response("b"))
    assert set(read_responses(tmp_path)) == {"b"}


@pytest.mark.parametrize("cut", range(0, 200, 7))
def test_whatever_the_byte_a_kill_tears_at_whole_lines_stay(tmp_path, cut):
    write(tmp_path, 0, response("a"), response("b", raw="B" * 50))
    path = journal_path(tmp_path, 0)
    whole = path.read_bytes()
    path.write_bytes(whole[:cut])
    write(tmp_path, 0, response("z"))
    assert set(read_responses(tmp_path)) == {"z"} | ({"a"} if cut > whole.index(b"\n") else set())


def test_an_answer_beats_an_error_and_the_lowest_worker_and_line_stand(tmp_path):
    write(tmp_path, 0, response("a", None, "timeout"), response("b", "first"))
    write(tmp_path, 1, response("a", "answer"), response("b", "second"), response("c", None, "timeout"))
    write(tmp_path, 10, response("c", None, "media_error"))
    found = read_responses(tmp_path)
    assert {key: each.raw or each.failure for key, each in found.items()} == {
        "a": "answer",
        "b": "first",
        "c": "timeout",
    }


def test_a_broken_line_in_the_middle_is_named(tmp_path):
    write(tmp_path, 0, response("a"))
    path = journal_path(tmp_path, 0)
    path.write_bytes(path.read_bytes() + b"nonsense\n")
    with pytest.raises(InputError, match=r"worker-0.jsonl line 2: not a response"):
        read_responses(tmp_path)


def test_reading_again_gives_only_what_is_new(tmp_path):
    reader = JournalReader(tmp_path)
    write(tmp_path, 0, response("a"))
    assert [entry.response.key for entry in reader.read_new()] == ["a"]
    write(tmp_path, 1, response("b"))
    write(tmp_path, 0, response("c"))
    assert [entry.response.key for entry in reader.read_new()] == ["c", "b"]
    assert list(reader.read_new()) == []


def test_a_full_disk_keeps_whole_lines_and_says_so(tmp_path, monkeypatch):
    journal = Journal(journal_path(tmp_path, 0))
    journal.append(response("a"))
    real = os.write
    calls = []

    def half_then_full(file, data):
        calls.append(data)
        if len(calls) == 1:
            return real(file, data[:10])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", half_then_full)
    with pytest.raises(MuseError, match=r"no room to write \(No space left on device\)\. What was written"):
        journal.append(response("b"))
    monkeypatch.undo()
    assert set(read_responses(tmp_path)) == {"a"}
    journal.append(response("c"))
    journal.close()
    assert set(read_responses(tmp_path)) == {"a", "c"}


def test_where_half_a_line_cannot_be_taken_back_nothing_more_is_written_to_it(tmp_path, monkeypatch):
    journal = Journal(journal_path(tmp_path, 0))
    journal.append(response("a"))
    real = os.write

    def half(file, data):
        real(file, data[:10])
        raise OSError(errno.EDQUOT, "Disk quota exceeded")

    def refuse(*_):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "write", half)
    monkeypatch.setattr(os, "ftruncate", refuse)
    with pytest.raises(MuseError, match="Disk quota exceeded"):
        journal.append(response("b"))
    monkeypatch.undo()
    with pytest.raises(MuseError, match="will be asked again"):
        journal.append(response("c"))
    journal.close()
    write(tmp_path, 0, response("d"))
    assert set(read_responses(tmp_path)) == {"a", "d"}


def test_a_place_that_cannot_be_written_is_wrong_input(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        Journal(journal_path(tmp_path / "file", 0))
