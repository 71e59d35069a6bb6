"""Starting is light (architecture, rule 7)."""

import subprocess
import sys

import pytest

HEAVY = ["torch", "transformers", "datasets", "evaluate", "pandas", "pyarrow", "scipy", "matplotlib", "av"]
PROBE = """
import sys
try:
    {code}
except SystemExit:
    pass
print("loaded:", *sorted(set(sys.modules) & set({heavy!r})))
"""


@pytest.mark.parametrize(
    "code",
    [
        "import musebench_tasks",
        "import musebench_tasks.cli; musebench_tasks.cli.main(['--help'])",
        "import musebench_tasks.cli; musebench_tasks.cli.main(['run', '--help'])",
        "import musebench_tasks.cli; musebench_tasks.cli.main(['--version'])",
        "import musebench_tasks.cli; musebench_tasks.cli.main(['tasks', 'list'])",
        "import musebench_tasks.cli; musebench_tasks.cli.main(['models', 'list'])",
        "import musebench_tasks.cli; musebench_tasks.cli.main(['data', 'check', 'nothere'])",
    ],
)
def test_starting_imports_no_heavy_package(code):
    done = subprocess.run(
        [sys.executable, "-c", PROBE.format(code=code, heavy=HEAVY)], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1].strip() == "loaded:"


def test_the_module_is_the_command():
    done = subprocess.run(
        [sys.executable, "-m", "musebench_tasks", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("musebench 0.")
