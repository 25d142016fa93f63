"""Random books of other programs, and ours for a card: cases of kind `import`."""

from collections.abc import Callable
from random import Random
from typing import Any

from tests.conformance.live.tongues import Speech

Case = dict[str, Any]

LEFT_OUT = object()
SOMETIMES = [False, True, None, LEFT_OUT]
NUMBERS = [0, 1, 4, 100, None, LEFT_OUT]
PLACES = [0, 1, 2, 4, 7, None, LEFT_OUT]
TEXTS = ["", "A", "A, B", None, LEFT_OUT]
EXTENSIONS: dict[str, list[Any]] = {
    **dict.fromkeys(("position", "role"), PLACES),
    **dict.fromkeys(
        (
            "probability",
            "depth",
            "selectiveLogic",
            "display_index",
            "group_weight",
            "scan_depth",
            "sticky",
            "cooldown",
            "delay",
        ),
        NUMBERS,
    ),
    **dict.fromkeys(
        (
            "useProbability",
            "exclude_recursion",
            "prevent_recursion",
            "delay_until_recursion",
            "group_override",
        ),
        SOMETIMES,
    ),
    **dict.fromkeys(
        ("case_sensitive", "match_whole_words", "use_group_scoring", "vectorized", "ignore_budget"),
        SOMETIMES,
    ),
    **dict.fromkeys(
        (
            "match_persona_description",
            "match_scenario",
            "match_creator_notes",
            "match_character_depth_prompt",
        ),
        SOMETIMES,
    ),
    **dict.fromkeys(("group", "outlet_name", "automation_id", "of_another_program"), TEXTS),
    "triggers": [[], ["normal"], LEFT_OUT],
}


def foreign(dice: Random, speech: Speech, native: Case) -> Case:
    """One case; `native` is a book of ours, for the way out."""
    makers: dict[str, Callable[[_Foreign], Case]] = {
        "novelai": _Foreign.novelai,
        "agnai": _Foreign.agnai,
        "risu": _Foreign.risu,
        "character_book": _Foreign.character_book,
        "to_character_book": lambda _: {"entries": native},
    }
    kind = dice.choice([*makers])
    return {"kind": "import", "format": kind, "source": makers[kind](_Foreign(dice, speech))}


class _Foreign:
    def __init__(self, dice: Random, speech: Speech) -> None:
        self.few, self.speech, self.count = dice.choice, speech, range(dice.choice([0, 1, 2, 4]))

    def _keys(self) -> list[str]:
        return [self.speech.key() for _ in range(self.few([0, 1, 2]))]

    def novelai(self) -> Case:
        return {"lorebookVersion": 5, "entries": [self._novelai_entry() for _ in self.count]}

    def _novelai_entry(self) -> Case:
        config = self.few(
            [
                LEFT_OUT,
                {},
                {"budgetPriority": self.few([400, -400, 0])},
                {"prefix": "", "budgetPriority": None},
            ]
        )
        name = self.few(["", "  ", "a lamp", LEFT_OUT])
        return _without(
            text=self.speech.text(),
            keys=self._keys(),
            displayName=name,
            enabled=self.few([True, False]),
            contextConfig=config,
        )

    def agnai(self) -> Case:
        return {
            "kind": "memory",
            "name": "book",
            "entries": [self._agnai_entry() for _ in self.count],
        }

    def _agnai_entry(self) -> Case:
        few = self.few
        numbers = {"priority": few([0, 9]), "weight": few([0, 5, 100])}
        return {
            "name": few(["", "a"]),
            "entry": self.speech.text(),
            "keywords": self._keys(),
            "enabled": few([True, False]),
            **numbers,
        }

    def risu(self) -> Case:
        return {"type": "risu", "ver": 1, "data": [self._risu_entry() for _ in self.count]}

    def _risu_entry(self) -> Case:
        few = self.few
        return _without(
            key=", ".join(self._keys()),
            secondkey=few(["", ",", " a , b ", ",".join(self._keys()), LEFT_OUT]),
            comment=few(["", "a"]),
            content=self.speech.text(),
            insertorder=few([0, 100]),
            alwaysActive=few([True, False]),
            selective=few([True, False]),
            activationPercent=few([LEFT_OUT, LEFT_OUT, 0, 50, 100, None]),
            mode="normal",
        )

    def character_book(self) -> Case:
        return {
            "name": "book",
            "scan_depth": 9,
            "extensions": {},
            "entries": [self._card_entry(at) for at in self.count],
        }

    def _card_entry(self, at: int) -> Case:
        few = self.few
        return _without(
            id=few([at + 5, at + 5, LEFT_OUT]),
            keys=self._keys(),
            secondary_keys=few([self._keys(), LEFT_OUT]),
            comment=few(["", "a", LEFT_OUT]),
            content=self.speech.text(),
            constant=few(SOMETIMES),
            selective=few(SOMETIMES),
            insertion_order=few([0, 100, -5]),
            enabled=few([True, True, False, LEFT_OUT]),
            position=few(["before_char", "after_char", "", LEFT_OUT]),
            use_regex=few([True, False, LEFT_OUT]),
            extensions=few(
                [
                    LEFT_OUT,
                    {},
                    _without(**{name: few(values) for name, values in EXTENSIONS.items()}),
                ]
            ),
        )


def _without(**fields: Any) -> Case:
    return {name: value for name, value in fields.items() if value is not LEFT_OUT}
