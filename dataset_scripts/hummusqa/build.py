"""Builds the hummusqa repo: `python dataset_scripts/hummusqa/build.py SOURCE DIRECTORY` (a table and its media)."""

from musebench_tasks.assembly import build_main

if __name__ == "__main__":
    raise SystemExit(build_main("hummusqa"))
