"""Entry point of a worker process: `python -m musebench_tasks.inference.worker_process JOB WORKER`."""

import os
import sys
from pathlib import Path

from musebench_tasks.base.errors import DeviceLostError, MuseError
from musebench_tasks.inference.endings import end_with_parent, stopped_in_order
from musebench_tasks.inference.launch import work_on_job
from musebench_tasks.inference.worker_pool import report_problem


def main() -> int:
    """Work on the job file named first, as the worker number named second."""
    end_with_parent(os.getppid())
    job_file, worker = Path(sys.argv[1]), int(sys.argv[2])
    try:
        with stopped_in_order():
            work_on_job(job_file, worker)
    except MuseError as problem:
        if not isinstance(problem, DeviceLostError):  # Untold it is a death to the parent, who starts a new process.
            report_problem(job_file, worker, problem)
        print(problem, file=sys.stderr)
        return problem.exit_code
    except KeyboardInterrupt:
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
