"""Whether what was told later is recalled where it changes what was told before. Prints one JSON object for words and one for vectors.

    python -m tests.bench.updates [--words-only] [--half 0|1] [--set KEY=VALUE] [--show]

The pairs are written by hand (`data/updates.json`): in an update the second line changes the first, in an innocent pair it only shares
its words. A user has a life of ten pairs about different matters: first lines, then weeks later second lines, each in a chat of
its own among small talk. The question of each pair is asked in a new chat, before the second lines and after.

    newer    share of updates where the second line is in the block; `older`: the first line; `before`: ... before the second one was told
    later    of the blocks that hold both, the share where the second line stands below the first
    known    share of innocent pairs where the first line is in the block before the second one was told
    silent   ... and not afterwards: the goal is 0; `beside`: the second line is in the block
    lines    in a block of the questions afterwards, and its characters
"""

import argparse
import json
import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import mean
from typing import Any

from rolememory import Home, Message, RoleMemory
from rolememory.recall.turn import Turn
from rolememory.text.embed.base import Embedder
from tests.bench.conversation import NO_MODEL, WORDS_ALONE, setting
from tests.bench.kept import kept_model
from tests.bench.prose import LANGUAGES, SMALL_TALK, prose

FILE = Path(__file__).parent / "data" / "updates.json"
LIFE = 10  # pairs of one user
USER, CHARACTER = "Lin", "Mira"
BEGAN = datetime(2025, 1, 6, 19, 0, tzinfo=UTC)
KINDS = ("updates", "innocent")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two lines of a user and what is asked."""

    kind: str
    about: str
    older: str
    later: str
    asked: str


def pairs(language: str, half: int | None = None) -> list[Pair]:
    """All pairs of a language, or every other one."""
    raw = json.loads(FILE.read_text(encoding="utf-8"))[language]
    rows = [Pair(kind, *row) for kind in KINDS for row in raw[kind]]
    return rows if half is None else rows[half::2]


def lives(some: Sequence[Pair]) -> list[list[Pair]]:
    """The pairs as users have them: no two of one user are about the same matter."""
    found: list[list[Pair]] = []
    for one in some:
        for life in found:
            if len(life) < LIFE and all(one.about != other.about for other in life):
                life.append(one)
                break
        else:
            found.append([one])
    return found


def tell(role: RoleMemory, language: str, lines: Sequence[str], chat: str, at: datetime) -> None:
    """Tell each line in a chat of its own, a day after the one before, among small talk."""
    chance = random.Random(f"{language} {chat}")
    for number, line in enumerate(lines):
        now = at + timedelta(days=number)
        talk = chance.sample(SMALL_TALK[language], 2)
        said = (f"{talk[0]} {prose(chance, language, 60, USER, CHARACTER)}", line, talk[1])
        replies = [prose(chance, language, 120) for _ in said]
        window = [
            message
            for text, reply in zip(said, replies, strict=True)
            for message in (Message.user(text), Message.assistant(reply))
        ]
        role.observe(window, chat=f"{chat}-{number}", user=USER, now=now)


@dataclass(frozen=True, slots=True)
class Asked:
    """What the question of a pair brought before the second line was told, and after."""

    pair: Pair
    before: Turn
    after: Turn

    def holds(self, line: str, turn: Turn | None = None) -> bool:
        """Whether the block holds a line."""
        return any(line in one.memory.content for one in (turn or self.after).recalled)

    @property
    def in_order(self) -> bool | None:
        """Whether the second line stands below the first; None where one of them is missing."""
        text, one, other = self.after.text, self.pair.older, self.pair.later
        return text.index(one) < text.index(other) if one in text and other in text else None


def live(role: RoleMemory, language: str, life: Sequence[Pair]) -> Iterator[Asked]:
    """Tell one user's pairs and ask for them."""

    def ask(pair: Pair, days: int) -> Turn:
        now = BEGAN + timedelta(days=days)
        return role.recall(pair.asked, chat="asking", user=USER, now=now, dry_run=True)

    tell(role, language, [one.older for one in life], "first", BEGAN)
    role.ready(600.0)
    before = [ask(one, 40) for one in life]
    tell(role, language, [one.later for one in life], "second", BEGAN + timedelta(days=45))
    role.ready(600.0)
    for one, turn in zip(life, before, strict=True):
        yield Asked(one, turn, ask(one, 90))


def figures(answers: Sequence[Asked]) -> dict[str, Any]:
    """The measures of some pairs."""
    updates = [one for one in answers if one.pair.kind == "updates"]
    innocent = [one for one in answers if one.pair.kind == "innocent"]
    known = [one for one in innocent if one.holds(one.pair.older, one.before)]
    ordered = [one.in_order for one in updates if one.in_order is not None]
    return {
        "updates": len(updates),
        "newer": share([one.holds(one.pair.later) for one in updates]),
        "older": share([one.holds(one.pair.older) for one in updates]),
        "before": share([one.holds(one.pair.older, one.before) for one in updates]),
        "later": share(ordered),
        "innocent": len(innocent),
        "known": share([one in known for one in innocent]),
        "silent": share([not one.holds(one.pair.older) for one in known]),
        "beside": share([one.holds(one.pair.later) for one in innocent]),
        "lines": round(mean(len(one.after.recalled) for one in answers), 2),
        "characters": round(mean(len(one.after.text) for one in answers), 1),
    }


def share(some: Sequence[bool | None]) -> float | None:
    """Share of what is true; None of nothing."""
    return round(mean(map(bool, some)), 3) if some else None


def answers(
    language: str,
    embedder: Embedder | None = None,
    half: int | None = None,
    changed: Mapping[str, Any] | None = None,
) -> list[Asked]:
    """Everything that is asked in one language."""
    own = {**NO_MODEL, **({} if embedder else WORDS_ALONE), **(changed or {})}
    found: list[Asked] = []
    for life in lives(pairs(language, half)):
        with tempfile.TemporaryDirectory() as scratch, Home.open(scratch, own, embedder) as home:
            found += live(home.create(CHARACTER), language, life)
    return found


def main() -> None:
    """Print the measures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--words-only", action="store_true", help="without an embedding model")
    parser.add_argument("--half", type=int, choices=(0, 1), help="every other pair alone")
    parser.add_argument("--set", action="append", default=[], help="a setting: KEY=VALUE")
    parser.add_argument("--show", action="store_true", help="name the pairs that are missed")
    given = parser.parse_args()
    changed = dict(map(setting, given.set))
    for words_only in (True,) if given.words_only else (True, False):
        with kept_model(None, words_only) as embedder:
            found = {
                language: answers(language, embedder, given.half, changed) for language in LANGUAGES
            }
        told = {language: figures(some) for language, some in found.items()}
        print(json.dumps({"with": "vectors" if embedder else "words", **told}), flush=True)
        for one in (one for some in found.values() for one in some if given.show):
            wanted = one.pair.later if one.pair.kind == "updates" else one.pair.older
            if not one.holds(wanted):
                print(f"  {one.pair.kind}: {one.pair.asked} -> {wanted}", flush=True)


if __name__ == "__main__":
    main()
