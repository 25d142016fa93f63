"""Rendering memories for the prompt: lines, the fenced block, and their lengths. Same memories, same bytes."""

import re
from collections.abc import Callable, Collection, Container, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from functools import lru_cache
from itertools import chain, islice
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from rolememory.errors import TemplateError
from rolememory.inject.environment import BUILT_IN, TemplateChoice, Templates
from rolememory.inject.fence import cited, fenced, label, named, tame, unfenced
from rolememory.inject.filters import Plain
from rolememory.inject.sandbox import Compiled, plain
from rolememory.inject.shape import Frame, MemoryPlaceholder, filled, marked, slotted
from rolememory.locales import LocalizedNote, translated
from rolememory.schema.memory import Memory, MemoryType, Source
from rolememory.schema.passage import Passage, joined, without_question
from rolememory.schema.scene import Language
from rolememory.schema.settings import InjectSettings
from rolememory.schema.value_class import value_class
from rolememory.text.fold import fold_name
from rolememory.text.language import language_of
from rolememory.text.names import SELF_WORDS, USER_WORDS
from rolememory.text.scene_stamps import known_fields

KIND = "inject"
_DEFAULTS = InjectSettings()
_ORDER = (
    MemoryType.TRAIT,
    MemoryType.GOAL,
    MemoryType.SEMANTIC,
    MemoryType.EPISODIC,
)  # what changes least is first
_MAY_SHORTEN = re.compile("[{#&<]")  # may get shorter by expanding macros and escaping
_NAME_MACRO = re.compile(
    r"\{\{\s*(?:(?P<user>user)|char|bot)\s*\}\}|<(?:(?P<old>user)|char|bot)>", re.IGNORECASE
)
_PROBE = "zq7probe"
_BLANK_LINE = "\n\n"
_KEPT_FRAMES = 512
_MANY = 32  # lines under a heading
_SAID = (Source.USER_INPUT, Source.AI_OUTPUT)
_NEAR = 300  # maximum distance of passages of a message that are joined, in characters
Said = TypeVar("Said")
_LASTING = (MemoryType.TRAIT, MemoryType.GOAL)  # traits and goals have no date
_EARLIEST = datetime.min.replace(tzinfo=UTC)


@value_class
class Cast:
    """The people in the block."""

    char: str = ""
    user: str = ""
    heard_from: Mapping[str, str] = field(
        default_factory=dict
    )  # memory id -> associated role it comes from
    chat: str = ""  # the chat of the prompt
    same: Callable[[str], str] = str  # maps a user's name to the person's main name
    own_names: frozenset[str] = frozenset()  # of the character, folded; former ones too


_NOBODY = Cast()


def day(moment: datetime, language: Language) -> str:
    """An absolute date.

    >>> day(datetime(1887, 11, 2), "en"), day(datetime(1887, 11, 2), "zh")
    ('1887-11-02', '1887年11月2日')
    """
    return _day(moment.date(), language)


@lru_cache(maxsize=512)
def _day(on: date, language: Language) -> str:
    return translated(
        "{year:04}-{month:02}-{day:02}", language, year=on.year, month=on.month, day=on.day
    )


def minute(moment: datetime) -> str:
    """A date and time, yyyy-MM-dd HH:mm.

    >>> minute(datetime(2026, 3, 5, 9, 7))
    '2026-03-05 09:07'
    """
    return f"{day(moment, 'en')} {moment.hour:02}:{moment.minute:02}"


def _utc(moment: datetime) -> datetime:
    try:
        return moment.astimezone(UTC)
    except OverflowError:  # at the limits of datetime
        return moment


class Heading(NamedTuple):
    """The heading of a group: memories of one type, or passages of one scene."""

    type: str  # the memories' type, "scene" for passages; "" if not separated
    where: str = ""  # passages: "here" in this chat, "older" in another one
    scene: str = ""  # the printed time and place in the story
    date: str = ""
    people: tuple[str, ...] = ()  # those present, the character last

    def values(self, memories: Sequence[Any]) -> dict[str, Any]:
        """The template's values of the group, with these memories."""
        named = {"where": self.where, "scene": self.scene, "date": self.date}
        return {"type": self.type, "memories": memories, "people": self.people, **named}


_TOGETHER = Heading("")
_OF_TYPE = {kind: Heading(kind.value) for kind in _ORDER}
_RANK = {heading: number for number, heading in enumerate(_OF_TYPE.values())}


def merged(memories: Sequence[Memory]) -> list[Memory]:
    """Join adjacent passages of a message into one line; drop the question of an answer if the line before it contains it."""
    found: list[Memory] = []
    for one in in_order(memories):
        last = found[-1] if found else None
        if not isinstance(one, Passage) or not isinstance(last, Passage):
            found.append(one)
        elif _side_by_side(last, one):
            found[-1] = joined(last, one)
        else:
            found.append(without_question(one) if _asks(last, one) else one)
    return found


def _side_by_side(last: Passage, one: Passage) -> bool:
    return last.message == one.message and 0 <= one.start - last.end <= _NEAR


def _asks(last: Passage, one: Passage) -> bool:
    """Whether a passage has the question that the other answers."""
    question = one.evidence[0].answers
    same = last.evidence[0].chat == one.evidence[0].chat
    return bool(question) and same and question in last.content


def in_order(memories: Sequence[Memory]) -> list[Memory]:
    """The order in a block: undated first, then oldest first, then by id. A new memory does not move old ones."""
    return sorted(memories, key=_place)


def _place(memory: Memory) -> tuple[datetime, int, str]:
    start = memory.start if isinstance(memory, Passage) else 0
    return (memory.created or _EARLIEST, start, memory.id)


class BlockLength(NamedTuple):
    """The length of a block with its summands."""

    length: int = 0
    said: int = 0  # characters in lines
    parts: Mapping[Heading, tuple[int, Any]] = MappingProxyType(
        {}
    )  # number of lines, sort key of the first
    messages: frozenset[tuple[str, str]] = frozenset()  # the messages of its passages
    template: Compiled | None = None


def templates_of(
    templates: Templates, settings: InjectSettings, language: Language
) -> TemplateChoice:
    """The usable templates of a style, best first: the same objects while no file changed."""
    name = BUILT_IN if settings.template == "auto" else settings.template
    return templates.choose(KIND, name, _spoken(settings, language))


def _spoken(settings: InjectSettings, language: Language) -> Language:
    return language if settings.language == "auto" else settings.language


class Style:
    """The renderer of memories, for settings, template, language and people of a turn. Pure once built.

    {{user}} and {{char}} are replaced in memories that an author wrote. `notes` has the errors of unusable templates.
    """

    def __init__(
        self,
        templates: Templates,
        settings: InjectSettings = _DEFAULTS,
        *,
        language: Language = "en",
        cast: Cast = _NOBODY,
    ) -> None:
        self.language = _spoken(settings, language)
        self._settings, self._cast, self._templates = settings, cast, templates
        choice = templates_of(templates, settings, language)
        self._chosen = choice.tries
        self._tries = list(choice.tries)
        self._notes = list(choice.notes)
        self._said: dict[
            int, tuple[Memory, Mapping[str, Any] | None]
        ] = {}  # by id(); holds the memory so that its id() is not reused
        self._scenes: dict[int, tuple[Passage, Heading]] = {}  # likewise
        self._lines: dict[tuple[str, int], str] = {}  # by template and memory
        self._shapes: dict[Hashable, str] = {}  # by template and which fields a memory has
        self._frames: dict[Hashable, Frame | None] = {}  # by template and shape
        self._even: dict[str, bool] = {}  # by template: `_is_even`
        self._joined: dict[Hashable, list[Memory]] = {}  # by the joined passages and their texts
        self._says_text: bool | None = None
        heading = settings.heading
        if heading is not None:  # settings may be untrusted too
            heading = "\n".join(map(tame, heading.splitlines()))
        self.apart = settings.position == "depth"  # two parts in two places, as two blocks
        self._halves: tuple[Style, Style] | None = None
        self._foreign: Style | None = None  # for the stable part in the other language
        self._last: tuple[Mapping[str, str], Style] | None = None  # stamp, and its style
        stamp = dict.fromkeys(known_fields(), "")
        told = {"heading": heading, "language": self.language, "part": "", "stamp": stamp}
        self._frame: Mapping[str, Any] = plain(
            named(label(cast.char), label(cast.user), self.language) | told
        )

    @property
    def made_of(self) -> tuple[Compiled, ...]:
        """The usable templates, best first: the same objects while no file changed."""
        return self._chosen

    @property
    def says_text(self) -> bool:
        """Whether a line contains the whole text of its memory; tested once with a dummy memory."""
        if self._says_text is None:
            self._says_text = _PROBE in self.line(Memory(id="probe", content=_PROBE))
        return self._says_text

    @property
    def size(self) -> int:
        """Number of memories whose lines are cached."""
        return len(self._said)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the author about the templates."""
        return tuple(self._notes)

    @property
    def people(self) -> Mapping[str, str]:
        """The names of character and user, as rendered."""
        return {name: str(self._frame[name]) for name in ("char", "user")}

    def line(self, memory: Memory) -> str:
        """The line of a memory, without numbering."""
        return self._first_that_works(lambda template: self._line(template, memory)) or self._bare(
            [memory]
        )

    def block(self, memories: Sequence[Memory]) -> str:
        """The whole block with fence; "" for no memories. Two blocks if the parts are apart."""
        return _BLANK_LINE.join(part for part in self.parts(memories) if part)

    def parts(self, memories: Sequence[Memory]) -> tuple[str, str]:
        """The stable and the fresh part, each with its fence; the first is "" if they are not apart.

        The stable part, after the character, has the constant memories: it changes rarely, so it stays in a model's
        prompt cache. To put a line there (a chapter, a promise), give its memory `constant=True`; templates may distinguish it
        by its `.tags`.
        """
        if not self.apart:
            return "", self._block(memories)
        rare = [one for one in memories if one.constant]
        fresh = [one for one in memories if not one.constant]
        return self._standing(rare)._block(rare), self.halves[1]._block(fresh)

    def _standing(self, memories: Sequence[Memory]) -> "Style":
        """The style of the stable part: in the language of its memories, independent of the current message."""
        spoken = language_of(" ".join(one.content for one in memories))
        if self._settings.language != "auto" or spoken == self.language or not memories:
            return self.halves[0]
        if self._foreign is None:
            other = Style(
                self._templates,
                self._settings,
                language=spoken,
                cast=self._cast,
            )
            self._foreign = other.at(tuple(self._frame["stamp"].items())).halves[0]
        return self._foreign

    @property
    def halves(self) -> "tuple[Style, Style]":
        """The styles of the stable and the fresh part."""
        if self._halves is None:
            self._halves = self._half("stable"), self._half("fresh")
        return self._halves

    def _half(self, name: str) -> "Style":
        """The style for one part alone; the template gets its name as `part`."""
        half = copy(self)
        half.apart = False
        half._frame = Plain(self._frame, part=name)
        return half

    def _block(self, memories: Sequence[Memory]) -> str:
        if not memories:
            return ""
        ordered = self._merged(memories)
        said = self._first_that_works(
            lambda template: self._assembled(template, ordered) or self._whole(template, ordered)
        )
        return fenced(said if said is not None else self._bare(ordered))

    def body(self, memories: Sequence[Memory]) -> str:
        """The block without its fence, for callers with a heading of their own."""
        return unfenced(self._block(memories))

    def _line(self, template: Compiled, memory: Memory) -> str:
        """The output of the template's line macro, "" without one; cached."""
        place = template.name, id(memory)
        known = self._lines.get(place)
        if known is None:
            self._said.setdefault(id(memory), (memory, None))
            told = self._describe(memory, template.fields)
            known = self._lines[place] = self._worded(template, told)
        return known

    def _worded(self, template: Compiled, told: Plain) -> str:
        """The macro's output for a memory; if it only prints fields, rendered once for all memories with the same fields set."""
        if not template.names_fields:
            return self._rendered(template, told)
        has = [bool(one) if isinstance(one, str) else one for one in told.values()]
        shape = template.name, *has
        line = self._shapes.get(shape)
        if line is None:
            said = self._rendered(template, Plain(marked(told)))
            line = self._shapes[shape] = slotted(said, told)
        return line % told

    def _rendered(self, template: Compiled, told: Plain) -> str:
        return template.render_line(Plain(self._frame, memory=told)) or ""

    def _assembled(self, template: Compiled, ordered: Sequence[Memory]) -> str:
        """The frame of this shape, rendered once, with its lines; "" if the template has no frame."""
        parts = self._parts(template, ordered)
        said = {id(memory): self._line(template, memory) for memory in ordered}
        counts = {heading: len(part) for heading, part in parts.items()}
        frame, wide = self._frame_for(template, counts) if "" not in said.values() else (None, ())
        lines = [said[id(memory)] for memory in (*chain(*parts.values()), *ordered)]
        return filled(frame.widened(wide), lines) if frame else ""

    def grown(
        self, before: "BlockLength", held: Sequence[Memory], memory: Memory
    ) -> "BlockLength | None":
        """The length of a block with this memory added, from the length before; None if it cannot be added up."""
        more = [memory]
        if isinstance(memory, Passage) and memory.message in before.messages:
            before, more = (
                BlockLength(),
                self._merged([*held, memory]),
            )  # it may be joined to a line
        return self._first_that_works(lambda template: self._plus(template, before, more))

    def _plus(
        self, template: Compiled, before: "BlockLength", more: Iterable[Memory]
    ) -> "BlockLength | None":
        if before.template not in (template, None):
            return None
        said, parts, messages = before.said, dict(before.parts), before.messages
        for memory in more:
            line = self._line(template, memory)
            if not line:
                return None
            heading, place = self._heading_of(template, memory), _place(memory)
            count, first = parts.get(heading, (0, place))
            parts[heading] = count + 1, min(first, place)
            said += len(line)
            if isinstance(memory, Passage):
                messages |= {memory.message}
        order = sorted(parts, key=lambda one: (_RANK.get(one, len(_RANK)), parts[one][1]))
        counts = {one: parts[one][0] for one in order}
        frame, wide = self._frame_for(template, counts)
        length = frame.length(said, wide) if frame else None
        if length is None:
            return None
        return BlockLength(length, said, parts, messages, template)

    def _frame_for(
        self, template: Compiled, counts: Mapping[Heading, int]
    ) -> tuple[Frame | None, Collection[int]]:
        """A frame and how many lines belong under each heading: it has two, if every further line adds the same text.

        Else it has as many as are asked for, and there is nothing to add.
        """
        if self._is_even(template):
            twice = self._frame_of(template, dict.fromkeys(counts, 2))
            if twice and twice.between:
                return twice, counts.values()
        return self._frame_of(template, counts), ()

    def _frame_of(self, template: Compiled, counts: Mapping[Heading, int]) -> Frame | None:
        """The frame for so many lines under each heading; None if the template has none."""
        shape = template.name, self._frame["part"], *counts.items()
        if shape not in self._frames:
            if len(self._frames) >= _KEPT_FRAMES:
                self._frames.clear()
            text = self._hollow(template, counts)
            lines = sum(counts.values())
            self._frames[shape] = None if text is None else Frame.of(text, fenced, lines)
        return self._frames[shape]

    def _is_even(self, template: Compiled) -> bool:
        """Whether every further line adds the same text, as far as many lines under two headings tell."""
        if template.name not in self._even:
            headings = (_OF_TYPE[MemoryType.TRAIT], Heading("scene"))
            twice, many = (self._frame_of(template, dict.fromkeys(headings, n)) for n in (2, _MANY))
            even = twice and many and twice.between and twice.widened([_MANY] * 2) == many.text
            self._even[template.name] = bool(even)
        return self._even[template.name]

    def _hollow(self, template: Compiled, counts: Mapping[Heading, int]) -> str | None:
        """The rendered frame, with a placeholder for each line."""
        count = sum(counts.values())
        slots = [MemoryPlaceholder(number) for number in range(2 * count)]
        free = iter(slots)
        hollow = [one.values(list(islice(free, lines))) for one, lines in counts.items()]
        return template.render_frame(self._context(hollow, slots[count:]))

    def _whole(self, template: Compiled, ordered: Sequence[Memory]) -> str:
        groups = [
            heading.values([self._values(memory) for memory in part])
            for heading, part in self._parts(template, ordered).items()
        ]
        return template.render(self._context(groups, [self._values(memory) for memory in ordered]))

    def _context(
        self, groups: Sequence[Mapping[str, Any]], memories: Sequence[Any]
    ) -> Mapping[str, Any]:
        scenes = any(group["type"] == "scene" for group in groups)
        told = {"groups": groups, "memories": memories, "recalled": memories, "scenes": scenes}
        return {**self._frame, **told}

    def _merged(self, memories: Sequence[Memory]) -> list[Memory]:
        """The joined memories in block order; the same objects for the same memories."""
        if not any(isinstance(memory, Passage) for memory in memories):
            return in_order(memories)
        key = tuple((memory.id, getattr(memory, "start", 0), memory.content) for memory in memories)
        known = self._joined.get(key)
        if known is None:
            if len(self._joined) >= _KEPT_FRAMES:
                self._joined.clear()
            known = self._joined[key] = merged(memories)
        return known

    def _parts(self, template: Compiled, ordered: Sequence[Memory]) -> dict[Heading, list[Memory]]:
        """Memories by type, in the order of types, then passages by scene, the latest last."""
        if not self._settings.separate_by_type:
            return {_TOGETHER: list(ordered)} if ordered else {}
        found: dict[Heading, list[Memory]] = {heading: [] for heading in _OF_TYPE.values()}
        for memory in ordered:
            found.setdefault(self._heading_of(template, memory), []).append(memory)
        return {heading: part for heading, part in found.items() if part}

    def _heading_of(self, template: Compiled, memory: Memory) -> Heading:
        if not self._settings.separate_by_type:
            return _TOGETHER
        if template.scenes and isinstance(memory, Passage):
            return self._scene(memory)
        return _OF_TYPE[memory.type]

    def _scene(self, memory: Passage) -> Heading:
        """The heading of a passage; cached."""
        known = self._scenes.get(id(memory))
        if known is None:
            known = self._scenes[id(memory)] = memory, self._heading(memory)
        return known[1]

    def _heading(self, memory: Passage) -> Heading:
        own = memory.id not in self._cast.heard_from
        here = own and memory.evidence[0].chat == self._cast.chat
        local = _utc(memory.created) if memory.created else None
        dated = day(local, self.language) if local and self._settings.scene_dates else ""
        char = self._cast.heard_from.get(memory.id) or self._cast.char
        people = dict.fromkeys(filter(None, map(self._person, memory.company)))
        if people and char:
            people[label(char)] = None
        where = "here" if here else "older"
        return Heading("scene", where, label(memory.scene), dated, tuple(people))

    def _first_that_works(self, say: Callable[[Compiled], Said]) -> Said | None:
        """The output of the best template that works; failing ones are dropped. None if none is left."""
        for template in tuple(self._tries):
            try:
                return say(template)
            except TemplateError as error:
                with suppress(ValueError):  # another thread removed it
                    self._tries.remove(template)
                    self._notes.append(LocalizedNote(error))
        return None

    def _bare(self, memories: Sequence[Memory]) -> str:
        """Fallback lines without a template: still quoted and attributed."""
        return "\n".join(f"- {self._attributed(self._values(memory))}" for memory in memories)

    def _attributed(self, told: Mapping[str, Any]) -> str:
        speaker, text = str(told["speaker"]), str(told["text"])
        if not speaker:
            return text
        if told["own"]:
            return translated(
                "{speaker}, in short: {text}", self.language, speaker=speaker, text=text
            )
        return translated('{speaker} said: "{text}"', self.language, speaker=speaker, text=text)

    def _values(self, memory: Memory) -> Mapping[str, Any]:
        """A memory's values for templates; cached."""
        known = self._said.get(id(memory))
        if known is None or known[1] is None:
            known = self._said[id(memory)] = (memory, self._describe(memory))
        return known[1] or {}

    def _describe(self, memory: Memory, fields: Container[str] | None = None) -> Plain:
        """A memory's values for templates: these fields; None = all."""
        return Plain(
            {
                name: say(self, memory)
                for name, say in _FIELDS.items()
                if fields is None or name in fields
            }
        )

    def _text(self, memory: Memory) -> str:
        said = isinstance(memory, Passage) or memory.source in _SAID
        return (cited if said else tame)(self._written(memory))

    def _day(self, memory: Memory) -> str:
        created = self._shown(memory) if memory.type not in _LASTING else None
        return day(created, self.language) if created else ""

    def _time(self, memory: Memory) -> str:
        """When it happened, or else was written down: a stamp, where `_day` is part of what is told. Source: S3.21."""
        since = memory.since if self._settings.show_dates else None
        return minute(_utc(since)) if since else ""

    def _shown(self, memory: Memory) -> datetime | None:
        return _utc(memory.created) if memory.created and self._settings.show_dates else None

    def _about(self, memory: Memory) -> str:
        """The memory's subject or speaker; "" for the role itself, or if the text begins with the name."""
        if not memory.subject or memory.subject in SELF_WORDS or self._is_char(memory.subject):
            return ""
        name = str(self._frame["user"]) if memory.subject in USER_WORDS else tame(memory.subject)
        return "" if tame(self._written(memory)).casefold().startswith(name.casefold()) else name

    def _subject(self, memory: Memory) -> str:
        return "" if _is_quoted(memory) else self._about(memory)

    def _speaker(self, memory: Memory) -> str:
        """The speaker, users by their current name; always set for passages, as it is outside of the quotation."""
        if not _is_quoted(memory):
            return ""
        if not isinstance(memory, Passage):
            return self._about(memory)
        if memory.role == "assistant":
            return self._character(memory.subject or "")
        return self._person(memory.subject or "") or str(self._frame["user"])

    def _asker(self, memory: Memory) -> str:
        """Who asked the question that a passage answers."""
        if not isinstance(memory, Passage):
            return ""
        if memory.role == "assistant":
            return self._person(memory.asker) or str(self._frame["user"])
        return self._character(memory.asker)

    def _character(self, name: str) -> str:
        """A character's current name: that of the prompt's for any of its own."""
        return ("" if self._is_char(name) else label(name)) or str(self._frame["char"])

    def _is_char(self, name: str) -> bool:
        return name == self._cast.char or fold_name(name) in self._cast.own_names

    def _person(self, name: str) -> str:
        """A user's current name."""
        own = name and self._cast.same(name) == self._cast.same(self._cast.user)
        return label(self._cast.user if own else name)

    def read_in(self, chat: str) -> "Style":
        """The style for this chat; shares the rendered lines."""
        style = copy(self)
        style._cast, style._scenes = replace(self._cast, chat=chat), {}
        style._halves = style._foreign = style._last = None
        return style

    def at(self, stamp: Sequence[tuple[str, str]]) -> "Style":
        """The style with this scene state; the same object unless a template uses it."""
        told = {tame(name): tame(value) for name, value in stamp}
        if not told or not any(template.stamped for template in self._chosen):
            return self
        if self._last is None or self._last[0] != told:
            style = copy(self)
            style._frame = plain({**self._frame, "stamp": {**self._frame["stamp"], **told}})
            style._lines, style._shapes, style._frames, style._even = {}, {}, {}, {}
            style._halves = style._foreign = None
            self._last = (told, style)
        return self._last[1]

    def _written(self, memory: Memory) -> str:
        """The memory's text; in an author's, {{char}}, {{user}} and their old spellings are replaced by names."""
        if memory.source is not Source.MANUAL or memory.evidence or isinstance(memory, Passage):
            return memory.content
        return _NAME_MACRO.sub(
            lambda match: str(self._frame["user" if match["user"] or match["old"] else "char"]),
            memory.content,
        )


_FIELDS: Mapping[str, Callable[[Style, Memory], Any]] = {
    "id": lambda _, memory: tame(memory.id),
    "type": lambda _, memory: memory.type.value,
    "text": Style._text,
    "content": Style._text,
    "date": Style._day,
    "time": Style._time,
    "subject": Style._subject,
    "speaker": Style._speaker,
    "passage": lambda _, memory: isinstance(memory, Passage),
    "later": lambda _, memory: isinstance(memory, Passage) and memory.later,
    "own": lambda _, memory: isinstance(memory, Passage) and memory.role == "assistant",
    "asked": lambda _, one: cited(one.evidence[0].answers) if isinstance(one, Passage) else "",
    "asker": Style._asker,
    "heard_from": lambda style, memory: tame(style._cast.heard_from.get(memory.id, "")),
    "source": lambda _, memory: memory.source.value,
    "tags": lambda _, memory: tuple(map(tame, memory.tags)),
    "emotions": lambda _, memory: tuple(map(tame, memory.emotions)),
}
"""The fields of a memory for templates: text, booleans, or tuples of text."""


@lru_cache(maxsize=2048)
def _least(text: str) -> int:
    """A lower bound of the characters of a text after escaping."""
    if not text.isprintable() or _MAY_SHORTEN.search(text):
        return 0
    return len(text) - text.count("  ") - 2  # blanks that escaping may remove


@dataclass(slots=True)
class Length:
    """Lengths of rendered text in the unit of `count`: always of the final text, so that rounding cannot exceed a budget."""

    style: Style
    count: Callable[[str], int] = len
    _told: tuple[Sequence[Memory], tuple[str, str]] = (), ("", "")  # of the last block

    def share(self, memories: Sequence[Memory]) -> int:
        """Length of the lines of these memories, joined by newlines."""
        return self.count("\n".join(map(self.style.line, in_order(memories))))

    def parts(self, memories: Sequence[Memory]) -> tuple[str, str]:
        """As `Style.parts`; the last result is cached."""
        if self._told[0] != memories:
            self._told = memories, self.style.parts(memories)
        return self._told[1]

    def block(self, memories: Sequence[Memory]) -> int:
        """Length of the whole block with these memories, fence and headings included; 0 for none."""
        return self.count(_BLANK_LINE.join(filter(None, self.parts(memories))))

    def growing(self, *, whole: bool) -> "GrowingBlock":
        """An empty block to which memories are added; `whole`: measured as a whole each time."""
        in_characters = self.count is len or getattr(self.count, "unit", None) == "characters"
        added_up = in_characters and not whole
        styles = self.style.halves if self.style.apart and added_up else (self.style,)
        parts = [_GrowingPart(style, BlockLength() if added_up else None) for style in styles]
        return GrowingBlock(self.share, self.count, parts, in_characters)


@dataclass(slots=True)
class _GrowingPart:
    """A part of a block, with its memories."""

    style: Style
    sum: BlockLength | None  # None = measured as a whole each time
    memories: list[Memory] = field(default_factory=list)
    length: int = 0


@dataclass(slots=True)
class GrowingBlock:
    """The length of a block, per part, while memories are added: added up if the template allows it."""

    share: Callable[[Sequence[Memory]], int]
    _count: Callable[[str], int]
    _parts: Sequence[_GrowingPart]
    _in_characters: bool
    length: int = 0
    _tried: tuple[Memory | None, BlockLength | None, int] = None, None, 0

    def least(self, memory: Memory) -> int:
        """A lower bound of the line's length, without rendering it; 0 if unknown."""
        told = self._in_characters and self._parts[0].style.says_text
        return _least(memory.content) if told else 0

    def tried(self, memory: Memory) -> int:
        """The length with this memory added."""
        mine = self._parts[0 if memory.constant else -1]
        found = mine.style.grown(mine.sum, mine.memories, memory) if mine.sum else None
        length = found.length if found else self._count(mine.style.block([*mine.memories, memory]))
        self._tried = memory, found, length
        return self._with(mine, length)

    def take(self, memory: Memory) -> None:
        """Add this memory."""
        if self._tried[0] is not memory:
            self.tried(memory)
        mine = self._parts[0 if memory.constant else -1]
        mine.memories.append(memory)
        _, mine.sum, mine.length = self._tried
        self.length = self._with(mine, mine.length)

    def _with(self, mine: _GrowingPart, length: int) -> int:
        """The total length if this part has that length."""
        others = [part.length for part in self._parts if part is not mine and part.length]
        return sum(others, length) + len(_BLANK_LINE) * (len(others) if length else 0)


def _is_quoted(memory: Memory) -> bool:
    """Whether a line is verbatim: "I" is the speaker."""
    if isinstance(memory, Passage):
        return True
    told = memory.type is MemoryType.EPISODIC or bool(memory.evidence)
    return memory.source is Source.USER_INPUT and told
