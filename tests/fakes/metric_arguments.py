"""Right arguments of every metric of `metrics/`, three rows each."""

SEGMENTS = [{"start_s": 0, "end_s": 10, "label": "a"}, {"start_s": 10, "end_s": 20, "label": "b"}]
VALID = {
    "caa": {"predictions": ["A", "B", ""], "references": ["A", "A", "C"], "num_options": [4, 4, 8]},
    "set_f1": {"predictions": [["A"], ["B"], []], "references": [["A", "B"], ["B"], ["C"]]},
    "choice_consistency": {"predictions": [["x", "x"], ["x", "y"], ["", "x"]], "references": ["x", "x", "y"]},
    "position_bias": {"predictions": ["A", "B", ""], "references": ["A", "A", "C"], "num_options": 4},
    "mub_key": {"predictions": ["A minor", None, "C"], "references": ["C major", "D minor", "Eb major"]},
    "mub_tempo": {"predictions": [41.6, None, 200], "references": [40, 90.5, 100]},
    "mub_time_signature": {"predictions": ["4/4", None, "waltz"], "references": ["4/4", "3/4", "6/8"]},
    "mub_segments": {"predictions": [SEGMENTS, None, []], "references": [SEGMENTS] * 3, "durations_s": [20, 20, 20]},
    "gwet_ac2": {"predictions": [[5, 4, None], [5, 5, 3], [5, 4, 4]], "categories": [0, 1, 2, 3, 4, 5]},
    "mub": {
        "predictions": [{"id": "b", "tempo_bpm": 60}, {"id": "a", "key": "A minor"}, {"id": "c", "segments": SEGMENTS}],
        "recordings": [
            {"id": "a", "tempo_bpm": 100, "key": "C major", "time_signature": "4/4", "segments": SEGMENTS},
            {"id": "b", "tempo_bpm": 60, "key": "C major", "time_signature": "4/4", "segments": SEGMENTS},
            {"id": "c", "tempo_bpm": 100, "key": "C major", "time_signature": "4/4", "segments": SEGMENTS},
        ],
    },
}
