"""How much comes uninvited: turns of ordinary talk in which nobody asks. Prints one JSON object per file.

    python -m tests.bench.talk FILE.json [...] [--long] [--words-only] [--turns 200] [--set KEY=VALUE]

The sets are those of `tests.bench.conversation`. All sessions of a talk but the last one are heard; the last one is then played turn by
turn as a chat goes on, and recalled before each reply. Turns that ask for something are left out.

    characters  of the block: median and mean over all turns, and their 95th percentile; `empty`: share of turns without one
    lines       in the block, and how many of them are the character's own words
"""

import argparse
import json
import statistics
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rolememory import Home, RoleMemory
from rolememory.recall.allowance import asks
from rolememory.recall.turn import Turn
from rolememory.schema.passage import Passage
from rolememory.text.embed.base import Embedder
from tests.bench.conversation import NO_MODEL, WINDOW, WORDS_ALONE, Talk, heard, setting
from tests.bench.kept import kept_model


def turns(role: RoleMemory, talk: Talk, most: int) -> list[Turn]:
    """Play the last session; the turns in which the user asks for nothing."""
    chats = talk.chats()
    last = chats.pop(max(chats, key=lambda name: int(name.rsplit("-", 1)[-1])))
    before = Talk(
        talk.user, talk.character, {one.id: one for some in chats.values() for one in some}
    )
    heard(role, before)
    role.ready(3600.0)
    window, found = [], []
    for line in last:
        window = [*window, line.message()][-WINDOW:]
        if line.by_user and not asks(line.text) and len(found) < most:
            found.append(role.recall(window, chat="now", user=talk.user, now=line.sent))
        if not line.by_user:
            role.observe(window, chat="now", user=talk.user, now=line.sent)
    return found


def figures(found: Sequence[Turn]) -> dict[str, Any]:
    """The measures of some turns."""
    lengths = sorted(len(turn.text) for turn in found)
    lines = [one.memory for turn in found for one in turn.recalled]
    own = sum(isinstance(one, Passage) and one.role == "assistant" for one in lines)
    return {
        "turns": len(found),
        "characters": {
            "median": statistics.median(lengths),
            "mean": round(statistics.mean(lengths), 1),
            "p95": lengths[len(lengths) * 95 // 100],
        },
        "empty": round(sum(not one for one in lengths) / len(found), 4),
        "lines": round(len(lines) / len(found), 2),
        "own": round(own / len(found), 4),
    }


def run(
    file: Path, long: bool, embedder: Embedder | None, most: int, changed: Mapping[str, Any]
) -> dict[str, Any]:
    """All measures of one file."""
    roles, found = json.loads(file.read_text(encoding="utf-8"))["roles"], list[Turn]()
    own = {**NO_MODEL, **({} if embedder else WORDS_ALONE), **changed}
    for raw in roles:
        with tempfile.TemporaryDirectory() as scratch, Home.open(scratch, own, embedder) as home:
            talk = Talk.of(raw, long)
            found += turns(home.create(talk.character), talk, -(-most // len(roles)))
    return {"file": file.name, **figures(found), "settings": {"long": long, "set": dict(changed)}}


def main() -> None:
    """Measure what the command line names."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--words-only", action="store_true")
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--keep", type=Path, help="a folder for vectors between runs")
    parser.add_argument("--set", action="append", default=[], type=setting, metavar="KEY=VALUE")
    given = parser.parse_args()
    with kept_model(None if given.words_only else given.keep, given.words_only) as embedder:
        for file in given.files:
            told = run(file, given.long, embedder, given.turns, dict(given.set))
            print(json.dumps(told, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
