"""Several processes on one small cache, while entries are damaged and processes are killed in the middle of writes."""

import os
import random
import signal
import subprocess
import sys
import time

import pytest

from musebench_tasks.media.cache import MediaCache

BOUND = 300_000
WORKER = """
import hashlib, random, sys
from pathlib import Path
from musebench_tasks.media.cache import MediaCache, write_entry
from musebench_tasks.media.fetch import Fetcher, Wish
from musebench_tasks.media.unpack import MediaFile

folder, seed, rounds, bound = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])

def content(number):
    block = hashlib.sha256(str(number).encode()).digest()
    return [block * 900, block * (100 + number)]

class Process:
    def run(self, job, timeout_s):
        for entry in job["entries"]:
            write_entry(Path(entry["out"]), entry["settings"], content(entry["settings"]["number"]))
        return {"outcomes": [{} for _ in job["entries"]]}

draw = random.Random(seed)
wishes = [Wish("frames", {"number": number}) for number in range(20)]
file = MediaFile(folder / "film.mp4", "0" * 64, "film.mp4")
print("ready", flush=True)
for _ in range(rounds):
    fetcher = Fetcher(MediaCache(folder, bound), Process(), 1.0)   # a new one: nothing comes from memory
    for _ in range(10):
        number = draw.randrange(20)
        entry = fetcher.entry(file, wishes[number], lambda: draw.sample(wishes, 3))
        assert [bytes(part) for part in entry.parts] == content(number), number
        assert entry.details == {"number": number}
"""


def worker(folder, seed, rounds):
    command = [sys.executable, "-c", WORKER, str(folder), str(seed), str(rounds), str(BOUND)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def damage(draw, folder):
    """Overwrite, cut or empty one entry."""
    entries = sorted(folder.rglob("*.entry"))
    if not entries:
        return
    path = draw.choice(entries)
    try:
        data = bytearray(path.read_bytes())
        if data:
            data[draw.randrange(len(data))] ^= 0xFF
        path.write_bytes(draw.choice([data, data[: len(data) // 2], b""]))
    except FileNotFoundError:
        return


def disturb(workers, folder, draw, kills, rounds):
    """Damage entries while workers run, and kill one after another; a new one takes the place of the killed."""
    killed = 0
    while any(each.poll() is None for each in workers):
        damage(draw, folder)
        time.sleep(0.01)
        running = [at for at, each in enumerate(workers) if each.poll() is None]
        if killed < kills and running and draw.random() < 0.1:
            at = draw.choice(running)
            workers[at].stdout.readline()
            os.kill(workers[at].pid, signal.SIGKILL)
            workers[at].communicate()
            workers[at] = worker(folder, 100 + killed, rounds)
            killed += 1
    return killed


def stress(folder, workers, rounds, kills):
    draw = random.Random(4)
    running = [worker(folder, seed, rounds) for seed in range(workers)]
    killed = disturb(running, folder, draw, kills, rounds)
    said = [each.communicate()[1] for each in running]
    assert [each.returncode for each in running] == [0] * workers, said
    return killed


def size(folder):
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def test_two_processes_on_a_cache_too_small_for_them(tmp_path):
    stress(tmp_path, workers=2, rounds=10, kills=0)
    assert size(tmp_path) <= BOUND * 1.5


@pytest.mark.slow
def test_many_processes_kills_and_damage(tmp_path):
    assert stress(tmp_path, workers=6, rounds=150, kills=20) == 20
    assert size(tmp_path) <= BOUND * 1.5
    for path in tmp_path.rglob("*.tmp"):
        os.utime(path, (1000, 1000))
    MediaCache(tmp_path, BOUND).write("frames", "f" * 64, {}, [b"x"])
    assert not list(tmp_path.rglob("*.tmp")), "what killed processes left is cleared away"
