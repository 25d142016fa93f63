"""Whom English words mean: I, you, we, a name, "my sister Mei", "she" with one antecedent in the same message.

A person known only by what he is to another ("my sister") has the label of `base.related`; a named one has the name.
"""

from functools import cache
from typing import Final, NamedTuple

from rolememory.learn.statements.base import named, related, shown_as
from rolememory.learn.statements.english_names import name_at, name_behind
from rolememory.learn.statements.english_scene import (
    OWNERS,
    SUBJECTS,
    Gender,
    Kind,
    Owned,
    Scene,
    Who,
)
from rolememory.learn.statements.english_words import Words, lexicon, listed, union

_NOUNS: Final[tuple[tuple[str, str, Kind], ...]] = (
    ("kin", "relation", "person"),
    ("animals", "owns", "animal"),
    ("things", "owns", "thing"),
)
_PLURALS: Final = frozenset({"kids", "children", "folks", "grandkids", "wives", "grandchildren"})
_NO_PLURALS: Final = frozenset({"boss", "sis", "missus"})
_SAID_OF_KIN: Final = frozenset(
    "'s is was works lives has loves hates died passed likes used".split()
)
_IS_BEHIND_S: Final = frozenset(
    "a an the my your not from in called named allergic got been really very so always never also".split()
)


class Found(NamedTuple):
    """Somebody found at a place of a sentence, and where the words for him end."""

    who: Who
    end: int
    company: Who | None = None  # the other of "my wife and I"


def subject(words: Words, at: int, end: int, scene: Scene) -> Found | None:
    """Whom a clause is about that begins here, or None."""
    low = words[at].low if at < end else ""
    if low in ("i", "we"):
        return Found(scene.me, at + 1)
    if low == "you":
        return Found(scene.you, at + 1) if scene.you else None
    if low in SUBJECTS:
        who = scene.meant(
            low, words[at].start, unnamed=words.lows[at + 2 : at + 3] in (["called"], ["named"])
        )
        return Found(who, at + 1) if who else None
    if low == "me" and at + 1 < end and words[at + 1].low == "and":
        other = somebody(words, at + 2, end, scene)
        return Found(scene.me, other.end, other.who) if other else None
    found = somebody(words, at, end, scene) if low else None
    together = found and found.end + 1 < end and words[found.end].low == "and"
    return _company(words, found, end, scene) if found and together else found


def _company(words: Words, first: Found, end: int, scene: Scene) -> Found | None:
    """As in "my wife and I", in a memory "Lin and their wife"; two others together are nobody that a claim could be about."""
    at = first.end + 1
    if words[at].low in ("i", "me", "myself"):
        return Found(scene.me, at + 1, first.who)
    other = owned_at(words, at, end, scene) if scene.told and words[at].low in OWNERS else None
    return Found(first.who, other.end, other.who) if other else None


def somebody(words: Words, at: int, end: int, scene: Scene) -> Found | None:
    """A third that a phrase names: "my sister Mei", a known name, "Mom", a name nobody knows yet."""
    if at >= end:
        return None
    return (
        owned_at(words, at, end, scene)
        or known_at(words, at, end, scene)
        or bare_kin(words, at, end, scene)
        or _stranger(words, at, end, scene)
    )


def known_at(words: Words, at: int, end: int, scene: Scene) -> Found | None:
    """Somebody by a name or alias of the company."""
    if words[at].low == "the" and at + 1 < end and words[at + 1].low == "user":
        return known_at(words, at + 1, end, scene)
    for rest, label in scene.names.get(words[at].low, ()):
        behind = at + 1 + len(rest)
        if (
            behind <= end
            and all(words[at + 1 + n].low == low for n, low in enumerate(rest))
            and not _common_word(words, at)
        ):
            return Found(
                scene.person(label, scene.text[words[at].start : words[behind - 1].end]), behind
            )
    return None


def _common_word(words: Words, at: int) -> bool:
    """As in "will", "may", "rose", where nobody is called."""
    word = words[at]
    return not word.capital and (
        word.low in union("clause_words", "adverbs", "prepositions", "tails")
        or word.low in lexicon().verbs
    )


def owner_at(words: Words, at: int, end: int, scene: Scene) -> Found | None:
    """Whose something is: my, your, her, Lin's."""
    low = words[at].low if at < end else ""
    if low in ("my", "our"):
        return Found(scene.me, at + 1)
    if low == "your":
        return Found(scene.you, at + 1) if scene.you else None
    if low in OWNERS:
        who = scene.meant(low, words[at].start, unnamed=words.lows[at + 1 : at + 2] == ["name"])
        return Found(who, at + 1) if who else None
    if not low or "'s" not in words.lows:
        return None
    holder = known_at(words, at, end, scene) or _stranger(words, at, end, scene)
    if (
        holder
        and holder.end + 1 < end
        and words[holder.end].low == "'s"
        and not _is_is(words, holder.end + 1)
    ):
        return Found(holder.who, holder.end + 1)
    return None


def _is_is(words: Words, at: int) -> bool:
    """Whether 's before this word is "is": "Mei's my sister", "Mei's a doctor"."""
    low = words[at].low
    form = lexicon().verbs.get(low)
    return low in _IS_BEHIND_S or low[0].isdigit() or bool(form and form.form == "ing")


def owned_at(words: Words, at: int, end: int, scene: Scene) -> Found | None:
    """As in "my little sister Mei", "Lin's dog Rex", "your brother"; nobody's of nobody's ("my sister's friend")."""
    return owned_by(owner_at(words, at, end, scene), words, end, scene)


def owned_by(owner: Found | None, words: Words, end: int, scene: Scene) -> Found | None:
    """The kin, animal or thing of an owner whose words end where its own begin."""
    if (
        not owner
        or owner.end >= end
        or owner.who.kind != "person"
        or (owner.who.owned and not owner.who.owned.name)
    ):
        return None
    for name, attribute, kind in _NOUNS:
        first = _past_adjectives(words, owner.end, end, name)
        if first is not None:
            return _owned(words, owner, first, end, scene, name, attribute, kind)
    return None


def _past_adjectives(words: Words, at: int, end: int, name: str) -> int | None:
    """Where the noun of a list begins, behind at most three adjectives; one of them may be any word."""
    for place in range(at, min(at + 4, end)):
        length = lexicon()[name].at(words, place, end)
        if length and not (
            place + length < end
            and listed("kin_adjectives", words.lows[place])
            and lexicon()[name].at(words, place + length, end)
        ):
            return place  # "kid" in "my kid sister" is an adjective
        low = words[place].low
        if (
            not low[0].isalpha()
            or low in union("prepositions", "clause_words")
            or (place > at and not listed("kin_adjectives", low))
        ):
            return None
    return None


def _owned(
    words: Words,
    owner: Found,
    first: int,
    end: int,
    scene: Scene,
    name: str,
    attribute: str,
    kind: Kind,
) -> Found | None:
    behind = first + lexicon()[name].at(words, first, end)
    spelt = " ".join(word.low for word in words[first:behind])
    if not _ends_here(words, behind, end):
        return None
    about = lexicon().kin[spelt] if name == "kin" else spelt
    plural = attribute == "relation" and (
        spelt in _PLURALS or (spelt.endswith("s") and spelt not in _NO_PLURALS)
    )
    called = None if plural else name_behind(words, behind, end, scene)
    ties = Owned(owner.who, attribute, about, called.name if called else "")
    if called:
        label = named(called.name, scene.speaker)
        return Found(
            Who(label, scene.person(label, called.name).shown, kind=kind, owned=ties), called.end
        )
    phrase = scene.text[words[owner.end].start : words[behind - 1].end]
    label = related(owner.who.shown, spelt if plural else about, "en")
    return Found(
        Who(label, f"{owner.who.shown}'s {phrase}", plural=plural, kind=kind, owned=ties), behind
    )


def _ends_here(words: Words, at: int, end: int) -> bool:
    """Whether a noun ends here: not "my mother tongue", "my boss fight"."""
    if at >= end or not words[at].low[0].isalpha() or words[at].capital:
        return True
    low = words[at].low
    ends = union(
        "clause_words",
        "prepositions",
        "adverbs",
        "tails",
        "hedges",
        "determiners",
        "weekdays",
        "units",
        "noun_ends",
    )
    return low in ends or low in lexicon().verbs


def bare_kin(words: Words, at: int, end: int, scene: Scene) -> Found | None:
    """As in "Mom lives in Rome": the speaker's own; not "Mom, I live in Rome"."""
    word, behind = words[at], words[at + 1] if at + 1 < end else None
    if scene.told or not listed("kin_bare", word.low) or not _ends_here(words, at + 1, end):
        return None
    if not word.capital and (
        behind is None
        or behind.low not in _SAID_OF_KIN
        or (at and words.lows[at - 1] not in (",", "and", ";"))
    ):
        return None
    if behind and (behind.capital or behind.low in (",", "you", "i")):
        return None
    about = lexicon().kin[word.low]
    label = related(scene.me.shown, about, "en")
    return Found(
        Who(label, f"{scene.me.shown}'s {word.low}", owned=Owned(scene.me, "relation", about)),
        at + 1,
    )


def _stranger(words: Words, at: int, end: int, scene: Scene) -> Found | None:
    """A capitalised name that nobody introduced. In a memory it may be the one the memory is about."""
    found = name_at(words, at, end, scene)
    if not found or not may_be_stranger(words[at].low):
        return None
    if scene.told and _unnamed(scene, found.name):
        return Found(Who(scene.me.label, found.name), found.end)
    met = next(
        (third.who for third in scene.thirds if third.who and third.who.label == found.name), None
    )
    return Found(met or Who(found.name, found.name, known=False), found.end)


def _unnamed(scene: Scene, name: str) -> bool:
    """Whether a memory's subject has no name of its own here, so that a name at the head of the sentence is his."""
    label = scene.me.label
    return scene.me.shown == shown_as(label, {}, "en") and label in ("", "user", name)


def may_be_stranger(low: str) -> bool:
    """Whether a capitalised word may be the name of a person nobody knows yet."""
    return low not in _no_strangers()


@cache
def _no_strangers() -> frozenset[str]:
    return union(*_NO_STRANGERS) | lexicon().verbs.keys()


_NO_STRANGERS: Final = (
    "openers", "clause_words", "determiners", "prepositions", "adverbs", "animals", "things", "jobs", "no_values", "nationalities",
    "languages", "beliefs", "vague", "health", "degrees", "diets", "marital", "months", "weekdays", "seasons", "no_strangers", "kin",
)  # fmt: skip


def gender_of(about: str) -> Gender:
    """The pronoun of a relation.

    >>> gender_of("sister"), gender_of("boss")
    ('she', '')
    """
    return "she" if listed("kin_she", about) else "he" if listed("kin_he", about) else ""
