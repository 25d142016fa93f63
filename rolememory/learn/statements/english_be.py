"""What somebody is: name, age, origin, family status, body, tastes. Character and jobs: `english_traits`."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from rolememory.learn.statements.english_clause import Clause
from rolememory.learn.statements.english_frames import reads
from rolememory.learn.statements.english_life import from_there, place
from rolememory.learn.statements.english_names import name_at
from rolememory.learn.statements.english_people import owned_at
from rolememory.learn.statements.english_say import (
    Claims,
    claim,
    each,
    naming,
    sentence,
    simply,
    tied,
)
from rolememory.learn.statements.english_scene import Owned
from rolememory.learn.statements.english_tastes import fond, lasting, liked_team
from rolememory.learn.statements.english_time import time_at
from rolememory.learn.statements.english_traits import adjective, complete, noun, titled
from rolememory.learn.statements.english_values import Span, contrast, told, value_of
from rolememory.learn.statements.english_verbs import LASTING, PAST
from rolememory.learn.statements.english_words import listed, union
from rolememory.learn.statements.english_work import workplace
from rolememory.schema.claims import Claim

_NUMBER: Final = re.compile(r"\d{1,4}(?:yo)?")
_HEIGHT: Final = re.compile(r"\d(?:[.,]\d+)?m?|\d{2,3}(?:cm)?")
_METRES: Final = frozenset(
    "cm m metres meters metre meter feet foot ft centimetres centimeters inches inch".split()
)
_SPELT: Final = frozenset("five six seven one two three four eight nine ten eleven".split())
_ROUGHLY: Final = frozenset("almost nearly about around over under roughly only".split())
_NO_AGES: Final = frozenset("a an one some half few several many".split())
_FOND: Final = {
    "fond": "of",
    "keen": "on",
    "crazy": "about",
    "obsessed": "with",
    "passionate": "about",
    "mad": "about",
    "nuts": "about",
}
_SKILLED: Final = {"good": True, "great": True, "skilled": True, "excellent": True, "decent": True, "bad": False, "terrible": False, "awful": False, "hopeless": False, "rubbish": False}  # fmt: skip
_THEN: Final = frozenset("when today yesterday earlier tonight last".split())
_MORE: Final = frozenset(
    {"from", "a", "an", "born", "allergic", "based", "currently", "originally", "single", "married"}
)


@reads("be", tenses=(*LASTING, "past"))
def is_something(clause: Clause) -> Claims:
    """Everything behind a form of "be": the readers are asked in turn, and again behind a comma: "I'm Lin, 25, from Leeds"."""
    at = past_degree(clause, clause.at)
    if at is None or at >= clause.end:
        return
    found = _complement(clause, at)
    yield from found
    for comma in range(at, clause.end - 1) if found and clause.tense != "past" else ():
        if clause.low(comma) in (",", "and") and (
            clause.low(comma + 1) in _MORE or clause.low(comma + 1).isdigit()
        ):
            yield from (
                more
                for more in _complement(clause, comma + 1)
                if more.attribute not in {one.attribute for one in found}
            )


def _complement(clause: Clause, at: int) -> list[Claim]:
    start = past_degree(clause, at)
    if start is None or start >= clause.end:
        return []
    based = clause if start == clause.at else replace(clause, at=start)
    for reader in _THEN_READERS if clause.tense == "past" else _READERS:
        if found := list(reader(based, start)):
            return found
    return []


def past_degree(clause: Clause, at: int) -> int | None:
    """Past "really", "a bit"; None behind "too", which is a mood and no trait."""
    while length := clause.listed("degrees", at):
        if clause.low(at) == "too":
            return None
        at += length
    return at


@reads("get", tenses=PAST, denied=False)
def got_fired(clause: Clause) -> Claims:
    """As in "I got fired from Tesla"."""
    yield from _let_go(clause, clause.at)


def _called(clause: Clause, at: int) -> Claims:
    """As in "I'm called Al", "my dog is called Rex", "she is known as Ziggy"."""
    low = clause.low(at)
    if low not in ("called", "named", "nicknamed", "known") or (
        low == "known" and clause.low(at + 1) != "as"
    ):
        return
    found = name_at(clause.words, at + 1 + (low == "known"), clause.end, clause.scene, spoken=True)
    if found:
        yield from naming(
            clause,
            clause.who,
            found.name,
            nick=low in ("nicknamed", "known"),
            former=contrast(clause, found.end),
        )


def from_somewhere(clause: Clause, at: int) -> Claims:
    """As in "I'm from Rome", "I'm based in Berlin", "I was born and raised in Leeds"."""
    low, more = clause.low(at), clause.low(at + 1)
    if low == "from":
        yield from from_there(clause, at + 1)
    elif low in ("born", "raised") and more == "and":
        yield from from_somewhere(clause, at + 2)
    elif low in ("born", "raised", "bred") and more in ("in", "at", "on", "near"):
        yield from _born(clause, at + 2)
    elif low in ("based", "living", "situated") and more in ("in", "near", "at", "on", "out"):
        span = place(clause, at + 2)
        yield from simply(clause, "home", span) if span else ()


def _born(clause: Clause, at: int) -> Claims:
    """A place of birth is an origin, a day of birth a birthday."""
    when = time_at(clause.words, at - 1, clause.end)
    if when is None:
        yield from from_there(clause, at)
    elif clause.any_of("months", at, when.end) and any(
        low[0].isdigit() for low in clause.lows(at, when.end)
    ):
        yield from simply(clause, "birthday", Span(at, when.end))
    elif clause.low(at).isdigit():
        yield from simply(clause, "is", Span(at, when.end), value=f"born in {clause.words[at].raw}")


def _age(clause: Clause, at: int) -> Claims:
    """As in "I'm 25", "she is twelve years old"."""
    low, unit = clause.low(at), clause.low(at + 1)
    if (
        low in _NO_AGES
        or clause.words.lows[at - 1] in _ROUGHLY
        or not (_NUMBER.fullmatch(low) or listed("numbers", low))
    ):
        return
    end = at + 1
    old = low.endswith("yo") or unit == "yo"
    if unit in ("years", "year", "y", "yo"):
        end = (
            at
            + 2
            + (clause.low(at + 2) in ("old", "young"))
            + 2 * (clause.low(at + 2) in ("of", "/"))
        )
        old |= end > at + 2
    number = low.removesuffix("yo")
    fits = not number.isdigit() or 0 < int(number) < (5000 if old else 120)
    if fits and (
        old
        or (
            end == at + 1
            and (
                complete(clause, end)
                or clause.low(end) in ("from", "in", "with", "turning", "male", "female", "f", "m")
            )
        )
    ):
        value = clause.words[at].raw if not number.isdigit() else number
        yield from claim(
            clause,
            "age",
            value,
            sentence(clause, f"{value} years old"),
            former=contrast(clause, end),
        )


def _status(clause: Clause, at: int) -> Claims:
    """As in "I'm single", "I'm married to Tom"."""
    length = clause.listed("marital", at)
    end = at + length
    if not length:
        return
    if clause.low(end) == "to" and clause.low(end - 1) in ("married", "engaged"):
        yield from _bound_to(clause, at, end + 1)
    elif complete(clause, end) or (
        clause.low(end) == "with" and clause.low(end - 1) in ("married", "divorced")
    ):
        yield from simply(clause, "marital_status", Span(at, end))


def _bound_to(clause: Clause, at: int, other: int) -> Claims:
    """The state, and to whom; "married to my job" is none."""
    kin = owned_at(clause.words, other, clause.end, clause.scene)
    name = name_at(clause.words, other, clause.end, clause.scene)
    if not name and not kin and clause.low(other) in union("determiners"):
        return
    yield from simply(clause, "marital_status", Span(at, other - 1))
    if name:
        about = "spouse" if clause.low(other - 2) == "married" else "fiancé"
        content = f"{clause.who.shown}'s {about} is called {name.name}."
        yield from tied(
            clause, Owned(clause.who, "relation", about), name.name, content, holds=clause.holds
        )


def _bodily(clause: Clause, at: int) -> Claims:
    """As in "I'm allergic to nuts", "I was diagnosed with lupus", "I'm a strict vegan"."""
    low, more = clause.low(at), clause.low(at + 1)
    if (low, more) == ("allergic", "to"):
        yield from each(clause, "allergy", at + 2, "allergic to", fit=_harmful)
    elif (low, more) == ("diagnosed", "with"):
        yield from each(clause, "health", at + 2, "diagnosed with", fit=lasting)
    else:
        start = at + (low in ("a", "an"))
        start += listed("strict", clause.low(start))
        for name, attribute in (("health_adjectives", "health"), ("diets", "diet")):
            end = start + clause.listed(name, start)
            if end > start and (complete(clause, end) or clause.low(end) in ("with", "for", "in")):
                yield from simply(clause, attribute, Span(start, end))
                return


def _harmful(clause: Clause, span: Span) -> bool:
    """Whether one can be allergic to it: also to "your cat", which does not last as a taste would."""
    return not clause.any_of("no_allergens", *span) and (
        clause.low(span.first) == "your" or lasting(clause, span)
    )


def _feelings(clause: Clause, at: int) -> Claims:
    """As in "I'm afraid of spiders", "I'm into jazz", "I'm not a fan of cheese"."""
    low, more = clause.low(at), clause.low(at + 1)
    if listed("fearing", low) and more == "of":
        yield from each(clause, "fears", at + 2, "afraid of", fit=lasting)
    elif low == "into":
        yield from fond(clause, at + 1, "into")
    elif _FOND.get(low) == more:
        yield from fond(clause, at + 2, f"{low} {more}")
    elif low in ("a", "an", "the", "big", "huge"):
        yield from _fan(clause, at)


def _fan(clause: Clause, at: int) -> Claims:
    """As in "a huge fan of jazz", "a Liverpool fan"."""
    for place_ in range(at, min(at + 5, clause.end)):
        low, more = clause.low(place_), clause.low(place_ + 1)
        if low in ("number", "biggest"):
            return
        if low in ("fan", "lover", "enthusiast", "supporter") and more == "of":
            yield from fond(clause, place_ + 2, f"{told(clause, Span(at, place_ + 1))} of")
        elif low in ("fan", "supporter") and place_ > at + 1 and complete(clause, place_ + 1):
            yield from liked_team(clause, at + 1, place_)


def _skilled(clause: Clause, at: int) -> Claims:
    """As in "I'm good at chess", "I'm fluent in Dutch", "I'm terrible at maths"."""
    low, more = clause.low(at), clause.low(at + 1)
    if (low, more) == ("fluent", "in"):
        yield from each(clause, "language", at + 2, "fluent in", fit=lasting)
    elif low in _SKILLED and more == "at":
        for found in each(clause, "skill", at + 2, f"{low} at", fit=lasting):
            yield from claim(
                clause, "skill", found.value, found.content, holds=_SKILLED[low] == clause.holds
            )


def _height(clause: Clause, at: int) -> Claims:
    """As in "I'm 180 cm tall", "I'm six feet tall", "im 5'10"."""
    end = at
    while end < clause.end and (
        _HEIGHT.fullmatch(clause.low(end))
        or clause.low(end) in _METRES
        or clause.low(end) in _SPELT
    ):
        end += 1
    feet = (
        end == at + 2
        and all(low.isdigit() for low in clause.lows(at, end))
        and clause.words[at].end + 1 == clause.words[at + 1].start
    )
    if end > at and (
        clause.low(end) == "tall" or feet or (clause.low(end - 1) == "cm" and complete(clause, end))
    ):
        value = clause.scene.text[clause.words[at].start : clause.words[end - 1].end]
        yield from claim(clause, "looks", value, sentence(clause, f"{value} tall"), about="height")


def _down_to(clause: Clause, at: int) -> Claims:
    """As in "I'm down to 76 kilos"."""
    if clause.lows(at, at + 2) in (["down", "to"], ["up", "to"]) and clause.low(at + 3) in (
        "kilos",
        "kg",
        "pounds",
        "lbs",
        "kilograms",
    ):
        yield from simply(clause, "looks", Span(at + 2, at + 4), about="weight")


def _let_go(clause: Clause, at: int) -> Claims:
    """As in "I was fired from Tesla", "I got laid off by Bosch"."""
    place_ = at + 1 + (clause.low(at + 1) in ("off", "go"))
    span = (
        workplace(clause, place_)
        if clause.low(at) in ("fired", "laid", "let", "sacked")
        and clause.low(place_) in ("from", "by")
        else None
    )
    if span and span.end > span.first:
        yield from simply(
            clause, "employer", Span(at, span.end), value=value_of(clause, span), holds=False
        )


def _own_name(clause: Clause, at: int) -> Claims:
    """As in "I'm Lin", "you are Mira": a capitalised name with nothing behind it, or a known one."""
    if clause.who.person == "third" or clause.tense != "present":
        return
    found = name_at(clause.words, at, clause.end, clause.scene)
    if (
        found is None
        and clause.scene.speaker.names.get(clause.low(at)) == clause.who.label
        and complete(clause, at + 1)
    ):
        yield from naming(clause, clause.who, clause.words[at].raw)
    if (
        found
        and not _no_name(clause, at)
        and (complete(clause, found.end) or clause.low(found.end) in ("from", "the", "your", "but"))
    ):
        yield from naming(clause, clause.who, found.name, former=contrast(clause, found.end))


def _no_name(clause: Clause, at: int) -> bool:
    """Whether a capitalised word behind "I'm" may be something else: Italian, Catholic, Vegan."""
    titled_ = listed("name_titles", clause.low(at)) and clause.capital(at + 1)
    return not titled_ and (
        clause.low(at) in union(*_NO_NAMES) or clause.any_of("jobs", at, at + 3)
    )


_NO_NAMES: Final = ("nationalities", "beliefs", "diets", "traits", "jobs", "persons", "languages", "kin", "marital", "health", "openers", "degrees", "looks", "genders", "orientations", "verbs", "adverbs", "moods")  # fmt: skip


def _was_born(clause: Clause, at: int) -> Claims:
    low = clause.low(at)
    if low == "diagnosed":
        yield from _bodily(clause, at)
    elif low == "raised" and clause.low(at + 1) == "by":
        kin = owned_at(clause.words, at + 2, clause.end, clause.scene)
        yield from (
            simply(clause, "did", Span(at, kin.end), value=f"was {told(clause, Span(at, kin.end))}")
            if kin
            else ()
        )
    elif low in ("born", "raised"):
        yield from from_somewhere(clause, at)


def _was(clause: Clause, at: int) -> Claims:
    """What somebody was, he is no longer: a job, a marriage."""
    if _THEN & set(clause.lows(at, clause.end)) or clause.group.negated:
        return
    reader, wanted = (
        (noun, ("job", "study", "employer"))
        if clause.low(at) in ("a", "an", "the")
        else (_status, ("marital_status",))
    )
    for found in reader(clause, at):
        if found.attribute in wanted and found.value not in ("single", "taken"):
            yield from claim(
                clause, found.attribute, found.value, found.content, holds=False, certainty=0.8
            )


_READERS: Final[tuple[Callable[[Clause, int], Claims], ...]] = (
    _called, from_somewhere, _height, _age, _status, _bodily, _feelings, _skilled, _down_to, noun, titled, adjective, _let_go, _own_name,
)  # fmt: skip
_THEN_READERS: Final[tuple[Callable[[Clause, int], Claims], ...]] = (_was_born, _let_go, _was)
