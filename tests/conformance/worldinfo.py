"""Runs world-info cases through the public `scan`: python -m tests.conformance.worldinfo FOLDER.

Only translates: a case to arguments, the answer to the words of the case. Format: conformance/worldinfo/README.md.
"""

import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from math import ceil, isfinite
from pathlib import Path
from typing import Any

from rolememory.cards import character_book
from rolememory.cards.other_books import OTHER_BOOKS
from rolememory.cards.sillytavern import in_script_order, listed_entries, read_world
from rolememory.recall.lore.activation import Activation
from rolememory.recall.lore.scan import scan
from rolememory.schema.lorebook import BookSource, Lorebook, TimedEffect, TimedState
from rolememory.schema.message import Message
from rolememory.schema.role import Character
from rolememory.schema.settings import ScanSettings
from rolememory.text.macros import Variables, for_character
from rolememory.text.pattern import PatternBudget

STRATEGIES = ("evenly", "character_first", "global_first")
ROLES = ("system", "user", "assistant")


def card_book_to_world(book: Mapping[str, Any]) -> dict[str, Any]:
    """A card's book as the client's world file: an object from uid to entry; of two entries with one id the later stands."""
    listed = listed_entries(book.get("entries"))
    entries = [character_book.world_entry(one, at) for at, (_, one) in enumerate(listed)]
    named = {"null" if one["uid"] is None else str(one["uid"]): one for one in entries}
    return {"entries": named, "originalData": dict(book)}


IMPORTS = {  # what the client reads: modules of RisuAI are read by us alone
    **{name: form.to_world for name, form in OTHER_BOOKS.items() if name != "risu_module"},
    "character_book": card_book_to_world,
}
CARD_TEXTS = (
    *("description", "personality", "scenario", "depth_prompt", "creator_notes"),
    *("mes_example", "first_mes", "system_prompt", "post_history", "version"),
)
OURS = {
    r"\{\{\s*(?:default|instruct)system": "the operator's own prompt stays theirs",
    r"\{\{\s*systemprompt": "likewise; the card's own is told",
    r"\{\{\s*(?:max(?:prompt|response)|firstdisplayed|chatstart|\w+separator)": "only the frontend knows it",
}
"""Macros that are said in another way than SillyTavern does, on purpose: pattern, and why."""
COMPARED = (
    "activated",
    "before",
    "after",
    "an_top",
    "an_bottom",
    "author_note",
    "em_top",
    "em_bottom",
    "outlets",
    "rolls_used",
)


def main(folder: Path) -> int:
    """Run every case in the folder; the exit status is 0 when all that are not quirks pass."""
    failed, passed, quirks_failed = 0, 0, 0
    for path in sorted(folder.glob("*.json")):
        case = json.loads(path.read_text(encoding="utf-8"))
        faults = list(run(case))
        for fault in faults:
            print(f"{path.stem}{' (quirk)' if case.get('quirk') else ''}: {fault}")
        passed += not faults
        failed += bool(faults)
        quirks_failed += bool(faults) and bool(case.get("quirk"))
    if quirks_failed:
        print(f"{quirks_failed} of the failures are quirks")
    print(f"{passed} passed, {failed} failed")
    return int(failed > quirks_failed)


def run(case: Mapping[str, Any]) -> Iterator[str]:
    """What the case expects and the product does not give; nothing when it passes."""
    if case.get("kind") == "import":
        yield from _converted(case)
    elif case.get("kind") == "macros":
        yield from _macros(case)
    elif "turns" in case:
        yield from _turns(case)
    else:
        yield from faults(_scan(case, case, case["chat"], TimedState()), case["expected"])


def _converted(case: Mapping[str, Any]) -> Iterator[str]:
    expected = case["expected"]["entries"]
    if case["format"] == "to_character_book":
        given: Any = [
            character_book.card_entry(entry)
            for _, entry in in_script_order(case["source"]["entries"])
        ]
    else:
        given = IMPORTS[case["format"]](case["source"])["entries"]
    if given != expected:
        yield f"expected {expected}, got {given}"


def _macros(case: Mapping[str, Any]) -> Iterator[str]:
    """Texts said one after the other, with what that left in the variables."""
    kept = Variables.of(case.get("variables"))
    macros = for_character(
        character(case),
        now=datetime.fromisoformat(case["now"]),
        card_macros=False,
        messages=[Message.of(message(one)) for one in case["chat"]],
        variables=kept,
        context_tokens=8192,
    )
    expected = case["expected"]
    for text, said in zip(case["texts"], expected["said"], strict=True):
        if (given := macros.expand(text)) != said and not is_ours(text):
            yield f"{text!r}: expected {said!r}, got {given!r}"
    yield from _left(kept, expected)


def _left(kept: Variables, expected: Mapping[str, Any]) -> Iterator[str]:
    left = {name: _floats(held) for name, held in expected["variables"].items() if held}
    if {name: _floats(held) for name, held in kept.to_json().items()} != left:
        yield f"variables: expected {left}, got {kept.to_json()}"


def _turns(case: Mapping[str, Any]) -> Iterator[str]:
    chat, state, edits, said = list(case["chat"]), TimedState(), {}, case.get("variables")
    for number, (turn, expected) in enumerate(
        zip(case["turns"], case["expected"]["turns"], strict=True), 1
    ):
        kept = len(chat) - turn.get("remove_last", 0)
        chat = [*chat[:kept], *turn.get("append", [])]
        for uid, fields in turn.get("edit_entries", {}).items():
            edits[uid] = {**edits.get(uid, {}), **fields}
        answer = _scan({**case, "variables": said}, turn, chat, state, edits)
        state, said = answer.state, answer.variables.to_json()
        yield from (f"turn {number}: {fault}" for fault in faults(answer, expected))


def _scan(
    case: Mapping[str, Any],
    turn: Mapping[str, Any],
    chat: list[Any],
    state: TimedState,
    edits: Mapping[str, Any] | None = None,
) -> Activation:
    books = list(_books(case, edits or {}))
    asked = {**case, **turn}
    note = asked.get("author_note")
    forced = {str(uid) for uid in asked.get("force_activate", ())}
    return scan(
        books,
        [message(one) for one in chat],
        card=character(case),
        state=state,
        settings=settings_of(case["settings"]),
        trigger=asked.get("trigger", "normal"),
        author_note=note["text"] if note else None,
        injected=[
            *([note["text"]] if note and note.get("scan") else []),
            *asked.get("scan_injections", ()),
        ],
        outside=[
            f"{book.name}.{entry.id}"
            for book in books
            for entry in book.entries
            if entry.id in forced
        ],
        chance=asked.get("rolls", ()),
        cost=lambda text: ceil(len(text.encode()) / 3.35),
        context_tokens=case["settings"]["max_context"],
        patterns=PatternBudget(
            turn_ms=20_000, each_ms=5_000
        ),  # a busy machine must not decide a case
        variables=case.get("variables"),
        now=datetime.fromisoformat(case["now"]) if "now" in case else None,
        dry_run=asked.get("dry_run", False),
    )


def _floats(held: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: _float(value) if isinstance(value, int | float) else value
        for name, value in held.items()
    }


def _float(value: float) -> float | None:
    return float(value) if isfinite(value) else None  # as JSON has it


def is_ours(text: str) -> bool:
    """Whether a macro in the text is one of `OURS`."""
    return any(re.search(pattern, text, re.IGNORECASE) for pattern in OURS)


def _books(case: Mapping[str, Any], edits: Mapping[str, Any]) -> Iterator[Lorebook]:
    for book in case.get("books") or [
        {"name": "book", "source": "global", "entries": case["entries"]}
    ]:
        entries = {
            key: {**entry, **edits.get(str(entry.get("uid", key)), {})}
            for key, entry in book["entries"].items()
        }
        yield read_world({"entries": entries}, book["name"], BookSource(book["source"]))


def message(raw: Mapping[str, Any]) -> dict[str, Any]:
    """A message of a case as programs send it."""
    role = "user" if raw["is_user"] else "assistant"
    return {
        "role": role,
        "name": raw["name"],
        "content": raw["mes"],
        "hidden": raw.get("hidden", False),
        **({"sent": raw["send_date"]} if raw.get("send_date") else {}),
    }


def character(case: Mapping[str, Any]) -> Character:
    """Who speaks in a case."""
    who, user = case["character"], case["user"]
    texts = {field: who.get(field) or "" for field in ("file", *CARD_TEXTS)}
    return Character(
        name=who["name"],
        user=user["name"],
        persona=user.get("description") or "",
        tags=tuple(who.get("tags") or ()),
        alternate_greetings=tuple(who.get("alternate_greetings") or ()),
        **texts,
    )


def settings_of(raw: Mapping[str, Any]) -> ScanSettings:
    """The settings of a case."""
    said = {key.removeprefix("world_info"): value for key, value in raw.items()}
    return ScanSettings(
        rules="sillytavern",
        scan_depth=said["_depth"],
        min_activations=said["_min_activations"],
        max_depth=said["_min_activations_depth_max"],
        budget_percent=said["_budget"],
        budget_cap=said["_budget_cap"],
        include_names=said["_include_names"],
        recursive=said["_recursive"],
        max_recursion_steps=said["_max_recursion_steps"],
        case_sensitive=said["_case_sensitive"],
        match_whole_words=said["_match_whole_words"],
        use_group_scoring=said["_use_group_scoring"],
        insertion_strategy=STRATEGIES[said["_character_strategy"]],
    )


@dataclass(frozen=True)
class _Answer:
    """An answer in the words of the cases."""

    given: Activation

    def said(self) -> dict[str, Any]:
        place = self.given.placement
        return {
            "activated": [_uid(one.entry.id) for one in self.given.awake],
            "before": place.before_text,
            "after": place.after_text,
            "an_top": list(place.an_top),
            "an_bottom": list(place.an_bottom),
            "em_top": list(place.em_top),
            "em_bottom": list(place.em_bottom),
            "outlets": {name: list(texts) for name, texts in place.outlets.items()},
            "author_note": place.author_note,
            "rolls_used": self.given.rolls,
        }

    def depth(self) -> list[Any]:
        return sorted(
            _group(group.depth, ROLES.index(group.role), group.entries)
            for group in self.given.placement.depth
        )

    def timed(self) -> dict[str, list[Any]]:
        return {
            kind: sorted(_timer(effect) for effect in getattr(self.given.state, kind))
            for kind in ("sticky", "cooldown")
        }


def faults(given: Activation, expected: Mapping[str, Any]) -> Iterator[str]:
    """Where an answer differs from what is expected."""
    answer = _Answer(given)
    said = answer.said()
    for field in COMPARED:
        if field in expected and said[field] != expected[field]:
            yield f"{field}: expected {expected[field]!r}, got {said[field]!r}"
    depth = sorted(
        _group(group.get("depth"), group["role"], group["entries"]) for group in expected["depth"]
    )
    if answer.depth() != depth:
        yield f"depth: expected {depth}, got {answer.depth()}"
    if "variables" in expected:
        yield from _left(given.variables, expected)
    if "timed" in expected:
        timed = {
            kind: sorted((str(e["uid"]), e["start"], e["end"], e["protected"]) for e in effects)
            for kind, effects in expected["timed"].items()
        }
        if answer.timed() != timed:
            yield f"timed: expected {timed}, got {answer.timed()}"


def _group(depth: int | None, role: int, entries: Any) -> tuple[int, bool, int, list[str]]:
    return (4 if depth is None else depth, depth is None, role, list(entries))


def _timer(effect: TimedEffect) -> tuple[str, int, int | None, bool]:
    return effect.entry, effect.start, effect.end, effect.protected


def _uid(entry_id: str) -> int | str:
    return int(entry_id) if entry_id.lstrip("-").isdigit() else entry_id


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
