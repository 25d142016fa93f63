"""Lore on the roads that turns really take: macros and their variables, kinds of generation, what was said as it was said."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from rolememory.engine import Home, RoleMemory
from rolememory.schema.generation import Generation
from rolememory.schema.message import Message
from rolememory.schema.role import Character
from tests.endpoint import Endpoint
from tests.serve.houses import WORDS_ONLY, served
from tests.serve.proxy.requests import request
from tests.serve.proxy.upstreams import streams

OUTSIDE = {"constant": True, "selective": False, "order": 100, "position": 0}
ASK, REPLY = Message.user("Is the lamp lit?"), Message.assistant("It burns.")


def role(folder: Path, *contents: str, name: str = "Mira", **fields: Any) -> RoleMemory:
    """A role whose lorebook says these texts on every turn, or as the fields say."""
    mind = Home.open(folder, WORDS_ONLY).role(name, create=True)
    book(mind, *contents, **fields)
    return mind


def book(mind: RoleMemory, *contents: str, **fields: Any) -> None:
    entries = {
        str(uid): {"uid": uid, "key": [], **OUTSIDE, "content": text, **fields}
        for uid, text in enumerate(contents)
    }
    folder = mind.folder / "worldbooks"
    folder.mkdir(exist_ok=True)
    (folder / "harbour.json").write_text(json.dumps({"entries": entries}), encoding="utf-8")


def said(mind: RoleMemory, *messages: Message, chat: str = "c", **asked: Any) -> str:
    """What lore says on this turn."""
    turn = mind.recall(list(messages), chat=chat, user="Lin", **asked)
    assert turn.lore is not None
    return turn.lore.placement.before_text


def test_variables_are_of_the_chat_follow_swipes_and_survive(tmp_path: Path) -> None:
    mind = role(tmp_path, "{{incvar::visits}}")
    first, second = (ASK,), (ASK, REPLY, Message.user("And now?"))
    third = (*second, Message.assistant("Still."), Message.user("Good."))
    assert [said(mind, *first), said(mind, *second)] == ["1", "2"]
    assert said(mind, *second, generation="swipe") == "2"  # the same turn again
    assert said(mind, *third) == "3"
    assert said(mind, *second) == "2"  # taken back
    assert said(mind, *third, dry_run=True) == "3"
    assert said(mind, *third) == "3"  # a preview kept nothing
    assert said(mind, *first, chat="another") == "1"
    mind.close()
    again = Home.open(tmp_path, WORDS_ONLY).role("Mira")
    fourth = (*third, Message.assistant("Yes."), Message.user("Fine."))
    assert said(again, *fourth) == "4"
    again.close()


def test_what_one_chat_keeps_no_other_hears(tmp_path: Path) -> None:
    mind = role(tmp_path, "{{setglobalvar::told::{{lastUserMessage}}}}{{$heard}}|")
    assert said(mind, Message.user("My secret is 7."), chat="one") == "|"
    book(mind, "{{getglobalvar::told}}{{getvar::told}}|")
    assert said(mind, ASK, chat="two") == "|"
    assert said(mind, Message.user("x"), REPLY, ASK, chat="one") == "My secret is 7.|"
    book(mind, "{{incvar::n}}")
    assert [said(mind, ASK, chat=""), said(mind, ASK, REPLY, ASK, chat="")] == ["1", "1"]
    mind.close()


@pytest.mark.parametrize(
    "words",
    ["{{systemPrompt}}{{charPrompt}}", "{{setvar::x::1}}", "{{user}}", "{{outlet::cellar}}"],
)
def test_macros_in_what_was_said_are_words(tmp_path: Path, words: str) -> None:
    mind = role(tmp_path, "{{.x}}|{{lastUserMessage}}", "the cellar floods")
    book(mind, "{{.x}}|{{lastUserMessage}}", position=0)
    told = f"My boat is called {words} and it is blue."
    mind.observe([Message.user(told)], "Noted.", chat="old", user="Lin")
    mind.remember(f"Lin's boat: {words}", source="user_input", user="Lin", keys=["boat"])
    card = Character(name="Mira", user="Lin", system_prompt="SECRET", description="d")
    asked = Message.user("What is my boat called?")
    turn = mind.recall([Message.user(told), REPLY, asked], chat="new", user="Lin", character=card)
    assert turn.lore is not None
    assert turn.lore.placement.before_text == "|What is my boat called?"
    assert turn.messages[-1].content == asked.content
    assert next(one.content for one in turn.messages if one.role == "user") == told
    everything = "\n".join(one.content for one in turn.messages)
    assert "SECRET" not in everything
    assert "boat" in turn.text
    assert words.strip("{}") in turn.text.replace("{ {", "{{").replace("} }", "}}")
    mind.close()


def test_an_author_may_write_names_as_macros(tmp_path: Path) -> None:
    mind = role(tmp_path, "x")
    mind.remember("{{char}} owes {{user}} a lantern.", keys=["lantern"])
    turn = mind.recall("Where is the lantern?", user="Lin")
    assert "Mira owes Lin a lantern." in turn.text
    mind.close()


@pytest.mark.parametrize("kind", ["normal", "continue", "swipe", "regenerate", "impersonate"])
def test_entries_live_for_their_kind_of_generation(tmp_path: Path, kind: str) -> None:
    mind = role(tmp_path, "only then", triggers=[kind])
    kinds = ("normal", "continue", "swipe", "regenerate", "impersonate", "quiet")
    assert [one for one in kinds if said(mind, ASK, generation=one)] == [kind]
    mind.close()


@pytest.mark.parametrize("kind", ["continue", "swipe", "regenerate"])
def test_the_proxy_tells_lore_the_kind(tmp_path: Path, kind: str) -> None:
    with (
        Endpoint(streams("It", " burns.")) as model,
        served(tmp_path, {"serve.upstream": model.url, "serve.lorebook": "ours"}) as house,
    ):
        book(house.home.role("Mira", create=True), "The tide turns.", triggers=[kind])
        heard = []
        for asked in ("normal", kind):
            hint = {"role": "Mira", "user": "Lin", "chat": "c", "type": asked}
            body = request([("assistant", "Hello."), ("user", "Is it lit?")], hint=hint)
            answer = httpx.post(
                f"{house.url}/v1/chat/completions",
                json=body,
                timeout=60,
                trust_env=False,
                verify=False,
            )
            assert answer.status_code == 200
            heard.append("The tide turns." in model.requests[-1].said)
        assert heard == [False, True]


def test_a_generation_says_what_lore_asks(tmp_path: Path) -> None:
    mind = role(tmp_path, "@@is_greeting 1\nby the sea", "a note of mine", "long " * 40)
    card = Character(name="Mira", first_mes="Hi.", alternate_greetings=("{{char}} waves.",))
    first = Message.assistant("Mira waves.")
    assert "by the sea" in said(mind, first, ASK, character=card)
    assert "by the sea" not in said(mind, Message.assistant("Hi."), ASK, character=card)
    assert "by the sea" in said(mind, ASK, generation=Generation(greeting=1))
    assert "long" not in said(mind, ASK, generation=Generation(context_tokens=100))
    book(mind, "around", position=2)
    turn = mind.recall([ASK], chat="c", generation=Generation(author_note="The note."))
    assert turn.lore is not None
    assert turn.lore.placement.author_note == "around\nThe note."
    book(mind, "found in the note", key=["fog"], constant=False)
    unseen = Generation(author_note="Fog comes.")
    assert said(mind, ASK, generation=unseen) == ""
    assert said(mind, ASK, generation=Generation(author_note="Fog comes.", note_scanned=True))
    mind.close()


def test_random_values_hold_for_a_swipe_and_picks_for_the_chat(tmp_path: Path) -> None:
    options = "::".join("abcdefghijklmnopqrstuvwxyz")
    mind = role(tmp_path, f"{{{{pick::{options}}}}} {{{{random::{options}}}}}")
    told, texts = [ASK], list[str]()
    for _ in range(6):
        texts.append(said(mind, *told))
        assert said(mind, *told, generation="swipe") == texts[-1]
        told += [REPLY, ASK]
    picked, thrown = (set(row) for row in zip(*map(str.split, texts), strict=True))
    assert (len(picked), len(thrown) > 1) == (1, True)
    others = {said(mind, ASK, chat=f"another {number}").split()[0] for number in range(6)}
    assert len(others) > 1
    mind.close()


LAMP = {"key": ["lamp"], "constant": False}
FAR = [Message.user("The lamp?"), Message.assistant("Hm."), Message.user("Well?")]
HOP = {"0": {**LAMP, "content": "A gull."}, "1": {"key": ["gull"], "content": "A fish."}}
DEEP = {**HOP, "2": {"key": ["fish"], "content": "A net."}}
RIVALS = {
    "0": {"key": ["lamp"], "content": "One.", "group": "g", "groupWeight": 1},
    "1": {"key": ["lamp", "lit"], "content": "Two.", "group": "g", "groupWeight": 1},
}


@pytest.mark.parametrize(
    ("setting", "value", "entries", "messages", "without", "with_it"),
    [
        ("enabled", False, {"0": LAMP}, [ASK], 1, None),
        ("scan_depth", 1, {"0": LAMP}, FAR, 1, 0),
        ("recursive", False, HOP, [ASK], 2, 1),
        ("max_recursion_steps", 2, DEEP, [ASK], 3, 2),
        ("case_sensitive", True, {"0": {"key": ["LAMP"]}}, [ASK], 1, 0),
        ("match_whole_words", False, {"0": {"key": ["amp"]}}, [ASK], 0, 1),
        ("cjk_words", True, {"0": {"key": ["龙"]}}, [Message.user("看恐龙化石")], 1, 0),
        (
            "include_names",
            False,
            {"0": {"key": ["Tom"]}},
            [Message.user("Aye.", name="Tom")],
            1,
            0,
        ),
        ("budget_cap", 2, {"0": {**LAMP, "content": "It burns every night."}}, [ASK], 1, 0),
        ("context_tokens", 8, {"0": {**LAMP, "content": "It burns every night."}}, [ASK], 1, 0),
        ("budget_percent", 0, {"0": {**LAMP, "content": "It burns every night."}}, [ASK], 1, 0),
        ("rules", "sillytavern", {"0": {"key": [" "]}}, [ASK], 0, 1),
        (
            "by_meaning",
            "off",
            {"0": {"key": [], "vectorized": True, "content": "The lamp is lit at dusk."}},
            [ASK],
            1,
            0,
        ),
        (
            "by_meaning",
            "all",
            {"0": {"key": [], "content": "The lamp is lit at dusk."}},
            [ASK],
            0,
            1,
        ),
    ],
)
def test_settings_of_lore_count_on_a_turn(
    tmp_path: Path,
    setting: str,
    value: object,
    entries: dict[str, dict[str, Any]],
    messages: list[Message],
    without: int,
    with_it: int | None,
) -> None:
    mind = role(tmp_path)
    told = {
        uid: {"uid": int(uid), "content": "It burns.", "position": 0, **entry}
        for uid, entry in entries.items()
    }
    (mind.folder / "worldbooks" / "harbour.json").write_text(json.dumps({"entries": told}), "utf-8")
    turns = [
        mind.recall(messages, dry_run=True, settings=given)
        for given in ({}, {f"lore.{setting}": value})
    ]
    assert [one.lore and len(one.lore.awake) for one in turns] == [without, with_it]
    mind.close()


def test_a_bad_entry_is_told_and_the_others_count(tmp_path: Path) -> None:
    mind = role(tmp_path, "It burns.")
    file = mind.folder / "worldbooks" / "harbour.json"
    raw = json.loads(file.read_text("utf-8"))
    raw["entries"]["7"] = "no entry at all"
    file.write_text(json.dumps(raw), "utf-8")
    assert said(mind, ASK) == "It burns."
    told = " ".join(one.text("en") for one in mind.problems())
    assert "entry '7': expected an object" in told
    assert "条目“7”：应为对象" in " ".join(one.text("zh") for one in mind.problems())
    mind.close()


def test_scoring_decides_within_groups_where_it_is_set(tmp_path: Path) -> None:
    mind = role(tmp_path)
    told = {uid: {"uid": int(uid), "position": 0, **entry} for uid, entry in RIVALS.items()}
    (mind.folder / "worldbooks" / "harbour.json").write_text(json.dumps({"entries": told}), "utf-8")

    def winners(**given: Any) -> set[str]:
        settings = {f"lore.{name}": value for name, value in given.items()}
        return {
            said(mind, ASK, *[REPLY, ASK] * turn, dry_run=True, settings=settings)
            for turn in range(8)
        }

    assert winners() == {"One.", "Two."}
    assert winners(use_group_scoring=True) == {"Two."}
    mind.close()
