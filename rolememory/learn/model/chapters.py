"""Chapters of a story: splits chats into stretches and asks a model to summarize them. Source: S4.11, S1.34, N.3.

A chapter ends at `/chapter`, where the printed scene changes time or place, where the participants
change or the memory scope narrows, and where a stretch has left the window. All its messages are its evidence: it counts
while they are contiguous.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from math import ceil
from typing import Self

from pydantic import Field

from rolememory.inject.fence import tame
from rolememory.learn.commands import chapter_commands
from rolememory.learn.model.base import Batch
from rolememory.learn.model.batches import MOST_TOKENS, length_of
from rolememory.learn.model.prompter import StepPrompter
from rolememory.learn.model.prompts import listed, marked
from rolememory.llm.answer_words import WordedAnswer
from rolememory.llm.fields import Line
from rolememory.schema.evidence import Reason
from rolememory.schema.learning import ChatMessage, Draft
from rolememory.schema.memory import Chapter, Evidence, Memory, MemoryType, Source
from rolememory.schema.settings import MemorySettings
from rolememory.schema.value_class import value_class
from rolememory.text.lengths import fitting
from rolememory.text.scene_stamps import moved, named
from rolememory.text.sentences import sentences

TAG = "chapter"
LONGEST = 600  # maximum characters of a chapter
LEAST_TOLD, MOST_TOLD = 8, 4000  # maximum characters of an answer that are parsed
LONGEST_TITLE = 60
FORMER = 2  # previous chapters shown when the next one is written
FOLDED = 4  # chapters merged into the story so far at once
APART = 2  # the newest ones, which are not merged

_TOO_LONG = "the text has {length} characters; write at most {most}"

Ends = Mapping[str, str]
"""Behind which versions a person ended a chapter, and the title they gave."""


class ChapterText(WordedAnswer):
    """A chapter, or the story so far."""

    title: Line = ""
    text: Line = Field(min_length=LEAST_TOLD, max_length=MOST_TOLD)

    @classmethod
    def of_text(cls, text: str) -> Self | None:
        """Parse an answer without JSON around the chapter."""
        plain = text.strip().strip('`"“”').strip()
        return cls(text=plain[:MOST_TOLD]) if len(plain) >= LEAST_TOLD else None


@value_class
class Stretch:
    """Contiguous messages that become one chapter, oldest first."""

    said: tuple[ChatMessage, ...]
    title: str = ""  # given by a person

    @property
    def first(self) -> str:
        """Its first version, which identifies it: the end may still move."""
        return self.said[0].version

    @property
    def key(self) -> str:
        """Its key: both ends."""
        return ends_of([said.version for said in self.said])


def ends_of(versions: Sequence[str]) -> str:
    """The first and the last one."""
    return f"{versions[0]}+{versions[-1]}"


def within(text: str, most: int) -> str:
    """As many of the first sentences as fit; a longer first one is truncated with "…".

    >>> within("It rains. The lamp is out. She waits.", 30), within("An endless sentence", 8)
    ('It rains. The lamp is out.', 'An endl…')
    """
    if len(text) <= most:
        return text
    end = max((one.end for one in sentences(text) if one.end <= most), default=0)
    return text[:end] if end else f"{text[: most - 1]}…"


def in_window(path: Sequence[ChatMessage], window: MemorySettings) -> int:
    """How many of the newest messages are in the context window."""
    newest = islice(reversed(path), window.short_term_items)
    return fitting((len(said.text) for said in newest), window.short_term_characters)


@value_class
class Cutting:
    """Settings for splitting chats into chapters."""

    ends: Ends
    done: frozenset[str]  # `Stretch.key` of those whose chapter somebody removed
    trigger: int  # tokens that make a chapter due
    messages: int = 0  # ... or as many messages; 0 = tokens alone

    @property
    def least(self) -> int:
        """Minimal tokens of a chapter that was not requested and does not fill a window."""
        return self.trigger // 4

    @property
    def most(self) -> int:
        """Maximal tokens of one request."""
        return max(self.trigger, MOST_TOKENS)


def due(run: Sequence[ChatMessage], seen: int, *, closed: bool, cutting: Cutting) -> list[Stretch]:
    """The due chapters of contiguous messages that have none.

    `seen`: how many of the last are in view. `closed`: a chapter follows. Cost: O(run).
    """
    pieces, found = list(_pieces(run, cutting)), list[Stretch]()
    for place, piece in enumerate(pieces):
        last = place == len(pieces) - 1 and not closed and not piece.asked
        if not last:
            found += _whole(piece, cutting)
        elif seen < len(piece.said):
            found += _left(piece.said[: len(piece.said) - seen], cutting)
    return found


@dataclass(slots=True)
class _ChapterPiece:
    said: list[ChatMessage]
    title: str = ""
    asked: bool = False  # a person ended it


def _pieces(run: Sequence[ChatMessage], cutting: Cutting) -> Iterator[_ChapterPiece]:
    """The messages, split where a chapter must end."""
    for told, rows in groupby(_without_told(run, cutting.done), key=lambda row: row is not None):
        if told:
            yield from _by_end([said for said in rows if said], cutting)


def _without_told(run: Sequence[ChatMessage], done: frozenset[str]) -> list[ChatMessage | None]:
    """None for messages covered before, empty, or out of memory's scope."""
    rows: list[ChatMessage | None] = list(run)
    place = {said.version: number for number, said in enumerate(run)}
    for key in done:
        first, last = (place.get(version) for version in key.split("+"))
        if first is not None and last is not None:
            rows[first : last + 1] = [None] * (last + 1 - first)
    return rows


def _by_end(run: Sequence[ChatMessage], cutting: Cutting) -> Iterator[_ChapterPiece]:
    piece, scene = _ChapterPiece([]), dict[str, str]()
    for number, said in enumerate(run):
        asked = chapter_commands(said.text) if said.ends else ()
        if asked:
            yield from _ended(piece, asked[-1][2], asked=True)
            piece, scene = _ChapterPiece([]), {}
        elif _parted(piece.said, said):
            yield from _ended(piece, "")
            piece = _ChapterPiece([])
        elif moved(scene, said.stamp) and number < len(run) - 1:
            begin = _begin_of_exchange(piece.said)
            if _length(piece.said[:begin]) >= cutting.least:
                yield from _ended(_ChapterPiece(piece.said[:begin]), "")
                piece = _ChapterPiece(piece.said[begin:])
        scene |= dict(said.stamp)
        if said.is_readable:
            piece.said.append(said)
        if said.version in cutting.ends:
            yield from _ended(piece, cutting.ends[said.version], asked=True)
            piece, scene = _ChapterPiece([]), {}
    yield from _ended(piece, "")


def _parted(before: Sequence[ChatMessage], said: ChatMessage) -> bool:
    """Whether a piece ends before a message: it is out of scope, or has another audience."""
    return bool(before) and (not said.is_readable or _audience(said) != _audience(before[-1]))


def _ended(piece: _ChapterPiece, title: str, *, asked: bool = False) -> Iterator[_ChapterPiece]:
    if piece.said:
        yield _ChapterPiece(piece.said, title, asked)


def widens(former: Sequence[ChatMessage], said: Sequence[ChatMessage]) -> bool:
    """Whether the audience of `said` was not all there for `former`, or would read it outside its chat."""
    users, members = {*(said[0].users or ())}, {*said[0].members}
    return any(
        not (users <= {*(one.users or ())} and members <= {*one.members}) for one in former
    ) or (any(one.stays_here for one in former) and not any(one.stays_here for one in said))


def _audience(said: ChatMessage) -> object:
    """Its audience: who may be reminded of it, and where."""
    return said.scope, said.users, said.members


def _begin_of_exchange(said: Sequence[ChatMessage]) -> int:
    """The start of the user messages that the next reply answers."""
    place = len(said)
    while place and said[place - 1].role == "user":
        place -= 1
    return place


def _length(said: Sequence[ChatMessage]) -> int:
    return sum(map(length_of, said))


def _whole(piece: _ChapterPiece, cutting: Cutting) -> Iterator[Stretch]:
    """A finished piece, split into equal parts if too long for one request."""
    length = _length(piece.said)
    if length < cutting.least and not piece.asked:
        return
    count, parts = ceil(length / cutting.most), [list[ChatMessage]()]
    for said in piece.said:
        if parts[-1] and len(parts) < count and _length([*parts[-1], said]) > length / count:
            parts.append([])
        parts[-1].append(said)
    for number, one in enumerate(parts, 1):
        numbered = f"{piece.title} ({number})" if piece.title and len(parts) > 1 else piece.title
        yield Stretch(tuple(one), numbered)


def _left(said: Sequence[ChatMessage], cutting: Cutting) -> Iterator[Stretch]:
    """Chapters of whole exchanges from what has left the window; the rest waits."""
    part, said = list[ChatMessage](), said[: _begin_of_exchange(said)]
    left = _length(said)
    for one in said:
        end = _begin_of_exchange(part) or len(part)
        if part and _length([*part, one]) > cutting.most:
            yield Stretch(tuple(part[:end]))
            left -= _length(part[:end])
            part = part[end:]
        part.append(one)
    if part and (left >= cutting.trigger or 0 < cutting.messages <= len(part)):
        yield Stretch(tuple(part))


def tell(
    ask: StepPrompter, stretch: Stretch, former: Sequence[Memory], batch: Batch, again: str = ""
) -> Draft:
    """Request the chapter of a stretch, with the previous ones as context. `again`: the id of the one it replaces.

    Raises:
        ModelError: the request failed.
    """
    told = _asked(ask, batch, "", {"conversation": marked("chat", batch.story), **_known(former)})
    versions = [said.version for said in stretch.said]
    return Draft(
        content=within(told.text, LONGEST),
        type=MemoryType.EPISODIC,
        source=Source.SUMMARY,
        evidence=(Evidence(chat=batch.chat, version="+".join(versions), adjoining=True),),
        because=Reason.of(
            "chapter_again" if again else "chapter",
            model=ask.named("summarize"),
            messages=len(versions),
        ),
        replaces=again,
        user=batch.user,
        created=stretch.said[0].at,
        tags=(TAG,),
        salience=0.6,
        chapter=Chapter(
            title=stretch.title or told.title[:LONGEST_TITLE].strip(),
            until=stretch.said[-1].at,
            people=_people(stretch, batch),
            **_scene(stretch),
        ),
    )


def fold(
    ask: StepPrompter, former: Memory | None, fresh: Sequence[Memory], batch: Batch, rests: Evidence
) -> Draft:
    """Request the story so far: the previous one and the chapters since, in one text.

    Raises:
        ModelError: the request failed.
    """
    shown = listed(titled(one) for one in fresh)
    told = _asked(ask, batch, "story", {"chapters": shown, **_known([former] if former else [])})
    chapters = [one.chapter for one in fresh if one.chapter]
    return Draft(
        content=within(told.text, LONGEST),
        type=MemoryType.EPISODIC,
        source=Source.SUMMARY,
        evidence=(rests,),
        because=Reason.of("folded", model=ask.named("summarize"), count=len(fresh)),
        user=batch.user,
        created=former.created if former else fresh[0].created,
        tags=(TAG,),
        salience=0.6,
        replaces=former.id if former else "",
        chapter=Chapter(
            until=chapters[-1].until,
            people=tuple(dict.fromkeys(name for one in chapters for name in one.people)),
            parts=(*parts_of(former), *(one.id for one in fresh)),
        ),
    )


def parts_of(story: Memory | None) -> tuple[str, ...]:
    """The ids of the chapters in the story so far."""
    return story.chapter.parts if story and story.chapter else ()


def titled(memory: Memory) -> str:
    """A chapter's text after its title."""
    title = memory.chapter.title if memory.chapter else ""
    return f"{title}: {memory.content}" if title else memory.content


def _asked(
    ask: StepPrompter, batch: Batch, words: str, values: Mapping[str, object]
) -> ChapterText:
    return ask(
        "summarize",
        ChapterText,
        {**batch.company_values, "most": LONGEST, **values},
        language=batch.language,
        words=words,
        check=_fault,
        haste=batch.haste,
    )


def _fault(told: ChapterText) -> str:
    length = len(told.text)
    return "" if length <= LONGEST else _TOO_LONG.format(length=length, most=LONGEST)


def _known(former: Sequence[Memory]) -> Mapping[str, str]:
    return {"memories": marked("memories", [tame(titled(one)) for one in former])}


def _people(stretch: Stretch, batch: Batch) -> tuple[str, ...]:
    """The names of the participants: speakers and audience."""
    spoke, heard, printed = list[str](), list[str](), list[str]()
    for said in stretch.said:
        spoke.append(batch.name_of(said))
        heard += (*(said.users or ()), *said.members)
        printed += named(said.stamp)
    known_by_name = {said.owner for said in stretch.said if said.name}
    names = (*spoke, *(name for name in heard if name not in known_by_name), *printed)
    return tuple(dict.fromkeys(tame(name)[:60] for name in names if name))


def _scene(stretch: Stretch) -> dict[str, str]:
    """The story's time and place as printed in the stretch: first and last time, first place."""
    times = _printed(stretch, "date", "time")
    ends = dict.fromkeys((*times[:1], *times[-1:]))
    return {"time": " – ".join(ends), "place": " / ".join(_printed(stretch, "place")[:3])}


def _printed(stretch: Stretch, *names: str) -> list[str]:
    told = (" ".join(filter(None, map(dict(one.stamp).get, names))) for one in stretch.said)
    return list(dict.fromkeys(map(tame, filter(None, told))))
