"""A long random life of many chats, beside a model of it that is too simple to be wrong.

    python -m tests.chats.walk --steps 10000 --seed 1

The model of a chat is a list of lines and how many of them the frontend has cut off. What counts from a chat is a question of whether a
line stands in a list. Prints one JSON object: steps of each kind, checks, and what was wrong first, if anything.
"""

import argparse
import json
import random
import tempfile
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

from rolememory.chats import BranchVisibility, Chats
from rolememory.schema.memory import Evidence
from tests.chats.talk import WORDS, Clock, chats_at, said, shown

KEPT = 8  # lines that stay visible: a frontend shows more than that


class Tale:
    """One chat, as a frontend knows it."""

    def __init__(self, name: str, family: str, lines: list[str]) -> None:
        self.name, self.family, self.lines = name, family, lines
        self.cut = 0
        self.deleted: tuple[str, list[str], str] | None = (
            None  # what was deleted last, and between which lines
        )
        self.before: dict[str, list[str]] = {}  # a line -> what else stood in its place

    @property
    def visible(self) -> list[str]:
        """What the frontend sends."""
        return self.lines[self.cut :]


class Walk:
    """Takes random steps in the chats and in the model alike."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.chance = folder, random.Random(seed)
        self.clock = Clock()
        self.chats: Chats = chats_at(folder, clock=self.clock)
        self.tales: list[Tale] = []
        self.supports: dict[
            tuple[str, str], str
        ] = {}  # (chat, version) -> the line; lines that are said once only
        self.counts: Counter[str] = Counter()
        self.counted: dict[
            object, dict[tuple[str, str], bool]
        ] = {}  # token of a sight -> what counted there
        self.seen: dict[
            object, tuple[BranchVisibility, dict[tuple[str, str], bool]]
        ] = {}  # by place
        self.moves: list[int] = []  # how much moved between two sights of one place
        self._words = 0
        self.begin()

    def step(self) -> str:
        """One step; says what was wrong, if anything."""
        act = self.chance.choices(list(ACTS), list(ACTS.values()))[0]
        tale = self.chance.choice(self.tales)
        self.counts[act] += 1
        done = getattr(self, act)(tale)
        if done is False:
            return self.append(tale)
        return done if isinstance(done, str) else ""

    def line(self, voice: str) -> str:
        """Something that was never said before; now and then something that is said all the time."""
        self._words += 1
        if voice == "u" and self.chance.random() < 0.15:
            return f"u: {self.chance.choice(['ok', 'yes', 'go on', '好'])}"
        return f"{voice}: {self._words} {' '.join(self.chance.choices(WORDS, k=6))}"

    def begin(self, tale: Tale | None = None) -> None:
        """A chat that has nothing to do with any other."""
        name = f"chat {len(self.tales)}"
        self.tales.append(
            Tale(
                name,
                name,
                [
                    self.line("a"),
                    *self.exchange(),
                    *self.exchange(),
                    *self.exchange(),
                    *self.exchange(),
                ],
            )
        )
        self.show(self.tales[-1])

    def exchange(self) -> list[str]:
        """What user and character say."""
        return [self.line("u"), self.line("a")]

    def show(self, tale: Tale) -> str:
        """Let the frontend send what it shows; compare."""
        shows = said(*tale.visible)
        if self.chance.random() < 0.2:
            preview = self.chats.preview(shows, chat=tale.name, user="lin")
            if wrong := self.follow(self.chats.visible_from(tale.name, preview)):
                return wrong
        observed = self.chats.observe(shows, chat=tale.name, user="lin")
        for one in observed.entered:
            line = f"{one.role[0]}: {one.text}"
            if len(line) > 12:
                self.supports[tale.name, one.version] = line
        found = shown(self.chats.path(tale.name))
        if found == tale.lines:
            return ""
        where = next(
            (
                at
                for at, (one, other) in enumerate(zip(found, tale.lines, strict=False))
                if one != other
            ),
            min(len(found), len(tale.lines)),
        )
        return f"{tale.name} at {where}: found {found[where - 1 : where + 4]}, expected {tale.lines[where - 1 : where + 4]}"

    def append(self, tale: Tale) -> str:
        """An exchange more."""
        tale.lines += self.exchange()
        return self.show(tale)

    def ask(self, tale: Tale) -> str:
        """A message of the user without a reply."""
        tale.lines += [self.line("u")]
        return self.show(tale)

    def edit(self, tale: Tale) -> str:
        """Other words in some place."""
        return self._say_otherwise(tale, self.chance.randrange(tale.cut, len(tale.lines)))

    def swipe(self, tale: Tale) -> str:
        """Other words in the last place, new ones or such as stood there before."""
        return self._say_otherwise(tale, len(tale.lines) - 1)

    def _say_otherwise(self, tale: Tale, place: int) -> str:
        old = tale.lines[place]
        others = tale.before.get(old, [])
        new = (
            self.chance.choice(others)
            if others and self.chance.random() < 0.4
            else self.line(old[0])
        )
        if new in tale.lines:
            return ""
        if len(old) > 12 and len(new) > 12:
            tale.before[new] = [*tale.before.get(old, []), old]
        tale.lines[place] = new
        return self.show(tale)

    def edit_and_append(self, tale: Tale) -> str:
        """Both between two looks."""
        place = self.chance.randrange(tale.cut, len(tale.lines) - 1)
        tale.lines[place] = self.line(tale.lines[place][0])
        tale.lines += self.exchange()
        return self.show(tale)

    def delete(self, tale: Tale) -> str | bool:
        """Some lines go, not the first visible ones, nor those right below: they would count as cut off."""
        count = self.chance.choice([1, 2, 2, 3, 4])
        if len(tale.visible) < KEPT + count:
            return False
        place = self.chance.choice(
            [
                len(tale.lines) - count,
                self.chance.randrange(tale.cut + 2, len(tale.lines) - count + 1),
            ]
        )
        behind = tale.lines[place + count] if place + count < len(tale.lines) else ""
        tale.deleted = (tale.lines[place - 1], tale.lines[place : place + count], behind)
        del tale.lines[place : place + count]
        return self.show(tale)

    def undo(self, tale: Tale) -> str | bool:
        """What was deleted last comes back, if its place is still there."""
        if tale.deleted is None:
            return False
        before, lines, behind = tale.deleted
        place = tale.lines.index(before) + 1 if before in tale.visible and len(before) > 12 else 0
        if (
            not place
            or set(lines) & set(tale.lines)
            or (tale.lines[place] if place < len(tale.lines) else "") != behind
        ):
            return False
        tale.lines[place:place], tale.deleted = lines, None
        return self.show(tale)

    def insert(self, tale: Tale) -> str:
        """A line between two others."""
        place = self.chance.randrange(tale.cut + 1, len(tale.lines))
        tale.lines.insert(place, self.line("u"))
        tale.deleted = None
        return self.show(tale)

    def truncate(self, tale: Tale) -> str | bool:
        """The frontend cuts more off, and goes on."""
        room = len(tale.visible) - KEPT
        if room <= 0:
            return False
        tale.cut += self.chance.randint(1, room)
        tale.lines += self.exchange()
        return self.show(tale)

    def widen(self, tale: Tale) -> str:
        """The frontend shows more again."""
        tale.cut = self.chance.randint(0, tale.cut)
        return self.show(tale)

    def branch(self, tale: Tale) -> str | bool:
        """A copy goes its own way."""
        ends = [
            at for at in range(tale.cut + 5, len(tale.lines)) if telling(tale.lines[tale.cut : at])
        ]
        if not ends or len(self.tales) >= 40:
            return False
        end = self.chance.choice(ends)
        if wrong := self.append(
            tale
        ):  # one forks what one has just played; of two that show the same it is the last one
            return wrong
        copy = Tale(f"chat {len(self.tales)}", tale.family, [*tale.lines[:end], *self.exchange()])
        copy.cut = tale.cut
        self.tales.append(copy)
        return self.show(copy)

    def restart(self, tale: Tale) -> str:
        """The process ends, another begins."""
        self.chats = chats_at(self.folder, clock=self.clock)
        return self.show(tale)

    def again(self, tale: Tale) -> str:
        """The same once more: nothing is written."""
        before = self.chats.info(tale.name).file.stat().st_size
        return self.show(tale) or (
            ""
            if self.chats.info(tale.name).file.stat().st_size == before
            else f"{tale.name}: written twice"
        )

    def follow(self, visibility: BranchVisibility) -> str:
        """Whether all that counts otherwise than at the last sight of the same place is told to have moved."""
        counts = {
            support: visibility.sees(Evidence(chat=support[0], version=support[1]))
            for support in self.supports
        }
        before, known = self.seen.get(visibility.place, (visibility, counts))
        self.seen[visibility.place] = visibility, counts
        moved = visibility.moved_since(before)
        if moved is None:
            return ""
        self.moves.append(len(moved))
        silent = [one for one in known if known[one] != counts[one] and one not in moved]
        return f"{silent[:3]} changed, and nobody told" if silent else ""

    def check(self) -> str:
        """Compare what counts from every chat, and from none, with the model."""
        lines = {tale.name: set(tale.lines) for tale in self.tales}
        if len(self.counted) > 300:
            self.counted.clear()
        family = {tale.name: tale.family for tale in self.tales}
        for here in [None, *lines]:
            visibility = self.chats.visible_from(here)
            if wrong := self.follow(visibility):
                return wrong
            counted = self.counted.setdefault(visibility.token, {})
            for (chat, version), line in self.supports.items():
                own = here is not None and family[here] == family[chat]
                expected = (
                    line in lines[here]
                    if own and here
                    else any(line in lines[name] for name in lines if family[name] == family[chat])
                )
                if counted.setdefault((chat, version), expected) is not expected:
                    return f"from {here}: {line!r} of {chat} changed, and the token did not"
                if visibility.sees(Evidence(chat=chat, version=version)) is not expected:
                    return f"from {here}: {line!r} of {chat} should be {'visible' if expected else 'gone'}"
        for tale in self.tales:
            path = self.chats.path(tale.name)
            if len({one.version for one in path}) != len(path) or any(
                one.at > then.at for one, then in pairwise(path)
            ):
                return f"{tale.name}: versions or times out of order"
        return ""


def telling(lines: list[str]) -> bool:
    """Whether the lines hold an exchange that is more than small talk."""
    return any(
        first[0] == "u" and then[0] == "a" and len(first) > 12 for first, then in pairwise(lines)
    )


ACTS = {
    "append": 30, "ask": 4, "edit": 10, "swipe": 14, "edit_and_append": 5, "delete": 10, "undo": 5, "insert": 4,
    "truncate": 6, "widen": 3, "branch": 3, "begin": 1, "restart": 2, "again": 3,
}  # fmt: skip


def run(steps: int, seed: int, every: int = 250) -> dict[str, Any]:
    """Walk so many steps; stop at the first fault."""
    with tempfile.TemporaryDirectory(prefix="walk-") as folder:
        walk = Walk(Path(folder), seed)
        result: dict[str, Any] = {"steps": 0, "checks": 0, "wrong": ""}
        while result["steps"] < steps and not result["wrong"]:
            result["wrong"] = walk.step()
            result["steps"] += 1
            if result["steps"] % every == 0 and not result["wrong"]:
                result["wrong"] = walk.check()
                result["checks"] += 1
        return {
            **result,
            "chats": len(walk.tales),
            "supports": len(walk.supports),
            "followed": sum(map(bool, walk.moves)),
            "moved": max(walk.moves, default=0),
            "acts": dict(walk.counts),
        }


def main() -> None:
    """The long run."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--steps", type=int, default=10_000)
    options.add_argument("--seed", type=int, default=0)
    given = options.parse_args()
    print(json.dumps(run(given.steps, given.seed), ensure_ascii=False))


if __name__ == "__main__":
    main()
