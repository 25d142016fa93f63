"""How often an outdated fact is still told: probes of a fact, its change, and questions from other chats. Prints one JSON object.

    python -m tests.bench.stale [--probes 1000] [--seed 1] [--show 20]

By rules alone, without a model of any kind. `stale`: a memory that holds the old value was injected, and it does not rest on the
words of the change itself (which may name the old value: "I moved from Rome to Oslo"). `fresh`: a memory that rests on the change, or
holds the new value, was injected; not asked where a thing was to be forgotten. A probe is stale if any of its questions is. `unlearned`: the fact was never injected
before the change either, so that the probe could not fail. `detected`: the change put something out of recall, or had it forgotten.
"""

import argparse
import json
import os
import random
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rolememory.engine import Home, RoleMemory
from rolememory.schema.memory import Memory
from rolememory.schema.message import Message
from tests.bench.stale_rows import AROUND, BETWEEN, KINDS, Kind

SETTINGS = {
    "embedding.backend": "off",
    "recall.passages.recall": "none",  # what rules make of it is measured; the words themselves stay
}
_PER_ROLE = 25  # probes that share a role, each with a user of its own


@dataclass(frozen=True, slots=True)
class Probe:
    """A fact, its change, and what is asked."""

    kind: Kind
    old: str
    new: str
    told: str
    changed: str
    asked: Sequence[str]
    same_chat: bool

    @property
    def label(self) -> str:
        """Its row in the report."""
        return f"{self.kind.language} {self.kind.name}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was told."""

    probe: Probe
    learned: bool  # the fact was told before it changed
    stale: str = ""  # the outdated line
    asked: str = ""  # the question that brought it
    fresh: float = 0.0  # share of the questions that brought the new
    detected: bool = False  # what was told before was put out of recall, or forgotten


def probes(count: int, seed: int) -> list[Probe]:
    """So many probes, all kinds alike."""
    chance = random.Random(seed)
    return [_probe(KINDS[number % len(KINDS)], chance) for number in range(count)]


def _probe(kind: Kind, chance: random.Random) -> Probe:
    old, new = chance.choice(kind.pairs)
    values = {"old": old, "new": new}
    told = chance.choice(AROUND[kind.language]).format(
        fact=chance.choice(kind.told).format(**values)
    )
    asked = [one.format(**values) for one in kind.asked]
    return Probe(
        kind,
        old,
        new,
        told,
        chance.choice(kind.changed).format(**values),
        asked,
        chance.random() < 0.5,
    )


def outcomes(folder: Path, wanted: Sequence[Probe]) -> Iterator[Outcome]:
    """Every probe asked."""
    with Home.open(folder, SETTINGS) as home:
        for number, probe in enumerate(wanted):
            if number % _PER_ROLE == 0:
                mind = home.create(f"Mira{number}")
            yield asked(mind, probe, f"lin{number}")


def asked(mind: RoleMemory, probe: Probe, user: str) -> Outcome:
    """Tell, change, ask."""
    said = [
        Message.user(probe.told),
        Message.assistant("Mm." if probe.kind.language == "en" else "嗯。"),
    ]
    mind.observe(said, chat=f"{user} one", user=user)
    learned = any(
        _holds(one, probe.old)
        for question in probe.asked
        for one in _recalled(mind, question, user)
    )
    before = _own(mind, user)
    between = [
        message
        for line in BETWEEN[probe.kind.language]
        for message in (Message.user(line), said[1])
    ]
    later = [*(said if probe.same_chat else ()), *between, Message.user(probe.changed)]
    seen = mind.observe(later, chat=f"{user} one" if probe.same_chat else f"{user} two", user=user)
    change = next(one.version for one in seen.entered if one.text == probe.changed)
    told = {question: _recalled(mind, question, user) for question in probe.asked}
    stale = [
        (question, one)
        for question, ones in told.items()
        for one in ones
        if _holds(one, probe.old) and not _rests_on(one, change)
    ]
    new = [
        any(_rests_on(one, change) or _holds(one, probe.new) for one in ones)
        for ones in told.values()
    ]
    own = _own(mind, user)
    detected = bool(before.keys() - own.keys()) or any(
        _rests_on(one, change) and set(one.supersedes) & before.keys() for one in own.values()
    )
    question, line = (stale[0][0], stale[0][1].content) if stale else ("", "")
    return Outcome(probe, learned, line, question, sum(new) / len(new), detected)


def _own(mind: RoleMemory, user: str) -> dict[str, Memory]:
    return {one.id: one for one in mind.memories.values() if one.user == user and not one.archived}


def _recalled(mind: RoleMemory, question: str, user: str) -> list[Memory]:
    return [
        one.memory
        for one in mind.recall(
            [Message.user(question)], chat=f"{user} asks", user=user, dry_run=True
        ).recalled
    ]


def _holds(memory: Memory, value: str) -> bool:
    return value.casefold() in memory.content.casefold()


def _rests_on(memory: Memory, version: str) -> bool:
    return any(version in one.version.split("+") for one in memory.evidence)


def measured(count: int, seed: int, show: int = 20) -> dict[str, Any]:
    """The rates, over all, by language, by kind."""
    with tempfile.TemporaryDirectory() as folder:
        found = list(outcomes(Path(folder), probes(count, seed)))
    groups: dict[str, list[Outcome]] = defaultdict(list)
    for one in found:
        for label in ("all", one.probe.kind.language, one.probe.label):
            groups[label].append(one)
    stale = [one for one in found if one.stale]
    shown = [
        f"{one.probe.label}: {one.probe.told} | {one.probe.changed} | {one.asked} -> {one.stale}"
        for one in stale[:show]
    ]
    missed = [one for one in found if one.probe.kind.name != "forget" and not one.fresh]
    return {
        "probes": count,
        "rates": {label: _rates(ones) for label, ones in groups.items()},
        "stale": shown,
        "new_never_told": [
            f"{one.probe.label}: {one.probe.told} | {one.probe.changed}" for one in missed[:show]
        ],
    }


def _rates(found: Sequence[Outcome]) -> dict[str, Any]:
    told = [one.fresh for one in found if one.probe.kind.name != "forget"]
    return {
        "probes": len(found),
        "unlearned": sum(not one.learned for one in found),
        "stale": sum(bool(one.stale) for one in found),
        "detected": sum(one.detected for one in found),
        "stale_though_detected": sum(bool(one.stale) and one.detected for one in found),
        "fresh": round(sum(told) / len(told), 3) if told else None,
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--probes", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=20)
    wanted = parser.parse_args()
    print(
        json.dumps(
            {
                "load_average": os.getloadavg()[0],
                **measured(wanted.probes, wanted.seed, wanted.show),
            },
            indent=1,
            ensure_ascii=False,
        )
    )


if __name__ == "__main__":
    main()
