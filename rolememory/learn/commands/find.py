"""Finds explicit memory commands in a user's message: "remember this", "forget that"."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from rolememory.errors import misspelt
from rolememory.inject.fence import forged, strip
from rolememory.learn.commands.patterns import (
    CommandPatterns,
    aside,
    command_patterns,
)
from rolememory.learn.commands.sentence import Command, CommandSentence, content
from rolememory.learn.commands.voices import blanked, without
from rolememory.schema.learning import ScopeCommand
from rolememory.text.language import LANGUAGES, languages_in
from rolememory.text.late_pattern import late_pattern
from rolememory.text.plain import plain
from rolememory.text.sentences import SentenceSpan, sentences

_LONGEST = 8_000  # characters of a message that are read
_LONGEST_SENTENCE = 600
_EMPTY_LINE = late_pattern(r"\n[ \t]*\n")
_BRACKETS = late_pattern(
    r"\(\((?P<double>.*?)\)\)|\((?P<round>[^()]*)\)|\[{1,2}(?P<square>[^\[\]]*)\]{1,2}", re.DOTALL
)


_SLASH = late_pattern(r"^[ \t]*/(?P<word>[a-z]+|[㐀-鿿]+)(?P<rest>[^\n]*)$", re.MULTILINE)
_GUESSED = 6  # letters of the shortest word that is recognised with a typo


def commands(text: str) -> list[Command]:
    """The commands in a user's message, in order. Not questions about memories, quoted words or plans.

    "Remember to lock the door", said in the story, is a plan; outside the story it is a command, and so is
    "remember to call me Captain". `text` may still hold brackets and out-of-character marks: commands often stand there.
    Messages with a forged mark of our block contain no command. Cost: O(length); one search if no command word occurs.

    >>> [(command.kind, command.content) for command in commands("Please remember that I'm allergic to nuts.")]
    [('remember', "I'm allergic to nuts")]
    >>> commands("Do you remember my sister?"), commands("还记得我妹妹吗？")
    ([], [])
    >>> [(command.kind, command.content) for command in commands("我生日是5月3号，别忘了哦！删掉关于我前男友的记忆。")]
    [('remember', '我生日是5月3号'), ('forget', '我前男友')]
    """
    if forged(text):
        return []
    text = strip(text)[:_LONGEST]
    even = plain(text)
    slashed = _SLASH.search(even)  # perhaps misspelt, so without a hint
    found: list[Command] = []
    for language in languages_in(even):
        if slashed or command_patterns(language).hint.search(even):
            found += _CommandParser(text, even, command_patterns(language)).read()
    found.sort(key=lambda command: (command.start, command.end))
    return list(_apart(found))


def chat_commands(text: str) -> list[ScopeCommand]:
    """What a message says out of character to the memory of its chat: scope changes and chapter ends."""
    if not aside().search(plain(text)):
        return []
    ended = [ScopeCommand(start, end, "ending") for start, end, _ in chapter_commands(text)]
    found = [*scopes(text), *ended]
    read = {one.start for one in found}
    bare = [one for one in bare_commands(text) if one.start not in read]
    return sorted([*found, *bare], key=lambda one: one.end)


def bare_commands(text: str) -> list[ScopeCommand]:
    """Slash commands that say nothing to the story: ours without content, a message of one such word, what else is said to the memory.

    >>> [text[:one.end] for text in ("/remember", "/help", "/memory list", "/wave to him", "/remember tea") for one in bare_commands(text)]
    ['/remember', '/help', '/memory list']
    """
    even = plain(text[:_LONGEST])
    whole = len(even.strip())
    found = list[ScopeCommand]()
    for line in _SLASH.finditer(even):
        empty = not any(map(str.isalnum, line["rest"]))
        ours = any(
            _is_bare(line, command_patterns(language), empty=empty) for language in LANGUAGES
        )
        if ours or (empty and len(line[0].strip()) == whole):
            found.append(ScopeCommand(*line.span(), "bare"))
    return found


def _is_bare(line: re.Match[str], table: CommandPatterns, *, empty: bool) -> bool:
    """Whether a line is a command to the memory that has no content, or is not understood."""
    if (said := table.slashed.match(line[0])) and meant(said["word"], table.slash):
        return not any(map(str.isalnum, said["rest"]))
    return bool(meant(line["word"], table.called)) or (empty and line["word"] in table.slash)


def meant(word: str, known: Iterable[str]) -> str | None:
    """The known word that this is, perhaps with a typo in a long one.

    >>> meant("remeber", ["remember"]), meant("forge", ["forget"])
    ('remember', None)
    """
    if word in (listed := list(known)):
        return word
    near = misspelt(word, listed, 1) if len(word) >= _GUESSED else None
    return near if near and len(near) >= _GUESSED else None


def scopes(text: str) -> list[ScopeCommand]:
    """The out-of-character scope changes of a message, in order; the last one counts.

    >>> [one.scope for one in scopes("/memory off")], [one.scope for one in scopes("Hello! (OOC: memory here)")]
    (['off'], ['here'])
    >>> [one.scope for one in scopes("（场外：开启记忆）")], scopes("I turned the memory off.")
    (['on'], [])
    """
    even = plain(text[:_LONGEST])
    return sorted(
        {
            ScopeCommand(*place, "command", table.scope[said[name]])
            for table in map(command_patterns, LANGUAGES)
            for place, said in _scoped(even, table)
            for name in said.re.groupindex
            if said[name]
        },
        key=lambda one: one.end,
    )


def _scoped(even: str, table: CommandPatterns) -> Iterator[tuple[tuple[int, int], re.Match[str]]]:
    """The scope changes, each with its span, also after the misspelt name of the memory."""
    for said in table.scoped.finditer(even):
        yield said.span(), said
    for line in _SLASH.finditer(even):
        right = meant(line["word"], table.called)
        respelt = table.scoped.match(f"/{right}{line['rest']}")
        if respelt and right != line["word"]:
            yield line.span(), respelt


def chapter_commands(text: str) -> list[tuple[int, int, str]]:
    """The out-of-character chapter ends of a message: start, end, and the title of the chapter before it.

    >>> chapter_commands("/chapter The mill"), chapter_commands("（场外：新的一章）")
    ([(0, 17, 'The mill')], [(0, 9, '')])
    >>> chapter_commands("We reach the last chapter of the book.")
    []
    """
    even = plain(text[:_LONGEST])
    found = {
        (*said.span(), text[slice(*said.span(said.lastgroup))].strip() if said.lastgroup else "")
        for table in map(command_patterns, LANGUAGES)
        for said in table.ended.finditer(even)
    }
    return sorted(found)


def _apart(found: Sequence[Command]) -> Iterator[Command]:
    """Without commands found twice, by two languages or two ways of parsing."""
    last: Command | None = None
    for command in found:
        if (
            last is None
            or command.start >= last.end
            or (command.kind, command.content) != (last.kind, last.content)
        ):
            yield command
            last = command


class _CommandParser:
    """One message, read with one language's rules."""

    def __init__(self, text: str, even: str, table: CommandPatterns) -> None:
        self._text, self._even, self._rules = text, even, table
        self._story = even  # the text with asides and others' speech blanked

    def read(self) -> list[Command]:
        found = [*self._slashed(), *self._bracketed()]
        self._story = blanked(self._story, self._rules.own_words)
        return found + list(self._told(0, len(self._text), ooc=False))

    def _blank(self, start: int, end: int) -> None:
        self._story = without(self._story, start, end)

    def _slashed(self) -> Iterator[Command]:
        for line in self._rules.slashed.finditer(self._even):
            if (word := meant(line["word"], self._rules.slash)) is None:
                continue
            self._blank(*line.span())
            said = content(self._text, self._even, self._rules, *line.span("rest"))
            kind, quote = self._rules.slash[word], self._text[slice(*line.span())].strip()
            yield Command(kind, said, quote, True, *line.span())

    def _bracketed(self) -> Iterator[Command]:
        label = re.compile(rf"\s*(?:{self._rules.ooc})\s*[:,.-]*\s*")
        for bracket in _BRACKETS.finditer(self._even):
            start, end = bracket.span(str(bracket.lastgroup))
            marked = label.match(self._even, start, end)
            told = list(
                self._told(marked.end() if marked else start, end, ooc=True, loose=bool(marked))
            )
            if marked or told:
                self._blank(*bracket.span())
            yield from told
        for line in re.finditer(
            rf"^[ \t]*(?:{self._rules.ooc})[ \t]*:(?P<rest>[^\n]*)", self._even, re.MULTILINE
        ):
            yield from self._told(*line.span("rest"), ooc=True, loose=True)
            self._blank(*line.span())

    def _told(self, start: int, end: int, *, ooc: bool, loose: bool = False) -> Iterator[Command]:
        """The commands of the sentences in [start, end)."""
        source = self._even if ooc else self._story
        parts = _joined(sentences(source, start, end), source)
        for place in range(len(parts)):
            scope = CommandSentence(self._text, source, self._rules, parts, place, loose=loose)
            for command in scope.commands():
                yield replace(command, ooc=ooc)


def _joined(parts: list[SentenceSpan], even: str) -> list[SentenceSpan]:
    """Sentences; those ending with a colon are joined with the lines they announce."""
    out: list[SentenceSpan] = []
    for part in parts:
        if out and _announces(out[-1], part, even):
            out[-1] = SentenceSpan(out[-1].start, part.end)
        else:
            out.append(part)
    return out


def _announces(last: SentenceSpan, part: SentenceSpan, even: str) -> bool:
    """Whether the sentence before ends with a colon, or the next line continues a list."""
    if part.end - last.start >= _LONGEST_SENTENCE or _EMPTY_LINE.search(even, last.end, part.start):
        return False
    said = even[last.start : last.end]
    listed = ":\n" in said.replace(" ", "") and "\n" in even[last.end : part.start]
    return said.rstrip(" *").endswith(":") or listed
