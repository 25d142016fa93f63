"""Who may be meant in a message: the one who speaks, the one spoken to, and the thirds that it has named so far."""

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from rolememory.learn.statements.base import Speaker, shown_as
from rolememory.learn.statements.english_words import Words, words_of

Gender = Literal["she", "he", ""]
Kind = Literal["person", "animal", "thing"]
ME: Final = frozenset({"i", "me", "my", "mine", "myself", "we", "us", "our", "ours", "ourselves"})
YOU: Final = frozenset({"you", "your", "yours", "yourself"})
SUBJECTS: Final = frozenset({"he", "she", "they", "it"})
OWNERS: Final = frozenset({"his", "her", "their", "its"})
_CAPITAL: Final = re.compile("[A-ZÀ-ÖØ-Þ]")
_GENDERS: Final[dict[str, Gender]] = {"she": "she", "her": "she", "he": "he", "his": "he"}


@dataclass(frozen=True, slots=True)
class Owned:
    """What makes a third part of somebody's life: the relation or possession that a phrase takes for granted."""

    owner: "Who"
    attribute: str  # "relation", "owns"
    about: str  # "sister", "dog"
    name: str = ""

    def phrase(self, owner: str = "") -> str:
        """As in "Lin's sister Mei"; or "their sister Mei"."""
        return f"{owner or self.owner.shown + chr(39) + 's'} {self.about} {self.name}".strip()


@dataclass(frozen=True, slots=True)
class Who:
    """Somebody a sentence speaks of."""

    label: str  # subject of a claim
    shown: str  # as `content` names him
    person: Literal["me", "you", "third"] = "third"
    plural: bool = False  # "my parents": the verb stays as it is
    known: bool = True  # false: a bare name that nobody introduced
    kind: Kind = "person"
    owned: Owned | None = None


NOBODY: Final = Who("", "", known=False)


class Third(NamedTuple):
    """Somebody mentioned; `who` is None for one who cannot be told apart ("a girl")."""

    place: int  # in characters
    who: Who | None
    gender: Gender


@dataclass(slots=True)
class Scene:
    """What one voice says, read from its beginning to its end."""

    speaker: Speaker
    text: str
    told: bool = False  # a stored sentence in the third person, not speech
    certainty: float = 1.0
    thirds: list[Third] = field(default_factory=list)
    names: dict[str, list[tuple[list[str], str]]] = field(
        default_factory=dict
    )  # first word of a name -> its other words, its label
    christened: dict[str, Who] = field(default_factory=dict)  # label so far -> who it is by name
    topic: tuple[str, tuple[int, int], Who] | None = (
        None  # what "it" takes up: "my name is not Alan, it's Al"
    )
    topic_words: Words | None = None  # the sentence it stands in
    me: Who = field(init=False)
    you: Who | None = field(init=False)
    shouts: bool = field(init=False)  # capital letters tell no names
    capitals: bool = field(init=False)  # there are capital letters at all

    def __post_init__(self) -> None:
        self.me = Who(
            self.speaker.me,
            shown_as(self.speaker.me, self.speaker.shown, "en"),
            "third" if self.told else "me",
        )
        you = self.speaker.you
        self.you = None if you is None else Who(you, shown_as(you, self.speaker.shown, "en"), "you")
        sample = self.text[:400]
        capitals = len(_CAPITAL.findall(sample))
        self.shouts = capitals * 4 > len(sample) and capitals * 2 > sum(map(str.isalpha, sample))
        self.capitals = capitals > 0
        for name, label in self.speaker.names.items():
            first, *rest = _name_words(name)
            self.names.setdefault(first, []).append((rest, label))
        if self.told:
            self.meet(-1, self.me)

    def meet(self, place: int, who: Who | None, gender: Gender = "") -> None:
        """Somebody is mentioned at a place of the text."""
        if who is None or all(who.label != other.who.label for other in self.thirds if other.who):
            self.thirds.append(Third(place, who, gender))

    def christen(self, ties: Owned, name: str, label: str) -> None:
        """Somebody who was "my sister" so far has a name from here on."""
        self.thirds = [third for third in self.thirds if not third.who or third.who.label != label]
        for at, third in enumerate(self.thirds):
            if (
                third.who
                and third.who.owned
                and not third.who.owned.name
                and third.who.owned == replace(ties, name="")
            ):
                named = replace(
                    third.who,
                    label=label,
                    shown=self.person(label, name).shown,
                    owned=replace(ties, name=name),
                )
                self.thirds[at] = third._replace(who=named)
                self.christened[third.who.label] = named

    def meant(self, pronoun: str, place: int, *, unnamed: bool = False) -> Who | None:
        """Whom "she" means at a place: the only third before it whom it fits; `unnamed`: who is being given a name."""
        things = pronoun in ("it", "its")
        fitting = [
            third.who
            for third in self.thirds
            if third.place < place and _fits(third, _GENDERS.get(pronoun, ""), things)
        ]
        if unnamed and len(fitting) > 1:
            fitting = [who for who in fitting if who and who.owned and not who.owned.name]
        return fitting[0] if len(fitting) == 1 else None

    def person(self, label: str, raw: str = "") -> Who:
        """The one with this label, shown by the name of the company, else by the words that stand there."""
        if label == self.me.label:
            return self.me
        if self.you and label == self.you.label:
            return Who(label, self.you.shown)
        shown = shown_as(label, self.speaker.shown, "en")
        return Who(
            label, shown if label in self.speaker.shown or label in ("", "user") else raw or shown
        )


@lru_cache(maxsize=4096)
def _name_words(name: str) -> tuple[str, ...]:
    return tuple(words_of(name).lows) or ("",)


def _fits(third: Third, asked: Gender, things: bool) -> bool:
    if things:
        return third.who is not None and third.who.kind != "person"
    if third.who and (third.who.kind == "thing" or third.who.plural):
        return False
    return not (third.gender and asked and third.gender != asked)
