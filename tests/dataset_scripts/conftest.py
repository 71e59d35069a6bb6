"""The built demos, and the repository root on the path, so that builders can be imported as `dataset_scripts.…`."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.append(str(ROOT))


@pytest.fixture(scope="session")
def root():
    return ROOT
