"""Explicit commands to the memory in a user's message: "remember this", "forget that"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from rolememory.learn.commands.reading import CLOSERS, Part, plain, sentences
from rolememory.learn.commands.rules import Kind, Row, Rules, rules
from rolememory.learn.commands.voices import blanked
from rolememory.schema.scene import Language

_LONGEST = 8_000  # characters of a message that are read
_LONGEST_SENTENCE = 600
_MOST_CONTENT = 600
_OPENS = 0.7  # a row less certain than this must open its sentence
_HAN, _LATIN = re.compile("[\u3400-\u9fff]"), re.compile("[a-z]{2}")
_EDGE = " \t\r\n,.;:!?。~、…-–—，；：！？～" + CLOSERS + "”’）】([「『“‘（【"
_EMPTY_LINE = re.compile(r"\n[ \t]*\n")
_BRACKETS = re.compile(r"\(\((?P<double>.*?)\)\)|\((?P<round>[^()]*)\)|\[{1,2}(?P<square>[^\[\]]*)\]{1,2}", re.DOTALL)
_SLASH = re.compile(r"^[ \t]*/(?P<word>[a-z]+|[\u3400-\u9fff]+)(?P<rest>[^\n]*)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Command:
    """What a person told the memory to do."""

    kind: Kind
    content: str  # what to remember or forget, in the person's words; "" = "that": the message before this one
    quote: str  # the words that say so, as they stand in the message
    certainty: float  # 0..1
    ooc: bool = False  # said outside the story: in brackets, after a slash, or marked so
    start: int = 0  # where the quote stands, in characters
    end: int = 0


def commands(text: str) -> list[Command]:
    """The commands in a user's message, in order. A question about a memory is none, nor are another's words or a plan.

    "Remember to lock the door", said in the story, is a plan; outside the story it is a command, and so is
    "remember to call me Captain". `text` may still hold brackets and out-of-character marks: commands often stand there.
    Cost: O(length); a message without any word of command costs one search.

    >>> [(command.kind, command.content) for command in commands("Please remember that I'm allergic to nuts.")]
    [('remember', "I'm allergic to nuts")]
    >>> commands("Do you remember my sister?"), commands("还记得我妹妹吗？")
    ([], [])
    >>> [(command.kind, command.content) for command in commands("我生日是5月3号，别忘了哦！以后别再提我前男友了。")]
    [('remember', '我生日是5月3号'), ('forget', '我前男友')]
    """
    text = text[:_LONGEST]
    even = plain(text)
    found: list[Command] = []
    for language in _languages(even):
        if rules(language).hint.search(even):
            found += _Reader(text, even, rules(language)).read()
    found.sort(key=lambda command: (command.start, command.end, -command.certainty))
    return list(_apart(found))


def _languages(even: str) -> Iterator[Language]:
    if _HAN.search(even):
        yield "zh"
    if _LATIN.search(even):
        yield "en"


def _apart(found: Sequence[Command]) -> Iterator[Command]:
    """Without what two languages, or two ways of reading, found twice."""
    last: Command | None = None
    for command in found:
        if last is None or command.start >= last.end or (command.kind, command.content) != (last.kind, last.content):
            yield command
            last = command


class _Reader:
    """One message, read with one language's rules."""

    def __init__(self, text: str, even: str, table: Rules) -> None:
        self._text, self._even, self._rules = text, even, table
        self._story = even  # what is left once asides and others' voices are blanked

    def read(self) -> list[Command]:
        found = [*self._slashed(), *self._bracketed()]
        self._story = blanked(self._story, self._rules.own_words)
        return found + list(self._told(0, len(self._text), ooc=False))

    def _blank(self, start: int, end: int) -> None:
        self._story = self._story[:start] + re.sub(r"[^\n]", " ", self._story[start:end]) + self._story[end:]

    def _slashed(self) -> Iterator[Command]:
        for line in _SLASH.finditer(self._even):
            word = line["word"]
            known = next((name for name in sorted(self._rules.slash, key=len, reverse=True) if _begins(word, name)), "")
            if known:
                start = line.start("word") + len(known)
                self._blank(*line.span())
                yield self._command(
                    self._rules.slash[known], self._clean(start, line.end()), line.start("word") - 1, line.end(), 1.0, ooc=True
                )

    def _bracketed(self) -> Iterator[Command]:
        label = re.compile(rf"\s*(?:{self._rules.ooc}|ooc)\s*[:,.-]*\s*")
        for bracket in _BRACKETS.finditer(self._even):
            start, end = bracket.span(str(bracket.lastgroup))
            marked = label.match(self._even, start, end)
            told = list(self._told(marked.end() if marked else start, end, ooc=True, loose=bool(marked)))
            if marked or told:
                self._blank(*bracket.span())
            yield from told
        for line in re.finditer(rf"^[ \t]*(?:{self._rules.ooc}|ooc)[ \t]*:(?P<rest>[^\n]*)", self._even, re.MULTILINE):
            yield from self._told(*line.span("rest"), ooc=True, loose=True)
            self._blank(*line.span())

    def _told(self, start: int, end: int, *, ooc: bool, loose: bool = False) -> Iterator[Command]:
        """The commands of the sentences in [start, end)."""
        source = self._even if ooc else self._story
        parts = _joined([Part(one.start + start, one.end + start) for one in sentences(source[start:end])], source)
        for place in range(len(parts)):
            scope = _Scope(self._text, source, self._rules, parts, place, loose=loose)
            for command in scope.commands():
                yield replace(command, ooc=ooc)

    def _clean(self, start: int, end: int) -> str:
        return content(self._text, self._even, self._rules, start, end)

    def _command(self, kind: Kind, said: str, start: int, end: int, certainty: float, *, ooc: bool) -> Command:
        return Command(kind, said, self._text[start:end].strip(), certainty, ooc, start, end)


def _begins(word: str, name: str) -> bool:
    return word == name if name.isascii() else word.startswith(name)


def _joined(parts: list[Part], even: str) -> list[Part]:
    """Sentences, those that end with a colon together with the lines they announce."""
    out: list[Part] = []
    for part in parts:
        last = out[-1] if out else None
        announced = last is not None and even[last.start : last.end].rstrip(" *").endswith(":")
        listed = last is not None and ":\n" in even[last.start : last.end].replace(" ", "")
        near = last is not None and not _EMPTY_LINE.search(even, last.end, part.start) and part.end - last.start < _LONGEST_SENTENCE
        if last and near and (announced or (listed and "\n" in even[last.end : part.start])):
            out[-1] = Part(last.start, part.end)
        else:
            out.append(part)
    return out


def content(text: str, even: str, table: Rules, start: int, end: int) -> str:
    """The words in [start, end) without politeness and punctuation around them; closing brackets and quotes stay with their opening."""
    tail = table.tail.search(" " + even[start:end])
    return text[start : start + tail.start() - 1 if tail and tail.start() else start if tail else end].strip(_EDGE)


@dataclass(frozen=True)
class _Scope:
    """A sentence among its neighbours, in which commands are looked for."""

    text: str
    even: str
    rules: Rules
    parts: Sequence[Part]
    place: int
    loose: bool = False  # outside the story: "remember to ..." is a command too

    @cached_property
    def part(self) -> Part:
        part = self.parts[self.place]
        return Part(part.start, min(part.end, part.start + _LONGEST_SENTENCE))

    def commands(self) -> Iterator[Command]:
        free = self.part.start
        for start in self._clauses():
            if start >= free and (command := self._command_at(start)):
                yield command
                free = command.end

    def _clauses(self) -> list[int]:
        """Where clauses begin."""
        starts = [stop.end() for stop in self.rules.clause.finditer(self.even, self.part.start, self.part.end)]
        return sorted({self.part.start + _blanks(self.even, self.part.start, self.part.end), *starts})

    def _command_at(self, start: int) -> Command | None:
        if self._reported(start):
            return None
        end, asks = self._end(start)
        lead = self.rules.lead.match(self.even, start, end)
        for begin in dict.fromkeys((start, lead.end() if lead else start)):
            for row in (*self.rules.rows, *(self.rules.ooc_rows if self.loose else ())):
                if command := self._said(row, start, begin, self._limit(row, begin, end), asks=asks):
                    return command
        return None

    def _limit(self, row: Row, begin: int, end: int) -> int:
        """Where the words of a row may reach: its clause, or the sentence up to the next command."""
        if row.short:
            stop = self.rules.clause.search(self.even, begin + 1, end)
            return stop.start() if stop else end
        return end

    def _end(self, start: int) -> tuple[int, bool]:
        """Where what is said at `start` ends, a question behind it left out; and whether it asks itself."""
        end = self._closing_quote(start, self._next_command(start))
        if still := self.rules.still_orders.search(self.even, start, end):
            return (still.start(), False) if still.start() > start else (end, True)
        if not self.rules.asks.search(self.even, start, end):
            return end, False
        later = [stop for stop in self.rules.clause.finditer(self.even, start + 1, end) if stop.end() < end]
        return (later[-1].start(), False) if later and not self._polite() else (end, True)

    def _closing_quote(self, start: int, end: int) -> int:
        """Direct speech ends with its quotation marks."""
        inside = self.even.count('"', self.part.start, start) % 2
        mark = self.even.find('"', start, end) if inside else -1
        return mark if mark > 0 else end

    def _polite(self) -> bool:
        return self.rules.asks_politely.search(self.even[self.part.start : self.part.end]) is not None

    def _next_command(self, start: int) -> int:
        """Where a later clause of the sentence begins another command."""
        for later in self._clauses():
            if later > start:
                lead = self.rules.lead.match(self.even, later, self.part.end)
                if any(
                    row.kind != "correct"
                    and row.shape != "that"
                    and row.says.match(self.even, lead.end() if lead else later, self.part.end)
                    for row in self.rules.rows
                ):
                    return later
        return self.part.end

    def _reported(self, start: int) -> bool:
        before = self.even[self.part.start : start]
        return bool(self.rules.reported.search(before.rstrip(" ,:\"'"))) and not self.rules.own_words.search(before)

    def _said(self, row: Row, start: int, begin: int, end: int, *, asks: bool) -> Command | None:
        """The command that a row reads between `begin` and `end`."""
        stop = begin + len(self.even[begin:end].rstrip(_EDGE))
        if row.unless and row.unless.match(self.even, begin, stop):
            return None
        match = row.says.fullmatch(self.even, begin, stop)
        if row.certainty < _OPENS and self._says_more_than_a_name(self.even[self.part.start : start]):
            return None
        if match is None or (asks and not (self._polite() and not self.rules.asked_what.search(self.even, start, stop))):
            return None
        return self._meant(row, match, start, stop)

    def _meant(self, row: Row, match: re.Match[str], start: int, stop: int) -> Command | None:
        what = next(((match.start(name), match.end(name)) for name in row.says.groupindex if match[name]), None)
        first, last = start, stop
        if row.shape == "whole" and what:
            what = (what[0], stop) if match.end("what") < stop and self.even[match.end("what") : stop].strip(_EDGE).find(",") >= 0 else what
        said = self._content(what[0], what[1]) if what else ""
        if what and (said or row.shape not in ("maybe", "next")):
            last = max(self._following(what[0], what[1]), stop)
            said = self._content(what[0], max(what[1], last if last > stop else what[1]))
            if not said or (row.shape == "statement" and not self._is_fact(said, match)):
                return None
        else:
            pointed = self._pointed(row, match, start)
            if pointed is None:
                return None
            said, first, last = pointed[0], min(first, pointed[1]), max(last, pointed[2])
        last = self._closed(last)
        return Command(row.kind, said, self.text[first:last].strip(), row.certainty, False, first, last)

    def _content(self, start: int, end: int) -> str:
        return content(self.text, self.even, self.rules, start, end)

    def _closed(self, last: int) -> int:
        """With the punctuation that ends it."""
        while last < self.part.end and self.text[last] in _EDGE and self.text[last] not in "([「『":
            last += 1
        return last

    def _is_fact(self, said: str, match: re.Match[str]) -> bool:
        even = plain(said)
        asked = re.search(r"\bthat ", match[0][: match.start("what") - match.start()])
        return self._states(said) and not self.rules.advice.match(even) and (bool(asked) or not self.rules.cheer.match(even))

    def _states(self, said: str) -> bool:
        even = plain(said)
        return bool(self.rules.statement.match(even)) and not self.rules.no_statement.match(even)

    def _following(self, first: int, last: int) -> int:
        """Behind a colon the sentences of the same line belong to it, until a question or another command."""
        if not self.even[:first].rstrip(" \n\"'*-").endswith(":") or last < self.part.start + len(
            self.even[self.part.start : self.part.end].rstrip(_EDGE)
        ):
            return last
        for part in self.parts[self.place + 1 :]:
            words = self.even[part.start : part.end]
            if "\n" in self.even[last : part.start] or part.end - first > _MOST_CONTENT or self._ends_content(words):
                break
            last = part.end
        return last

    def _ends_content(self, words: str) -> bool:
        return words.startswith("*") or self.rules.asks.search(words) is not None or self.rules.hint.search(words) is not None

    def _pointed(self, row: Row, match: re.Match[str], start: int) -> tuple[str, int, int] | None:
        """(words, start, end) that "that" points to: what stands before it in the sentence or the message, else behind it."""
        before = content(self.text, self.even, self.rules, self.part.start, start)
        if (
            row.kind == "remember"
            and row.shape == "that"
            and self._says_more_than_a_name(self.even[match.end() : self._next_command(start)])
        ):
            return None  # "don't forget, believe in yourself"
        if row.shape != "next" and self._tells(before):
            return before, self.part.start, start
        if row.shape != "next" and self._says_more_than_a_name(before):  # "bring your coat, don't forget": a plan
            return None
        nearest = (
            [self.place + 1]
            if row.shape == "next"
            else [self.place - 1, self.place + 1]
            if row.kind in ("remember", "pin")
            else [self.place - 1]
        )
        for place in nearest:
            if 0 <= place < len(self.parts) and (said := self._neighbour(place)):
                return said, self.parts[place].start, self.parts[place].end
        learned = self.rules.learned.search(match[0]) or "给我" in self.even[start : match.start()]
        if row.shape == "next" or (row.kind == "remember" and learned):
            return None
        return "", start, match.end()

    def _says_more_than_a_name(self, before: str) -> bool:
        even = plain(before)
        lead = self.rules.lead.match(even)
        rest = even[lead.end() if lead else 0 :]
        return len(re.findall("[a-z']+", rest)) > 2 or len(_HAN.findall(rest)) > 3

    def _neighbour(self, place: int) -> str:
        part = self.parts[place]
        said = content(self.text, self.even, self.rules, part.start, part.end)
        asks = self.rules.asks.search(self.even, part.start, part.end)
        return said if self._tells(said) and not asks else ""

    def _tells(self, said: str) -> bool:
        lead = self.rules.lead.match(even := plain(said))
        return len(said) >= 4 and self._states(said) and not (lead and lead.end() == len(even))


def _blanks(even: str, start: int, end: int) -> int:
    """How many blanks and opening marks stand at the start."""
    inside = even[start:end]
    return len(inside) - len(inside.lstrip(" \t\r\n\"'([「『*-"))
