"""Whether two statements can both hold, judged by what rules read in them: attribute by attribute."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Final

from rolememory.learn.reconcile.by_words import covers, restates
from rolememory.learn.reconcile.lexicon import base, lexicon, units
from rolememory.learn.reconcile.reading import Statement, read
from rolememory.schema.claims import ATTRIBUTES, USER, Claim
from rolememory.schema.memory import MemoryType
from rolememory.text.fold import fold, folded_key

SAME: Final = "same"
_SURE = 0.5  # a less certain claim outdates nothing
_MOST = 0.5  # share of a text that must be outdated before the text is
_ALL = 0.8  # share of a text that its claims must cover before they stand for it
_MANY = frozenset(
    {"diet", "origin"}
)  # more than one may hold: born here and come from there, no meat and no milk
_WORK = frozenset(
    {"job", "employer", "study"}
)  # leaving one for the other: "I left the bank to study law"
"""What is told later in one of these may name a former value of another."""


@dataclass(frozen=True, slots=True)
class Claims:
    """The claims of one text, and how much of the text they are, 0..1."""

    each: tuple[Claim, ...] = ()
    covered: float = 0.0

    @classmethod
    def of(cls, claims: Sequence[Claim], content: str) -> "Claims":
        """Claims of that content; one whose own sentence it is covers all of it."""
        if not claims:
            return cls()
        if any(claim.content == content for claim in claims):
            return cls(tuple(claims), 1.0)
        said = sum(len(quote) for quote in {claim.quote for claim in claims})
        return cls(tuple(claims), min(said / max(len(content.strip()), 1), 1.0))


def relation(earlier: Claims, later: Claims) -> str | None:
    """SAME, how they clash, or None. Cost: O(claims of both).

    A text that says more than one thing is outdated once most of it is, and restated only where all of it is.
    """
    outcomes = {old: [compare(old, new) for new in later.each] for old in earlier.each}
    clashing = [
        next(one for one in found if one and one != SAME)
        for found in outcomes.values()
        if any(one and one != SAME for one in found)
    ]
    if clashing and earlier.covered >= _MOST and len(clashing) >= _MOST * len(earlier.each):
        return clashing[0]
    if (
        not clashing
        and outcomes
        and earlier.covered >= _ALL
        and all(SAME in found for found in outcomes.values())
    ):
        return SAME
    return None


def compare(earlier: Claim, later: Claim) -> str | None:
    """SAME, how the later claim clashes with the earlier one, or None where both may hold."""
    earlier, later = _plain(earlier), _plain(later)
    if _label(earlier.subject) != _label(later.subject):
        return None
    if earlier.attribute != later.attribute:
        return _across(earlier, later)
    if _meaning(earlier.about) != _meaning(later.about):
        return None
    if earlier.holds and later.holds:
        return _both_hold(earlier, later)
    if not (earlier.holds or later.holds):
        return SAME if same_value(earlier.value, later.value) else None
    denied, held = (later, earlier) if earlier.holds else (earlier, later)
    return "denied" if _denies(denied, held) and later.certainty >= _SURE else None


@lru_cache(maxsize=65536)
def same_value(one: str, other: str) -> bool:
    """Whether two values say the same: "the county hospital" and "County Hospital", "twelve" and "12"."""
    if folded_key(one) == folded_key(other):
        return True
    return bool(one and other) and restates(read(one), read(other))


def single(attribute: str) -> bool:
    """Whether only one value of it holds at a time, beyond doubt."""
    return ATTRIBUTES[attribute].single and attribute not in _MANY


def decided(earlier: Claims, later: Claims) -> bool:
    """Whether claims have said all there is to say about the pair: both are about the same single thing."""
    return any(
        old.attribute == new.attribute
        and single(old.attribute)
        and _label(old.subject) == _label(new.subject)
        for old, new in product(earlier.each, later.each)
    )


def _plain(claim: Claim) -> Claim:
    """What one does not like one dislikes."""
    if claim.attribute != "likes" or claim.holds:
        return claim
    return Claim(
        claim.subject,
        "dislikes",
        claim.value,
        claim.content,
        claim.quote,
        claim.about,
        certainty=claim.certainty,
        former=claim.former,
    )


def _both_hold(earlier: Claim, later: Claim) -> str | None:
    if same_value(earlier.value, later.value):
        return SAME
    if later.certainty < _SURE:
        return None
    if later.former and same_value(later.former, earlier.value):
        return "changed"
    if _one_at_a_time(earlier):
        return _replaces(earlier, later)
    if later.corrects and _much_in_common(earlier, later):
        return "corrected"
    return _of_many(earlier, later)


def _of_many(earlier: Claim, later: Claim) -> str | None:
    """Why two values of something that may have several do not both hold."""
    if earlier.attribute == "owns" and earlier.value and later.value and _is_renamed(later):
        return "changed"
    return (
        "exclusive" if _rivals(read(earlier.value), read(later.value)) and earlier.about else None
    )


def _is_renamed(claim: Claim) -> bool:
    """Whether what one owns is called otherwise now, and no second of its kind came along: "my dog's name is Bello now"."""
    said = read(claim.quote or claim.content)
    return (
        "called" in said.words
        and not said.marks.isdisjoint({"changed", "switched", "corrected"})
        and "also" not in said.marks
    )


def _one_at_a_time(claim: Claim) -> bool:
    """Whether only one value holds at a time: a home, a wife, but not a friend."""
    if claim.attribute == "relation":
        return bool(claim.value) and not lexicon().unique.isdisjoint(_meaning(claim.about))
    return ATTRIBUTES[claim.attribute].single


def _replaces(earlier: Claim, later: Claim) -> str | None:
    """Another value of what has one. A less exact one is no other; a more exact one says it all."""
    before, after = _all(earlier.value), _all(later.value)
    if not (before and after):
        return None
    if covers(after, before):
        return SAME
    said = read(later.quote or later.content).marks | read(later.content).marks
    if covers(before, after) or "also" in said:
        return None
    told_new = not said.isdisjoint({"changed", "switched", "corrected"}) or later.corrects
    return "changed" if told_new or _distinct(earlier, later) else None


def _distinct(earlier: Claim, later: Claim) -> bool:
    """Whether the values exclude each other by themselves, without a word that something changed."""
    if earlier.attribute in _MANY:
        return False
    if earlier.attribute == "home":
        return _place(earlier.value) == _place(later.value) != "vague"
    if earlier.attribute == "name":
        one, other = folded_key(earlier.value), folded_key(later.value)
        return not (one.startswith(other) or other.startswith(one))  # Jon, Jonathan
    return earlier.attribute != "study" or not (
        _is_tongue(earlier.value) or _is_tongue(later.value)
    )


@lru_cache(maxsize=4096)
def _is_tongue(value: str) -> bool:
    """Whether it names a language: one learns those beside everything else."""
    said = folded_key(value)
    return said.endswith(("语", "文", "話", "话")) or not lexicon().tongues.isdisjoint(
        map(base, units(said))
    )


@lru_cache(maxsize=8192)
def _place(value: str) -> str:
    """What kind of place a value names: a country, a town, or none by name ("a small flat")."""
    said, known = units(folded_key(value)), lexicon()
    words = {base(unit) for unit in said}
    if words & known.wide or any(name in value for name in known.wide if not name.isascii()):
        return "wide"
    vague = bool(words & known.vague) or any(
        name in value for name in known.vague if not name.isascii()
    )
    return "vague" if vague or (value.isascii() and value == value.lower()) else "town"


@lru_cache(maxsize=8192)
def _all(value: str) -> frozenset[str]:
    """Everything a value says, its numbers and times as words."""
    said = read(value)
    return (
        said.words
        | said.people
        | {f"{number:g} {unit}" for number, unit in said.numbers}
        | said.times
    )


def _denies(denied: Claim, held: Claim) -> bool:
    """Whether the denial is of what is held, or of more: who eats no meat eats no beef, but not the other way round."""
    if not denied.value:
        return bool(denied.about) or _one_at_a_time(denied)
    if same_value(denied.value, held.value):
        return _at_that_time(denied, held)
    no, yes = read(denied.value), read(held.value)
    if ATTRIBUTES[held.attribute].kind is MemoryType.EPISODIC or yes.times != no.times:
        return False
    return (
        bool(no.words)
        and covers(yes.words | yes.people, no.words | no.people)
        and no.numbers <= yes.numbers
    )


def _at_that_time(denied: Claim, held: Claim) -> bool:
    """Whether the denial is of the time that is held: who drinks no coffee after five may drink it in the morning."""
    no, yes = read(denied.quote), read(held.quote)
    return no.times <= yes.times or not no.marks.isdisjoint({"ended", "changed"})


def _across(earlier: Claim, later: Claim) -> str | None:
    """Claims of different attributes: the contrary of the same value, or a former value named."""
    if ATTRIBUTES[earlier.attribute].opposite == later.attribute and earlier.holds and later.holds:
        alike = same_value(earlier.value, later.value) or _is_eaten(earlier.value, later.value)
        return "opposite" if alike and later.certainty >= _SURE else None
    related = {earlier.attribute, later.attribute} <= _WORK
    if related and earlier.holds and later.former and same_value(later.former, earlier.value):
        return "changed"
    return None


def _is_eaten(one: str, other: str) -> bool:
    """Whether one value is the eating or drinking of the other: 喜欢吃茄子, 讨厌茄子."""
    mine, theirs = _words(read(one)), _words(read(other))
    return bool(mine & theirs) and mine ^ theirs <= {"eat", "drink"}


def _much_in_common(earlier: Claim, later: Claim) -> bool:
    """Whether a correction is of this claim: half of what both say is the same."""
    old, new = _words(read(earlier.value)), _words(read(later.value))
    return bool(earlier.about) or len(old & new) * 2 >= max(len(old), len(new)) > 0


def _words(statement: Statement) -> frozenset[str]:
    return statement.words | statement.people


def _rivals(old: Statement, new: Statement) -> bool:
    """Whether they name two values that exclude each other: red and black of the same hair."""
    groups = lexicon().rivals
    before = {groups[word]: word for word in old.words if word in groups}
    after = {groups[word]: word for word in new.words if word in groups}
    return any(before[group] != after[group] for group in before.keys() & after.keys())


@lru_cache(maxsize=16384)
def _meaning(about: str) -> frozenset[str]:
    """What a claim is about, in words that do not depend on the language."""
    said = read(about)
    return said.words | said.people or frozenset({folded_key(about)})


def _label(subject: str) -> str:
    return subject if subject in ("", USER) else fold(subject).text
