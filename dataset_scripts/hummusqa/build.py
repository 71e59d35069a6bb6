"""Builds the hummusqa repo: `python dataset_scripts/hummusqa/build.py SOURCE DIRECTORY` (a table and its media).

`hummusqa_demo` is made by `dataset_scripts/hummusqa/make/` of the project's repository; wheels do not hold it.
"""

from musebench_tasks.assembly import build_main

if __name__ == "__main__":
    raise SystemExit(build_main("hummusqa"))
