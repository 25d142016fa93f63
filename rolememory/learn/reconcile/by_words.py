"""Whether two statements can both hold, judged by their words alone: for facts in which rules read no claim.

Precision comes first: a fact that is wrongly taken for outdated is lost. So a pair is unrelated unless one of a few shapes
fits: a denial of what was said, an opposite, an exclusive value, another number of the same thing, another time of the same
appointment, an event that ends a state.
"""

from collections.abc import Callable, Iterable
from itertools import product

from rolememory.learn.reconcile.lexicon import End, lexicon
from rolememory.learn.reconcile.reading import Clause, Statement

Shape = str
"""How two statements clash: denied, opposite, exclusive, number, moved, ended, switched."""

FRAGMENT = 3  # pieces: "not the left" alone denies nothing, its neighbours say of what


def restates(one: Statement, other: Statement) -> bool:
    """Whether both say the same: words, people, numbers, times and what is denied all agree."""
    if not (one.words or one.people or one.numbers) or "unreal" in one.marks ^ other.marks:
        return False
    exact = one.people == other.people and one.numbers == other.numbers and one.times == other.times and one.stances == other.stances
    return exact and _alike(one.words, other.words)


def clash(earlier: Statement, later: Statement) -> Shape | None:
    """How the later statement contradicts the earlier one, None where both may hold. Cost: O(clauses of both)."""
    for old, new in product(earlier.clauses, later.clauses):
        if "unreal" in old.marks or "unreal" in new.marks:
            continue
        for name, fits in _SHAPES:
            if fits(old, new, later):
                return name
    return None


def content(clause: Clause) -> frozenset[str]:
    """The words that carry the meaning."""
    return clause.words - lexicon().light


def covers(whole: Iterable[str], part: Iterable[str]) -> bool:
    """Whether every word of the part stands in the whole; an unknown run of Han also inside a longer one.

    >>> covers({"旧捷达", "have"}, {"捷达"}), covers({"tea"}, {"tea", "coffee"})
    (True, False)
    """
    words = set(whole)
    return all(word in words or (not word.isascii() and _within(word, words)) for word in part)


def _within(run: str, words: set[str]) -> bool:
    """Whether a run of Han stands inside a word, or is made of nothing but words."""
    if any(run in word for word in words):
        return True
    for word in sorted((word for word in words if not word.isascii()), key=len, reverse=True):
        run = run.replace(word, "")
    return not run


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """The same words; only one side may leave out light ones."""
    if one == other:
        return True
    more, less = one - other, other - one
    return not (more and less) and (more | less) <= lexicon().light and bool(one & other)


def _denied(old: Clause, new: Clause, later: Statement) -> bool:
    """The same is said and denied: no longer, never, used to, quit."""
    if old.people != new.people:
        return False
    if new.stance in ("denied", "over") and old.stance == "holds":
        return _denies(old, new) and not (_fragment(new, later) and not _meets(old, new, later))
    return old.stance == "denied" and new.stance == "holds" and _now_holds(old, new)


def _denies(old: Clause, new: Clause) -> bool:
    if "past" in old.marks and "past" not in new.marks:
        return False
    if "past" in new.marks and "past" not in old.marks and not new.marks & {"never", "ended", "changed", "over"}:
        return False
    timely = new.times <= old.times or (not old.times and bool(new.marks & {"ended", "changed", "never"})) or "ended" in new.marks
    return bool(content(new)) and covers(old.words, content(new)) and new.numbers <= old.numbers and timely


def _now_holds(old: Clause, new: Clause) -> bool:
    if "past" in new.marks and not ("never" in old.marks or "past" in old.marks):
        return False
    return bool(content(old)) and covers(new.words, content(old)) and old.numbers <= new.numbers and old.times <= new.times


def _fragment(clause: Clause, later: Statement) -> bool:
    return clause.size <= FRAGMENT and "ended" not in clause.marks and len(later.clauses) > 1


def _meets(old: Clause, new: Clause, later: Statement) -> bool:
    """Whether the rest of the later statement speaks of the same thing as the old clause."""
    return bool((later.words - new.words) & old.words - lexicon().light)


def _opposite(old: Clause, new: Clause, later: Statement) -> bool:
    """The contrary of the same thing: loves and hates, dead and alive."""
    if old.stance != "holds" or new.stance != "holds" or old.people != new.people or _past(old, new):
        return False
    for one, other in product(old.words, new.words):
        if frozenset((one, other)) in lexicon().opposites and one not in new.words and other not in old.words:
            before, after = content(old) - {one}, content(new) - {other}
            same = covers(before, after) and (covers(after, before) or "changed" in new.marks)
            if same and bool(after or old.people) and old.numbers == new.numbers:
                return True
    return False


def _exclusive(old: Clause, new: Clause, later: Statement) -> bool:
    """Another value of something that has one: eyes of another colour, another sign of the zodiac."""
    if old.stance != "holds" or new.stance != "holds" or old.people != new.people or _past(old, new):
        return False
    rivals, only = lexicon().rivals, lexicon().only
    for one, other in product(old.words & rivals.keys(), new.words & rivals.keys()):
        if rivals[one] != rivals[other] or one in new.words or other in old.words:
            continue
        before, after = content(old) - {one}, content(new) - {other}
        told_new = bool((new.marks | later.marks) & {"changed", "switched", "corrected"})
        if covers(before, after) and ((told_new and (after or not before)) or (before == after and before & only)):
            return True
    return False


def _number(old: Clause, new: Clause, later: Statement) -> bool:
    """Another number of the same thing, told as it stands now."""
    if old.stance != "holds" or new.stance != "holds" or old.people != new.people or _past(old, new):
        return False
    differing = _differing(old.numbers, new.numbers)
    if not differing or (old.times and new.times and old.times != new.times):
        return False
    one, other = content(old), content(new)
    if one == other:
        return bool(one or old.people or "year" in differing)
    return "changed" in (new.marks | later.marks) and bool(one and other) and (covers(one, other) or covers(other, one))


def _differing(before: frozenset[tuple[float, str]], after: frozenset[tuple[float, str]]) -> set[str]:
    """The units of which another number is told; a number without unit has that of the other, where there is only one."""
    if len(before) == len(after) == 1:
        (one, unit), (other, its) = *before, *after
        return {unit or its} if one != other and (unit == its or not (unit and its)) else set()
    old, new = ({unit: value for value, unit in each} for each in (before, after))
    return {unit for unit in old.keys() & new.keys() if old[unit] != new[unit]}


def _favourite(old: Clause, new: Clause, later: Statement) -> bool:
    """Another favourite of the same kind."""
    if old.stance != "holds" or new.stance != "holds" or old.people != new.people or not {"favorite"} <= old.words & new.words:
        return False
    of = content(old) & content(new) - {"favorite"}
    return bool(of or "changed" in new.marks) and bool(content(old) - new.words) and bool(content(new) - old.words)


def _moved(old: Clause, new: Clause, later: Statement) -> bool:
    """Another time of the same appointment or habit."""
    if old.stance != "holds" or new.stance != "holds" or old.people != new.people or _past(old, new):
        return False
    rescheduled = bool((new.marks | later.marks) & {"moved", "corrected"})
    now = "changed" in new.marks and any(time.startswith("clock") for time in new.times)
    if not (rescheduled or now) or not (old.times and new.times) or old.times & new.times:
        return False
    one, other = content(old), content(new)
    return bool(one & other) and (covers(one, other) or covers(other, one))


def _ended(old: Clause, new: Clause, later: Statement) -> bool:
    """An event that ends the state: sold, broke up, healed."""
    if old.stance != "holds" or new.stance != "holds" or "past" in old.marks:
        return False
    return any(_ends(end, old, new) for end in lexicon().ends)


def _ends(end: End, old: Clause, new: Clause) -> bool:
    told, state = (new.words | new.people) & end.told, (old.words | old.people) & end.ends
    if not told or not state or (new.words | new.people) & end.ends & state:
        return False
    if old.people - end.ends != new.people - end.told:
        return False
    rest = content(new) - end.told
    return end.free or not rest or any(covers(old.words, {word}) for word in rest)


def _switched(old: Clause, new: Clause, later: Statement) -> bool:
    """Moved to, switched to: another value of what the old clause says with the same verb."""
    if "switched" not in new.marks or old.stance != "holds" or "past" in old.marks or old.people != new.people:
        return False
    verbs = old.words & new.words
    return bool(verbs & lexicon().switchable) and bool(old.words - verbs) and bool(new.words - verbs)


def _past(old: Clause, new: Clause) -> bool:
    """Whether either tells what happened once: that does not change."""
    return "past" in old.marks or "past" in new.marks


_SHAPES: tuple[tuple[Shape, Callable[[Clause, Clause, Statement], bool]], ...] = (
    ("denied", _denied),
    ("opposite", _opposite),
    ("exclusive", _exclusive),
    ("number", _number),
    ("moved", _moved),
    ("ended", _ended),
    ("switched", _switched),
    ("exclusive", _favourite),
)
