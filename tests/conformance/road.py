"""Runs world-info cases on the live road: through `Home.recall`, and through REST as a frontend would call it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx

from rolememory.engine import Home
from rolememory.recall.lore.activation import Activation
from rolememory.schema.generation import Generation
from tests.conformance import worldinfo
from tests.serve.houses import WORDS_ONLY, Served

Case = dict[str, Any]

ELSEWHERE = {
    "rolls": "nobody can hand REST the numbers that chance throws",
    "sources": "only books of the home and of the role are kept, not those of a chat or a persona",
    "budget": "tokens are counted as the settings say, not as the cases do",
    "order": "books of a role are read by name, not in the order they were linked",
}


@contextmanager
def opened(folder: Path) -> Iterator[Home]:
    """A home without a model."""
    home = Home.open(folder, WORDS_ONLY)
    try:
        yield home
    finally:
        home.close()


def left_out(case: Case, *, rest: bool) -> str:
    """Why a case cannot be asked on this road; "" = it can."""
    expected = case["expected"].get("turns") or [case["expected"]]
    books = case.get("books") or []
    checks = {
        "rolls": rest and any(answer.get("rolls_used") for answer in expected),
        "sources": any(book["source"] in ("chat", "persona") for book in books),
        "budget": case["settings"]["world_info_budget"] < 25
        or case["settings"]["world_info_budget_cap"] > 0
        or case["settings"]["max_context"] < 4096,
        "order": sorted(names := [book["name"] for book in books if book["source"] == "character"])
        != names,
    }
    return next((name for name, holds in checks.items() if holds), "")


def settings_of(case: Case) -> dict[str, Any]:
    """The case's settings as dotted keys."""
    told = worldinfo.settings_of(case["settings"])
    return {
        f"lore.{name}": value
        for name, value in told.model_dump().items()
        if name in told.model_fields_set
    }


def furnished(home: Home, case: Case, *, settings: bool = False) -> str:
    """The id of a new role with the books of the case."""
    mind = home.role(case["name"], create=True)
    linked = []
    for book in case.get("books") or [
        {"name": "book", "source": "global", "entries": case["entries"]}
    ]:
        shared = book["source"] == "global"
        name = f"{case['name']}-{book['name']}.json" if shared else f"{book['name']}.json"
        folder = home.path / "worldbooks" if shared else home.path / mind.id / "worldbooks"
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(json.dumps({"entries": book["entries"]}), encoding="utf-8")
        linked += [name] if shared else []
    path = home.path / mind.id / "role.json"
    raw = json.loads(path.read_text(encoding="utf-8"))
    raw |= {"worldbooks": linked, **({"settings": settings_of(case)} if settings else {})}
    path.write_text(json.dumps(raw), encoding="utf-8")
    return mind.id


def through_home(home: Home, case: Case) -> Iterator[str]:
    """What the case expects and `recall` does not give."""
    mind, rules = home.role(furnished(home, case)), settings_of(case)

    def ask(asked: Case, chat: list[Any]) -> Activation:
        note = asked.get("author_note")
        turn = mind.recall(
            [worldinfo.message(one) for one in chat],
            chat=case["name"],
            user=case["user"]["name"],
            character=worldinfo.character(case),
            unseen=0,
            dry_run=asked.get("dry_run", False),
            settings=rules,
            generation=Generation(
                kind=asked.get("trigger", "normal"),
                author_note=note["text"] if note else None,
                note_scanned=bool(note and note.get("scan")),
                injected=tuple(asked.get("scan_injections", ())),
                context_tokens=case["settings"]["max_context"],
                chance=tuple(case.get("rolls", ())),
            ),
        )
        assert turn.lore is not None
        return turn.lore

    for number, (asked, chat, expected) in enumerate(turns(case), 1):
        yield from (
            f"turn {number}: {fault}" for fault in worldinfo.faults(ask(asked, chat), expected)
        )


def through_rest(served: Served, case: Case) -> Iterator[str]:
    """What the case expects and `POST recall` does not give: which entries are awake, in which order, and their texts."""
    role = furnished(served.home, case, settings=True)
    fields = ("name", "user", "persona", "file", "tags", *worldinfo.CARD_TEXTS)
    card = worldinfo.character(case)
    for number, (asked, chat, expected) in enumerate(turns(case), 1):
        note = asked.get("author_note")
        answer = httpx.post(
            f"{served.url}/api/roles/{quote(role)}/recall",
            headers=served.auth,
            trust_env=False,
            verify=False,
            timeout=60,
            json={
                "messages": [worldinfo.message(one) for one in chat],
                "chat": case["name"],
                "user": case["user"]["name"],
                "character": {name: getattr(card, name) for name in fields},
                "unseen": 0,
                "lore": True,
                "dry_run": asked.get("dry_run", False),
                "kind": asked.get("trigger", "normal"),
                "generation": {
                    "author_note": note["text"] if note else None,
                    "note_scanned": bool(note and note.get("scan")),
                    "injected": asked.get("scan_injections", []),
                    "context_tokens": case["settings"]["max_context"],
                },
            },
        )
        assert answer.status_code == 200, answer.text
        awake = [int(one["uid"]) for one in answer.json()["lore"]]
        if awake != expected["activated"]:
            yield f"turn {number}: expected {expected['activated']}, got {awake}"


def turns(case: Case) -> Iterator[tuple[Case, list[Any], Case]]:
    """Each generation of a case: what is asked, the chat then, what is expected."""
    if "turns" not in case:
        yield case, case["chat"], case["expected"]
        return
    chat = list(case["chat"])
    for turn, expected in zip(case["turns"], case["expected"]["turns"], strict=True):
        chat = [*chat[: len(chat) - turn.get("remove_last", 0)], *turn.get("append", [])]
        yield {**case, **turn}, chat, expected
