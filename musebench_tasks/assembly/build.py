"""The command line of `dataset_scripts/NAME/build.py`: a sheet with media becomes the repo of that dataset."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from musebench_tasks.assembly.making import BuildSettings, build_dataset
from musebench_tasks.base.errors import MuseError


def build_main(dataset: str, arguments: Sequence[str] | None = None) -> int:
    """Build; returns the exit code. `musebench data build --as NAME` does the same with more choices."""
    parser = argparse.ArgumentParser(description=f"Build the dataset repo of {dataset}.")
    parser.add_argument("source", type=Path, help="folder with a table of the dataset's columns and its media")
    parser.add_argument("directory", type=Path, help="the repo to write")
    parser.add_argument("--force", action="store_true", help="replace the repo that is there")
    chosen = parser.parse_args(arguments)
    try:
        built = build_dataset(chosen.source, chosen.directory, dataset, BuildSettings(force=chosen.force))
    except MuseError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    print(f"{built.directory}  {built.rows} rows  data_sha256 {built.data_sha256}")
    return 0
