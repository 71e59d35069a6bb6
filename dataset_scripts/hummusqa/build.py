"""Builds the hummusqa repo: `python dataset_scripts/hummusqa/build.py SOURCE DIRECTORY` (rows.jsonl, media inside)."""

from musebench_tasks.assembly import build_main

if __name__ == "__main__":
    raise SystemExit(build_main("hummusqa"))
