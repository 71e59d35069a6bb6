import errno
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from musebench_tasks.base.errors import InputError, MediaError, MuseError
from musebench_tasks.media.cache import MediaCache, entry_key, read_entry, shared_cache, size_limit_bytes, write_entry


@pytest.fixture
def cache(tmp_path):
    return MediaCache(tmp_path / "cache")


def entries(cache):
    return [each for each in cache.directory.rglob("*") if each.is_file()]


def test_first_and_later_runs_see_the_same(base, group, cache, tmp_path):
    first = group(base, cache=cache, max_pixels=5000)
    frames, sound = first.frames(), first.audio(16_000)
    later = group(base, cache=MediaCache(tmp_path / "cache"), max_pixels=5000)
    assert np.array_equal(later.frames().pixels, frames.pixels)
    assert np.array_equal(later.frames().times_s, frames.times_s)
    assert np.array_equal(later.audio(16_000).samples, sound.samples)
    assert later.received() == first.received()
    assert len(entries(cache)) == 2


def test_another_cache_gives_the_same_bytes(base, group, tmp_path):
    one, two = (group(base, cache=MediaCache(tmp_path / name)) for name in "ab")
    assert np.array_equal(one.frames().pixels, two.frames().pixels)
    assert np.array_equal(one.audio().samples, two.audio().samples)


def test_what_is_cached_is_not_decoded_again(base, group, cache, monkeypatch):
    group(base, "video", cache=cache).frames()
    monkeypatch.setattr("musebench_tasks.media.decode.DecodeProcess.run", None)
    group(base, "video", cache=cache).frames()
    group(base, "video", cache=MediaCache(cache.directory.parent)).frames()


@pytest.mark.parametrize(
    "damage",
    [lambda data: data[:-1], lambda data: data[:200], lambda data: data[:-9] + b"damaged!!", lambda _: b""],
)
def test_a_damaged_entry_is_decoded_again(damage, base, group, cache):
    whole = group(base, "video", cache=cache).frames()
    (path,) = entries(cache)
    path.write_bytes(damage(path.read_bytes()))
    again = group(base, "video", cache=MediaCache(cache.directory.parent)).frames()
    assert np.array_equal(again.pixels, whole.pixels)
    assert read_entry(path) is not None


def test_what_a_model_does_to_its_arrays_stays_with_it(base, group, cache):
    one = group(base, cache=cache)
    frames, sound = one.frames(), one.audio()
    expected = frames.pixels.copy()
    frames.pixels[:] = 0
    sound.samples[:] = 9
    assert np.array_equal(one.frames().pixels, expected)
    assert np.abs(one.audio().samples).max() < 2


def test_the_key_follows_from_content_and_settings(base, group, cache, folder):
    copy = folder / "copy of base.mp4"
    copy.write_bytes(base.read_bytes())
    for path in (base, copy):
        group(path, "video", cache=cache).frames()
    assert len(entries(cache)) == 1
    group(base, "video", cache=cache, end_s=2.0).frames()
    group(base, "video", cache=cache, max_frames=2).frames()
    assert len(entries(cache)) == 3


def test_the_memory_bound_does_not_lose_the_last(cache, monkeypatch):
    monkeypatch.setattr("musebench_tasks.media.cache._MEMORY_BYTES", 10)
    for key in ("aa", "bb"):
        cache.write("frames", key, {}, [b"x" * 50])
        assert cache.read("frames", key) is not None
    assert list(cache._memory) == ["bb"]


def test_the_least_recently_used_goes_first(tmp_path):
    cache = MediaCache(tmp_path, max_bytes=3000)
    for age, key in enumerate(("aa", "bb", "cc")):
        cache.write("frames", key, {}, [b"x" * 800])
        os.utime(cache.path("frames", key), (1000 + age, 1000 + age))
    MediaCache(tmp_path).read("frames", "aa")
    cache.write("frames", "dd", {}, [b"x" * 800])
    left = {path.stem for path in entries(cache)}
    assert {"aa", "dd"} <= left
    assert "bb" not in left


def test_files_handed_out_lately_are_kept(tmp_path):
    cache = MediaCache(tmp_path, max_bytes=1000)
    clip = cache.path("clips", "aa", ".wav")
    clip.parent.mkdir(parents=True)
    clip.write_bytes(b"x" * 900)
    cache.write("frames", "bb", {}, [b"x" * 900])
    assert clip.exists()


@pytest.mark.parametrize("text", ["much", "-1", "nan", "inf"])
def test_a_senseless_bound_is_refused(text, monkeypatch):
    monkeypatch.setenv("MUSEBENCH_CACHE_GB", text)
    with pytest.raises(InputError, match="MUSEBENCH_CACHE_GB"):
        size_limit_bytes()


def test_the_bound_comes_from_the_environment(monkeypatch):
    assert size_limit_bytes() == 20_000_000_000
    monkeypatch.setenv("MUSEBENCH_CACHE_GB", "0.5")
    assert shared_cache().max_bytes == 500_000_000


def test_an_unwritable_cache_is_one_clear_error(base, group, tmp_path):
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(MuseError, match="MUSEBENCH_CACHE") as caught:
        group(base, "video", cache=MediaCache(tmp_path / "file")).frames()
    assert not isinstance(caught.value, MediaError)


def test_a_full_disk_is_one_clear_error_and_leaves_nothing(tmp_path, monkeypatch):
    class Full:
        def __enter__(self):
            return self

        def __exit__(self, *_):
            return False

        def writelines(self, parts):
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "open", lambda *_: Full())
    with pytest.raises(MuseError, match=r"No space left on device.*MUSEBENCH_CACHE"):
        write_entry(tmp_path / "aa" / "entry", {}, [b"x"])
    assert not list((tmp_path / "aa").iterdir())


def test_keys_do_not_depend_on_the_order_of_settings():
    assert entry_key({"a": 1, "b": 2}) == entry_key({"b": 2, "a": 1})


WRITER = """
import sys
from pathlib import Path
from musebench_tasks.media.cache import write_entry
for _ in range(100):
    write_entry(Path(sys.argv[1]), {}, [sys.argv[2].encode() * 20_000])
"""


def test_two_processes_write_the_same_entry(tmp_path):
    path = tmp_path / "entry"
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, path, letter]) for letter in "ab"]
    while any(writer.poll() is None for writer in writers):
        if path.exists():
            entry = read_entry(path)
            assert entry is not None
            assert set(entry.parts[0]) in ({ord("a")}, {ord("b")})
    assert [writer.returncode for writer in writers] == [0, 0]
    assert [each.name for each in tmp_path.iterdir()] == ["entry"]
