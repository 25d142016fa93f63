"""Whom the words of a Chinese clause mean: 我, 你弟弟, 小梅, 我老板的猫, 她 where only one person can be meant."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Literal

from rolememory.learn.statements.base import Speaker, names_of, related, shown_as
from rolememory.learn.statements.chinese_names import GOES_ON, names
from rolememory.learn.statements.chinese_text import Plain
from rolememory.learn.statements.chinese_words import lexicon, longest_first, simple

Person = Literal[
    "me", "we", "you", "third", "told", "pet", "nobody"
]  # told: whom a sentence in the third person is about


@dataclass(frozen=True, slots=True)
class Who:
    """Somebody, or somebody's animal."""

    label: str  # subject of claims; of an animal, its owner's
    shown: str  # how a sentence names him
    person: Person
    kin: str = ""  # what he is to `owner`: 妹妹; of an animal, its kind
    owner: "Who | None" = None
    named: bool = False  # whether his name, or the animal's, is told

    @property
    def known(self) -> bool:
        """Whether claims may be made about him."""
        return self.person != "nobody"


NOBODY = Who("", "", "nobody")
"""Somebody is meant, and we cannot tell who."""


@dataclass(slots=True)
class Scene:
    """Who is there while a text is read. Grows with the people the text speaks of."""

    me: Who
    you: Who
    names: dict[str, Who] = field(default_factory=dict)  # name as rules read it, in lower case
    initials: set[str] = field(default_factory=set)  # first characters of those names
    relatives: dict[tuple[str, str], Who] = field(
        default_factory=dict
    )  # (label of whom, 妹妹) -> who that is
    thirds: dict[str, Who] = field(default_factory=dict)  # label -> third persons spoken of
    guess: str | None = None  # third-person sentences: the label of whom a name nobody knows means

    def with_name(self, name: str, who: Who) -> None:
        """From here on the name means that person."""
        if read := _as_read(name):
            self.names.setdefault(read, who)
            self.initials.add(read[0])

    def meet(self, who: Who) -> Who:
        """Remember a third person for 他 and 她."""
        if who.person == "third":
            self.thirds[who.label] = who
        return who

    def of_kin(self, owner: Who, kin: str) -> Who:
        """Somebody's relative: by name where the text told it."""
        known = self.relatives.get((owner.label, kin))
        if known:
            return self.meet(known)
        label = related(owner.shown, kin, "zh")
        return self.meet(Who(label, label, "third", kin, owner))

    def introduce(self, owner: Who, kin: str, name: str) -> Who:
        """A relative whose name is told now."""
        who = self.names.get(_as_read(name)) or Who(name, name, "third")
        who = Who(who.label, who.shown, who.person, kin, owner, named=True)
        self.relatives[owner.label, kin] = who
        self.thirds.pop(related(owner.shown, kin, "zh"), None)
        self.with_name(name, who)
        return self.meet(who)

    def pronoun(self, word: str) -> Who:
        """他 or 她: the only third person whom it fits."""
        fits = [who for who in self.thirds.values() if _may_be(word, who.kin)]
        return fits[0] if len(fits) == 1 else NOBODY


@lru_cache(maxsize=1024)
def _as_read(name: str) -> str:
    """A name as it stands in a text that rules read, in lower case."""
    return simple(name).casefold()


def _may_be(word: str, kin: str) -> bool:
    male, female = _sexes()
    return word != "它" and kin not in (female if word == "他" else male)


def is_family(kin: str) -> bool:
    """Whether somebody is a relative or partner, not merely a friend."""
    return any(kin in words for words in _sexes())


@cache
def _sexes() -> tuple[frozenset[str], frozenset[str]]:
    words = lexicon().words
    return frozenset(words("male")), frozenset(words("female"))


def scene(speaker: Speaker) -> Scene:
    """Who is there when this speaker speaks."""
    shown = speaker.shown
    me = Who(speaker.me, shown_as(speaker.me, shown, "zh"), "me")
    you = (
        NOBODY
        if speaker.you is None
        else Who(speaker.you, shown_as(speaker.you, shown, "zh"), "you")
    )
    here = Scene(me, you)
    for name, label in {**_names_of(shown), **speaker.names}.items():
        here.with_name(name, _person(label, me, you, shown))
    return here


def _names_of(shown: Mapping[str, str]) -> Mapping[str, str]:
    return _names_shown(tuple(shown.items()))


@lru_cache(maxsize=256)
def _names_shown(shown: tuple[tuple[str, str], ...]) -> Mapping[str, str]:
    return names_of(dict(shown))


def told_scene(subject: str, shown: Mapping[str, str]) -> Scene:
    """Who is there in third-person sentences: nobody says "I"."""
    here = Scene(NOBODY, NOBODY, guess=subject)
    for name, label in _names_of(shown).items():
        here.with_name(
            name, Who(label, shown_as(label, shown, "zh"), "told" if label == subject else "third")
        )
    if subject not in _names_of(shown).values():
        here.with_name(
            shown_as(subject, shown, "zh"), Who(subject, shown_as(subject, shown, "zh"), "told")
        )
    return here


def _person(label: str, me: Who, you: Who, shown: Mapping[str, str]) -> Who:
    if label == me.label:
        return me
    return (
        you
        if you.known and label == you.label
        else Who(label, shown_as(label, shown, "zh"), "third", named=True)
    )


@dataclass(frozen=True, slots=True)
class _Patterns:
    pronoun: re.Pattern[str]
    kin: re.Pattern[str]
    pet: re.Pattern[str]
    pet_goes_on: re.Pattern[str]


@cache
def _patterns() -> _Patterns:
    lex = lexicon()
    me, you, we = (lex.any_of(name) for name in ("me", "you", "we"))
    return _Patterns(
        re.compile(
            rf"(?P<we>{we})|(?P<they>你们|他们|她们|它们|大家|人家(?![不也才最就超好真想喜讨怕爱今叫]))|(?!{lex.any_of('not_me')})(?P<me>{me})(?!们|俩)"
            rf"|(?P<you>{you})|(?P<he>[他她])"
        ),
        re.compile(
            rf"(?:的|家的?|家里的?|这个|那个|那位)?(?!{lex.any_of('not_kin')})"
            rf"(?P<kin>{'|'.join(longest_first(lex.kin))})(?!们|节|情|姐|妹|弟)"
        ),
        re.compile(
            rf"(?:(?:的那?|家里?的?|家养的|养的)[那这]?[只条匹]?(?P<pet>{lex.any_of('pets')})|的[那这]?[把艘辆家]?(?P<thing>{lex.any_of('things')})(?=名?叫|名字|名为)"
            "|(?P<mine>猫猫|狗狗|猫咪|狗子|猫|狗))"
        ),
        re.compile(f"[{GOES_ON}]|$"),
    )


def subject_at(source: Plain, start: int, end: int, here: Scene) -> tuple[Who | None, int]:
    """Who is named at `start`, with the chain of possession that follows, and where the words for him end, at most at `end`.

    None where nobody is named there; NOBODY where somebody is whom we do not know.
    """
    who, place = _person_at(source, start, end, here)
    return (None, start) if who is None else chain(source, place, end, who, here)


def chain(source: Plain, place: int, end: int, who: Who, here: Scene) -> tuple[Who, int]:
    """Whom 的妹妹, 家的猫 behind somebody lead to."""
    while who.person in ("me", "we", "you", "third", "told"):
        following, behind = _possessed(source, place, end, who, here)
        if following is None:
            break
        who, place = following, behind
    return who, place


def whole(source: Plain, start: int, end: int, here: Scene) -> Who | None:
    """Whom a stretch of text means if it is nothing but the words for somebody."""
    who, place = subject_at(source, start, end, here)
    return who if who is not None and who.known and place == end else None


def _person_at(source: Plain, start: int, end: int, here: Scene) -> tuple[Who | None, int]:
    if found := known_at(source.text, start, end, here):
        return here.meet(found[0]), found[1]
    if pronoun := _patterns().pronoun.match(source.text, start, end):
        return _meant(pronoun, here), pronoun.end()
    if like := names().alone.match(source.text, start, end):
        name = source.said(start, like.end())
        return here.meet(Who(name, name, "third", named=True)), like.end()
    return None, start


def known_at(text: str, start: int, end: int, here: Scene) -> tuple[Who, int] | None:
    """Who is named at this place by a name that is known, and where it ends."""
    if text[start : start + 1].casefold() not in here.initials:
        return None
    ahead = text[start : min(start + 40, end)].casefold()
    names = [
        name for name in here.names if ahead.startswith(name) and not _inside_a_word(ahead, name)
    ]
    if not names:
        return None
    name = max(names, key=len)
    return here.names[name], start + len(name)


def _inside_a_word(ahead: str, name: str) -> bool:
    """Whether a Latin name is only the beginning of a longer word."""
    behind = ahead[len(name) : len(name) + 1]
    return name[-1].isascii() and behind.isascii() and behind.isalpha()


def _meant(found: re.Match[str], here: Scene) -> Who:
    if found["we"] and here.me.known:
        return Who(here.me.label, here.me.shown, "we")
    if found["me"]:
        return here.me
    if found["you"]:
        return here.you
    return here.pronoun(found["he"]) if found["he"] else NOBODY


def _possessed(
    source: Plain, place: int, end: int, owner: Who, here: Scene
) -> tuple[Who | None, int]:
    """The relative or animal of somebody that is named next."""
    patterns = _patterns()
    if found := patterns.kin.match(source.text, place, end):
        return _relative(source, found.end(), end, owner, lexicon().kin[found["kin"]], here)
    if found := patterns.pet.match(source.text, place, end):
        return _animal(
            source, found.end(), end, owner, found["pet"] or found["thing"] or found["mine"]
        )
    return None, place


def _relative(
    source: Plain, place: int, end: int, owner: Who, kin: str, here: Scene
) -> tuple[Who, int]:
    named = known_at(source.text, place, end, here)
    like = None if named else names().beside.match(source.text, place, end)
    behind = named[1] if named else like.end() if like else place
    if behind > place:
        return here.introduce(owner, kin, source.said(place, behind)), behind
    return here.of_kin(owner, kin), place


def _animal(source: Plain, place: int, end: int, owner: Who, kind: str) -> tuple[Who | None, int]:
    """An animal; its name, where it is told, stands as what it is shown by."""
    if named := names().beside.match(source.text, place, end):
        return Who(
            owner.label, source.said(place, named.end()), "pet", kind, owner, named=True
        ), named.end()
    if _patterns().pet_goes_on.match(source.text, place, end):
        return Who(owner.label, "", "pet", kind, owner), place
    return None, place
