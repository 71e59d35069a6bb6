"""A coverage-guided fuzzer for the parsers: `python tests/answers/fuzz.py choice|music [libFuzzer options] CORPUS`.

Needs atheris. Starts from the responses of tests/cases, checks every law of `laws.py` on each text it makes, and ends
with an error at the first text that breaks one, which libFuzzer writes to a file `crash-…`.
"""

import json
import sys
from pathlib import Path

import atheris

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS.parent), str(TESTS)]

import musebench_tasks.base.records  # noqa: E402, F401 - known before what follows is instrumented

with atheris.instrument_imports(include=["musebench_tasks.answers", "musebench_tasks.values"]):
    import musebench_tasks.answers

from answers import laws  # noqa: E402

LINEAR_ONE_IN = 200
"""Growth is measured on one text of so many."""
CASES = {"choice": ("answers.jsonl", "more_choice.jsonl"), "music": ("structured.jsonl", "more_music.jsonl")}
WORDS = [
    *("answer", "answer is ", "final answer", "not ", " or ", " and ", "option ", "no, wait", "actually", "between "),
    *("<think>", "</think>", "<|x|>", "```json\n", "\n```", "<answer>", "</answer>", "\\boxed{", "\\text{", "**", "|"),
    *('{"tempo": ', '{"key": "', '"time_signature": ', '"segments": [[', '"labels": [', '"start": ', '"end": ', "]}"),
    *('"answer": ["', "null", "NaN", "Infinity", "true", "1e9", "//", "/*", "*/", "\\u00e9", '\\"', "\\n", "//x\n"),
    *(" bpm", "BPM", "beats per minute", "♩ = ", "half note", "120-124", "1:05", "0:00 - 0:20", "12.5s", "%", "~", "±"),
    *("C# minor", "E-flat ", "major", "minor", "Dur", "-moll", "mineur", "8A", " dorian", "H", "♯", "♭", "𝄪", "key: "),
    *("4/4", "six-eight", "3 over 4", "common time", "cut time", "⁄", "C|", "time signature", "verse: ", "chorus"),
    *(
        "无法",
        "答案是",
        "调",
        "拍",
        "速度",
        "かもしれません",
        "분당",
        "أ",
        "\u200b",
        "\u00a0",
        "\u2028",
        "\ufeff",
        "１２８",
    ),
    *("I can't listen", "[ERROR] ", "<tool_call>", "- ", "1. ", "[x] ", "A", "B) ", "(C)", "D.", "A-C", "all except "),
]


def main():
    name, *options = sys.argv[1:]
    folder = Path(options[-1])
    folder.mkdir(parents=True, exist_ok=True)
    _write_seeds(folder, name)
    dictionary = folder.parent / f"{folder.name}.dict"
    dictionary.write_text("".join(f'"{_escaped(word)}"\n' for word in WORDS), encoding="ascii")
    check = {"choice": _check_choice, "music": _check_music}[name]
    atheris.Setup([sys.argv[0], f"-dict={dictionary}", "-timeout=20", "-max_len=600", *options], check)
    atheris.Fuzz()


def _check_choice(data):
    head, text = _parts(data)
    options, multi = laws.OPTION_LISTS[head % 3], bool(head & 4)
    laws.obey_choice(text, options, multi)
    if laws.is_chosen(text, LINEAR_ONE_IN):
        laws.obey_linear(lambda long: musebench_tasks.answers.parse_choice(long, options, multi), text)


def _check_music(data):
    _, text = _parts(data)
    laws.obey_music(text)
    if laws.is_chosen(text, LINEAR_ONE_IN):
        laws.obey_linear(lambda long: musebench_tasks.answers.parse_music(long, laws.FIELDS, 60.0), text)


def _parts(data):
    return (data[0] if data else 0), data[1:].decode("utf-8", "replace")


def _write_seeds(folder, name):
    for file in CASES[name]:
        for line in (TESTS / "cases" / file).read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            for head in (0, 5) if name == "choice" else (0,):
                seed = folder / f"case-{case['id']}-{head}"
                seed.write_bytes(bytes([head]) + case["response"].encode("utf-8", "replace"))


def _escaped(word):
    return "".join(f"\\x{byte:02X}" for byte in word.encode("utf-8"))


if __name__ == "__main__":
    main()
