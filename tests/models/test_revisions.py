from musebench_tasks.models.protocol import with_settings

USUAL = {"max_pixels": 100, "dtype": None}


def test_usual_settings_leave_the_revision_and_others_show_in_it():
    assert with_settings("abc", dict(USUAL), USUAL) == "abc"
    fewer = with_settings("abc", {**USUAL, "max_pixels": 50}, USUAL)
    assert fewer.startswith("abc+")
    assert fewer != with_settings("abc", {**USUAL, "dtype": "float16"}, USUAL)
