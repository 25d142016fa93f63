"""A long random life of one role, and the same life told again: what it remembers must not depend on how it came to be.

    python -m tests.learning.replay --steps 10000 [--seed 1] [--life 200] [--every 50]

Chats grow, are edited, swiped, cut, branched and mended; the home is closed and opened again. At every checkpoint what stands as seen from
a chat is compared with a home that never saw anything but what is visible now, told once from beginning to end. Prints one JSON object.

Compared are the memories that somebody asked for and the passages that may be recalled.
"""

import argparse
import json
import os
import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from rolememory.chats.passages import ChatPassages
from rolememory.engine import Home, RoleMemory
from rolememory.recall.active_set import counts, standing
from rolememory.schema.learning import ChatMessage
from rolememory.schema.message import Message
from tests.learning.sentences import message

SETTINGS = {"embedding.backend": "off"}
START = datetime(2024, 5, 1, 12, tzinfo=UTC)
MOST = 26  # messages of a chat, of which many are then deleted
KEPT = 6  # messages that a frontend shows at least
CHATS = 4

Believed = tuple[str, str | None, str, str | None]
"""content, subject, type, user."""


@dataclass
class Tale:
    """A chat as a frontend holds it."""

    name: str
    user: str
    family: str
    lines: list[Message]
    cut: int = 0  # messages that are not shown any more
    before: dict[tuple[int, str], list[str]] = field(
        default_factory=dict
    )  # place and speaker -> other words that stood there
    deleted: tuple[int, Message] | None = None

    @property
    def shown(self) -> list[Message]:
        """What the frontend sends."""
        return self.lines[self.cut :]


class Walk:
    """Takes random steps with one role."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.chance = folder, random.Random(seed)
        self.home = Home.open(folder / "home", SETTINGS)
        self.mind = self.home.create("Mira")
        self.minutes = 0
        self.tales: list[Tale] = []
        self.counts: Counter[str] = Counter()
        self.begun = 0
        self.begin()

    def close(self) -> None:
        """Let go of the home."""
        self.home.close()

    def step(self) -> None:
        """One step of any kind."""
        tale = self.chance.choice(self.tales)
        act = self.chance.choices(list(ACTS), list(ACTS.values()))[0]
        if len(tale.lines) > MOST:
            act = "prune"
        self.counts[act] += 1
        getattr(self, act)(tale)

    # ── steps ────────────────────────────────────────────────────────────────────────────────────────────────────

    def begin(self) -> None:
        """A chat that has nothing to do with any other; one user's or another's."""
        self.begun += 1
        name = f"chat {self.begun}"
        self.tales.append(Tale(name, self.chance.choice(["lin", "lin", "梅"]), name, []))
        self.append(self.tales[-1])

    def append(self, tale: Tale) -> None:
        """An exchange more."""
        tale.lines += [
            Message.user(message(self.chance, "user")),
            Message.assistant(message(self.chance, "assistant")),
        ]
        self.show(tale)

    def edit(self, tale: Tale) -> None:
        """Other words in some place, new ones or such as stood there before."""
        self._say_otherwise(tale, self.chance.randrange(tale.cut, len(tale.lines)))

    def swipe(self, tale: Tale) -> None:
        """Another last reply."""
        self._say_otherwise(tale, len(tale.lines) - 1)

    def _say_otherwise(self, tale: Tale, place: int) -> None:
        old, others = tale.lines[place], tale.before.setdefault((place, tale.lines[place].role), [])
        again = others and self.chance.random() < 0.4
        new = self.chance.choice(others) if again else message(self.chance, old.role)
        others.append(old.content)
        tale.lines[place] = Message(role=old.role, content=new)
        self.show(tale)

    def delete(self, tale: Tale) -> None:
        """A message goes."""
        if len(tale.shown) > 2:
            place = self.chance.randrange(tale.cut, len(tale.lines))
            tale.deleted = place, tale.lines.pop(place)
            tale.before.clear()
            self.show(tale)

    def undo(self, tale: Tale) -> None:
        """What was deleted last is there again."""
        if tale.deleted and tale.cut <= tale.deleted[0] <= len(tale.lines):
            tale.lines.insert(*tale.deleted)
            tale.deleted = None
            self.show(tale)

    def truncate(self, tale: Tale) -> None:
        """The frontend shows old messages no longer."""
        if len(tale.shown) > KEPT + 4:
            tale.cut += self.chance.randrange(1, 5)
            self.append(tale)

    def branch(self, tale: Tale) -> None:
        """The chat goes on in two ways."""
        users = [place for place, line in enumerate(tale.lines) if line.role == "user"]
        if len(users) > 2 and tale.cut == 0 and len(self.tales) < CHATS:
            self.begun += 1
            until = self.chance.choice(users[2:])
            self.tales.append(
                Tale(f"chat {self.begun}", tale.user, tale.family, list(tale.lines[:until]))
            )
            self.append(self.tales[-1])

    def prune(self, tale: Tale) -> None:
        """The user takes a whole passage out."""
        start, end = tale.cut + 2, len(tale.lines) - 4
        if end > start:
            del tale.lines[start:end]
            tale.before.clear()
            tale.deleted = None
            self.show(tale)

    def another(self, tale: Tale) -> None:
        """A further chat."""
        if len(self.tales) < CHATS:
            self.begin()

    def restart(self, tale: Tale) -> None:
        """The program ends and begins again."""
        self.home.close()
        self.home = Home.open(self.folder / "home", SETTINGS)
        self.mind = self.home.role("Mira")

    def show(self, tale: Tale) -> None:
        """Let the frontend send what it shows."""
        self.minutes += 1
        self.mind.observe(
            tale.shown, chat=tale.name, user=tale.user, now=START + timedelta(minutes=self.minutes)
        )
        self.mind.learned()

    # ── what it comes to ─────────────────────────────────────────────────────────────────────────────────────────

    def differences(self) -> list[str]:
        """What is believed otherwise than it would be if only what is visible had ever been said, as seen from one chat of each family."""
        views = {tale.family: tale for tale in self.chance.sample(self.tales, len(self.tales))}
        return [one for tale in views.values() for one in self._differences(tale)]

    def _differences(self, tale: Tale) -> list[str]:
        own = believed(self.mind, tale.name)
        visible = [other for other in self.tales if other is tale or other.family != tale.family]
        told = told_anew(
            self.folder,
            [(one.name, one.user, self.mind.chats.path(one.name)) for one in visible],
            tale.name,
        )
        return [f"from {tale.name}: too much {one}" for one in own - told] + [
            f"from {tale.name}: missing {one}" for one in told - own
        ]


ACTS = {
    "append": 12,
    "edit": 4,
    "swipe": 4,
    "delete": 3,
    "undo": 3,
    "truncate": 2,
    "branch": 2,
    "another": 1,
    "restart": 0.7,
    "prune": 0.2,
}


def believed(mind: RoleMemory, chat: str) -> set[Believed]:
    """What stands, memories and passages, as seen from a chat."""
    spoken = ChatPassages(mind.chats, lambda said: said.name or said.role).follow()
    memories, visibility = {**mind.memories, **spoken}, mind.chats.visible_from(chat)
    replaced = standing(memories, visibility).superseded
    stands = (
        one
        for one in memories.values()
        if counts(one, visibility) and one.id not in replaced and not one.archived
    )
    return {(one.content, one.subject, one.type.value, one.user) for one in stands}


def told_anew(
    folder: Path, chats: Iterable[tuple[str, str, Sequence[ChatMessage]]], seen_from: str
) -> set[Believed]:
    """What a role believes that is told these chats once, from beginning to end."""
    with tempfile.TemporaryDirectory(dir=folder) as place, Home.open(place, SETTINGS) as home:
        mind = home.create("Mira")
        for name, user, path in chats:
            lines = [
                Message(role=said.role, content=said.raw or said.text, sent=said.at)
                for said in path
            ]
            mind.observe(
                lines[:1], chat=name, user=user
            )  # one line is no fork: each of these chats is a story by itself
            mind.observe(lines, chat=name, user=user)
        return believed(mind, seen_from)


def walked(seed: int, steps: int, every: int) -> dict[str, Any]:
    """So many steps, with a checkpoint now and then; what differed first."""
    with tempfile.TemporaryDirectory() as folder:
        walk = Walk(Path(folder), seed)
        wrong: list[str] = []
        checks = 0
        for number in range(1, steps + 1):
            walk.step()
            if number % every == 0:
                wrong += [f"step {number}: {one}" for one in walk.differences()]
                checks += len({tale.family for tale in walk.tales})
        kept = len(walk.mind.memories)
        walk.close()
    return {
        "seed": seed,
        "steps": steps,
        "acts": dict(walk.counts),
        "memories": kept,
        "checks": checks,
        "differences": len(wrong),
        "wrong": wrong,
    }


def lives(seed: int, steps: int, life: int, every: int) -> dict[str, Any]:
    """Many lives, so many steps together."""
    found = [
        walked(seed + number, min(life, steps - number * life), every)
        for number in range(-(-steps // life))
    ]
    acts = sum((Counter(one["acts"]) for one in found), Counter())
    wrong = [f"seed {one['seed']}: {line}" for one in found for line in one["wrong"]]
    return {
        "steps": steps,
        "lives": len(found),
        "acts": acts,
        "memories": sum(one["memories"] for one in found),
        "checks": sum(one["checks"] for one in found),
        "differences": sum(one["differences"] for one in found),
        "wrong": wrong,
    }


def main() -> None:
    """Walk and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--steps", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--life", type=int, default=200)
    parser.add_argument("--every", type=int, default=50)
    asked = parser.parse_args()
    began = time.perf_counter()
    found = lives(asked.seed, asked.steps, asked.life, asked.every)
    print(
        json.dumps(
            found | {"seconds": round(time.perf_counter() - began, 1), "load": os.getloadavg()[0]},
            indent=1,
            ensure_ascii=False,
        )
    )


if __name__ == "__main__":
    main()
