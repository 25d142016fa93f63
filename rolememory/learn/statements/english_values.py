"""What stands behind a verb: where a value ends, what is trimmed off it, the items of a list, and how it is told of a third person."""

from typing import Final, NamedTuple

from rolememory.learn.statements.english_clause import Clause
from rolememory.learn.statements.english_scene import ME, OWNERS, YOU, Who
from rolememory.learn.statements.english_time import time_at, times_at
from rolememory.learn.statements.english_words import Word, Words, lexicon, listed, union

LONGEST: Final = 14  # words of a value; more is a story
_QUOTES: Final = str.maketrans("", "", '"“”«»')
_OWN: Final = {
    "i": "they", "we": "they", "me": "them", "us": "them", "my": "their", "our": "their", "mine": "theirs", "ours": "theirs",
    "myself": "themselves", "ourselves": "themselves", "you": "them", "your": "their", "yours": "theirs", "yourself": "themselves",
}  # fmt: skip
_POSSESSIVE: Final = frozenset({"my", "our", "mine", "ours", "your", "yours"})
_LIST_MARKS: Final = frozenset({",", "and", "&", "or"})
_INSIDE: Final = frozenset("/-'.+#&%°@:")
_ARTICLES: Final = frozenset("a an the some any really very such quite also just all both".split())
_NO_ENDS: Final = frozenset(
    "a an the my your our very really 's . of to from at for with as like than by about near since until into in on via per".split()
)
_NO_ITEMS: Final = frozenset("i you he she it they we then so not also even to that this".split())
_OPEN: Final = frozenset("this that these those him her them it his hers".split())
_THEIRS: Final = frozenset(
    {"they", "their", "theirs"}
)  # somebody else's; in a memory the subject's own
_OBJECT_CLAUSES: Final = frozenset(
    "what how that who where whether if when why which whatever you i he she we they".split()
)
_AFTER_COMMA: Final = frozenset(
    "and but or so i you he she we they it which who especially because not though although then too please".split()
)
_AFTER_TIME: Final = frozenset("and but with because so in at not anymore".split())


class Span(NamedTuple):
    """Words of a sentence, half open; empty where both are the same."""

    first: int
    end: int


def phrase(clause: Clause, at: int, *stops: str) -> Span:
    """The words from `at` to the end of what they say: a mark, a clause, a time, a closing phrase or one of `stops` ends them."""
    place = at
    while (
        place < clause.end
        and clause.words[place].low not in stops
        and not _ends(clause.words, place, clause.end, at)
    ):
        place += 1
    return _without_name(clause, _without_tail(clause.words, Span(at, place)))


def _without_name(clause: Clause, span: Span) -> Span:
    """Without the name of the one spoken to at its end: "I love tea Mira"."""
    first, end = span
    you, before = clause.scene.you, clause.low(end - 2)
    called = (
        you and end - first > 1 and clause.scene.speaker.names.get(clause.low(end - 1)) == you.label
    )
    return (
        Span(first, end - 1)
        if called
        and not (
            listed("prepositions", before) or before in ("and", "my", "or") or _is_verb(before)
        )
        else span
    )


def noun_phrase(clause: Clause, at: int) -> Span:
    """The words from `at` to the next preposition or whatever else ends a phrase."""
    return phrase(clause, at, *union("prepositions"))


def _ends(words: Words, at: int, end: int, first: int) -> bool:
    low = words[at].low
    if low == "'s":
        return at == first or not (at + 1 < end and words[at + 1].low[0].isalpha())
    if not low[0].isalnum():
        return not (
            low in _INSIDE and ((at > first and words[at].start == words[at - 1].end) or low == "@")
        )
    if low == "not" or listed("clause_words", low):
        return not (low == "and" and _joins_adjectives(words, at, first, end))
    return at > first and (time_at(words, at, end) is not None or closes(words, at, end))


def _joins_adjectives(words: Words, at: int, first: int, end: int) -> bool:
    """As in "a safe and loving home", "new and powerful models"."""
    lows = words.lows
    adjective = at > first and (
        listed("adjectives", lows[at - 1]) or (at - first > 1 and lows[at - 2] in ("a", "an"))
    )
    if not adjective or at + 2 >= end:
        return False
    two, noun = lows[at + 1], lows[at + 2]
    closed = union("determiners", "prepositions", "clause_words", "tails")
    return (
        noun.isalpha()
        and two.isalpha()
        and not (two in closed or noun in closed or two in lexicon().bases)
    )


def closes(words: Words, at: int, end: int) -> bool:
    """Whether only closing words stand from here on: "lol", "very much", "at all"."""
    while at < end and (length := lexicon()["tails"].at(words, at, end)):
        at += length
        if at >= end or not words[at].low[0].isalnum():
            return True
    return False


def _without_tail(words: Words, span: Span) -> Span:
    first, end = span
    while length := lexicon()["tails"].ending(words, first + 1, end):
        end -= length
    while end > first and words.lows[end - 1] in _NO_ENDS:
        end -= 1
    return Span(first, end)


def bare(clause: Clause, span: Span) -> Span:
    """Without articles in front."""
    first, end = span
    while first < end - 1 and clause.words[first].low in _ARTICLES:
        first += 1
    return Span(first, end)


def items(clause: Clause, at: int, *stops: str, titles: bool = True) -> list[Span]:
    """The members of a list, or the one value: "tea, coffee and milk"; "rock and roll" and "Pride and Prejudice" are one.

    Members must look alike: all with -ing, or all short phrases; else the first alone counts.
    """
    first = phrase(clause, at, *stops)
    found, words = [first] if first.end > first.first else [], clause.words
    while found and len(found) < 8 and (place := _next_item(clause, found[-1].end)):
        span = phrase(clause, place, *stops)
        if (
            span.end <= span.first
            or not _alike(words, first, span)
            or clause.low(span.end) in ("is", "are", "was", "were", "has", "will")
        ):
            break
        if lexicon()["fixed_pairs"].inside(words, found[-1].first, span.end):
            found[-1] = Span(found[-1].first, span.end)
        else:
            found.append(span)
    return (
        [Span(found[0].first, found[1].end)]
        if titles and len(found) == 2 and _is_one(words, found)
        else found
    )


def _next_item(clause: Clause, at: int) -> int:
    """Where the next member of a list begins; 0 = the list is over."""
    place = at
    while clause.low(place) in _LIST_MARKS:
        place += 1
    return place if at < place < clause.end else 0


def _alike(words: Words, one: Span, other: Span) -> bool:
    low = words[other.first].low
    tagged = other.end - other.first == 1 and listed("tags", low)
    if (
        low in _NO_ITEMS
        or low in OWNERS
        or tagged
        or listed("adverbs", low)
        or other.end - other.first > 5
    ):
        return False
    return low.endswith("ing") == words[one.first].low.endswith("ing")


def _is_one(words: Words, found: list[Span]) -> bool:
    """Whether two joined by "and" may be one: "Pride and Prejudice", "books about art and music", "electronic and rock music"."""
    one, two = found
    if words.lows[one.end] not in ("and", "&"):
        return False
    title = all(words[at].capital for at in (one.first, one.end - 1, two.first))
    deep = any(listed("prepositions", low) for low in words.lows[one.first : one.end])
    last = words[one.end - 1]
    shared = (
        one.end - one.first == 1
        and two.end - two.first > 1
        and not (last.capital or last.low.endswith(("s", "ing")))
    )
    return title or deep or (shared and words.lows[two.first] not in ("a", "an", "the", "my"))


def told(clause: Clause, span: Span, who: Who | None = None) -> str | None:
    """The words as a third person's: "my dog" -> "their dog", "you" -> "Mira"; None where nobody knows who "you" is."""
    words, (first, end), about = clause.words, span, who or clause.who
    pieces: list[str] = []
    for place in range(first, end):
        word = words[place]
        piece = (
            _third_person(clause, word.low, about)
            if word.low in ME or word.low in YOU
            else _spelt(word)
        )
        if piece is None:
            return None
        gap = clause.scene.text[words[place - 1].end : word.start] if place > first else ""
        pieces.append(gap + (piece or word.raw))
    return " ".join("".join(pieces).translate(_QUOTES).split()).strip(" ,;:-")


def _spelt(word: Word) -> str:
    return f" {word.low}" if not word.raw else word.low if word.raw == "w/" else word.raw


def _third_person(clause: Clause, low: str, about: Who) -> str | None:
    """The pronoun as told of somebody; empty where it stays as it is."""
    mine = low in ME
    if mine and clause.scene.told:
        return ""
    if about.person == ("me" if mine else "you"):
        return _OWN[low]
    somebody = clause.scene.me if mine else clause.scene.you
    if somebody is None:
        return None
    return f"{somebody.shown}'s" if low in _POSSESSIVE else somebody.shown


def value_of(clause: Clause, span: Span, who: Who | None = None) -> str:
    """The value in a span, without its articles; its own words where they cannot be told of a third; "" where it is too long."""
    kept = bare(clause, span)
    if not 0 < kept.end - kept.first <= LONGEST:
        return ""
    said = told(clause, kept, who)
    return raw(clause, kept) if said is None else said


def cut_short(clause: Clause, span: Span) -> bool:
    """Whether the words leave open what they mean: "sharing (what I know)", "making him happy", "a safe (, warm place)"."""
    lows, (beyond, further) = (
        clause.lows(*span),
        [*clause.words.lows[span.end : span.end + 2], "", ""][:2],
    )
    if not _OPEN.isdisjoint(lows) or (not clause.scene.told and not _THEIRS.isdisjoint(lows)):
        return True
    if beyond in ("that", "who", "which") or (
        beyond in _OBJECT_CLAUSES and _is_verb(lows[-1] if lows else "")
    ):
        return True
    if listed("prepositions", beyond) and (further in _OPEN or further in _OBJECT_CLAUSES):
        return True
    adjective = len(lows) > 1 and lows[-2] in ("a", "an") and beyond == ","
    return adjective and further[:1].isalpha() and further not in _AFTER_COMMA


def _is_verb(low: str) -> bool:
    return low in lexicon().verbs


def raw(clause: Clause, span: Span) -> str:
    """The words of a span as they stand."""
    first, end = span
    text = (
        clause.scene.text[clause.words[first].start : clause.words[end - 1].end]
        if end > first
        else ""
    )
    return " ".join(text.translate(_QUOTES).split())


def timed(clause: Clause, end: int) -> int:
    """Where a phrase of time, or "any more", behind a value ends."""
    place = end + (clause.low(end) == "now")
    run = times_at(clause.words, place, clause.end)
    if run and (
        run.end >= clause.end
        or not clause.low(run.end)[0].isalpha()
        or clause.low(run.end) in _AFTER_TIME
    ):
        place = run.end
    if clause.low(place) == "anymore":
        return place + 1
    return (
        place + 2
        if clause.low(place) == "any" and clause.low(place + 1) in ("more", "longer")
        else place
    )


def contrast(clause: Clause, end: int) -> str:
    """What a sentence puts right: the "Alan" of "it's Al, not Alan"; "" where it does not."""
    place = timed(clause, end)
    while clause.low(place) in (",", "now", "and", "-"):
        place += 1
    if clause.low(place) not in ("not", "instead", "rather"):
        return ""
    place += 1
    while clause.low(place) in (
        "in",
        "at",
        "a",
        "an",
        "the",
        "of",
        "than",
        "from",
        "as",
        "for",
        "like",
    ):
        place += 1
    return value_of(clause, phrase(clause, place))
