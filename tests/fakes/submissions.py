"""Submissions made of runs, as `musebench submit` lays them out, without a Hub."""

import json
import shutil
from pathlib import Path

import yaml

from musebench_tasks.base.files import sha256_of
from musebench_tasks.base.records import submission_path


def hand_in(run, root, *, submitter="Ada", date="2024-11-30", notes=""):
    """The submission of a MODEL/TASK folder below `root`; returns its folder. Notes begin as those of `submit` do."""
    notes = notes if notes.startswith("retry rate") else f"retry rate 0.0000 (0 of 12). {notes}".rstrip()
    hashes = sha256_of(run / "run.yaml"), sha256_of(run / "predictions.jsonl")
    config = yaml.safe_load((run / "run.yaml").read_text())
    folder = Path(root) / submission_path(config["benchmark"]["name"], config["system"]["name"], *hashes)
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("run.yaml", "predictions.jsonl", "scores.json"):
        shutil.copyfile(run / name, folder / name)
    told = {"date": date, "submitter": submitter, "notes": notes}
    told |= {"run_sha256": hashes[0], "predictions_sha256": hashes[1]}
    (folder / "submission.yaml").write_text(yaml.safe_dump(told, sort_keys=False))
    return folder


def edit_run(folder, **blocks):
    """Change run.yaml: `system={"name": "x"}` and so on."""
    path = folder / "run.yaml"
    config = yaml.safe_load(path.read_text())
    for name, fields in blocks.items():
        config[name] = {**config[name], **fields} if isinstance(fields, dict) else fields
    path.write_text(yaml.safe_dump(config, sort_keys=False))


def edit_predictions(folder, change):
    """Replace every prediction by what `change` makes of it; None leaves it out."""
    path = folder / "predictions.jsonl"
    lines = [change(json.loads(line)) for line in path.read_text().splitlines()]
    path.write_text("".join(f"{json.dumps(line, sort_keys=True)}\n" for line in lines if line is not None))
