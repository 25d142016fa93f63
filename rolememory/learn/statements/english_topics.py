"""Statements whose subject is a thing of somebody's: "my name is Al", "your eyes are green", "blue is my favourite colour"."""

from difflib import SequenceMatcher
from typing import Final

from rolememory.learn.statements.english_clause import Clause
from rolememory.learn.statements.english_names import name_at
from rolememory.learn.statements.english_people import Found, bare_kin, owned_at, owner_at
from rolememory.learn.statements.english_say import Claims, claim, naming, tied
from rolememory.learn.statements.english_scene import Who
from rolememory.learn.statements.english_time import time_at
from rolememory.learn.statements.english_values import (
    Span,
    contrast,
    cut_short,
    items,
    noun_phrase,
    phrase,
    raw,
    told,
    value_of,
)
from rolememory.learn.statements.english_verbs import group_at
from rolememory.learn.statements.english_words import lexicon, listed, single, union

_TOPICS: Final = {
    "birthday": "birthday", "birth date": "birthday", "date of birth": "birthday", "age": "age", "job": "job", "occupation": "job",
    "profession": "job", "day job": "job", "hometown": "origin", "home town": "origin", "birthplace": "origin", "home": "home",
    "native language": "language", "mother tongue": "language", "first language": "language", "native tongue": "language", "major": "study",
    "nationality": "is", "zodiac sign": "is", "star sign": "is", "blood type": "is", "religion": "belief", "pronouns": "gender", "gender": "gender",
    "email": "contact", "email address": "contact", "e-mail": "contact", "phone number": "contact", "number": "contact", "phone": "contact",
    "discord": "contact", "instagram": "contact", "insta": "contact", "twitter": "contact", "address": "contact", "telegram": "contact",
    "hair": "looks", "eyes": "looks", "height": "looks", "weight": "looks", "skin": "looks", "hobby": "likes", "hobbies": "likes",
    "passion": "likes", "biggest fear": "fears", "greatest fear": "fears", "worst fear": "fears", "dream": "wants", "goal": "wants",
    "biggest dream": "wants", "life goal": "wants", "dream job": "wants", "employer": "employer",
}  # fmt: skip
_COLOURS: Final = {"color": "colour", "colors": "colour", "colours": "colour", "flavor": "flavour"}
_LISTS: Final = frozenset({"likes", "language", "fears"})
_POINTING: Final = frozenset(
    "it this that these he she they you what where who there here which your".split()
)
_MATTERLESS: Final = frozenset("thing things part person one ones place way moment".split())
_NO_VALUES: Final = frozenset(
    "that this it so very here what how you your there a still always".split()
)
_VERBS: Final = frozenset(
    "is are was were has 's used really actually probably still also will would not am".split()
)
_NO_LOOKS: Final = frozenset(
    "getting so too killing on in all wet closed open wide up down filled full fixed messy beautiful".split()
)
_SOCIAL: Final = frozenset({"discord", "instagram", "insta", "twitter", "telegram"})


def topic(clause: Clause) -> Claims:
    """As in "my name is Al", "my dog's name is Rex", "your eyes are green"."""
    holder = _holder(clause, clause.first)
    if holder is None or holder.end >= clause.end:
        return
    end = holder.end
    while end - holder.end < 7 and clause.low(end)[:1].isalpha() and clause.low(end) not in _VERBS:
        end += 1
    group = group_at(clause.words, end, clause.end)
    if (
        group is None
        or group.lemma != "be"
        or group.tense not in ("present", "former", "past", "perfect")
        or group.end >= clause.end
    ):
        return
    noun = Span(holder.end, end)
    clause.scene.topic, clause.scene.topic_words = (
        (" ".join(clause.lows(*noun)), noun, holder.who),
        clause.words,
    )
    said = clause.saying(holder.who, group, group.end)
    for found in about(said, " ".join(clause.lows(*noun)), noun, holder.who):
        if group.tense != "past" or found.attribute in ("name", "job", "favourite"):
            yield found


def _holder(clause: Clause, at: int) -> Found | None:
    """Whose topic begins here; also of somebody's sister or dog: "my sister's name"."""
    words, scene = clause.words, clause.scene
    kin = owned_at(words, at, clause.end, scene) or bare_kin(words, at, clause.end, scene)
    if kin and clause.low(kin.end) == "'s":
        return Found(kin.who, kin.end + 1)
    if not scene.told and clause.low(at + (clause.low(at) == "the")) == "name":
        return Found(scene.me, at + (clause.low(at) == "the"))
    return owner_at(words, at, clause.end, scene)


def about(clause: Clause, spelt: str, noun: Span, who: Who) -> Claims:
    """What is said of a topic, behind its verb."""
    at = clause.at
    while length := clause.listed("degrees", at):
        at += length
    last = spelt.rpartition(" ")[2]
    if listed("name_topics", spelt) or listed("nickname_topics", spelt):
        found = name_at(
            clause.words,
            at + (clause.low(at) == "called"),
            clause.end,
            clause.scene,
            spoken=clause.holds,
        )
        if found:
            yield from naming(
                clause,
                who,
                found.name,
                nick=listed("nickname_topics", spelt),
                former=contrast(clause, found.end),
            )
    elif spelt.startswith("favourite "):
        yield from _favourite(clause, noun, who, at)
    elif spelt in _TOPICS:
        yield from _plain(clause, spelt, who, at)
    elif listed("events", last) and who.person != "you" and clause.tense == "present":
        yield from _event(clause, spelt, who, at)


def _event(clause: Clause, spelt: str, who: Who, at: int) -> Claims:
    """As in "my exam is on Tuesday"."""
    when = time_at(clause.words, at, clause.end)
    if when and when.tense in ("future", ""):
        yield from claim(
            clause, "plan", spelt, f"{who.shown}'s {spelt} is {told(clause, Span(at, when.end))}."
        )


def _favourite(clause: Clause, noun: Span, who: Who, at: int) -> Claims:
    """As in "my favourite book of all time is Dune"."""
    named = kind_of(clause, noun.first + 1, noun.end)
    spans = items(clause, at)
    pointless = clause.low(at) in ("when", "how", "that", "to", "this", "it", "yours", "still")
    if (
        not spans
        or named in _MATTERLESS
        or pointless
        or any(listed("vague_ends", clause.low(span.end - 1)) for span in spans)
    ):
        return
    span = Span(spans[0].first, spans[-1].end)
    be = "are" if single(named) != named else "is"
    content = f"{who.shown}'s favourite {named} {be if clause.holds else f'{be} not'} {told(clause, span, who)}."
    yield from claim(
        clause,
        "favourite",
        value_of(clause, span),
        content,
        about=single(named),
        former=contrast(clause, span.end),
    )


def kind_of(clause: Clause, first: int, end: int) -> str:
    """What is somebody's favourite, as it is compared: "book" of "book of all time"."""
    place = first
    while (
        place < end
        and not listed("prepositions", clause.low(place))
        and clause.low(place) not in ("ever", "right")
    ):
        place += 1
    return " ".join(_COLOURS.get(low, low) for low in clause.lows(first, place))


def _plain(clause: Clause, spelt: str, who: Who, at: int) -> Claims:
    attribute = _TOPICS[spelt]
    verb = "are" if spelt.endswith("s") and not spelt.endswith("ss") else "is"
    for span in items(clause, at) if attribute in _LISTS else [_value_span(clause, attribute, at)]:
        value = value_of(clause, span) if span.end > span.first else ""
        value = raw(clause, span) if attribute == "gender" else value
        if value and _fits(clause, attribute, spelt, span):
            content = f"{who.shown}'s {spelt} {verb} {'' if clause.holds else 'not '}{told(clause, span, who)}."
            worth = value.removeprefix("to ") if attribute == "wants" else value
            detail = spelt if attribute in ("looks", "contact") else ""
            yield from claim(
                clause, attribute, worth, content, about=detail, former=contrast(clause, span.end)
            )


def _value_span(clause: Clause, attribute: str, at: int) -> Span:
    if attribute == "birthday":
        start = at + (clause.low(at) in ("on", "in")) + (clause.lows(at, at + 2) == ["on", "the"])
        return Span(start, _date_end(clause, start))
    if attribute == "gender" and clause.low(at + 1) == "/":
        return Span(at, at + 3 + 2 * (clause.low(at + 3) == "/"))
    if attribute == "contact":
        end = at
        while (
            clause.low(end)
            and clause.low(end) != ","
            and (
                end == at
                or clause.words[end].start == clause.words[end - 1].end
                or not clause.low(end).isalpha()
            )
        ):
            end += 1
        return Span(at, end)
    return phrase(clause, at, "like", "when")


def _date_end(clause: Clause, at: int) -> int:
    """The end of "3 March", "March 3rd", "the 3rd of March"."""
    place = at
    while (low := clause.low(place)) and (
        listed("months", low) or low[0].isdigit() or low in ("the", "of")
    ):
        place += 1
    return place


def _fits(clause: Clause, attribute: str, spelt: str, span: Span) -> bool:
    """Whether the words can be a value of this topic."""
    low, lows = clause.low(span.first), clause.lows(*span)
    if attribute == "wants":
        return (
            low in ("to", "being", "becoming", "a", "an")
            and span.end - span.first > 1
            and not cut_short(clause, span)
        )
    if low in _NO_VALUES and attribute not in ("is", "likes"):
        return False
    fits = {
        "age": low.isdigit(),
        "birthday": clause.any_of("months", *span)
        or any("/" in one or one.count(".") > 1 for one in lows),
        "contact": spelt in _SOCIAL
        or any(char.isdigit() or char == "@" for one in lows for char in one),
        "home": low in ("in", "near") or clause.capital(span.first),
        "origin": low not in ("with", "where", "on"),
        "job": lexicon()["jobs"].ending(clause.words, *span) > 0,
        "language": clause.listed("languages", span.first) > 0,
        "looks": clause.words.lows[span.end : span.end + 1] != ["than"]
        and low not in _NO_LOOKS
        and not low.endswith("ing")
        and span.end - span.first <= 5,
    }
    return fits.get(attribute, True)


def inverse(clause: Clause) -> Claims:
    """As in "blue is my favourite colour", "Mei is my sister", "Al is my name"."""
    for at in range(clause.first + 1, min(clause.first + 6, clause.end - 2)):
        if clause.low(at) in ("is", "are", "'s"):
            group = group_at(clause.words, at, clause.end)
            owner = (
                owner_at(clause.words, group.end, clause.end, clause.scene)
                if group and group.lemma == "be"
                else None
            )
            if owner and group and clause.low(clause.first) not in _POINTING:
                yield from _inverted(
                    clause.saying(owner.who, group, group.end), Span(clause.first, at), owner
                )
            return


def _inverted(clause: Clause, what: Span, owner: Found) -> Claims:
    kin = owned_at(clause.words, clause.at, clause.end, clause.scene)
    name = name_at(clause.words, *what, clause.scene)
    named = name is not None and name.end == what.end
    yes = "is" if clause.holds else "is not"
    if clause.low(owner.end) == "favourite":
        kind = kind_of(clause, owner.end + 1, noun_phrase(clause, owner.end + 1).end)
        if kind and kind not in _MATTERLESS:
            content = f"{owner.who.shown}'s favourite {kind} {yes} {told(clause, what, owner.who)}."
            yield from claim(
                clause, "favourite", value_of(clause, what), content, about=single(kind)
            )
    elif (
        kin
        and kin.who.owned
        and not kin.who.owned.name
        and name
        and named
        and kin.end >= clause.end - 1
    ):
        yield from tied(
            clause,
            kin.who.owned,
            name.name,
            f"{kin.who.shown} {yes} called {name.name}.",
            holds=clause.holds,
        )
    elif clause.low(owner.end) == "name" and name and named:
        yield from naming(clause, owner.who, name.name)


def it_is(clause: Clause) -> Claims:
    """As in "it's Al, not Alan": of what the sentence just spoke of, or a name where the two are spelt much alike."""
    scene, first = clause.scene, clause.first
    group = (
        group_at(clause.words, first + 1, clause.end)
        if clause.low(first) in ("it", "its", "that", "they")
        else None
    )
    if group is None or group.lemma != "be" or group.tense != "present" or group.end >= clause.end:
        return
    if scene.topic and scene.topic_words is clause.words:
        spelt, (start, end), who = scene.topic
        yield from about(clause.saying(who, group, group.end), spelt, Span(start, end), who)
    elif not scene.told and not group.negated:
        yield from _name_put_right(clause.saying(scene.me, group, group.end))


def _name_put_right(clause: Clause) -> Claims:
    found = name_at(clause.words, clause.at, clause.end, clause.scene)
    former = contrast(clause, found.end) if found else ""
    if (
        found
        and former[:1].isupper()
        and _alike(found.name.lower(), former.lower())
        and clause.low(clause.at) not in union("months", "weekdays")
    ):
        yield from naming(clause, clause.who, found.name, former=former)


def _alike(one: str, other: str) -> bool:
    close = one[:2] == other[:2] or SequenceMatcher(None, one, other).ratio() > 0.7
    return one != other and close
