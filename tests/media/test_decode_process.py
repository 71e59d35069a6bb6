import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from musebench_tasks.base.errors import MediaError, MuseError
from musebench_tasks.media.decode import DecodeProcess

CHILD_WITH_FAULTS = """
import os, signal, sys, time
from musebench_tasks.media import decode_child

def hang(job, progress): time.sleep(600)
def crash(job, progress): os.kill(os.getpid(), signal.SIGSEGV)
def slow(job, progress):
    for _ in range(8):
        time.sleep(0.25); progress()
    return {"slow": True}
def fault(job, progress): raise ZeroDivisionError("a fault of ours")
def chatty(job, progress): print("noise on the output"); return {"quiet": True}

decode_child.JOBS.update(hang=hang, crash=crash, slow=slow, fault=fault, chatty=chatty)
decode_child.PROGRESS_EVERY_S = 0.1
decode_child.main()
"""


SOUND = {"start_s": 0.0, "end_s": 1.0, "sample_rate": None, "max_audio_s": None}


@pytest.fixture(scope="module")
def process():
    child = DecodeProcess(["-c", CHILD_WITH_FAULTS])
    yield child
    child.close()


def probe(path):
    return {"job": "probe", "path": str(path), "name": Path(path).name}


def test_a_hang_is_killed_and_the_next_job_served(process, base):
    process.run(probe(base))
    before = process.pid
    with pytest.raises(MediaError, match=r"decode_timeout: bad\.mp4") as caught:
        process.run({"job": "hang", "name": "bad.mp4"}, timeout_s=0.3)
    assert caught.value.code == "decode_timeout"
    with pytest.raises(ProcessLookupError):
        os.kill(before, 0)
    assert process.run(probe(base))["video_s"] == 4.0


def test_paths_are_those_of_the_folder_one_is_in_now(process, base, tmp_path, monkeypatch):
    process.run(probe(base))
    (tmp_path / "films").mkdir()
    (tmp_path / "films" / "here.mp4").symlink_to(base)
    monkeypatch.chdir(tmp_path)
    assert process.run(probe("films/here.mp4"))["video_s"] == 4.0
    wanted = {"kind": "audio", "settings": SOUND, "out": "sound"}
    process.run({"job": "entries", "path": "films/here.mp4", "name": "here.mp4", "entries": [wanted]})
    assert (tmp_path / "sound").exists()


def test_a_crash_makes_the_medium_unreadable(process, base):
    with pytest.raises(MediaError, match=r"unreadable: bad\.mp4: the decoder crashed on it \(signal 11\)"):
        process.run({"job": "crash", "name": "bad.mp4"})
    assert process.run(probe(base))["audio_s"] == pytest.approx(4.0, abs=0.05)


def test_a_bad_file_does_not_cost_the_process(process, base, tmp_path):
    process.run(probe(base))
    before = process.pid
    (tmp_path / "bad.mp4").write_bytes(b"\0" * 500)
    with pytest.raises(MediaError, match=r"unreadable: bad\.mp4"):
        process.run(probe(tmp_path / "bad.mp4"))
    process.run(probe(base))
    assert process.pid == before


def test_slow_is_not_hung(process):
    assert process.run({"job": "slow", "name": "long.mp4"}, timeout_s=1.0) == {"slow": True}


def test_what_libraries_print_does_not_disturb(process):
    assert process.run({"job": "chatty", "name": "x"}) == {"quiet": True}


def test_a_fault_of_the_program_is_no_media_error(process):
    with pytest.raises(MuseError, match="a fault of ours") as caught:
        process.run({"job": "fault", "name": "x"})
    assert not isinstance(caught.value, MediaError)


def test_a_child_that_cannot_start_says_why():
    broken = DecodeProcess(["-c", "raise SystemExit('no such library')"])
    with pytest.raises(MuseError, match="no such library"):
        broken.run({"job": "probe", "name": "x"})


def test_the_child_imports_no_framework():
    code = (
        "import sys, musebench_tasks.media.decode_child;"
        "heavy = {'torch', 'transformers', 'datasets', 'pyarrow', 'pandas', 'scipy', 'matplotlib', 'evaluate'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"


def test_making_groups_imports_no_decoder():
    code = "import sys, musebench_tasks.media;print(sorted({'av', 'soxr', 'pyarrow', 'torch'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"


PARENT = """
import multiprocessing, sys, time
from musebench_tasks.media.decode import DecodeProcess, shared_process
print("main ran", flush=True)

def work(path):
    child = shared_process()
    result = child.run({"job": "probe", "path": path, "name": "base"})
    print(result["video_s"], child.pid, flush=True)
    time.sleep(float(sys.argv[2]))

if __name__ == "__main__":
    worker = multiprocessing.get_context("spawn").Process(target=work, args=(sys.argv[1],))
    worker.start()
    print("worker", worker.pid, flush=True)
    worker.join()
"""


def alive(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads process states from /proc")
def test_it_works_in_a_spawned_process_and_ends_with_it(base, tmp_path):
    """The script's top level runs in the script and in the spawned worker, not a third time in the decode child."""
    script = tmp_path / "script.py"
    script.write_text(PARENT)
    parent = subprocess.Popen([sys.executable, script, str(base), "600"], stdout=subprocess.PIPE, text=True)
    lines = [parent.stdout.readline().split() for _ in range(4)]
    assert sorted(lines[:3]) == sorted([["main", "ran"], ["main", "ran"], ["worker", lines[1][1]]])
    worker, (seconds, child) = int(lines[1][1]), lines[3]
    assert float(seconds) == 4.0
    assert alive(child)
    os.kill(worker, signal.SIGKILL)
    parent.wait(timeout=20)
    parent.stdout.close()
    deadline = time.monotonic() + 10
    while alive(child) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not alive(child)
