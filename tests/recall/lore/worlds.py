"""Random worlds: books, chats and settings in which the features of lore meet by chance."""

import random
from typing import Any

Raw = dict[str, Any]
WORDS = [
    "king",
    "King's",
    "red dragon",
    "oath",
    "lamp_oil",
    "城堡",
    "龙",
    "月の石",
    "éclair",
    "STRASSE",
    "ΣΟΦΟΣ",
    "🐉",
    "go",
    "a",
]
KEYS = [
    *WORDS,
    "  king  ",
    "{{user}}",
    "{{char}}'s",
    "{{noop}}",
    "   ",
    "",
    "/king/",
    "/K.ng/i",
    "/oath\n\x01/",
    "dragon\n",
    "x\x01",
    "\x01Ann:",
]
KEYS += ["\x01Ann", "red  dragon", "go\n\x01Mira:", "İ", "/^go/", "月", "恐龙", "drag"]
TEXTS = [
    "The king's oath.",
    "We go on.",
    "恐龙化石与城堡",
    "red dragon!",
    "Hmm.",
    "",
    "月の石",
    "un Éclair, straße",
    "σοφος",
    "lamp_oil 🐉",
    "İstanbul Ann",
]


def entry(dice: random.Random, uid: int) -> Raw:
    """One entry; most fields as they are when new, some missing."""
    few = dice.choice
    raw: Raw = {
        "uid": uid,
        "key": [few(KEYS) for _ in range(few([0, 1, 1, 1, 2, 3]))],
        "keysecondary": [few(KEYS) for _ in range(few([0, 0, 0, 1, 2]))],
        "comment": "",
        "content": few(
            ["", "@@activate\n", "@@dont_activate\n", "@@what\n@@@activate\n", "@@depth 3\n", ""]
            + [""] * 12
        )
        + f"[{uid}] {few(TEXTS)} {few(['', '{{user}}', '{{char}} ', 'pad ' * 5, 'pad ' * 20])}",
        "constant": dice.random() < 0.15,
        "selective": dice.random() < 0.9,
        "selectiveLogic": few([0, 1, 2, 3]),
        "order": few([10, 50, 100, 100, 100, 200]),
        "position": few([0, 0, 0, 1, 2, 3, 4, 4, 5, 6, 7]),
        "depth": few([0, 1, 4]),
        "role": few([0, 1, 2]),
        "outletName": few(["", "o1", "o2"]),
        "disable": dice.random() < 0.05,
        "ignoreBudget": dice.random() < 0.15,
        "excludeRecursion": dice.random() < 0.2,
        "preventRecursion": dice.random() < 0.2,
        "delayUntilRecursion": few([0, 0, 0, 0, 0, 1, 2, 3, True, False]),
        "probability": few([100, 100, 100, 50, 10, 0, None]),
        "useProbability": dice.random() < 0.8,
        "scanDepth": few([None, None, None, None, 0, 1, 3, 6, -1]),
        "caseSensitive": few([None, None, True, False]),
        "matchWholeWords": few([None, None, True, False]),
        "useGroupScoring": few([None, None, True, False]),
        "group": few(["", "", "", "A", "A", "B", "A,B", "A, C", "7", "2,A"]),
        "groupOverride": dice.random() < 0.15,
        "groupWeight": few([100, 100, 50, 1, 0, 300]),
        "sticky": few([None, None, None, 1, 2, 4]),
        "cooldown": few([None, None, None, 1, 3]),
        "delay": few([None, None, None, None, 2, 5]),
        "triggers": few([[], [], [], [], ["normal"], ["swipe"]]),
        "characterFilter": few(
            [
                None,
                None,
                None,
                {"isExclude": False, "names": ["mira"]},
                {"isExclude": True, "tags": ["t1"], "names": []},
            ]
        ),
        "matchCharacterDescription": dice.random() < 0.2,
        "matchPersonaDescription": dice.random() < 0.1,
        "matchScenario": dice.random() < 0.1,
    }
    for field in dice.sample(sorted(raw), few([0, 0, 0, 1, 4])):
        if field not in (
            "uid",
            "order",
            "key",
            "content",
            "probability",
            "selectiveLogic",
            "depth",
        ):
            del raw[field]
    return raw


def world(seed: int) -> Raw:
    """A case: books, chat, settings, several turns."""
    dice = random.Random(seed)
    few = dice.choice
    uids = iter(dice.sample(range(100), 40))
    books = [
        {
            "name": f"b{number}",
            "source": few(["global", "global", "character", "chat", "persona"]),
            "entries": {},
        }
        for number in range(few([1, 1, 2, 3]))
    ]
    for book in books:
        for uid in (next(uids) for _ in range(few([2, 4, 7, 10]))):
            book["entries"][str(uid)] = entry(dice, uid)
    every = [(book["name"], one["uid"]) for book in books for one in book["entries"].values()]
    return {
        "books": books,
        "user": "Ann",
        "char": "Mira",
        "file": "mira",
        "tags": few([[], ["t1"]]),
        "texts": {
            "description": "{{char}} of the 城堡",
            "persona": "a king ",
            "scenario": few(["", " red dragon"]),
        },
        "injected": few([[], [], ["the {{user}} oath"], ["lamp_oil", "龙"]]),
        "outside": set(dice.sample(every, 1)) if dice.random() < 0.2 else set(),
        "trigger": few(["normal", "normal", "swipe"]),
        "depth": few([0, 1, 2, 2, 4, 99]),
        "min_activations": few([0, 0, 0, 2, 5]),
        "max_depth": few([0, 0, 2, 3]),
        "budget": few([25, 25, 0, 1]),
        "context": few([8192, 8190, 1000]),
        "cap": few([0, 0, 20, 40, 60, 140]),
        "include_names": dice.random() < 0.5,
        "recursive": dice.random() < 0.6,
        "max_steps": few([0, 0, 0, 1, 2, 3]),
        "caseSensitive": dice.random() < 0.3,
        "matchWholeWords": dice.random() < 0.5,
        "useGroupScoring": dice.random() < 0.3,
        "strategy": few([0, 1, 2]),
        "dry_run": dice.random() < 0.1,
        "rolls": [dice.choice([0.0, 0.5, 0.1, round(dice.random(), 3)]) for _ in range(300)],
        "chats": _chats(dice),
    }


def _chats(dice: random.Random) -> list[list[Raw]]:
    """The chat as it stands at each of several generations; some are regenerations or go back."""
    chat: list[Raw] = []
    seen = []
    for _ in range(dice.choice([1, 2, 5])):
        kept = max(len(chat) - dice.choice([0, 0, 0, 1, 2]), 0)
        new = [_message(dice) for _ in range(dice.choice([0, 1, 2, 2, 4]))]
        chat = chat[:kept] + new
        seen.append(list(chat))
    return seen


def _message(dice: random.Random) -> Raw:
    is_user = dice.random() < 0.5
    said = " ".join(dice.choice(TEXTS) for _ in range(dice.choice([1, 1, 2])))
    raw = {
        "name": "Ann" if is_user else "Mira",
        "is_user": is_user,
        "mes": dice.choice(["", " ", "\n"]) + said,
    }
    return {**raw, "hidden": True} if dice.random() < 0.08 else raw
