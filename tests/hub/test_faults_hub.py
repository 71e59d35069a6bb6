"""faults_hub.md 1 to 25, row by row: the test that holds each, or why it cannot occur here."""

import re
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent.parent
LOADING, PUSH, SUBMIT, TRIP = "hub/test_loading", "hub/test_data_push", "hub/test_submit", "hub/test_round_trip"
ROWS = {
    1: ("loading scripts are gone", f"{LOADING}:test_1_what_is_published_needs_no_script"),
    2: ("a revision is ignored offline", f"{LOADING}:test_2_a_revision_that_is_not_there_is_never_another_one"),
    3: ("which configuration, offline", f"{LOADING}:test_3_every_configuration_is_asked_for_by_name_offline_too"),
    4: ("hash of data_files", f"{LOADING}:test_4_local_files_are_read_by_path_whatever_the_commit"),
    5: ("gated reads as absent", f"{LOADING}:test_5_a_gated_set_says_which_page_to_open"),
    6: ("gated data in tests", "test_faults_hub:test_6_no_test_asks_for_data_of_anybody"),
    7: ("fingerprints of transforms", "test_faults_hub:test_7_nothing_here_maps_or_filters_datasets"),
    8: ("hard-coded cache paths", f"{LOADING}:test_8_caches_lie_where_the_user_says"),
    9: ("429 hidden", f"{LOADING}:test_9_few_large_files_are_asked_for_and_a_429_is_named"),
    10: ("a Range is ignored", f"{LOADING}:test_10_a_download_that_went_wrong_is_fetched_again"),
    11: (
        "a shared cache",
        f"{LOADING}:test_11_what_was_spoilt_in_a_shared_cache_is_fetched_anew",
    ),
    12: ("recreated repository", f"{LOADING}:test_12_a_repository_that_was_made_anew_is_read_as_it_is_now"),
    13: ("two pushes at once", f"{PUSH}:test_13_who_comes_second_reads_again_and_keeps_what_the_first_did"),
    14: ("500 after the commit", f"{PUSH}:test_14_a_failure_after_the_commit_is_seen_and_not_repeated"),
    15: ("upload cut half way", f"{PUSH}:test_15_an_upload_that_was_cut_goes_on_from_the_new_head"),
    16: ("half looks like all", f"{LOADING}:test_16_a_set_without_its_manifest_is_not_whole"),
    17: ("rows missing silently", f"{PUSH}:test_17_rows_and_hashes_are_compared_after_the_push_through_an_empty_cache"),
    18: ("a removed split stays", f"{PUSH}:test_18_a_split_that_is_gone_goes_from_the_repository_too"),
    19: ("data change, counts do not", f"{PUSH}:test_a_card_that_does_not_fit_its_files_is_refused"),
    20: ("stale features", f"{PUSH}:test_a_card_that_does_not_fit_its_files_is_refused"),
    21: ("a README wipes configs", f"{PUSH}:test_21_a_card_on_the_hub_keeps_what_only_it_says"),
    22: ("unreadable split names", f"{PUSH}:test_a_card_that_does_not_fit_its_files_is_refused"),
    23: ("splits from file names", f"{PUSH}:test_a_card_that_does_not_fit_its_files_is_refused"),
    24: ("one bad picture", "media/test_picture_faults:test_i05_too_many_pixels"),
    25: ("answers serialised in two ways", f"{TRIP}:test_25_what_is_loaded_from_the_hub_is_what_was_built"),
}


@pytest.mark.parametrize("row", range(1, 26))
def test_every_row_has_its_test(row):
    _, named = ROWS[row]
    file, _, test = named.partition(":")
    path = HERE / f"{file}.py" if "/" in file else Path(__file__).with_name(f"{file}.py")
    assert re.search(rf"^def {test}\(", path.read_text(encoding="utf-8"), re.MULTILINE), named


def test_6_no_test_asks_for_data_of_anybody():
    import os

    assert os.environ["HF_HUB_OFFLINE"] == "1"
    assert os.environ["HF_DATASETS_OFFLINE"] == "1"


def test_7_nothing_here_maps_or_filters_datasets():
    """Rows are read with pyarrow, hashes are our own: no fingerprint of `datasets` decides anything."""
    package = HERE.parent / "musebench_tasks"
    importing = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if re.search(r"^\s*(from datasets[. ]|import datasets)", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert not {each for each in importing if each.startswith(("items", "tasks", "inference", "evaluation", "hub"))}
