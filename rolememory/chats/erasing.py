"""Erases one person from a chat's log.

Their messages and the character's replies to them remain as empty slots, identified by digest, so that a frontend
which still shows them restores nothing. Everybody else's messages stay, without the person's name.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from rolememory.chats.log_index import log_name
from rolememory.chats.presence import AWAY, Attendance, shortened
from rolememory.chats.rows import FORMAT, ChatHead, ChatLogRow, Splice, decoded, encoded
from rolememory.chats.transcript import Transcript
from rolememory.chats.values import OWN
from rolememory.schema.learning import ChatMessage, MarkedSpan
from rolememory.storage.erase import Ids, RemainingLog
from rolememory.text.names import NameSpan, PersonNames


def cleared(lines: Sequence[bytes], names: PersonNames, ids: Ids) -> RemainingLog:
    """A chat without this person; None of it if it was only theirs, or its owner is unknown. Cost: O(lines + messages)."""
    rows = [row for line in lines if (row := decoded(line)) is not None]
    log = _Replay(rows)
    chat = log.script.head.chat if log.script.head else ""
    theirs = log.of(names)
    said = log.script.said.values()
    others = [one for one in said if one.role == "user" and one.version not in theirs]
    known = [one.owner for one in others if one.owner is not None]
    begun = log.script.head is None or log.script.head.user in names.all
    if (begun and not known) or (theirs and not others):
        return RemainingLog(chat, {one.version: one.text for one in said})
    gone = theirs | log.answers_to(theirs)
    clear = _Clearing(names, gone, next(filter(None, known), None), ids)
    fresh = [clear.row(row, told) for row, told in zip(rows, log.told, strict=True)]
    left = map(encoded, fresh) if clear.changed else lines
    return RemainingLog(
        chat, {one: log.script.said[one].text for one in gone}, log_name(ids(chat)), tuple(left)
    )


class _Replay:
    """Replays the rows: every version, and which versions each reply ever followed."""

    def __init__(self, rows: Iterable[ChatLogRow]) -> None:
        self.script = Transcript(Path())
        self.told: list[tuple[ChatMessage, ...]] = []  # of each row
        self.answers: dict[str, set[str]] = {}  # reply -> user versions
        for row in rows:
            self.script.follow(row)
            self.told.append(tuple(self.script.said[one.version] for one in row.said))
            for splice in row.splices:
                self._answered(splice)
        self._follow(0, len(self.script.path), "")

    def of(self, names: PersonNames) -> set[str]:
        """The versions written by the person."""
        return {one.version for one in self.script.said.values() if self.is_of(one, names)}

    def answers_to(self, theirs: Iterable[str]) -> set[str]:
        """The replies that ever followed these."""
        return {one for one, asked in self.answers.items() if not asked.isdisjoint(theirs)}

    def is_of(self, said: ChatMessage, names: PersonNames) -> bool:
        """Whether the person wrote it; if the speaker is unknown, whether it bears the name."""
        if said.role != "user":
            return False
        head = self.script.head
        if said.owner is None:
            begun = head is not None and head.user in names.all
            return names.are(said.name) or (begun and not said.name)
        return said.owner in names.all

    def _answered(self, splice: Splice) -> None:
        path, start = self.script.path, splice.place
        if splice.put:
            found = path.find(splice.put[0], start)  # its place may have moved
            start = len(path) if found is None else found
        before = next((one.version for one in path[:start][::-1] if one.role == "user"), "")
        self._follow(start, start + len(splice.put), before)

    def _follow(self, start: int, end: int, asked: str) -> None:
        for one in self.script.path[start:end]:
            if one.role == "user":
                asked = one.version
            else:
                self.answers.setdefault(one.version, set()).add(asked)


class _Clearing:
    """Rewrites rows without the person, tracking participants as a reader does."""

    def __init__(self, names: PersonNames, gone: set[str], heir: str | None, ids: Ids) -> None:
        self.changed = False
        self._names, self._gone, self._heir, self._ids = names, gone, heir, ids
        self._script = Transcript(Path())  # in the rewritten rows

    def row(self, row: ChatLogRow, told: Sequence[ChatMessage]) -> ChatLogRow:
        """The rewritten row; `told` are its decoded messages."""
        fresh = replace(
            row,
            head=row.head and self._head(row.head),
            told={name: self._told(name, value) for name, value in row.told.items()},
            present=row.present
            and Attendance.of(self._others(row.present.users), row.present.members),
            voice=None if row.voice in self._names.all else row.voice,
        )
        self.changed |= fresh != (replace(row, head=row.head and replace(row.head, format=FORMAT)))
        self._script.follow(replace(fresh, said=(), splices=()))
        said = [self._said(one) for one in told]
        self.changed |= tuple(said) != tuple(told)
        voice, present = self._script.voice, self._script.present
        return replace(fresh, said=tuple(shortened(one, voice, present) for one in said))

    def _head(self, head: ChatHead) -> ChatHead:
        return replace(
            head,
            chat=self._ids(head.chat),
            user=self._heir if head.user in self._names.all else head.user,
            branch_of=self._ids(head.branch_of),
            format=FORMAT,
        )

    def _told(self, name: str, value: object) -> object:
        if not isinstance(value, str) or name == "mode" or value == OWN:
            return value
        return self._ids(value) if name in ("story", "timeline") else self._names.masked(value)

    def _others(self, users: Iterable[str]) -> tuple[str, ...]:
        return tuple(user for user in users if user not in self._names.all)

    def _said(self, said: ChatMessage) -> ChatMessage:
        if said.version in self._gone:
            owner = "" if said.role == "user" else None
            return ChatMessage(
                said.version, said.role, "", said.at, said.slot, owner=owner, users=AWAY
            )
        users = None if said.users is None else self._others(said.users)
        places, masked = self._names.places(said.text), self._names.masked
        return replace(
            said,
            text=masked(said.text),
            raw=masked(said.raw),
            name=masked(said.name),
            users=users,
            spans=tuple(_moved(one, places) for one in said.spans),
            stamp=tuple((name, masked(value)) for name, value in said.stamp),
        )


def _moved(span: MarkedSpan, places: Sequence[NameSpan]) -> MarkedSpan:
    """The span in the text without the name."""
    return MarkedSpan(span.kind, _place(span.start, places), _place(span.end, places))


def _place(at: int, places: Sequence[NameSpan]) -> int:
    grown = sum(len(one.instead) - (one.end - one.start) for one in places if one.end <= at)
    inside = next((one for one in places if one.start < at < one.end), None)
    return (at if inside is None else inside.start) + grown
