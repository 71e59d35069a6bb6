"""`python -m musebench_tasks` is the command `musebench`."""

import sys

from musebench_tasks.cli import main

sys.exit(main())
