"""Clauses in which nobody does anything: "call me Al", "born in Rome", "as a nurse, I ...", "spiders terrify me"."""

from collections.abc import Callable
from typing import Final

from rolememory.learn.statements.english_be import from_somewhere
from rolememory.learn.statements.english_clause import Clause
from rolememory.learn.statements.english_frames import read
from rolememory.learn.statements.english_life import from_there
from rolememory.learn.statements.english_names import name_at
from rolememory.learn.statements.english_say import Claims, claim, naming
from rolememory.learn.statements.english_topics import inverse, it_is, topic
from rolememory.learn.statements.english_values import Span, contrast, noun_phrase, told, value_of
from rolememory.learn.statements.english_verbs import Group, group_at
from rolememory.learn.statements.english_words import lexicon, listed, union
from rolememory.schema.claims import Claim

_FRIGHTENING: Final = frozenset({"scare", "terrify", "frighten"})
_CALLERS: Final = frozenset(
    "people everyone everybody friends they you most others folks family all at work school home in here there town my just please can could may "
    "always usually mostly and but".split()
)
_DROPPED: Final = frozenset("lose move quit get adopt buy graduate start grow pass finish".split())
_STATES: Final = frozenset(
    "afraid allergic terrified scared fond vegetarian vegan married single fluent good bad a an from originally".split()
)
_CLASSES: Final = (("jobs", "job"), ("diets", "diet"), ("persons", "is"), ("beliefs", "belief"))
_BEHIND_NAME: Final = frozenset("and but please instead for from not or because now if by".split())
_IS: Final = frozenset({"be", "is", "are", "'s", "was", "were"})
STARTERS: Final = frozenset(
    "growing names lost born raised moved used quit got adopted bought graduated started grew passed finished call calls name".split()
)


def fragment(clause: Clause) -> list[Claim]:
    """What the readers of fragments make of a clause; the first that claims something has the word."""
    lows = clause.words.lows[clause.first : clause.end]
    for reader, signs in _READERS:
        if not signs.isdisjoint(lows) and (found := list(reader(clause))):
            return found
    return list(_elided(clause)) if clause.scene.told or not STARTERS.isdisjoint(lows) else []


def _call_me(clause: Clause) -> Claims:
    """As in "call me Al", "everyone calls me Al", "don't call me Al"."""
    at = next(
        (
            at
            for at in range(clause.first, min(clause.first + 6, clause.end))
            if clause.low(at) in ("call", "calls")
        ),
        -1,
    )
    before = clause.lows(clause.first, at)
    denied = before in (["do", "not"], ["never"])
    if at < 0 or clause.low(at + 1) != "me" or not (denied or set(before) <= _CALLERS):
        return
    start = at + 2 + (clause.low(at + 2) == "the" and clause.capital(at + 3))
    found = name_at(clause.words, start, clause.end, clause.scene, spoken=not before)
    if found and (
        not clause.low(found.end)[:1].isalnum()
        or clause.low(found.end) in _BEHIND_NAME
        or clause.listed("tails", found.end)
    ):
        said = clause.saying(clause.scene.me, Group("go", negated=denied), found.end)
        yield from naming(
            said, clause.scene.me, found.name, nick=True, former=contrast(clause, found.end)
        )


def _frightens(clause: Clause) -> Claims:
    """As in "spiders terrify me"."""
    at = next(
        (
            at
            for at in range(clause.first + 1, min(clause.first + 5, clause.end))
            if clause.low(at) == "me"
        ),
        -1,
    )
    form = lexicon().verbs.get(clause.low(at - 1)) if at > 0 else None
    if form is None or form.lemma not in _FRIGHTENING or form.form not in ("base", "s"):
        return
    end = at - 1 - listed("adverbs", clause.low(at - 2))
    low, me = clause.low(clause.first), clause.scene.me
    if (
        end > clause.first
        and low not in union("no_values", "deictic", "verb_starts")
        and low not in ("he", "she", "they", "i")
    ):
        span = Span(clause.first, end)
        yield from claim(
            clause,
            "fears",
            value_of(clause, span, me),
            f"{me.shown} is afraid of {told(clause, span, me)}.",
            who=me,
            holds=True,
        )


def _elided(clause: Clause) -> Claims:
    """As in "born in Rome", "just moved to Paris"; in a memory also "lives in Rome", "afraid of storms"."""
    at, me = clause.first, clause.scene.me
    while listed("adverbs", clause.low(at)):
        at += 1
    low, group = clause.low(at), group_at(clause.words, clause.first, clause.end)
    if clause.lows(at, at + 2) == ["growing", "up"] and listed(
        "place_prepositions", clause.low(at + 2)
    ):
        yield from from_there(
            clause.saying(me, Group("grow", "past", said=[("word", "grew")]), at + 1), at + 3
        )
    elif low == "names" and (found := name_at(clause.words, at + 1, clause.end, clause.scene)):
        yield from naming(clause.saying(me, Group("be"), found.end), me, found.name)
    elif low in ("born", "raised"):
        yield from from_somewhere(clause.saying(me, Group("be", said=[("be", "was")]), at), at)
    elif group and _finite(clause, group):
        yield from read(clause.saying(me, group, group.end))
    elif clause.scene.told and (low in _STATES or listed("traits", low)):
        yield from read(clause.saying(me, Group("be", said=[("be", "is")]), at))


def _finite(clause: Clause, group: Group) -> bool:
    """Whether a verb without a subject states something: "moved to Paris", in a memory "lives in Rome"."""
    if clause.scene.told:
        return (
            group.tense in ("past", "former", "perfect")
            or group.third
            or clause.words.lows[clause.first] in ("does", "is", "has")
        )
    return group.tense == "former" or (
        group.tense == "past" and group.lemma in _DROPPED and not group.finite
    )


def _as_a(clause: Clause) -> Claims:
    """As in "as a nurse, I see a lot"."""
    words, at, me = clause.words, clause.first, clause.scene.me
    if (
        clause.low(at) not in ("as", "being")
        or clause.low(at + 1) not in ("a", "an")
        or clause.scene.told
    ):
        return
    span = noun_phrase(clause, at + 2)
    behind = [
        word.low for word in words[span.end : span.end + 3] if word.low not in (",", "myself")
    ]
    if not behind or behind[0] not in ("i", "my"):
        return
    for name, attribute in _CLASSES:
        length = lexicon()[name].ending(words, *span)
        if length and (
            length == span.end - span.first or (name == "jobs" and span.end - span.first <= 3)
        ):
            value = value_of(clause, span, me)
            yield from claim(
                clause,
                attribute,
                value,
                f"{me.shown} is {clause.low(at + 1)} {value}.",
                who=me,
                holds=True,
            )
            return


_READERS: Final[
    tuple[tuple[Callable[[Clause], Claims], frozenset[str]], ...]
] = (  # each with the words of which it needs one
    (topic, _IS),
    (inverse, _IS),
    (_call_me, frozenset({"call", "calls"})),
    (it_is, _IS),
    (_frightens, frozenset({"me"})),
    (_as_a, frozenset({"as", "being"})),
)
