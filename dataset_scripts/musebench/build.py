"""Builds the musebench repo: `python dataset_scripts/musebench/build.py SOURCE DIRECTORY` (a table and its media).

`musebench_demo` is made by `dataset_scripts/musebench/make/` of the project's repository; wheels do not hold it.
"""

from musebench_tasks.assembly import build_main

if __name__ == "__main__":
    raise SystemExit(build_main("musebench"))
