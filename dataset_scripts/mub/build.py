"""Builds the mub repo: `python dataset_scripts/mub/build.py SOURCE DIRECTORY` (a table and its media).

`mub_demo` is made by `dataset_scripts/mub/make/` of the project's repository; wheels do not hold it.
"""

from musebench_tasks.assembly import build_main

if __name__ == "__main__":
    raise SystemExit(build_main("mub"))
