import pytest

from musebench_tasks.cli import main


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "--limit", "x"], 'argument --limit: "x" is no whole number of 1 or more'),
        (["run", "--limit", "0"], 'argument --limit: "0" is no whole number of 1 or more'),
        (["run", "--timeout", "nan"], 'argument --timeout: "nan" is no number of seconds above 0'),
        (["run", "--timeout", "-1"], "argument --timeout"),
        (["run", "--min-coverage", "98%"], 'argument --min-coverage: "98%" is no number from 0 to 1'),
        (["run", "--out", ""], "argument --out: the name of the folder is empty"),
        (["run", "--conditions", ","], 'argument --conditions: "," names nothing; write names with single commas'),
        (["run", "--conditions", ""], 'argument --conditions: "" names nothing'),
        (["run", "--conditions", "full,,noise"], 'argument --conditions: "full,,noise" names nothing before, between'),
        (["run", "--conditions", "full,"], 'argument --conditions: "full," names nothing before, between'),
        (["run", "--suite", ""], "argument --suite: an empty name names nothing"),
        (["run", "--reuse", " "], "argument --reuse: the name of the folder is empty"),
        (["compare", "a", "b", "--conditions", ",full"], 'argument --conditions: ",full" names nothing before'),
        (["compare", "a", "b", "--tasks", ""], "argument --tasks: an empty name names nothing"),
        (["cards", "--category", ""], "argument --category: an empty name names nothing"),
        (["leaderboard", "build", "a", "--hidden", ""], "argument --hidden: an empty name names nothing"),
        (["run", "--limit", "1", "--sample", "stratified:1"], "not allowed with argument"),
        (["score"], "the following arguments are required"),
        (["rnu"], "invalid choice: 'rnu'"),
        (["data", "build", "x", "--procesess", "2"], "unknown: --procesess (nearest: --processes)"),
        (["data", "build", "x", "--as", "mub", "--otu", "y"], "unknown: --otu (nearest: --out)"),
        (["data", "check", "x", "--itemsonly"], "unknown: --itemsonly (nearest: --items-only)"),
        (["run", "--modle=random", "--tasks", "a"], "unknown: --modle=random (nearest: --model)"),
        (["tasks", "show", "a", "--ouput"], "unknown: --ouput. See `musebench tasks show --help`"),
        (["tasks", "list", "b\x1b[2J"], "unknown: b\\x1b[2J. See"),
        (["--verison"], "unknown: --verison (nearest: --version)"),
    ],
)
def test_a_wrong_argument_is_told_in_one_line(arguments, said, capsys):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert said in lines[0]
    assert "--help" in lines[0]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "--tasks", "mub_demo", "--model", "openai:m@http://127.0.0.1:9/v1,"], "has no address on one of its"),
        (["ping", "http://127.0.0.1:9/v1,,http://127.0.0.1:9/v1"], "has no address on one of its sides"),
        (["run", "--tasks", "", "--model", "random"], "tasks: '' is no name"),
        (
            ["run", "--tasks", "mub_demo", "--model", "random", "--conditions", "full,ful"],
            'condition "ful" is not known',
        ),
    ],
)
def test_a_list_with_an_empty_or_unknown_member_is_refused_before_anything_runs(arguments, said, capsys):
    assert main(arguments) == 2
    assert said in capsys.readouterr().err


def test_output_that_cannot_be_written_is_told(capsys, monkeypatch):
    class Full:
        def write(self, text):
            raise OSError(28, "No space left on device")

        def flush(self):
            pass

        def fileno(self):
            return 99

    monkeypatch.setattr("musebench_tasks.cli._print_no_more", lambda: None)
    monkeypatch.setattr("sys.stdout", Full())
    assert main(["models", "list"]) == 1
    assert "the output cannot be written (No space left on device)" in capsys.readouterr().err


def test_a_service_without_standard_output_is_no_trouble(monkeypatch):
    monkeypatch.setattr("sys.stdout", None)
    assert main(["models", "list"]) == 0
