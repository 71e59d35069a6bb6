import threading

from musebench_tasks.inference import Journal, Sharing, journal_path, retry_positions
from musebench_tasks.inference.leases import clear_leases
from musebench_tasks.models import failed


def take(sharing, what="scores", state=1):
    with sharing.turn(what, state) as mine:
        return mine


def test_what_one_process_did_the_others_find_done(tmp_path):
    first, second = Sharing(tmp_path), Sharing(tmp_path)
    assert take(first)
    assert not take(second)
    assert take(second, "report")


def test_other_answers_are_scored_again(tmp_path):
    first, second = Sharing(tmp_path), Sharing(tmp_path)
    assert take(first)
    assert take(second, state=2)


def test_a_command_that_is_given_again_does_everything_again(tmp_path):
    assert take(Sharing(tmp_path))
    assert take(Sharing(tmp_path))


def test_what_failed_is_still_to_be_done(tmp_path):
    first, second = Sharing(tmp_path), Sharing(tmp_path)
    try:
        with first.turn("scores", 1):
            raise RuntimeError
    except RuntimeError:
        pass
    assert take(second)


def test_the_others_wait_for_the_end_of_the_first_but_not_for_ever(tmp_path):
    first, other = Sharing(tmp_path), Sharing(tmp_path)
    other.await_end(0.01)
    waiting = threading.Thread(target=other.await_end, args=(60,))
    waiting.start()
    first.tell_end()
    waiting.join(30)
    assert not waiting.is_alive()


def test_processes_that_retry_together_ask_for_the_same_failures(tmp_path, request_of):
    with Journal(journal_path(tmp_path, 0)) as journal:
        journal.append(failed(request_of("a"), "backend_error", "no"))
        first = retry_positions(tmp_path)
        journal.append(failed(request_of("a"), "backend_error", "no"))
    size = journal_path(tmp_path, 0).stat().st_size
    assert first == retry_positions(tmp_path) == {0: size // 2}
    clear_leases(tmp_path)
    assert retry_positions(tmp_path) == {0: size}
