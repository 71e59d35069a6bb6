"""Entry point of a worker process: `python -m musebench_tasks.inference.worker_process JOB WORKER`."""

import os
import sys
import threading
import time
from pathlib import Path

from musebench_tasks.errors import MuseError
from musebench_tasks.inference.launch import work_on_job


def main() -> int:
    """Work on the job file named first, as the worker number named second."""
    threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    try:
        work_on_job(Path(sys.argv[1]), int(sys.argv[2]))
    except MuseError as problem:
        print(problem, file=sys.stderr)
        return problem.exit_code
    return 0


def _end_with_parent(parent: int) -> None:
    """Stop at once when the process that started this one is gone: nobody would know of the work."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main())
