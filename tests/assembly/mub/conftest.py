import json

import pytest

from musebench_tasks.assembly.mub import read_archive, validate_tracks
from musebench_tasks.base.problems import lines


@pytest.fixture
def read(tmp_path):
    """Judge an archive of the files given: tracks by id, and the reasons why others cannot be used."""

    def read_files(files):
        root = tmp_path / "archive"
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text if isinstance(text, str) else json.dumps(text), encoding="utf-8")
        archive = read_archive(root)
        tracks, refused = validate_tracks(archive)
        reasons = [reason for each in refused for reason in each.reasons]
        reasons += [problem for problem in archive.problems if not problem.items]
        return {each.id: each for each in tracks}, lines(reasons)

    return read_files
