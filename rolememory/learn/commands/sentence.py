"""Parses one sentence of a message for commands."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from rolememory.learn.commands.patterns import CommandPattern, CommandPatterns, Kind
from rolememory.schema.value_class import value_class
from rolememory.text.language import HAN
from rolememory.text.plain import plain
from rolememory.text.sentences import SentenceSpan

_LONGEST = 600  # characters of a sentence that are read
_MOST_CLAUSES = 40
_CLOSERS = "\"')」』]>*_~"
_EDGE = " \t\r\n,.;:!?。~、…-–—，；：！？～" + _CLOSERS + "”’）】([「『“‘（【"
_NEIGHBOURS = {
    "next": (1,),
    "remember": (-1, 1),
    "pin": (-1, 1),
}  # the sentences "that" may refer to, nearest first; default: the last one


@value_class
class Command:
    """A command to the memory."""

    kind: Kind
    content: str  # what to remember or forget, in the person's words; "" = "that": the message before this one
    quote: str  # the command as written in the message
    ooc: bool = False  # out of character: in brackets, after a slash, or marked so
    start: int = 0  # position of the quote, in characters
    end: int = 0


def content(text: str, even: str, table: CommandPatterns, start: int, end: int) -> str:
    """The text in [start, end) without surrounding politeness and punctuation; balanced brackets and quotes stay."""
    tail = table.tail.search(" " + even[start:end])
    return text[start : start + max(tail.start() - 1, 0) if tail else end].strip(_EDGE)


@dataclass(frozen=True)
class CommandSentence:
    """A sentence in its context, to be searched for commands."""

    text: str
    even: str
    rules: CommandPatterns
    parts: Sequence[SentenceSpan]
    place: int
    loose: bool = False  # out of character: "remember to ..." is a command too

    @cached_property
    def part(self) -> SentenceSpan:
        """Its span, cut at the length limit."""
        part = self.parts[self.place]
        return SentenceSpan(part.start, min(part.end, part.start + _LONGEST))

    def commands(self) -> Iterator[Command]:
        """Its commands, in order, not overlapping."""
        free = self.part.start
        for start in self._clauses:
            command = self._command_at(start)
            if command and (command.start >= free or free == self.part.start):
                yield command
                free = command.end

    @cached_property
    def _clauses(self) -> list[int]:
        """The starts of clauses."""
        starts = [
            stop.end()
            for stop in self.rules.clause.finditer(self.even, self.part.start, self.part.end)
        ]
        return sorted(
            {self.part.start + _blanks(self.even, self.part.start, self.part.end), *starts}
        )[:_MOST_CLAUSES]

    @cached_property
    def _ordering(self) -> list[int]:
        """Those where a command may begin."""
        return [start for start in self._clauses if self._orders(start)]

    def _orders(self, start: int) -> bool:
        begin = self._led(self.even, start, self.part.end)
        return any(row.says.match(self.even, begin, self.part.end) for row in self.rules.rows)

    def _led(self, even: str, start: int, end: int) -> int:
        """The start of the words after politeness and fillers."""
        lead = self.rules.lead.match(even, start, end)
        return lead.end() if lead else start

    def _command_at(self, start: int) -> Command | None:
        if self._reported(start):
            return None
        end, asks = self._end(start)
        for begin in dict.fromkeys((start, self._led(self.even, start, end))):
            for row in (*self.rules.rows, *(self.rules.ooc_rows if self.loose else ())):
                if command := self._said(
                    row, start, begin, self._limit(row, begin, end), asks=asks
                ):
                    return command
        return None

    def _limit(self, row: CommandPattern, begin: int, end: int) -> int:
        """The maximum end of a row's match: its clause, or the sentence up to the next command."""
        if row.short:
            stop = self.rules.clause.search(self.even, begin + 1, end)
            return stop.start() if stop else end
        return end

    def _end(self, start: int) -> tuple[int, bool]:
        """The end of the statement at `start`, without a question after it; and whether it is a question itself."""
        end = self._closing_quote(start, self._next_command(start))
        if still := self.rules.still_orders.search(self.even, start, end):
            return still.start(), False
        if not self.rules.asks.search(self.even, start, end):
            return end, False
        later = [*self.rules.clause.finditer(self.even, start + 1, end)]
        return (later[-1].start(), False) if later and not self._polite() else (end, True)

    def _closing_quote(self, start: int, end: int) -> int:
        """Where direct speech ends: after its quotation marks."""
        inside = self.even.count('"', self.part.start, start) % 2
        mark = self.even.find('"', start, end) if inside else -1
        return mark if mark > 0 else end

    def _polite(self) -> bool:
        return bool(self.rules.asks_politely.search(self.even[self.part.start : self.part.end]))

    def _asks_for_it(self, start: int, stop: int) -> bool:
        """Whether a question is a command: could you remember that ...?"""
        return self._polite() and not self.rules.asked_what.search(self.even, start, stop)

    def _next_command(self, start: int) -> int:
        """The start of a later clause with another command."""
        return next((later for later in self._ordering if later > start), self.part.end)

    def _reported(self, start: int) -> bool:
        before = self.even[self.part.start : start]
        return bool(
            self.rules.reported.search(before.rstrip(" ,:\"'"))
        ) and not self.rules.own_words.search(before)

    def _said(
        self, row: CommandPattern, start: int, begin: int, end: int, *, asks: bool
    ) -> Command | None:
        """The command that a row matches between `begin` and `end`."""
        stop = begin + len(self.even[begin:end].rstrip(_EDGE))
        if row.unless and row.unless.match(self.even, begin, stop):
            return None
        match = row.says.fullmatch(self.even, begin, stop)
        if match is None or (asks and not self._asks_for_it(start, stop)):
            return None
        return self._meant(row, match, start, stop)

    def _meant(
        self, row: CommandPattern, match: re.Match[str], start: int, stop: int
    ) -> Command | None:
        named = (name for name in row.says.groupindex if match[name])
        if (name := next(named, None)) is not None:
            what = match.span(name)
            if row.shape == "whole" and "," in self.even[what[1] : stop].strip(_EDGE):
                what = (what[0], stop)  # 把我的生日记下来，5月3号
            if self._content(*what):
                return self._with_content(row, match, what, (start, stop))
        if pointed := self._pointed(row, match, start):
            return self._command(row, pointed[0], min(start, pointed[1]), max(stop, pointed[2]))
        return None

    def _with_content(
        self,
        row: CommandPattern,
        match: re.Match[str],
        what: tuple[int, int],
        whole: tuple[int, int],
    ) -> Command | None:
        last = max(self._following(*what), whole[1])
        said = self._content(what[0], last if last > whole[1] else what[1])
        if row.shape == "statement" and not self._is_fact(said, match):
            return None
        return self._command(row, said, whole[0], last)

    def _command(self, row: CommandPattern, said: str, first: int, last: int) -> Command:
        last = self._closed(last)
        return Command(row.kind, said, self.text[first:last].strip(), False, first, last)

    def _content(self, start: int, end: int) -> str:
        return content(self.text, self.even, self.rules, start, end)

    def _closed(self, last: int) -> int:
        """The end including closing punctuation."""
        while last < self.part.end and self.text[last] in _EDGE and self.text[last] not in "([「『":
            last += 1
        return last

    def _is_fact(self, said: str, match: re.Match[str]) -> bool:
        even = plain(said)
        asked = re.search(r"\bthat ", match[0][: match.start("what") - match.start()])
        return (
            self._states(said)
            and not self.rules.advice.match(even)
            and (bool(asked) or not self.rules.cheer.match(even))
        )

    def _states(self, said: str) -> bool:
        even = plain(said)
        return bool(self.rules.statement.match(even)) and not self.rules.no_statement.match(even)

    def _following(self, first: int, last: int) -> int:
        """The end after a colon: the sentences of the same line, until a question or another command."""
        if not self.even[:first].rstrip(" \n\"'*-").endswith(":"):
            return last
        for part in self.parts[self.place + 1 :]:
            words = self.even[part.start : part.end]
            ends = self.rules.asks.search(words) or self.rules.hint.search(words)
            if ends or "\n" in self.even[last : part.start]:
                break
            last = part.end
        return last

    def _pointed(
        self, row: CommandPattern, match: re.Match[str], start: int
    ) -> tuple[str, int, int] | None:
        """(words, start, end) that "that" refers to: before it in the sentence or the message, else after it."""
        if row.shape == "next":
            return self._beside("next")
        before = self._content(self.part.start, start)
        told = self._says_more_than_a_name(before)
        if row.shape == "before" and told:
            return before, self.part.start, start
        behind = self.even[match.end() : self._next_command(start)]
        if row.kind != "forget" and self._says_more_than_a_name(behind):
            return None  # "don't forget, believe in yourself"
        if self._tells(before):
            return before, self.part.start, start
        if told:  # "bring your coat, don't forget": a plan
            return None
        nothing = None if self._answers(match, start) else ("", start, match.end())
        return self._beside(row.kind) or nothing

    def _beside(self, kind: str) -> tuple[str, int, int] | None:
        """(words, start, end) of the neighbouring sentence that such a command refers to."""
        for step in _NEIGHBOURS.get(kind, (-1,)):
            if said := self._neighbour(self.place + step):
                part = self.parts[self.place + step]
                return said, part.start, part.end
        return None

    def _answers(self, match: re.Match[str], start: int) -> bool:
        """Whether 记住了 is a reply to a request, or 你给我记住 a threat."""
        threat = "给我" in self.even[start : match.start()]
        return threat or self.rules.learned.search(match[0]) is not None

    def _says_more_than_a_name(self, before: str) -> bool:
        even = plain(before)
        rest = even[self._led(even, 0, len(even)) :]
        return len(re.findall("[a-z']+", rest)) > 2 or len(HAN.findall(rest)) > 3

    def _neighbour(self, place: int) -> str:
        if not 0 <= place < len(self.parts):
            return ""
        part = self.parts[place]
        said = self._content(part.start, part.end)
        asks = self.rules.asks.search(self.even, part.start, part.end)
        return said if self._tells(said) and not asks else ""

    def _tells(self, said: str) -> bool:
        return len(said) >= 4 and self._states(said)


def _blanks(even: str, start: int, end: int) -> int:
    """The number of blanks and opening marks at the start."""
    inside = even[start:end]
    return len(inside) - len(inside.lstrip(" \t\r\n\"'([「『*-"))
