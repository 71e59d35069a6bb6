import os
from pathlib import Path

import pytest

from musebench_tasks.base.errors import MuseError
from musebench_tasks.base.records import Limits
from musebench_tasks.inference import TaskPlan, file_system, plan_units, work
from musebench_tasks.inference.file_system import is_shared, kind_of

MOUNTS = """\
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw
30 27 0:21 / /shared rw,relatime shared:7 master:2 - nfs4 server:/export rw,vers=4.2
31 30 0:22 / /shared/scratch\\040one rw - lustre fast rw
32 27 0:23 / /home rw - btrfs /dev/vdb rw
33 27 0:24 / /home rw - fuse.sshfs me@there rw
half a line
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/", "ext4"),
        ("/tmp/runs", "ext4"),
        ("/shared", "nfs4"),
        ("/shared/runs/big", "nfs4"),
        ("/shared/scratch one/runs", "lustre"),
        ("/sharedness", "ext4"),
        ("/home/me", "fuse.sshfs"),
    ],
)
def test_a_folder_lies_where_the_longest_and_last_mount_point_says(folder, kind):
    assert kind_of(Path(folder), MOUNTS) == kind


def test_what_is_not_known_is_taken_to_be_shared(tmp_path, monkeypatch):
    monkeypatch.setattr(file_system, "_MOUNTS", tmp_path / "mounts")
    assert is_shared(tmp_path)
    (tmp_path / "mounts").write_text(MOUNTS)
    assert not is_shared(tmp_path)
    (tmp_path / "mounts").write_text(MOUNTS.replace("ext4", "beegfs"))
    assert is_shared(tmp_path)


def plan_on_a_shared_folder(tmp_path, monkeypatch, requests):
    (tmp_path / "mounts").write_text(MOUNTS.replace("ext4", "nfs"))
    monkeypatch.setattr(file_system, "_MOUNTS", tmp_path / "mounts")
    return TaskPlan("task", tmp_path, plan_units(requests), Limits())


def test_other_machines_see_the_answers_before_the_medium_is_free(tmp_path, monkeypatch, request_of, echo):
    plan = plan_on_a_shared_folder(
        tmp_path, monkeypatch, [request_of(name, media=name[0]) for name in ("a1", "a2", "b1")]
    )
    flushed = []

    def flush(file):
        held = [path.name for path in (tmp_path / "leases").glob("[!w.]*")]
        flushed.append((held, os.fstat(file).st_size > 0))

    monkeypatch.setattr(os, "fsync", flush)
    work(plan, echo(), 0, lambda *_: None)
    assert flushed == [([unit.id], True) for unit in plan.units]


def test_a_disk_that_turns_out_to_be_full_when_it_is_flushed_stops_the_work(tmp_path, monkeypatch, request_of, echo):
    plan = plan_on_a_shared_folder(tmp_path, monkeypatch, [request_of("a")])

    def flush(file):
        raise OSError(122, "Disk quota exceeded")

    monkeypatch.setattr(os, "fsync", flush)
    with pytest.raises(MuseError, match=r"worker-0.jsonl: no room to write \(Disk quota exceeded\)"):
        work(plan, echo(), 0, lambda *_: None)
