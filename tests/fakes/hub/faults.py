"""Faults to order: for the next requests of a route, or for all of them."""

from dataclasses import dataclass, field


@dataclass
class Fault:
    """What goes wrong with requests of `route` (a name of ROUTES in server.py).

    `kind`: `status` (answered with `status`, nothing done), `after` (done, then answered with `status`), `cut` (the
    body ends half way), `no_range` (a Range is ignored: 200 and everything), `drop` (the connection closes without a
    word), `garble` (a byte of the body is another one). `times`: how many requests; None = all. `skip`: how many go
    well first. `do`: called before, for what another client does meanwhile; with the kind `none` nothing goes wrong.
    """

    route: str
    kind: str = "status"
    status: int = 500
    times: int | None = 1
    skip: int = 0
    headers: dict = field(default_factory=dict)
    words: str = "ordered by the test"
    code: str | None = None
    do: object = None
    path: str = ""


class Faults:
    """The faults still to come."""

    def __init__(self):
        self.waiting = []

    def order(self, route, kind="status", **more):
        self.waiting.append(Fault(route, kind, **more))

    def clear(self):
        self.waiting.clear()

    def next(self, route, path):
        """The fault of this request, or None."""
        for fault in self.waiting:
            if fault.route not in (route, "*") or fault.path not in path:
                continue
            if fault.skip:
                fault.skip -= 1
                continue
            if fault.times is not None:
                fault.times -= 1
                if not fault.times:
                    self.waiting.remove(fault)
            return fault
        return None
