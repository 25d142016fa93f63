"""Stage directions, words out of character and what somebody else says: what in a message is not plainly its speaker's own words.

Quoted words are the speaker's own unless the words around them give them to somebody else (`text.attribution`). What is not certain
gets no mark.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

from rolememory.schema.learning import MarkedSpan, SpanKind
from rolememory.shipped import lexicon
from rolememory.text.attribution import Narration, Verdict
from rolememory.text.language import HAN
from rolememory.text.words import stem

_NEAR = 120  # characters beside a quotation in which it says who speaks
_LONGEST_ASIDE = 4000  # characters to the bracket that closes words out of character
_STRESSED = 3  # so few words between asterisks may be stressed ones
_ASIDE_END = re.compile(r"[（(\[【{]{1,2}\s*/[^（()）\[\]【】{}\n]{1,20}[\])】）}]{1,2}")
_CLOSED_BY = {"(": ")", "（": "）", "[": "]", "【": "】", "{": "}"}
_WORDS = re.compile(r"[A-Za-z']+|[\u3400-\u9fff]")
_NUMERAL = re.compile(r"[一二三四五六七八九十\d\W]*")
_SENTENCES = re.compile(r".*(?:[。！？\n]|[.!?…][\"”’*_)]*\s)", re.DOTALL)
_TAG = re.compile(r"[^.!?。！？…\n\"“”„«「『*（(]*")
_FULL_STOP = re.compile(r"\.\W$")
_FIRST_PERSON = re.compile(r"\b(?:[Ii]|[Mm]y|[Mm]e|[Mm]ine)\b|[我咱俺]")
_BRIEF = 12  # characters of a stage direction in the middle of a sentence
_EDGE = '\n.!?…~。！？～；;：:"“”«»「」『』*()（）—-'

_LINE = r"[^\S\n]*(?P<ooc>(?:(?://|／／)(?![/／])|/?(?:OUTSIDE)[话音話]?[^\S\n]*[:：])[^\n]*)"
_STRETCH = r"""
(?P<double>\(\((?:[^()\n]|\([^()\n]*\))+\)\)|（（[^（）\n]+））)
|(?P<aside>[（(\[【{]{1,2}\s*/?(?:OUTSIDE)[话音話]?(?=[\s:：,，、\]】)）}-]))
|(?P<star>(?<![A-Za-z0-9*])\*(?![\s*])[^*\n]+\*(?!\*)|(?<!\w)_(?![\s_])[^_\n]+_(?!\w))
|(?P<quote>"[^"\n]+"|“[^“”\n]+”|„[^„“”\n]+[“”]|«[^«»\n]+»|「[^「」\n]+」|『[^『』\n]+』)
|(?P<round>（[^（）\n]+）|\([^()\n]+\))
"""
_OPENING = re.compile(r'[*_"“„«「『（(\[【{\n]')


class _MarkLexicon(NamedTuple):
    line: re.Pattern[str]  # a line out of character
    stretch: re.Pattern[str]  # what stands between delimiters
    stems: frozenset[str]  # of English gestures
    gestures: re.Pattern[str]  # Chinese ones


@cache
def _words() -> _MarkLexicon:
    en, zh = lexicon("prose.en"), lexicon("prose.zh")
    outside = f"{en['outside']}|{zh['outside']}".replace(" ", r"\ ")
    return _MarkLexicon(
        re.compile(_LINE.replace("OUTSIDE", outside), re.IGNORECASE),
        re.compile(_STRETCH.replace("OUTSIDE", outside), re.VERBOSE | re.IGNORECASE),
        frozenset(map(stem, en["gestures"].split())),
        re.compile("|".join(zh["gestures"].split())),
    )


def marks(text: str, own: Sequence[str] = (), others: Sequence[str] = ()) -> tuple[MarkedSpan, ...]:
    """The marked stretches of a message, in order and apart from each other. Cost: O(length).

    `own` are the names of its speaker, `others` those of other people who are known.

    >>> text = '*The innkeeper grumbles* "Three daughters!" *I smile* "My name is Lin." ((brb))'
    >>> [(one.kind, text[one.start : one.end]) for one in marks(text)][:3]
    [('action', '*The innkeeper grumbles*'), ('quote', '"Three daughters!"'), ('action', '*I smile*')]
    """
    stretches = list(_stretches(text, 0, len(text)))
    if not stretches:
        return ()
    narration = Narration(_names(own), _names(others), _first_person(text, stretches))
    return tuple(_MarkedMessage(text, narration).marks(stretches, 0, len(text)))


def is_aside(text: str) -> bool:
    """Whether a message is nothing but words out of character.

    >>> is_aside("((brb)) (OOC: two minutes)"), is_aside("I nod. ((brb))"), is_aside("")
    (True, False, False)
    """
    if all(one.kind != "ooc" for one in _stretches(text, 0, len(text))):
        return False
    place = 0
    for one in marks(text):
        if one.kind != "ooc" or text[place : one.start].strip():
            return False
        place = one.end
    return place > 0 and not text[place:].strip()


def is_told_by_an_i(text: str) -> bool:
    """Whether a text speaks of its teller as "I", what is quoted in it apart.

    >>> [is_told_by_an_i(one) for one in ("I moved.", 'Lin said: "I moved."', "我搬家了。", "林搬家了。")]
    [True, False, True, False]
    """
    return _first_person(text, list(_stretches(text, 0, len(text))))


def _names(names: Sequence[str]) -> frozenset[str]:
    """The words of Latin names in lower case, names in Han whole."""
    split = ([name] if HAN.search(name) else name.lower().split() for name in names)
    return frozenset(word for words in split for word in words)


class _Stretch(NamedTuple):
    kind: SpanKind
    start: int
    end: int


def _stretches(text: str, start: int, end: int) -> Iterator[_Stretch]:
    """What stands between delimiters: the outermost ones, in order."""
    line, stretch = _words().line, _words().stretch
    place = start
    while place < end:
        if (not place or text[place - 1] == "\n") and (found := line.match(text, place, end)):
            yield _Stretch("ooc", found.start("ooc"), found.end())
            place = found.end()
        opening = _OPENING.search(text, place, end)
        if opening is None:
            return
        place = opening.end()
        if found := stretch.match(text, opening.start(), end):
            one = _stretch(text, found, end)
            place = one.end if one else max(place, found.end("star"))
            if one:
                yield one


def _stretch(text: str, found: re.Match[str], end: int) -> _Stretch | None:
    """None for stressed words and remarks in brackets."""
    kind = found.lastgroup
    if kind == "aside":
        return _Stretch("ooc", found.start(), _aside_end(text, found, end))
    if kind in ("double", "quote"):
        return _Stretch("ooc" if kind == "double" else "quote", *found.span())
    narrates = _acted if kind == "star" else _narrated
    return _Stretch("action", *found.span()) if narrates(text, *found.span()) else None


def _aside_end(text: str, found: re.Match[str], end: int) -> int:
    """The place after the closing bracket, else the end of the line; 【ooc】 goes up to 【/ooc】."""
    opening = found["aside"][0]
    closing = _CLOSED_BY[opening]
    line = text.find("\n", found.end(), end)
    line = line if line >= 0 else end
    last = min(end, found.start() + _LONGEST_ASIDE)
    depth = 0
    for mark in re.compile(f"[{re.escape(opening + closing)}]").finditer(text, found.start(), last):
        depth += 1 if mark[0] == opening else -1
        if not depth:
            if text[found.end() : mark.start()].strip(closing + " "):
                return mark.end()
            closed = _ASIDE_END.search(text, mark.end(), last)
            return closed.end() if closed else line
    return line


def _acted(text: str, start: int, end: int) -> bool:
    """Whether words between asterisks are a stage direction, not stressed."""
    inside = _WORDS.findall(text, start, end)
    edges = _opens(text, start) + _closes(text, end)
    if len(inside) > _STRESSED or edges > 1:
        return bool(inside)
    return edges > 0 and (bool(HAN.search(text, start, end)) or _is_gesture(inside))


def _narrated(text: str, start: int, end: int) -> bool:
    """Whether words in round brackets are a stage direction, not a remark."""
    inside = text[start + 1 : end - 1]
    if not HAN.search(inside):
        return _opens(text, start) and _is_gesture(_WORDS.findall(inside))
    if _opens(text, start):
        return not _NUMERAL.fullmatch(inside)
    return len(inside) <= _BRIEF and bool(_words().gestures.search(inside))


def _opens(text: str, start: int) -> bool:
    """Whether a line, a sentence or a quotation begins there."""
    before = text[max(start - 3, 0) : start].rstrip(" \t")
    return not before or before[-1] in _EDGE


def _closes(text: str, end: int) -> bool:
    behind = text[end : end + 3].lstrip(" \t")
    return not behind or behind[0] in _EDGE or behind[0].isupper()


def _is_gesture(words: Sequence[str]) -> bool:
    return any(stem(word.lower()) in _words().stems for word in words)


def _first_person(text: str, stretches: Sequence[_Stretch]) -> bool:
    """Whether the message is told by an I, what is quoted in it apart."""
    place = 0
    for one in stretches:
        if one.kind != "action":
            if _FIRST_PERSON.search(text, place, one.start):
                return True
            place = one.end
    return bool(_FIRST_PERSON.search(text, place))


def _last_sentence(text: str) -> str:
    earlier = _SENTENCES.match(text)
    return text[earlier.end() :] if earlier else text


@dataclass(frozen=True)
class _MarkedMessage:
    text: str
    narration: Narration

    def marks(self, stretches: Sequence[_Stretch], start: int, end: int) -> Iterator[MarkedSpan]:
        """The marks among the stretches between two places."""
        last: _Stretch | None = None
        carried = -1  # up to where a sentence gave the quotation before it to somebody else
        edges = (*(one.start for one in stretches[1:]), end)
        for one, behind in zip(stretches, edges, strict=False):
            if one.kind == "quote":
                tag = self._tag(one, behind)
                told = self.narration.after(tag) if tag else ""
                by_tag = told == "other"
                if not told:
                    told = self._told(one, last, start, carried)
                carried = one.end + len(tag) + 1 if by_tag else -1
                if told == "other":
                    yield MarkedSpan(*one)
                else:
                    yield from self._inside(one)
            elif one.kind == "action":
                yield from self._around(one)
            else:
                yield MarkedSpan(*one)
            last = one

    def _tag(self, quote: _Stretch, behind: int) -> str:
        """The words behind a quotation that may say who said it."""
        found = _TAG.match(self.text, quote.end, min(behind, quote.end + _NEAR))
        tag = found[0] if found else ""
        words = tag.strip()
        if not words or words.endswith((":", "：")):  # they announce the next one
            return ""
        ended = _FULL_STOP.search(self.text, quote.start, quote.end)
        return "" if ended and words[0].isupper() else tag

    def _told(self, quote: _Stretch, last: _Stretch | None, start: int, carried: int) -> Verdict:
        """Whose a quotation is by what stands before it."""
        low = last.end if last else start
        before = self.text[max(low, quote.start - _NEAR) : quote.start]
        clause = _last_sentence(before)
        if clause.strip():
            return self.narration.before(clause)
        if carried >= low and not self.text[carried : quote.start].strip(" "):
            return "other"
        if last and last.kind == "action" and not before.strip() and before.count("\n") < 2:
            acted = self.text[max(last.start + 1, last.end - _NEAR) : last.end - 1]
            return self.narration.acting(_last_sentence(acted.rstrip(" .!?…。！？")))
        return ""

    def _inside(self, quote: _Stretch) -> Iterator[MarkedSpan]:
        """Marks inside of what the speaker says, where he and she are others."""
        start, end = quote.start + 1, quote.end - 1
        if stretches := list(_stretches(self.text, start, end)):
            inner = _MarkedMessage(self.text, replace(self.narration, first_person=True))
            yield from inner.marks(stretches, start, end)

    def _around(self, action: _Stretch) -> Iterator[MarkedSpan]:
        """A stage direction without what somebody else says in it."""
        start, end = action.start + 1, action.end - 1
        quotes = [one for one in _stretches(self.text, start, end) if one.kind == "quote"]
        place = action.start
        for one in self.marks(quotes, start, end):
            if one.kind == "quote":
                yield MarkedSpan("action", place, one.start)
                yield one
                place = one.end
        yield MarkedSpan("action", place, action.end)
