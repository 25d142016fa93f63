"""The verb of a clause with all that bends it: "don't really like", "used to live", "has been working", "will".

A group is read once and can be said again of a third person.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from rolememory.learn.statements.english_words import Verb, Words, base, lexicon, listed, third

Tense = Literal["present", "past", "perfect", "progressive", "future", "former", "can", "unreal"]
Part = Literal["be", "have", "do", "not", "adverb", "main", "word"]
LASTING: Final[tuple[Tense, ...]] = ("present", "perfect", "progressive", "former")
PAST: Final[tuple[Tense, ...]] = ("past", "perfect")
UNSURE: Final = 0.6  # "I think", "maybe"

_BE: Final[dict[str, Tense]] = {
    "am": "present",
    "is": "present",
    "are": "present",
    "'s": "present",
    "was": "past",
    "were": "past",
}
_UNREAL: Final = frozenset({"would", "could", "should", "might", "may", "must", "ought", "'d"})
_ONES: Final = {"am": "is", "are": "is", "'s": "is", "were": "was", "have": "has", "do": "does"}
_MANY: Final = {"am": "are", "'s": "are", "is": "are", "has": "have", "does": "do", "was": "were"}
_NO_PARTICIPLES: Final = frozenset(
    "willing loving caring boring charming outgoing understanding interesting".split()
)
_PERFECT_S: Final = frozenset("been got had lived worked become moved always".split())
_NEVER_VERBS: Final = frozenset(
    "and or but of for with in on at to from by the a an my your his her their our this that who which what it him them me us than as".split()
)


@dataclass(slots=True)
class Group:
    """What a verb group says. `said` keeps its words, each with the part it plays."""

    lemma: str = ""
    tense: Tense = "present"
    negated: bool = False
    ceased: bool = False  # "no longer"
    certainty: float = 1.0
    end: int = 0  # where its words end
    wishes: bool = False  # "would", "'d": fit for "would love to"
    third: bool = False  # its main verb stands in the third person: "lives"
    ongoing: bool = False  # "is working", "has been working"
    lasting: bool = False  # "have hated since": it still holds, and may be told in the present
    finite: bool = False  # an auxiliary carries the tense
    said: list[tuple[Part, str]] = field(default_factory=list)


def group_at(words: Words, at: int, end: int) -> Group | None:
    """The verb group that begins here; None where no finite verb does, or where it says next to nothing ("hardly", "have to").

    >>> from rolememory.learn.statements.english_words import words_of
    >>> group = group_at(found := words_of("don't really like tea"), 0, len(found))
    >>> (group.lemma, group.negated, group.end, spoken_of(group))
    ('like', True, 4, 'does not like')
    """
    group, place = Group(), at
    while place < end:
        taken = _beside(words, place, end, group) or _auxiliary(words, place, end, group)
        if taken is None:
            return _main(words, place, group)
        if taken < 0:
            return None
        place += taken
        if group.lemma:
            group.end = place
            return group
    return None


def _beside(words: Words, at: int, end: int, group: Group) -> int:
    """Adverbs and negations: how many words of them stand here; -1 = the group says next to nothing."""
    low = words[at].low
    if low in ("not", "never"):
        group.negated = True
        group.said.append(("not" if low == "not" else "adverb", low))
        return 1
    if low == "no" and at + 1 < end and words[at + 1].low == "longer":
        group.negated = group.ceased = True
        group.said.append(("adverb", "no longer"))
        return 2
    return _adverb(words, at, end, group)


def _adverb(words: Words, at: int, end: int, group: Group) -> int:
    low = words[at].low
    if low == "even" or listed("adverbs_weak", low):
        return -1
    if low in ("kind", "sort") and at + 1 < end and words[at + 1].low == "of":
        return 2
    if low != "guess" and listed("hedges", low):
        group.certainty = UNSURE
    elif listed("adverbs_kept", low):
        group.said.append(("adverb", low))
    elif not listed("adverbs", low):
        return 0
    return 1


def _auxiliary(words: Words, at: int, end: int, group: Group) -> int | None:
    """Reads one auxiliary into the group: how many words it takes; None = this is the main verb, -1 = nothing is claimed."""
    low = words[at].low
    if low in _BE or (low in ("be", "been") and group.finite):
        return _be(words, at, end, group)
    if low in ("have", "has", "had"):
        return _have(words, at, end, group)
    if low == "got" and at + 1 < end and words[at + 1].low == "to":
        return -1
    return None if group.finite else _modal(words, at, end, group)


def _modal(words: Words, at: int, end: int, group: Group) -> int | None:
    low, more = words[at].low, words[at + 1].low if at + 1 < end else ""
    if low in ("will", "shall"):
        return _carried(group, "future", "word", "will")
    if low == "can":
        return _carried(group, "can", "word", "can")
    if low == "used" and more == "to":
        return _carried(group, "former", "word", "used to") + 1
    if low in ("do", "does", "did") and (
        more == "not" or _is_base(words, _next(words, at + 1, end), end)
    ):
        return _carried(group, "past" if low == "did" else "present", "do", low)
    return _unreal(words, at, end, group) if low in _UNREAL else None


def _carried(group: Group, tense: Tense, part: Part, said: str) -> int:
    """An auxiliary that carries the tense."""
    if not group.finite:
        group.tense, group.finite = tense, True
    group.said.append((part, said))
    return 1


def _unreal(words: Words, at: int, end: int, group: Group) -> int:
    behind = _next(words, at + 1, end)
    if (
        words[at].low == "'d"
        and _is_participle(words, behind, end)
        and not _is_base(words, behind, end)
    ):
        return _carried(group, "past", "word", "had")
    group.wishes = words[at].low in ("would", "'d")
    return _carried(group, "unreal", "word", "would" if group.wishes else words[at].low)


def _be(words: Words, at: int, end: int, group: Group) -> int:
    low, behind = words[at].low, _next(words, at + 1, end)
    follows = words[behind].low if behind < end else ""
    if low == "'s" and follows in _PERFECT_S:
        return _have(words, at, end, group) or 0
    _carried(group, _BE.get(low, "present"), "be", low)
    if (
        follows == "going"
        and behind + 1 < end
        and words[behind + 1].low == "to"
        and _is_base(words, behind + 2, end)
    ):
        return _going_to(words, at, behind, end, group)
    form = lexicon().verbs.get(follows)
    if form and form.form == "ing" and follows not in _NO_PARTICIPLES:
        return _progressive(words, at, behind, end, group)
    group.lemma = "be"
    return 1 + _all_beside(words, at + 1, behind, end, group)


def _going_to(words: Words, at: int, going: int, end: int, group: Group) -> int:
    if group.tense != "present":
        return -1
    group.tense = "future"
    _all_beside(words, at + 1, going, end, group)
    group.said.append(("word", "going to"))
    return going + 2 - at


def _progressive(words: Words, at: int, verb: int, end: int, group: Group) -> int:
    _all_beside(words, at + 1, verb, end, group)
    group.lemma, group.ongoing = lexicon().verbs[words[verb].low].lemma, True
    group.said.append(("word", words[verb].low))
    if group.tense == "present":
        group.tense = "progressive"
    return verb + 1 - at


def _all_beside(words: Words, at: int, until: int, end: int, group: Group) -> int:
    """Adverbs between an auxiliary and what follows; how many words."""
    place = at
    while place < until:
        place += max(_beside(words, place, end, group), 1)
    return place - at


def _have(words: Words, at: int, end: int, group: Group) -> int | None:
    low, behind = words[at].low, _next(words, at + 1, end)
    follows = words[behind].low if behind < end else ""
    if follows == "to" or (follows == "got" and behind + 1 < end and words[behind + 1].low == "to"):
        return -1
    if follows == "got" and low != "had" and behind + 1 < end:
        _all_beside(words, at + 1, behind, end, group)
        return _had(group, behind + 1 - at)
    if _is_participle(words, behind, end):
        return _carried(
            group, "past" if low == "had" else "perfect", "have", "have" if low == "'s" else low
        )
    if group.finite:
        return None
    return _had(group, 1, past=low == "had")


def _had(group: Group, taken: int, *, past: bool = False) -> int:
    """The word "have" as the main verb."""
    group.lemma, group.tense = "have", "past" if past else group.tense
    group.said.append(("word", "had") if past else ("main", "have"))
    return taken


def _next(words: Words, at: int, end: int) -> int:
    """The next word that is no adverb or negation."""
    while at < end and (
        words[at].low in ("not", "never")
        or listed("adverbs", words[at].low)
        or listed("hedges", words[at].low)
    ):
        at += 1
    return at


def _is_base(words: Words, at: int, end: int) -> bool:
    return at < end and words[at].low in lexicon().bases


def _is_participle(words: Words, at: int, end: int) -> bool:
    return at < end and words[at].low in lexicon().participles


def _main(words: Words, at: int, group: Group) -> Group | None:
    """The main verb: a form that we know, or an unknown word where a verb must stand."""
    low = words[at].low
    if not low.replace("-", "").isalpha() or low in _NEVER_VERBS:
        return None
    form = lexicon().verbs.get(low)
    if not group.finite:
        form = form or _guessed(low)
        if form.form in ("ing", "part"):
            return None
        group.tense, group.third = "past" if form.form == "past" else "present", form.form == "s"
    group.lemma = form.lemma if form else low
    present = not group.finite and group.tense == "present"
    group.said.append(("main", group.lemma) if present else ("word", low))
    group.end = at + 1
    return group


def _guessed(low: str) -> Verb:
    if low.endswith("s") and not low.endswith("ss"):
        return Verb(base(low), "s")
    return Verb(low, "past" if low.endswith("ed") else "base")


def spoken_of(group: Group, *, plural: bool = False) -> str:
    """The group as said of a third person, or of several.

    >>> from rolememory.learn.statements.english_words import words_of
    >>> [spoken_of(group_at(found := words_of(said), 0, len(found))) for said in ("am", "have lived", "won't go", "can't swim", "was")]
    ['is', 'has lived', 'will not go', 'cannot swim', 'was']
    """
    return _joined(_many(part, low) if plural else _one(part, low) for part, low in group.said)


def _joined(parts: Iterable[str]) -> str:
    return " ".join(parts).replace("can not", "cannot")


def _one(part: Part, low: str) -> str:
    if part == "main":
        return third(low)
    return _ONES.get(low, low) if part in ("be", "have", "do") else low


def _many(part: Part, low: str) -> str:
    return _MANY.get(low, low) if part in ("be", "have", "do") else low


def now(group: Group) -> Group:
    """The same verb in the present: what "has hated" is without "since"."""
    if group.lemma == "be":
        return replace(group, said=[("be", "is")])
    return replace(group, said=[("main", group.lemma)])


def denying(group: Group) -> Group:
    """The same verb with "not": what "I don't think ..." says of it."""
    first, *rest = group.said
    if first[0] in ("be", "have", "do") or (first[0] == "word" and rest):
        return replace(group, said=[first, ("not", "not"), *rest])
    if group.tense == "present":
        words: list[tuple[Part, str]] = [
            ("word", low) if part == "main" else (part, low) for part, low in group.said
        ]
        return replace(group, said=[("do", "do"), ("not", "not"), *words])
    return replace(group, said=[("word", "did"), ("not", "not"), ("word", group.lemma)])
