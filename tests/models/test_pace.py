"""How many requests a server gets at a time: the rule on a clock of its own, and the gate that keeps it."""

import math
import threading

import pytest

from musebench_tasks.models.pace import REST, Gate, Pace


class Server:
    """A server that answers up to `parallel` requests at once in `answer_s`, more of them one after the other.

    With `refuses_beyond` it says 429 to those beyond as many. Requests come as fast as the pace lets them.
    """

    def __init__(self, pace, answer_s=1.0, parallel=math.inf, refuses_beyond=math.inf):
        self.pace, self.answer_s, self.parallel, self.refuses_beyond = pace, answer_s, parallel, refuses_beyond
        self.now = 0.0
        self.answered = self.refused = 0

    def serve(self, rounds):
        """Each round starts as many requests as may start, and ends them all."""
        limits = []
        for _ in range(rounds):
            self.now += self.pace.wait_s(self.now)
            tickets = []
            while self.pace.wait_s(self.now) == 0:
                tickets.append(self.pace.start())
            latency_s = self.answer_s * max(1.0, len(tickets) / self.parallel)
            self.now += latency_s
            for place, ticket in enumerate(tickets):
                if place < self.refuses_beyond:
                    self.answered += 1
                    self.pace.succeed(ticket, latency_s)
                else:
                    self.refused += 1
                    self.pace.throttle(ticket, self.now)
            limits.append(self.pace.limit)
        return limits


def test_the_limit_doubles_up_to_the_most_while_all_goes_well():
    assert Server(Pace(50)).serve(6) == [4, 8, 16, 32, 50, 50]


def test_the_most_is_never_passed():
    assert Pace(2).limit == 2
    assert Server(Pace(1)).serve(3) == [1, 1, 1]


def test_after_a_refusal_the_limit_is_halved_once_and_grows_by_one():
    pace = Pace(64, first=16)
    server = Server(pace, refuses_beyond=12)
    assert server.serve(6) == [8, 9, 10, 11, 12, 13]
    assert server.refused == 4
    assert server.serve(1) == [6]


def test_a_refusal_of_all_in_flight_counts_once():
    pace = Pace(64, first=16)
    tickets = [pace.start() for _ in range(16)]
    for ticket in tickets:
        pace.throttle(ticket, now=0.0)
    assert (pace.limit, pace.in_flight) == (8, 0)
    for _ in range(5):
        pace.throttle(pace.start(), now=0.0)
    assert pace.limit == 1


def test_answers_to_what_began_before_the_halving_do_not_let_it_grow():
    pace = Pace(64, first=8)
    tickets = [pace.start() for _ in range(8)]
    pace.throttle(tickets[0], now=0.0)
    for ticket in tickets[1:]:
        pace.succeed(ticket, 1.0)
    assert pace.limit == 4


def test_answers_to_what_began_under_a_smaller_limit_are_no_measure_of_a_larger_one():
    pace = Pace(64, first=8)
    tickets = [pace.start() for _ in range(8)]
    pace.succeed(tickets[0], 1.0)
    for _ in range(7):
        pace.succeed(pace.start(), 1.0)
    assert pace.limit == 16
    for ticket in tickets[1:]:
        pace.succeed(ticket, 1.0)
    for ticket in [pace.start() for _ in range(16)]:
        pace.succeed(ticket, 2.0)
    assert pace.limit == 8


def test_the_limit_stops_growing_where_latency_grows_in_proportion():
    pace = Pace(64)
    limits = Server(pace, parallel=8).serve(3 + REST + 1)
    assert limits == [4, 8, 16] + [8] * (REST + 1), "16 answers took twice as long as 8: nothing was won"


def test_after_a_rest_a_little_more_is_tried():
    limits = Server(Pace(64), parallel=8).serve(4 + REST + 2)
    assert limits[-2:] == [10, 8]


def test_growth_that_pays_is_kept():
    assert Server(Pace(64), parallel=16).serve(5) == [4, 8, 16, 32, 16]


def test_a_growth_that_was_taken_back_by_mistake_is_made_up_for():
    server = Server(Pace(64), parallel=1)
    assert server.serve(3) == [4, 8, 4]
    server.parallel = math.inf
    limits = server.serve(40)
    assert limits[-1] == 64
    assert sum(limit < 16 for limit in limits) < 20


def test_the_limit_does_not_grow_where_it_is_not_reached():
    pace = Pace(64)
    for _ in range(50):
        pace.succeed(pace.start(), 1.0)
    assert pace.limit == 4


def test_retry_after_holds_for_everybody():
    pace = Pace(8)
    other = pace.start()
    pace.throttle(pace.start(), now=10.0, retry_after_s=30.0)
    assert pace.wait_s(10.0) == 30.0
    pace.succeed(other, 1.0)
    assert pace.wait_s(25.0) == 15.0
    pace.throttle(pace.start(), now=26.0, retry_after_s=1.0)
    assert pace.wait_s(30.0) == 10.0, "the longest wait stands"
    assert pace.wait_s(40.0) == 0.0


def test_other_failures_change_nothing():
    pace = Pace(8)
    for _ in range(20):
        pace.fail(pace.start())
    assert (pace.limit, pace.in_flight) == (4, 0)


def test_a_full_server_makes_wait_until_one_has_ended():
    pace = Pace(1)
    ticket = pace.start()
    assert pace.wait_s(0.0) == math.inf
    pace.succeed(ticket, 1.0)
    assert pace.wait_s(0.0) == 0.0


def entering(gate, urgent, entered, name):
    def enter():
        with gate.slot(urgent) as slot:
            entered.append(name)
            slot.answered(1.0)

    thread = threading.Thread(target=enter)
    thread.start()
    return thread


def wait_before(gate, count):
    """Return once `count` threads stand before the gate."""
    while len(gate._changed._waiters) < count:
        threading.Event().wait(0.001)


def test_urgent_requests_pass_the_gate_first():
    gate, entered = Gate(Pace(1)), []
    with gate.slot() as slot:
        threads = [entering(gate, False, entered, "other medium")]
        wait_before(gate, 1)
        threads.append(entering(gate, True, entered, "same medium"))
        wait_before(gate, 2)
        slot.answered(1.0)
    for thread in threads:
        thread.join(5)
    assert entered == ["same medium", "other medium"]


def test_a_slot_is_given_back_whatever_happens():
    pace = Pace(1)
    gate = Gate(pace)

    def fail():
        with gate.slot():
            raise ValueError

    for _ in range(3):
        with pytest.raises(ValueError, match="^$"):
            fail()
    assert pace.in_flight == 0


def test_the_gate_tells_the_pace_how_it_went():
    now = [5.0]
    pace = Pace(8)
    gate = Gate(pace, lambda: now[0])
    with gate.slot() as slot:
        slot.overloaded(retry_after_s=7.0)
    assert (pace.limit, pace.wait_s(5.0)) == (2, 7.0)
