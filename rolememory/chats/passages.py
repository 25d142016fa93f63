"""Maintains the passages of a role's chats, which recall searches besides memories."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

from rolememory.chats.chats import Chats
from rolememory.chats.forgotten import Forgotten, Places, overlapping
from rolememory.chats.normalize import base
from rolememory.chats.pinned import Pin, Pinned, held
from rolememory.chats.transcript import Chat
from rolememory.errors import UnknownChatError
from rolememory.schema.learning import ChatMessage
from rolememory.schema.passage import Passage, passage, passage_id
from rolememory.storage.gc_pause import gc_paused
from rolememory.storage.look import this_look
from rolememory.text.cancellation import check_cancelled
from rolememory.text.change_log import VersionedDict
from rolememory.text.noise import answers, is_elliptical
from rolememory.text.passages import PassageSpan, passages
from rolememory.text.scene_stamps import panels as panels_of
from rolememory.text.secrets import masked, redacted
from rolememory.text.sentences import SentenceSpan, sentences

PART = 200  # messages read between two checks for waiting requests
_ANSWER = 160  # maximum characters of an answer that may need its question
_ASKS = re.compile(r"[?？]\W*$")
_HAN = re.compile("[\u3400-\u9fff]")
_TELLS = re.compile("[^\\W_]|[\u2190-\u2bff\U0001f000-\U0001faff]")  # a word or a picture: not "……"
_QUOTES = (("“", "”"), ("「", "」"), ("『", "』"), ("«", "»"), ('"', '"'))
_NEVER = datetime.min.replace(tzinfo=UTC)
_SCENE = ("date", "time", "place")  # fields of a stamp
Speaker = Callable[[ChatMessage], str]
"""The name under which a message's speaker is known."""


@dataclass(slots=True)
class _Place:
    """How far a chat was read."""

    chat: str
    order: Sequence[str]  # versions in order of arrival: another object if the log was rewritten
    read: int = 0  # how many were read
    moved: int = 0  # and how many changed other than at the end


class ChatPassages:
    """All passages of a role's chats, by id. Visibility and presence are checked by gates.

    Not thread-safe: its owner serializes turns. Cost of `follow`: what is new.
    """

    def __init__(
        self,
        chats: Chats,
        speaker: Speaker,
        forgotten: Forgotten | None = None,
        pinned: Pinned | None = None,
    ) -> None:
        self._chats, self._speaker = chats, speaker
        self._forgotten, self._pinned = forgotten, pinned
        self._pins: frozenset[Pin] = frozenset()
        self._hidden: Places = {}
        self._cut: Places = {}  # parts cut from messages
        self._away: dict[str, Passage] = {}  # what is hidden
        self._places: dict[str, _Place] = {}  # by log name
        self._versions: dict[tuple[str, str], tuple[str, ...]] = {}
        self._look: object = None
        self._marks: Sequence[object] = ()
        self._followed = 0
        self._unread: dict[str, Chat | None] = {}  # changes by log name
        self.current = VersionedDict[Passage]()

    @property
    def has_unread(self) -> bool:
        """Whether `follow` left work for the next call."""
        return bool(self._unread)

    def follow(self, most: int | None = None) -> VersionedDict[Passage]:
        """The current passages: always the same object, with a new version after any change.

        `most`: the maximum of messages read now; the rest follows next time.
        """
        if (look := this_look().files) is not self._look:
            self._apply_marks()
            self._look = look
        changed, self._followed = self._chats.changed(self._followed)
        if changed:
            self._note(changed)
        with gc_paused() if self._unread else nullcontext():
            while self._unread and (most is None or most > 0):
                check_cancelled()
                log, chat = next(iter(self._unread.items()))
                step = PART if most is None else min(PART, most)
                read = self._follow(log, chat, step)
                if read < step:
                    del self._unread[log]
                most = None if most is None else most - read
        return self.current

    def _apply_marks(self) -> None:
        """Apply changed pins and tombstones. Cost: O(messages) if some changed."""
        marks = [one.mark if one else None for one in (self._pinned, self._forgotten)]
        if marks == self._marks:
            return
        before = self._pins, self._hidden, self._cut
        if self._pinned:
            self._pins = self._pinned.pins()
        if self._forgotten:
            self._hidden, self._cut = self._forgotten.passages(), self._forgotten.parts()
        self._marks = marks
        places = {pin[:2] for pin in before[0] ^ self._pins}
        digests = {*_changed(before[1], self._hidden), *_changed(before[2], self._cut)}
        touched = {one for one in self._versions if base(one[1]) in digests}
        for one in (*self.current.values(), *self._away.values()):
            told = one.evidence[0]
            if (told.chat, one.slot) in places:
                touched.add((told.chat, told.version))
        for chat, version in touched:
            with suppress(UnknownChatError, KeyError):  # removed meanwhile
                known = self._chats.chat(chat)
                self._tell(chat, known.told[version], known.before(version)[0])

    def _note(self, changed: Sequence[tuple[str, Chat | None]]) -> None:
        """Queue changed chats, newest first."""
        fresh = dict(sorted(changed, key=_newest, reverse=True))
        self._unread = {**fresh, **{one: self._unread[one] for one in self._unread.keys() - fresh}}

    def every(self) -> Mapping[str, Passage]:
        """All passages, including forgotten ones."""
        return {**self.follow(), **self._away}

    def of(self, chat: str, versions: Iterable[str]) -> frozenset[str]:
        """The passage ids of these versions of a chat."""
        return frozenset(
            one for version in versions for one in self._versions.get((chat, version), ())
        )

    def _keep(self, one: Passage) -> None:
        constant = bool(self._pins and held(one, self._pins))
        if one.constant is not constant:
            one = one.model_copy(update={"constant": constant})
        place = SentenceSpan(one.start, one.end)
        if self._hidden and overlapping(self._hidden, one.evidence[0].version, place):
            self._away[one.id] = one
            self.current.drop(one.id)
            return
        self._away.pop(one.id, None)
        known = self.current.get(one.id)
        if known is None or known != one:
            self.current.put(one.id, one)

    def _follow(self, log: str, chat: Chat | None, most: int) -> int:
        """Read up to `most` new messages of a chat, which may be removed or rewritten; returns how many were read."""
        place = self._places.get(log)
        if place is not None and (chat is None or chat.order is not place.order):
            self._forget(self._places.pop(log))
            place = None
        if chat is not None:
            place = self._places.setdefault(log, place or _Place(chat.id, chat.order))
            before = place.read
            self._read(chat, place, most)
            return place.read - before
        return 0

    def _read(self, chat: Chat, place: _Place, most: int) -> None:
        now = min(place.read + most, chat.mark)
        news, place.read = chat.order[place.read : now], now
        again, place.moved = chat.moved[place.moved : chat.moves], chat.moves
        known = (one for one in again if (chat.id, one) in self._versions)
        at = -1
        for version in dict.fromkeys((*news, *known)):
            if said := chat.told.get(version):
                before, at = chat.before(version, at + 1)
                self._tell(chat.id, said, before)

    def _tell(self, chat: str, said: ChatMessage, before: ChatMessage | None) -> None:
        """Add the passages of a message after `before`; none from messages while memory was off."""
        if said.scope == "off":
            return
        if before and before.scope not in ("on", said.scope):
            before = None
        speaker = self._speaker(said)
        asked = _question(before, said, speaker)
        asker = self._speaker(before) if before and asked else ""
        spans = self._spans(said)
        ids = tuple(passage_id(chat, said.version, one.start) for one in spans)
        told = partial(
            passage,
            chat=chat,
            version=said.version,
            role=said.role,
            text=masked(said.text),  # secrets are neither recalled nor embedded
            speaker=speaker,
            owner=said.owner,
            created=said.at,
            slot=said.slot,
            emotions=said.emotions,
            scene=_scene(before, said),
            company=tuple(filter(None, (*(said.users or ()), *said.members))),
            beside=ids,
        )
        self._drop(set(self._versions.get((chat, said.version), ())).difference(ids))
        for name, one in zip(ids, spans, strict=True):
            span = one.start, one.end
            self._keep(told(span=span, ooc=one.ooc, asked=asked, asker=asker, name=name))
            asked = asker = ""  # only the first answers it
        self._versions[chat, said.version] = ids

    def _spans(self, said: ChatMessage) -> list[PassageSpan]:
        """The spans of a message that hold a word or a picture."""
        found = passages(said.text, said.spans, self._left_out(said))
        return [one for one in found if _TELLS.search(said.text, one.start, one.end)]

    def _left_out(self, said: ChatMessage) -> list[SentenceSpan]:
        """The spans excluded from passages: printed panels, and cut parts."""
        panels = panels_of(said.text) if said.stamp else ()
        cut = self._cut.get(base(said.version), ())
        return [*(SentenceSpan(one.start, one.end) for one in panels), *cut]

    def _forget(self, place: _Place) -> None:
        for version in place.order[: place.read]:
            self._drop(self._versions.pop((place.chat, version), ()))

    def _drop(self, passage_ids: Iterable[str]) -> None:
        for one in passage_ids:
            self._away.pop(one, None)
            self.current.drop(one)


def _changed(before: Places, after: Places) -> list[str]:
    """The digests of messages whose places differ."""
    digests = before.keys() | after.keys()
    return [one for one in digests if before.get(one) != after.get(one)]


def _newest(changed: tuple[str, Chat | None]) -> tuple[object, ...]:
    """A sort key: last changed chats first."""
    log, chat = changed
    return (chat.info.updated, chat.info.created, chat.id) if chat else (_NEVER, _NEVER, log)


def _question(before: ChatMessage | None, said: ChatMessage, speaker: str) -> str:
    """The question that a short message answers, from the last two sentences before it; "" if none, or no answer."""
    if before is None or before.role == said.role or len(said.text) > _ANSWER:
        return ""
    if "?" not in before.text and "？" not in before.text:
        return ""
    ends = [one.of(before.text) for one in reversed(sentences(before.text)[-2:])]
    whole = len(sentences(said.text)) > 1  # it tells something by itself
    asked = (one for at, one in enumerate(ends) if not ((at or whole) and is_elliptical(one)))
    found = (one for one in asked if _ASKS.search(one) and len(one) <= _ANSWER)
    question = next(found, "")
    told = said.text.replace(speaker, "")
    return redacted(_unquoted(question)) if question and answers(question, told) else ""


def _unquoted(question: str) -> str:
    """The question without text before an opening quotation mark whose quotation continues after it.

    >>> _unquoted("他皱眉：“你是谁？"), _unquoted('"Who are you?" he asks.')
    ('你是谁？', '"Who are you?" he asks.')
    """
    for opens, closes in _QUOTES:
        left = question.count(opens) - question.count(closes)
        if left > 0 or (opens == closes and question.count(opens) % 2):
            return question.rpartition(opens)[2].strip() or question
    return question


def _scene(before: ChatMessage | None, said: ChatMessage) -> str:
    """Story time and place of a message: as it prints, else as the previous message printed."""
    stamp = dict(said.stamp) or dict(before.stamp if before else ())
    told = [stamp[name] for name in _SCENE if stamp.get(name)]
    return ("，" if _HAN.search("".join(told)) else ", ").join(told)
