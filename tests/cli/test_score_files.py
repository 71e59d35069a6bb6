"""`musebench score --estimates --references`: what people see who score a tracker of their own."""

import json

import pytest

import musebench_tasks
from musebench_tasks.cli import main

SEGMENTS = [{"start_s": 0, "end_s": 10, "label": "A"}, {"start_s": 10, "end_s": 30, "label": "B"}]
TRUTH = {"tempo_bpm": 100, "key": "C major", "time_signature": "4/4", "duration_s": 30, "segments": SEGMENTS}


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """Ten references and as many perfect estimates in two folders, from beside which commands are given."""
    monkeypatch.chdir(tmp_path)
    for side in ("refs", "mine"):
        (tmp_path / side).mkdir()
        for number in range(10):
            (tmp_path / side / f"r{number}.json").write_text(json.dumps(TRUTH))
    return tmp_path


@pytest.fixture
def score(folders, capsys):
    """Runs the command; gives exit code, lines of output and lines of errors."""

    def run(*arguments, estimates="mine", references="refs"):
        code = main(["score", "--estimates", str(estimates), "--references", str(references), *map(str, arguments)])
        done = capsys.readouterr()
        return code, done.out, done.err

    return run


def line_of(output, name):
    (line,) = (line for line in output.splitlines() if line.split()[:1] == [name])
    return line.split()[1:]


def test_a_table_has_each_metric_with_its_error_n_and_both_rates(score):
    code, output, errors = score()
    assert (code, errors) == (0, "")
    assert "mine against refs · 10 recordings" in output
    assert line_of(output, "acc1/1") == ["1.000", "0.66", "to", "1.00", "0.000", "10", "1.000", "1.000"]
    for name in ("symmetric/2", "accuracy/1", "balanced_accuracy/1", "iou_f1/1", "hit_rate_0.5/1", "pairwise_f/1"):
        assert line_of(output, name)[0] == "1.000"
    assert max(map(len, output.splitlines())) <= 80


def test_missing_estimates_are_misses_and_exit_3(score, folders):
    for number in range(4):
        (folders / "mine" / f"r{number}.json").unlink()
    code, output, errors = score()
    assert code == 3
    assert errors == "musebench: coverage 0.6000 of tempo is below 0.98: some recordings have no estimate.\n"
    assert [line_of(output, "acc1/1")[each] for each in (0, -2, -1)] == ["0.600", "0.600", "0.600"]
    assert "tempo: 4 missing of 10" in output
    assert score("--min-coverage", 0.5)[0] == 0


def test_a_bad_reference_is_told_the_rest_scored_and_exit_2(score, folders):
    (folders / "refs" / "r0.json").write_text(json.dumps({**TRUTH, "segments": [[162.922, 162.907, "x"]], "key": "?"}))
    code, output, errors = score()
    assert code == 2
    first, second, last = errors.splitlines()
    assert first.startswith('refs/r0.json, field "key": "?" is no key.')
    assert second.startswith('refs/r0.json row 1, field "segments": end_le_start: 162.922 to 162.907 x.')
    assert last == "musebench: 2 problems with references (above); the rest is scored."
    assert [line_of(output, name)[-3] for name in ("acc1/1", "symmetric/2", "iou_f1/1")] == ["10", "9", "9"]


def test_an_illegal_estimate_is_told_and_a_miss(score, folders):
    rows = [[0, 10, "a"], [9, 20, "b"]]
    (folders / "mine" / "r3.json").write_text(json.dumps({**TRUTH, "tempo_bpm": 5, "key": "X", "segments": rows}))
    code, output, errors = score()
    assert code == 0
    assert errors.splitlines() == [
        'mine/r3.json, field "tempo": 5 is not read (10 to 600 BPM). Counted as out_of_range.',
        'mine/r3.json, field "key": "X" is not read (tonic and mode, Eb major). Counted as unparsed.',
        'mine/r3.json row 2, field "segments": overlap: 9 to 20 b. Counted as out_of_range.',
    ]
    assert line_of(output, "acc1/1")[0] == "0.900"
    assert "segments: 1 out of range of 10" in output


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"x.json": "{}", "y.key": "C major"}, "x.json: has no known field"),
        ({"y.key": "C major", "z.key": "C major"}, "Estimates of no reference (2 of 12): y, z."),
        ({"r1.key": "B minor"}, 'r1.key row 1, field "key": of "r1" has another value in mine/r1.json. Keep'),
    ],
)
def test_what_belongs_to_no_recording_or_twice_refuses_everything(score, folders, files, said):
    for name, content in files.items():
        (folders / "mine" / name).write_text(content)
    code, output, errors = score()
    assert (code, output) == (2, "")
    assert said in errors
    assert "Counted as" not in errors


def test_unknown_recordings_are_left_aside_where_asked_and_told(score, folders):
    for name in ("y.key", "z.key"):
        (folders / "mine" / name).write_text("X")
    (folders / "mine" / "broken.json").write_text("{")
    code, output, errors = score("--ignore-unknown")
    assert (code, line_of(output, "acc1/1")[0]) == (0, "1.000")
    assert "ignored: 3 estimates of no reference: broken, y, z" in output
    assert errors.startswith("mine/broken.json: is no JSON (")
    assert errors.endswith("Correct it. Ignored: of no reference.\n")
    whole = json.loads(score("--ignore-unknown", "--json")[1])
    assert whole["ignored"] == ["broken", "y", "z"]
    scores = musebench_tasks.score_estimates("mine", "refs", ignore_unknown=True)
    assert (scores.ignored, scores.row("mub.tempo.acc1").value) == (("broken", "y", "z"), 1.0)


def test_where_every_estimate_is_of_no_reference_nothing_is_ignored(score, folders):
    (folders / "other").mkdir()
    (folders / "other" / "R1.bpm").write_text("100")
    code, output, errors = score("--ignore-unknown", estimates="other")
    assert (code, output) == (2, "")
    assert errors.startswith("musebench: Estimates of no reference (1 of 1): R1 (nearest: r1).")


def test_estimates_whose_reference_lacks_the_field_are_named(score, folders):
    for side in ("right", "found"):
        (folders / side).mkdir()
        for name in ("a", "b"):
            (folders / side / f"{name}.key").write_text("C major")
            if (side, name) != ("right", "b"):
                (folders / side / f"{name}.bpm").write_text("100")
    for name in ("a", "b"):
        (folders / "found" / f"{name}.lab").write_text("0 9 x")
    code, output, errors = score(estimates="found", references="right")
    assert (code, errors) == (0, "")
    assert "not scored: tempo of 1 estimate without a reference for it: b" in output
    assert "not scored: segments of 2 estimates without a reference for it: a, b" in output
    assert line_of(output, "acc1/1")[3] == "1"


def test_one_recording_is_no_recordings(score, folders):
    (folders / "found.bpm").write_text("60 120 0.4")
    (folders / "right.bpm").write_text("120")
    _, output, _ = score(estimates="found.bpm", references="right.bpm")
    assert "· 1 recording\n" in output
    assert "estimates, tempo: 1 file with several values; the stronger of two, else the commonest, counts" in output


def test_a_row_without_an_id_is_told_and_its_recording_missing(score, folders):
    rows = [json.dumps({"id": f"r{number}", "tempo_bpm": 100}) for number in range(10)]
    rows[3], rows[5] = rows[3][:-6], rows[5][2:]
    (folders / "mine.jsonl").write_text("\n".join(rows))
    code, output, errors = score(estimates="mine.jsonl")
    first, second, _ = errors.splitlines()
    assert first.startswith("mine.jsonl row 4: is no JSON (")
    assert first.endswith("Counted as unparsed.")
    assert second.startswith("mine.jsonl row 6: is no JSON (")
    assert second.endswith("It names no recording and counts for none.")
    assert (code, line_of(output, "acc1/1")[0]) == (3, "0.800")
    assert "tempo: 1 unparsed, 1 missing of 10" in output


def test_fields_that_only_references_have_are_left_out_and_named(score, folders):
    for number in range(10):
        (folders / "mine" / f"r{number}.json").unlink()
        (folders / "mine" / f"r{number}.bpm").write_text("100")
    code, output, errors = score()
    assert (code, errors) == (0, "")
    assert "mub.key" not in output
    assert "not scored: key, time signature, segments (in the references, in no estimate)" in output
    code, output, _ = score("--fields", "tempo", "key")
    assert (code, line_of(output, "symmetric/2")[0]) == (3, "0.000")


def test_many_problems_are_counted_after_the_first_fifty(score, folders):
    rows = "".join(f"q{number},X\n" for number in range(60))
    (folders / "refs" / "more.csv").write_text(f"id,key\n{rows}")
    code, output, errors = score("--json")
    assert code == 2
    assert len(errors.splitlines()) == 52
    assert "and 10 more lines like these. --json and --out FILE.json hold all." in errors
    assert len(json.loads(output)["problems"]) == 60


def test_nothing_is_cleaned_in_silence(score, folders):
    rows = [[10, 20.02, "b"], [0, 10, "a"], [20, 33, "c"], [40, 50, "d"]]
    (folders / "mine" / "r3.json").write_text(json.dumps({**TRUTH, "segments": rows}))
    (folders / "refs" / "r4.json").write_text(json.dumps({**TRUTH, "segments": [[20, 30.3, "b"], [0, 10, "a"]]}))
    code, output, errors = score()
    assert (code, errors) == (0, "")
    told = " ".join(output.split())
    assert (
        "estimates, segments: 1 clipped to the recording, 1 by more than 0.5 s, 1 with intervals outside, dropped, "
        "1 with overlaps of up to 50 ms, snapped, 1 put in order"
    ) in told
    assert "references, segments: 1 clipped to the recording, 1 with gaps, kept, 1 put in order" in told


def test_one_broken_file_brings_no_field_that_the_tracker_never_gives(score, folders):
    for number in range(1, 10):
        (folders / "mine" / f"r{number}.json").unlink()
        (folders / "mine" / f"r{number}.bpm").write_text("100")
    (folders / "mine" / "r0.json").write_text("{")
    code, output, errors = score()
    assert (code, line_of(output, "acc1/1")[0]) == (0, "0.900")
    assert "mub.key" not in output
    assert errors.startswith("mine/r0.json: is no JSON (")


def test_a_broken_table_of_references_is_told_before_what_follows_from_it(score, folders):
    (folders / "refs" / "r9.json").unlink()
    (folders / "refs" / "truth.csv").write_text('id,tempo_bpm\nr9,"100\n')
    code, _, errors = score()
    assert code == 2
    first, second = errors.splitlines()
    assert first == "musebench: refs/truth.csv: is no table (row 2: unexpected end of data). Close its quotes."
    assert second.startswith("Estimates of no reference (1 of 10): r9")


def test_a_segment_in_a_list_of_recordings_is_named_by_both_rows(score, folders):
    rows = [{**TRUTH, "id": f"r{number}"} for number in range(10)]
    rows[4] = {"id": "r4", "segments": [[0, 10, "a"], [9, 20, "b"]]}
    (folders / "mine.jsonl").write_text("\n".join(map(json.dumps, rows)))
    _, _, errors = score(estimates="mine.jsonl")
    assert errors.splitlines()[0] == (
        'mine.jsonl row 5, segment 2, field "segments": overlap: 9 to 20 b. Counted as out_of_range.'
    )


def test_single_files_are_taken_on_either_side(score, folders):
    rows = "\n".join(f"r{number}.wav;120,0;C major" for number in range(10))
    (folders / "mine.csv").write_text(f"file;bpm;key\n{rows}\n")
    code, output, _ = score(estimates="mine.csv")
    assert (code, line_of(output, "acc1/1")[0], line_of(output, "symmetric/2")[0]) == (0, "0.000", "1.000")


def test_two_single_recordings_are_the_same_one(score, folders):
    (folders / "found.lab").write_text("0 10 x\n10 30 y\n")
    (folders / "right.lab").write_text("0 10 x\n10 29 y\n")
    code, output, _ = score(estimates="found.lab", references="right.lab")
    assert (code, line_of(output, "iou_f1/1")[0]) == (0, "1.000")
    assert "no intervals: they need 10 recordings" in output


def test_a_broken_single_file_counts_for_the_other_ones_recording(score, folders):
    (folders / "found.lab").write_text("chorus\n")
    (folders / "right.lab").write_text("0 10 x\n10 29 y\n")
    code, output, errors = score(estimates="found.lab", references="right.lab")
    assert (code, line_of(output, "iou_f1/1")[0]) == (0, "0.000")
    assert errors.endswith("Correct it. Counted as unparsed.\n")


def test_mir_eval_stands_beside_with_a_reason(score):
    code, output, _ = score("--against", "mir_eval")
    assert code == 0
    assert line_of(output, "mub.key.symmetric/2") == ["1.000", "1.000", "10", "of", "10", "0"]
    assert "  key.weighted_score: .5 for the fifth above only; here, as MIREX, below too" in output
    assert "only here: tempo acc2/1; key exact/1;" in " ".join(output.split())
    assert "segments: both take the estimates as cleaned here (in order, clipped, snapped)" in output


def test_json_and_files_hold_everything(score, folders):
    code, output, _ = score("--json", "--against", "mir_eval", "--out", "deep/scores.json")
    whole = json.loads(output)
    assert code == 0
    assert json.loads((folders / "deep/scores.json").read_text()) == whole
    row = next(row for row in whole["scores"] if row["metric"] == "mub.tempo.acc1")
    assert (row["version"], row["value"], row["n"], row["coverage"], row["answered"]) == ("1", 1.0, 10, 1.0, 1.0)
    assert whole["recordings"]["r3"]["scores"]["mub.key.symmetric/2"] == 1.0
    assert whole["recordings"]["r3"]["statuses"]["segments"] == "ok"
    assert whole["against"]["mir_eval"][0]["function"] == "tempo.detection"
    assert score("--out", "scores.csv")[0] == 0
    assert (folders / "scores.csv").read_text().startswith("metric,version,value,standard_error,low,high,")


BOTH = ["score", "--estimates", "mine", "--references", "refs"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["score"], "a run or predictions file, or both --estimates and --references"),
        (["score", "--estimates", "mine"], "both --estimates and --references"),
        (["score", "runs/x", "--against", "mir_eval"], "--against: not with a run"),
        ([*BOTH, "--task", "mub"], "--task: only with a run"),
        ([*BOTH, "--fields", "tempi"], "invalid choice: 'tempi'"),
        ([*BOTH, "--out", "x.txt"], "x.txt: scores are written as .json or .csv."),
        ([*BOTH[:-1], "nowhere"], "nowhere: there is no such file or folder."),
    ],
)
def test_wrong_arguments_are_told_in_a_line(folders, capsys, arguments, said):
    try:
        code = main(arguments)
    except SystemExit as end:
        code = end.code
    done = capsys.readouterr()
    assert code == 2
    assert said in done.err
    assert done.err.count("\n") == 1


def test_python_scores_folders_and_values_at_hand_alike(folders):
    from_files = musebench_tasks.score_estimates("mine", "refs")
    values = {f"r{number}": {"tempo_bpm": 100.0, "key": "A minor"} for number in range(9)}
    scores = musebench_tasks.score_estimates(values, "refs", key_version="exact/1")
    assert from_files.row("mub.key.symmetric/2").value == 1.0
    assert (scores.rows[0].metric, scores.row("mub.tempo.acc1").value) == ("mub.tempo.acc1", 0.9)
    assert scores.row("mub.key.symmetric").value == 0.9
    assert scores.row("mub.key.exact").value == 0.0
    assert scores.coverage == 0.9
    assert list(scores.to_frame()["metric"].head(2)) == ["mub.tempo.acc1", "mub.tempo.acc2"]
