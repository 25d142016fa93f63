"""Whether two statements can both hold, judged by their words alone: for facts in which rules read no claim.

Precision comes first: a fact that is wrongly taken for outdated is lost. So a pair is unrelated unless one of a few shapes
fits: a denial of what was said, an opposite, an exclusive value, another number of the same thing, another time of the same
appointment, an event that ends a state.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import product

from rolememory.learn.reconcile.lexicon import End, lexicon, meanings, undone
from rolememory.learn.reconcile.reading import Clause, Statement

Shape = str
"""How two statements clash: denied, opposite, exclusive, number, moved, ended, switched."""

_FEW = 4  # words: a thing that is given up says nothing against a longer story with it
_OWN = frozenset(
    {"year", "child", "kg", "cm", "lb", "foot"}
)  # units that need no word: of one's own age, children, weight, height
FRAGMENT = 3  # pieces: "not the left" alone denies nothing, its neighbours say of what


def restates(one: Statement, other: Statement) -> bool:
    """Whether both say the same: words, people, numbers, times and what is denied all agree."""
    if not (one.words or one.people or one.numbers) or "unreal" in one.marks ^ other.marks:
        return False
    exact = (
        one.order == other.order
        and one.numbers == other.numbers
        and one.times == other.times
        and one.stances == other.stances
    )
    return exact and _alike(one.words, other.words)


def clash(earlier: Statement, later: Statement) -> Shape | None:
    """How the later statement contradicts the earlier one, None where both may hold. Cost: O(clauses of both)."""
    if not _may_clash(earlier, later):
        return None
    for old, new in product(earlier.clauses, later.clauses):
        if (
            "unreal" not in old.marks
            and "unreal" not in new.marks
            and (shape := _shape(old, new, later))
        ):
            return shape
    return None


def _may_clash(earlier: Statement, later: Statement) -> bool:
    """Whether anything speaks for it at a glance: of a hundred pairs that share a word hardly one."""
    if earlier.outdates.denies or later.outdates.denies or "switched" in later.marks:
        return True
    said = earlier.words | earlier.people
    if (
        not said.isdisjoint(later.outdates.against)
        or earlier.outdates.groups & later.outdates.groups
    ):
        return True
    return (
        bool((earlier.numbers and later.numbers) or (earlier.times and later.times))
        or "favorite" in earlier.words & later.words
    )


def _shape(old: Clause, new: Clause, later: Statement) -> Shape | None:
    if old.stance != "holds" or new.stance != "holds":
        return "denied" if old.people == new.people and _denied(old, new, later) else None
    if "past" in old.marks:
        return None  # what happened once does not change
    fitting = (
        name
        for name, at_any_time, fits in _SHAPES
        if (at_any_time or "past" not in new.marks) and fits(old, new, later)
    )
    return next(fitting, None)


def content(clause: Clause) -> frozenset[str]:
    """The words that carry the meaning, people among them."""
    return (clause.words | clause.people) - lexicon().light


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
    return not (more and less) and (more | less) <= lexicon().faint and bool(one & other)


def _denied(old: Clause, new: Clause, later: Statement) -> bool:
    """The same is said and denied: no longer, never, used to, quit. That it was not so once says nothing against what is."""
    if old.stance == "holds":
        of_then = new.stance == "denied" and "over" in new.marks
        return (
            not of_then
            and _denies(old, new)
            and not (_fragment(new, later) and not _meets(old, new, later))
        )
    return (
        old.stance == "denied"
        and "over" not in old.marks
        and new.stance == "holds"
        and _now_holds(old, new)
    )


def _denies(old: Clause, new: Clause) -> bool:
    if "past" in old.marks and ("past" not in new.marks or "ended" in new.marks):
        return False
    if (
        "past" in new.marks
        and "past" not in old.marks
        and not new.marks & {"never", "ended", "changed", "over"}
    ):
        return False
    timely = (
        new.times <= old.times
        or (not old.times and bool(new.marks & {"ended", "changed"}))
        or "ended" in new.marks
    )
    return timely and new.numbers <= old.numbers and _covered(new, old)


def _now_holds(old: Clause, new: Clause) -> bool:
    if "past" in new.marks and "changed" not in new.marks and not old.marks & {"never", "past"}:
        return False
    given_up = (
        "ended" in old.marks and len(old.words | old.people) == 1
    )  # "sold the bike": nothing against renting one
    return (
        not given_up
        and old.numbers <= new.numbers
        and old.times <= new.times
        and _covered(old, new)
    )


def _covered(denied: Clause, held: Clause) -> bool:
    """Whether all that is denied is held, and says enough: two words, or one that is a predicate, or a thing that is given up."""
    words, said = denied.words | denied.people, held.words | held.people
    if not covers(said, words):
        return False
    if len(words) > 1:
        return True
    predicate = words <= meanings() and words.isdisjoint(lexicon().light | lexicon().intents)
    return bool(words) and (
        predicate
        or (bool(denied.marks & {"ended", "changed"}) and len(said) <= _FEW)
        or len(said) == 1
    )


def _fragment(clause: Clause, later: Statement) -> bool:
    return clause.size <= FRAGMENT and "ended" not in clause.marks and len(later.clauses) > 1


def _meets(old: Clause, new: Clause, later: Statement) -> bool:
    """Whether the rest of the later statement speaks of the same thing as the old clause."""
    return bool((later.words - new.words) & old.words - lexicon().light)


def _opposite(old: Clause, new: Clause, later: Statement) -> bool:
    """The contrary of the same thing: loves and hates, dead and alive."""
    for one, other in _contraries(old.words | old.people, new.words | new.people):
        if old.people - {one} != new.people - {other}:
            continue
        before, after = content(old) - {one}, content(new) - {other}
        same = covers(before, after) and (covers(after, before) or "changed" in new.marks)
        if same and (after or one not in lexicon().transitive) and old.numbers == new.numbers:
            return True
    return False


def _contraries(before: frozenset[str], after: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Words of the one and their contraries in the other, unless either says both."""
    against = lexicon().against
    for one in before - after:
        others = against.get(one, frozenset()) | undone(one)
        yield from ((one, other) for other in others & after - before)


def _exclusive(old: Clause, new: Clause, later: Statement) -> bool:
    """Another value of something that has one: eyes of another colour, another sign of the zodiac."""
    if old.people != new.people or not _as_real(old, new):
        return False
    rivals, only = lexicon().rivals, lexicon().only
    for one, other in product(old.words & rivals.keys(), new.words & rivals.keys()):
        if rivals[one] != rivals[other] or one in new.words or other in old.words:
            continue
        before, after = content(old) - {one}, content(new) - {other}
        told_new = bool((new.marks | later.marks) & {"changed", "switched", "corrected"})
        if covers(before, after) and (
            (told_new and (after or not before)) or (before == after and before & only)
        ):
            return True
    return False


def _number(old: Clause, new: Clause, later: Statement) -> bool:
    """Another number of the same thing, told as it stands now."""
    differing = _differing(old.numbers, new.numbers) if old.numbers and new.numbers else set()
    if (
        not differing
        or old.people != new.people
        or not _as_real(old, new)
        or (old.times and new.times and old.times != new.times)
    ):
        return False
    one, other = content(old), content(new)
    if one == other:
        return bool(one or differing & _OWN)
    return (
        "changed" in (new.marks | later.marks)
        and bool(one and other)
        and (covers(one, other) or covers(other, one))
    )


def _differing(
    before: frozenset[tuple[float, str]], after: frozenset[tuple[float, str]]
) -> set[str]:
    """The units of which another number is told; a number without unit has that of the other, where there is only one."""
    if len(before) == len(after) == 1:
        (one, unit), (other, its) = *before, *after
        return (
            ({unit} if unit == its else {""} if not (unit and its) else set())
            if one != other
            else set()
        )
    old, new = ({unit: value for value, unit in each} for each in (before, after))
    return {unit for unit in old.keys() & new.keys() if old[unit] != new[unit]}


def _favourite(old: Clause, new: Clause, later: Statement) -> bool:
    """Another favourite of the same kind."""
    if "favorite" not in old.words & new.words or old.people != new.people:
        return False
    of = content(old) & content(new) - {"favorite"}
    before, after = (
        (content(old) - new.words) | (old.times - new.times),
        (content(new) - old.words) | (new.times - old.times),
    )
    return bool(of and before and after)


def _moved(old: Clause, new: Clause, later: Statement) -> bool:
    """Another time of the same appointment or habit."""
    if not (old.times and new.times) or old.times & new.times or old.people != new.people:
        return False
    rescheduled = bool((new.marks | later.marks) & {"moved", "corrected"})
    now = (
        "changed" in new.marks
        and "past" not in new.marks
        and any(time.startswith("clock") for time in new.times)
    )
    one, other = content(old), content(new)
    return (rescheduled or now) and bool(one & other) and (covers(one, other) or covers(other, one))


def _ended(old: Clause, new: Clause, later: Statement) -> bool:
    """An event that ends the state: sold, broke up, healed."""
    return any(_ends(end, old, new, later) for end in _told(new.words | new.people))


@lru_cache(maxsize=65536)
def _told(said: frozenset[str]) -> tuple[End, ...]:
    """What may end where this is said."""
    return tuple(end for end in lexicon().ends if end.told & said)


def _ends(end: End, old: Clause, new: Clause, later: Statement) -> bool:
    state = (old.words | old.people) & end.ends
    if not state or (new.words & state) - lexicon().things or new.people & state:
        return False
    before, after = old.people - end.ends, new.people - end.told
    if not (before == after or (before and before <= after)):
        return False
    if end.event and new.marks.isdisjoint({"past", "perfect", "changed", "ended"}):
        return False
    rest = (
        (later.words | later.people) - lexicon().light - end.told
        if end.named
        else content(new) - end.told
    )
    return (
        end.free
        or not (rest or end.named)
        or any(covers(old.words | old.people, {word}) for word in rest)
    )


def _as_real(old: Clause, new: Clause) -> bool:
    """Whether both are told as they are, or both as they are wanted."""
    return (old.words ^ new.words).isdisjoint(lexicon().intents)


def _switched(old: Clause, new: Clause, later: Statement) -> bool:
    """Moved to, switched to: another value of what the old clause says with the same verb."""
    verbs = old.words & new.words
    if "switched" not in new.marks or old.people != new.people or not _as_real(old, new):
        return False
    return bool(verbs & lexicon().switchable and old.words - verbs and new.words - verbs)


_Fits = Callable[[Clause, Clause, Statement], bool]
_SHAPES: tuple[tuple[Shape, bool, _Fits], ...] = (  # with whether an event may bring it about
    ("ended", True, _ended),
    ("moved", True, _moved),
    ("opposite", False, _opposite),
    ("exclusive", False, _exclusive),
    ("number", False, _number),
    ("switched", False, _switched),
    ("exclusive", False, _favourite),
)
