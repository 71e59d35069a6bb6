"""Puts the probe clip to a server in every way, and says in plain words what arrives."""

from __future__ import annotations

from collections.abc import Callable

from musebench_tasks.models.api_keys import read_api_key
from musebench_tasks.models.chat_client import ChatClient, Retries
from musebench_tasks.models.openai_chat import ServerTraits, read_traits, server_files
from musebench_tasks.models.ping.arrival import make_probe
from musebench_tasks.models.ping.findings import Finding, Ladder, Ping, PingCode, Shape, State, advice
from musebench_tasks.models.ping.ladders import (
    ADDRESS,
    CLIP,
    FRAMES,
    ROOM,
    SOUND,
    VIDEO,
    WAYS,
    Way,
    arrival_finding,
    climb,
)
from musebench_tasks.models.ping.models_list import ListedModel, choose, list_models
from musebench_tasks.models.ping.server_checks import (
    check_canary,
    check_clip,
    check_film,
    check_letters,
    check_replies,
    check_room,
)
from musebench_tasks.models.ping.wire import LETTER, Media, Refused, Target, Wire

RETRIES = Retries(max_attempts=3, backoff_s=1.0, max_wait_s=30.0, max_overloaded=3)
SEEDS_APART = 1000
INSTEAD = (
    (FRAMES, CLIP, PingCode.FILM_ARRIVES),
    (FRAMES, VIDEO, PingCode.VIDEO_ARRIVES),
    (VIDEO, FRAMES, PingCode.PICTURES_ARRIVE),
    (CLIP, FRAMES, PingCode.PICTURES_ARRIVE),
    (SOUND, ADDRESS, PingCode.SOUND_BY_ADDRESS),
    (ADDRESS, SOUND, PingCode.SOUND_ITSELF),
)
"""A way, one to use in its place, and the advice that says so; of several the last."""

Listener = Callable[[str], object]


def ping(target: Target, url: str, *, frames: int, seconds: int, timeout_s: float, seed: int, listen: Listener) -> Ping:
    """What is found out about one address of `target`.

    `frames` and `seconds`: the largest probe. `seed`: of what the probe shows; a new one meets no old cache. `listen`
    hears what is being asked. Raises ModelUnusableError where nobody answers, InputError where the model must be named.
    """
    key = read_api_key(target.key_variable)
    client = ChatClient(url, api_key=key, timeout_s=timeout_s, retries=RETRIES)
    listed = list_models(url, api_key=key, timeout_s=min(timeout_s, 30.0))
    model = choose(listed, target.model, url)
    wire = Wire(client, model.name, target.traits)
    return _Pinging(wire, target, model, frames, seconds, seed, listen).all()


class _Pinging:
    """The checks of one ping, in the order in which they are shown."""

    def __init__(
        self, wire: Wire, target: Target, model: ListedModel, frames: int, seconds: int, seed: int, listen: Listener
    ) -> None:
        self.wire, self.target, self.model, self.seed, self.listen = wire, target, model, seed, listen
        self.server = model.server
        self.largest = {"pictures": frames, "seconds": seconds}
        self.probe = make_probe(seed, frames, seconds)
        self.ladders: dict[str, Ladder] = {}
        self.findings: list[Finding] = []

    def all(self) -> Ping:
        """Every check that the answers so far make sense of."""
        self.listen("a plain text")
        greeting = self.wire.ask(Media(), LETTER, max_tokens=ROOM)
        if isinstance(greeting, Refused):
            self._add("text", State.WARN, f"a plain text is refused: {greeting.told}", PingCode.TEXT_REFUSED)
            return self._told()
        for way in WAYS.values():
            self._climb(way)
        self._explain_refusals()
        self._check_film()
        self._check_caches()
        self.listen("letters")
        self.findings.append(check_letters(self.wire, is_used=self.target.by_letters, server=self.server))
        room = check_room(
            self.model.max_model_len, self._used(is_sound=False), self._used(is_sound=True), server=self.server
        )
        self.findings += [room] if room else []
        self.findings += check_replies(self.wire.roomy, may_reason=self.target.may_reason, server=self.server)
        self._suggest_traits()
        return self._told()

    def _add(self, topic: str, state: State, told: str, problem: PingCode) -> None:
        self.findings.append(Finding(topic=topic, state=state, told=told, advice=advice(problem, self.server)))

    def _suggest_traits(self) -> None:
        """The setting that uses what is known of this sort of server, where the run would go without."""
        known = server_files()
        if self.server in known and self.target.traits == ServerTraits():
            traits = read_traits(self.server)
            told = (
                f"this is {self.server}: with options: {{server: {self.server}}} in a model card, a run sends "
                f"{WAYS[traits.video_as].name} and {WAYS[traits.audio_as].name}, and what else is known of it"
            )
            self.findings.append(Finding(topic="model card", state=State.NOTE, told=told))

    def _climb(self, way: Way) -> None:
        largest = self.largest[way.unit]
        self.listen(f"{way.name}, up to {largest} {way.unit}")
        ladder, answer = climb(self.wire, way, self.probe, largest)
        self.ladders[way.name] = ladder
        finding = arrival_finding(ladder, answer, way, self.probe, is_used=self._is_used(way), server=self.server)
        self.findings.append(finding)

    def _is_used(self, way: Way) -> bool:
        return way in (WAYS.get(self.target.video_as or ""), WAYS.get(self.target.audio_as or ""))

    def _explain_refusals(self) -> None:
        """What does not arrive in the way that a run uses, but in another: the setting that changes it."""
        stated = {finding.topic: finding.state for finding in self.findings}
        for way, other, problem in INSTEAD:
            if stated[way.name] is not State.WARN or stated[other.name] is State.WARN or not self._is_whole(other):
                continue
            self.findings = [
                finding.model_copy(update={"advice": advice(problem, self.server)})
                if finding.topic == way.name
                else finding
                for finding in self.findings
            ]

    def _is_whole(self, way: Way) -> bool:
        """Whether all that was sent in this way arrived."""
        ladder = self.ladders[way.name]
        return ladder.sent == self.largest[way.unit] and ladder.growth.shape in (Shape.EVEN, Shape.STEPPED)

    def _taken(self, *ways: Way) -> tuple[Way, Ladder] | None:
        """The first of the ways that the server takes; those that a run uses go first."""
        for way in sorted(ways, key=self._is_used, reverse=True):
            ladder = self.ladders[way.name]
            if ladder.sent and (ladder.seen or ladder.growth.shape is not Shape.ABSENT):
                return way, ladder
        return None

    def _used(self, *, is_sound: bool) -> Ladder | None:
        taken = self._taken(*(way for way in WAYS.values() if way.is_sound is is_sound))
        return taken[1] if taken else None

    def _check_film(self) -> None:
        ladder = self.ladders[CLIP.name]
        if not ladder.sent:
            return
        self.listen("a film with many pictures and sound")
        self.findings += check_film(
            self.wire,
            ladder,
            self.seed + 3 * SEEDS_APART,
            is_used=self._is_used(CLIP),
            sends_sound=self.target.audio_as is not None,
            server=self.server,
        )

    def _check_caches(self) -> None:
        pictures = self._taken(*(way for way in WAYS.values() if not way.is_sound))
        sound = self._taken(SOUND, ADDRESS)
        best = pictures or sound
        if best is None:
            return
        self.listen("two clips under one text")
        way, ladder = best
        before = (self.probe.beeps,) if way.is_sound else self.probe.numbers
        self.findings.append(
            check_canary(
                self.wire,
                way,
                self.seed + SEEDS_APART,
                before,
                text_tokens=ladder.points[0].tokens,
                server=self.server,
            )
        )
        self.listen("one clip, two questions")
        taken = {name: each for name, each in (("pictures", pictures), ("sound", sound)) if each}
        flag = self.target.traits.cached_tokens_flag
        self.findings += check_clip(self.wire, taken, self.seed + 2 * SEEDS_APART, server=self.server, flag=flag)

    def _told(self) -> Ping:
        latencies = {}
        for ladder in (self._used(is_sound=False), self._used(is_sound=True)) if self.ladders else ():
            last = ladder.points[-2] if ladder and len(ladder.points) > 2 else None
            if ladder and last and last.latency_s is not None:
                latencies[f"{last.amount} {ladder.unit}"] = last.latency_s
        first = next((each.latency_s for each in self.wire.roomy), None)
        return Ping(
            address=self.wire.url.removesuffix("/chat/completions"),
            sends=tuple(way.name for way in WAYS.values() if self._is_used(way)),
            model=self.wire.model,
            server=self.server,
            max_model_len=self.model.max_model_len,
            findings=tuple(self.findings),
            ladders=tuple(self.ladders.values()),
            latency_s={**({"text": first} if first is not None else {}), **latencies},
        )
