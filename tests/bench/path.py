"""Which of our functions one warm `recall` goes through, and in how many modules they stand. Prints one JSON object.

    python -m tests.bench.path [--list]

`small`: two memories, the same question again. `whole`: a chat of six messages, a lorebook, twenty memories. No model.
`--list` tells the functions too, each with how often it was called, by module.
"""

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import rolememory
from rolememory import Home, Message

PACKAGE = str(Path(rolememory.__file__).parent)
GENERATED = ("<genexpr>", "<listcomp>", "<dictcomp>", "<setcomp>", "<lambda>")
TALK = (
    ("I came in on the morning ferry, before the fog.", "Then you saw the beacon go out."),
    ("I saw it from the deck. My brother Tom was steering.", "Tom knows these rocks well."),
    ("He says nobody has lit it since the storm.", "The oil ran out that very night."),
)
ENTRIES = {
    "0": {"uid": 0, "key": ["beacon"], "content": "The beacon burns whale oil.", "order": 100},
    "1": {"uid": 1, "key": ["ferry"], "content": "The ferry runs twice a day.", "order": 90},
}


def crossed(work: Callable[[], object]) -> Counter[CodeType]:
    """How often each of our functions was called while this was done; comprehensions count with the function they stand in."""
    found = Counter[CodeType]()

    def look(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        ours = code.co_filename.startswith(PACKAGE) and code.co_name not in GENERATED
        if ours and event == "call":
            found[code] += 1

    sys.setprofile(look)
    try:
        work()
    finally:
        sys.setprofile(None)
    return found


def small_turn(folder: Path) -> Counter[CodeType]:
    """The functions of a turn of a role that has two memories, asked the same again."""
    with Home.open(folder, {"embedding.backend": "off"}) as home:
        mira = home.create("Mira")
        mira.remember("The beacon failed in the great storm of 1887.", keys=["beacon"])
        mira.remember("Patient, dry, hard to frighten.", "trait", constant=True)
        for asked in ("Hello there, old friend.", "Why is the beacon dark?"):
            mira.recall(asked)
        return crossed(lambda: mira.recall("Why is the beacon dark?"))


def whole_turn(folder: Path) -> Counter[CodeType]:
    """The functions of a turn in a chat that was heard before, with a lorebook."""
    with Home.open(folder, {"embedding.backend": "off"}) as home:
        mira = home.create("Mira", worldbooks=["coast.json"])
        mira.remember_all(
            {"content": f"The keeper counted {number} boats on day {number}.", "keys": ["boats"]}
            for number in range(20)
        )
        mira.remember("The beacon failed in the great storm of 1887.", keys=["beacon", "storm"])
        (home.path / "worldbooks").mkdir()
        (home.path / "worldbooks" / "coast.json").write_text(json.dumps({"entries": ENTRIES}))
        said = list[Message]()
        for asked, answer in TALK:
            said.append(Message.user(asked))
            mira.recall(said, chat="harbour", user="lin")
            said.append(Message.assistant(answer))
            mira.observe(said, chat="harbour", user="lin")
        mira.learned(60)
        asked = [*said, Message.user("Why is the beacon dark since the storm?")]
        mira.recall(asked, chat="harbour", user="lin")
        asked = [*said, Message.user("Do you still count the boats, as you did before the storm?")]
        return crossed(lambda: mira.recall(asked, chat="harbour", user="lin"))


def told(found: Counter[CodeType], listed: bool) -> dict[str, Any]:
    """The figures of one turn."""
    by_module: dict[str, dict[str, int]] = {}
    for code in sorted(found, key=lambda one: (one.co_filename, one.co_firstlineno)):
        module = str(Path(code.co_filename).relative_to(PACKAGE))
        by_module.setdefault(module, {})[code.co_qualname] = found[code]
    figures = {"functions": len(found), "modules": len(by_module), "calls": found.total()}
    return {**figures, "by_module": by_module} if listed else figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", action="store_true", help="tell the functions too")
    given = parser.parse_args()
    figures = {}
    for name, turn in (("small", small_turn), ("whole", whole_turn)):
        with tempfile.TemporaryDirectory() as scratch:
            figures[name] = told(turn(Path(scratch)), given.list)
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
