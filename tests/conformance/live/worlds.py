"""Random cases in the form of conformance/worldinfo/README.md: books, settings, people, chats, several turns.

A world plays with some features and leaves the others as they are in a new entry, so that what does happen is not drowned.
"""

from random import Random
from typing import Any

from tests.conformance.live import macros
from tests.conformance.live.foreign import foreign
from tests.conformance.live.tongues import MACROS, Speech

Case = dict[str, Any]

SOURCES = (
    "PersonaDescription",
    "CharacterDescription",
    "CharacterPersonality",
    "CharacterDepthPrompt",
    "Scenario",
    "CreatorNotes",
)
SWITCHES = (
    "constant",
    "vectorized",
    "addMemo",
    "disable",
    "ignoreBudget",
    "excludeRecursion",
    "preventRecursion",
    "groupOverride",
)
UNSET = (
    "scanDepth",
    "caseSensitive",
    "matchWholeWords",
    "useGroupScoring",
    "sticky",
    "cooldown",
    "delay",
)
FRESH: Case = {
    **dict.fromkeys((*SWITCHES, *(f"match{source}" for source in SOURCES)), False),
    **dict.fromkeys(("selectiveLogic", "position", "role", "delayUntilRecursion"), 0),
    **dict.fromkeys(("comment", "outletName", "group", "automationId"), ""),
    **dict.fromkeys(("selective", "useProbability"), True),
    **dict.fromkeys(("order", "probability", "groupWeight"), 100),
    **dict.fromkeys(UNSET),
    "depth": 4,
    "triggers": [],
}
"""An entry as the editor makes it."""

RARELY, SELDOM, OFTEN = [False] * 7 + [True], [False] * 3 + [True], [False, True]
UNSURE = [None, None, None, True, False]
TRIGGERS = ("normal", "continue", "impersonate", "swipe", "regenerate", "quiet")
FILTERS: list[Any] = [
    *([None, {"isExclude": False, "names": [], "tags": []}] * 2),
    *(
        {"isExclude": out, "names": names, "tags": tags}
        for out in OFTEN
        for names in ([], ["mira"], ["bob", "mira"])
        for tags in ([], ["t1"])
    ),
    {"names": ["Mira"]},
    {"tags": ["t2", "t1"], "isExclude": True},
]
FEATURES: dict[str, dict[str, list[Any]]] = {
    "order": {"order": [100, 100, 100, 10, 50, 200, 0, -5]},
    "constant": {"constant": SELDOM},
    "secondary": {"selective": [True, True, True, False], "selectiveLogic": [0, 1, 2, 3, None]},
    "places": {
        "position": [0, 1, 2, 3, 4, 4, 4, 5, 6, 7, 7, 8, None],
        "depth": [0, 1, 4, 4, None],
        "role": [0, 1, 2, None],
    },
    "outlets": {"position": [7, 7, 0], "outletName": ["", "o1", "o2", "o1"]},
    "budget": {"ignoreBudget": SELDOM},
    "recursion": {"excludeRecursion": SELDOM, "preventRecursion": SELDOM},
    "late": {"delayUntilRecursion": [0, 0, 0, 1, 1, 2, 3, 7, True, False, None]},
    "chance": {
        "probability": [100, 100, 50, 25, 10, 0, 99.5, None],
        "useProbability": [True, True, True, False],
    },
    "looks": {
        "scanDepth": [None, None, None, 0, 1, 2, 3, 6, -1, 1000, 1001],
        "caseSensitive": UNSURE,
        "matchWholeWords": UNSURE,
    },
    "groups": {
        "group": [
            "",
            "A",
            "A",
            "A",
            "B",
            "A,B",
            "B, A",
            "A, C",
            "7",
            "10,A",
            "07",
            ",A,",
            "组",
            "A ,B",
        ],
        "groupOverride": RARELY,
    },
    "weights": {"groupWeight": [100, 100, 50, 1, 0, 300, 33.3, None]},
    "scoring": {"useGroupScoring": UNSURE},
    "timers": {
        "sticky": [None, None, 1, 2, 4, 0],
        "cooldown": [None, None, 1, 2, 3, 5],
        "delay": [None, None, None, None, 1, 2, 5],
    },
    "triggers": {"triggers": [[], [], [], ["normal"], ["swipe", "quiet"], ["normal", "continue"]]},
    "filters": {"characterFilter": FILTERS, "disable": RARELY},
    "sources": {f"match{source}": SELDOM for source in SOURCES},
}
_SWITCH = ["false", "", "0", 0, 1, "true", None]
_TIMER = ["2", "1", True, "", False]
LOOSE: dict[str, list[Any]] = {
    **dict.fromkeys(
        (
            *("constant", "selective", "excludeRecursion", "preventRecursion"),
            *("ignoreBudget", "useProbability"),
        ),
        _SWITCH,
    ),
    **{
        name: ["false", "", 0, 1]
        for name in ("caseSensitive", "matchWholeWords", "useGroupScoring")
    },
    **{
        name: ["false", "", 1]
        for name in ("groupOverride", "matchScenario", "matchPersonaDescription")
    },
    **dict.fromkeys(("sticky", "cooldown", "delay"), _TIMER),
    "disable": ["false", "true", "1", "0", "", 0, 1, 2, None],
    "order": [None, "50", "7", True, ""],
    "selectiveLogic": ["2", "0", 5, -1, "x", True],
    "probability": ["100", "50", "0", True, False],
    "position": ["0", "4", True, False, 8, 1.0, "before"],
    "scanDepth": ["2", "1", True],
    "key": [[5, True, None, 0, False, 1.5], "king", None, {}],
    "keysecondary": [[5, True, None], "king", {}],
    "triggers": ["normal", [1], [None], "swipe"],
    "comment": [7, None],
}
"""What a file may say where the editor would say it otherwise."""
NEEDED = (
    "uid",
    "order",
    "content",
)  # without them a book means nothing, or each browser sorts as it likes
HEADS = (
    "@@activate",
    "@@dont_activate",
    "@@depth 3",
    "@@what",
    "@@@activate",
    "@@@dont_activate",
    "@@activate ",
    "@@activated",
    "@@",
    "@@@",
)


def world(seed: str) -> Case:
    """The case of a seed."""
    return _World(Random(seed)).case(seed)


class _World:
    def __init__(self, dice: Random) -> None:
        self.dice, self.few, self.speech = dice, dice.choice, Speech.of(dice)
        self.lively = [name for name in FEATURES if dice.random() < 0.4]
        self.loose = dice.random() < 0.2  # fields of other types than the editor's
        self.missing = dice.random() < 0.15
        self.headed = dice.random() < 0.25
        self.spoken = dice.random() < 0.3  # macros that keep and decide
        self.user, self.name = self.few(self.speech.names), self.few(self.speech.names)

    def case(self, seed: str) -> Case:
        named, books = {"name": f"live-{seed}", "feature": "live", "fuzz": True}, self._books()
        if self.dice.random() < 0.04:
            return {**named, **foreign(self.dice, self.speech, books[0]["entries"])}
        if self.dice.random() < 0.05:
            chat = self._messages(self.few([0, 1, 2, 6]))
            people = {"user": self._user(), "character": self._character(), "chat": chat}
            return {**named, **macros.asked(self.dice, people)}
        self.uids = [uid for book in books for uid in book["entries"]]
        case = {
            **named,
            "settings": self._settings(),
            "user": self._user(),
            "character": self._character(),
            **(
                {"entries": books[0]["entries"]}
                if len(books) == 1 and books[0]["source"] == "global"
                else {"books": books}
            ),
            "chat": self._messages(
                self.few([0, 1, 2, 3, 6, 9]) if self.dice.random() < 0.995 else 1003
            ),
            "rolls": [
                self.few(
                    [0.0, 0.5, 0.25, 0.1, 0.999, round(self.dice.random(), 3), self.dice.random()]
                )
                for _ in range(200)
            ]
            * 5,  # a deep scan of rivals throws hundreds
        }
        if self.spoken:
            case |= {"variables": macros.variables(self.dice), "now": macros.NOW}
        if self.dice.random() < 0.3:
            return {**case, **self._asked()}
        return {**case, "turns": [self._turn() for _ in range(self.few([1, 2, 3, 5, 8]))]}

    # ── books ──

    def _books(self) -> list[Case]:
        free = iter(self.dice.sample(range(200), 60))
        sources = self.few(
            [
                ["global"],
                ["global"],
                ["global", "global"],
                ["character"],
                ["global", "character", "chat", "persona"],
            ]
        )
        sources = [
            *sources,
            *(self.few(["global", "character"]) for _ in range(self.few([0, 0, 1]))),
        ]
        size = self.few([2, 4, 7, 12]) if len(sources) < 3 else self.few([1, 2, 4])
        return [
            {
                "name": f"{self.few(['b', '书', 'a.b '])}{at}",
                "source": source,
                "entries": self._entries([next(free) for _ in range(size)]),
            }
            for at, source in enumerate(sources)
        ]

    def _entries(self, uids: list[int]) -> Case:
        return {str(uid): self._entry(uid) for uid in sorted(uids)}

    def _entry(self, uid: int) -> Case:
        entry = {
            "uid": uid,
            "key": self._keys([0, 1, 1, 1, 2, 2, 3, 4]),
            "keysecondary": self._keys([0, 0, 0, 1, 2, 3]),
        }
        entry |= {**FRESH, "content": self._content(uid), "displayIndex": uid}
        for feature in self.lively:
            entry |= {field: self.few(values) for field, values in FEATURES[feature].items()}
        if self.loose:
            entry |= self._loosely(entry)
        if self.missing:
            for field in self.dice.sample(sorted(entry), self.few([0, 1, 4, 25])):
                entry = {
                    name: value for name, value in entry.items() if name != field or name in NEEDED
                }
        return entry

    def _loosely(self, entry: Case) -> Case:
        names = self.dice.sample(sorted(LOOSE), self.few([0, 1, 2, 5]))
        said = {name: self.few(LOOSE[name]) for name in names}
        if entry["group"]:  # scores break on keys that are no texts
            said = {name: value for name, value in said.items() if not name.startswith("key")}
        return said

    def _keys(self, how_many: list[int]) -> list[str]:
        return [
            macros.said(self.dice, self.speech.words)
            if self.spoken and self.dice.random() < 0.3
            else self.speech.key()
            for _ in range(self.few(how_many))
        ]

    def _content(self, uid: int) -> str:
        heads = (
            [self.few(HEADS) for _ in range(self.few([0, 0, 1, 1, 2, 3]))] if self.headed else []
        )
        said = self.few(
            [
                self.speech.text(),
                self.speech.text(),
                "",
                f"{self.few(MACROS)} {self.speech.text()}",
                "pad " * self.few([2, 9, 40]),
                *([macros.said(self.dice, self.speech.words)] * 6 if self.spoken else []),
            ]
        )
        return "\n".join(
            [*heads, self.few([f"[{uid}] {said}", f"[{uid}] {said}", f"\n[{uid}]\n{said}\n", said])]
        )

    # ── people and settings ──

    def _user(self) -> Case:
        return {"name": self.user, "description": self._card_text()}

    def _character(self) -> Case:
        texts = {
            name: self._card_text()
            for name in ("description", "personality", "scenario", "depth_prompt", "creator_notes")
        }
        return {
            "name": self.name,
            "file": self.few(["mira", "mira", "bob", "Mira"]),
            "tags": self.few([[], ["t1"], ["t2", "t3"]]),
            **texts,
            **{
                name: self._card_text()
                for name in ("mes_example", "first_mes", "system_prompt", "post_history")
            },
            "alternate_greetings": [self._card_text() for _ in range(self.few([0, 1, 2]))],
            "version": self.few(["", "1.2", "{{char}}"]),
        }

    def _card_text(self) -> str:
        return self.few(
            [
                "",
                self.speech.text(),
                f" {self.speech.text()}\n",
                f"{self.few(MACROS)} {self.speech.text()}",
                "   ",
                *([macros.said(self.dice, self.speech.words)] * 2 if self.spoken else []),
            ]
        )

    def _settings(self) -> Case:
        few, tight = self.few, "budget" in self.lively
        return {
            "world_info_depth": few([0, 1, 2, 2, 2, 3, 3, 4, 4, 6, 99, 1000]),
            "world_info_min_activations": few([0, 0, 0, 2, 5, 30]),
            "world_info_min_activations_depth_max": few([0, 0, 1, 2, 3, 10]),
            "world_info_budget": few([25, 0, 1, 2, 100]) if tight else few([25, 100]),
            "world_info_budget_cap": few([0, 5, 20, 40, 60, 140]) if tight else 0,
            "world_info_include_names": self.dice.random() < 0.5,
            "world_info_recursive": self.dice.random() < 0.6,
            "world_info_case_sensitive": self.dice.random() < 0.3,
            "world_info_match_whole_words": self.dice.random() < 0.5,
            "world_info_use_group_scoring": self.dice.random() < 0.25,
            "world_info_character_strategy": few([0, 1, 2]),
            "world_info_max_recursion_steps": few([0, 0, 0, 1, 2, 3]),
            "max_context": few([8192, 8190, 1000, 250]),
        }

    # ── what happens ──

    def _messages(self, count: int) -> list[Case]:
        return [self._message() for _ in range(count)]

    def _message(self) -> Case:
        is_user = self.dice.random() < 0.5
        name = (
            (self.user if is_user else self.name)
            if self.dice.random() < 0.9
            else self.few(self.speech.names)
        )
        said = (
            self.few(["", " ", "\n", "", ""])
            + self.few([self.speech.text(3), self.speech.text(3), self.speech.text(3), ""])
            + self.few(["", "", " \n"])
        )
        return {
            "name": name,
            "is_user": is_user,
            "mes": said,
            **({"hidden": True} if self.dice.random() < 0.08 else {}),
            **(
                {
                    "send_date": f"2026-11-{self.few([1, 20, 22, 23]):02d}T14:{self.few([10, 50])}:00.000Z"
                }
                if self.spoken
                else {}
            ),
        }

    def _asked(self) -> Case:
        """What may differ from turn to turn."""
        dice, asked = self.dice, Case()
        if "triggers" in self.lively:
            asked["trigger"] = self.few(TRIGGERS)
        if dice.random() < 0.15:
            text = self.few(["", self._card_text(), "note"]).replace(
                "\r", ""
            )  # the field it is typed into knows none
            asked["author_note"] = {"text": text, **({"scan": True} if dice.random() < 0.5 else {})}
        if dice.random() < 0.15:
            asked["scan_injections"] = [self._card_text() for _ in range(self.few([1, 2]))]
        if dice.random() < 0.15:
            asked["force_activate"] = [
                int(uid) for uid in dice.sample(self.uids, min(len(self.uids), self.few([1, 1, 2])))
            ]
        if dice.random() < 0.08 and not self.spoken:  # a preview of ours keeps no variables
            asked["dry_run"] = True
        return asked

    def _turn(self) -> Case:
        turn = {"append": self._messages(self.few([0, 1, 2, 2, 2, 3])), **self._asked()}
        if self.dice.random() < 0.2:
            turn["remove_last"] = self.few([1, 1, 2])
        if self.dice.random() < 0.12:
            turn["edit_entries"] = {self.few(self.uids): self._edit()}
        return turn

    def _edit(self) -> Case:
        feature = FEATURES[self.few(sorted(FEATURES))]
        edited = {field: self.few(values) for field, values in feature.items()}
        return self.few(
            [
                edited,
                {"content": self.speech.text()},
                {"comment": self.few(["", "x"])},
                {"order": 100},
            ]
        )
