"""A chat as its log defines it: slots × versions, and the currently visible path."""

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType

from rolememory.chats.normalize import Known, base
from rolememory.chats.presence import Attendance, filled
from rolememory.chats.rows import FORMAT, ChatHead, ChatLogRow, Splice
from rolememory.chats.title import title_of
from rolememory.chats.unique_messages import UniqueMessages, loose, words
from rolememory.chats.values import MODES, OWN, ChatInfo, Mode, WindowSize
from rolememory.chats.visible_path import VisiblePath
from rolememory.schema.json_types import JsonMapping, JsonObject
from rolememory.schema.learning import ChatMessage, Scope


@dataclass(frozen=True)
class Chat:
    """A chat at one moment; immutable."""

    info: ChatInfo
    path: VisiblePath
    told: Mapping[str, ChatMessage]  # all messages by version, without erased ones
    order: Sequence[
        str
    ] = ()  # versions in order of arrival on the path, restored ones again; append-only
    mark: int = 0  # its length at this moment: the next mark for `since`
    inherited: frozenset[str] = frozenset()  # versions shared with the parent chat
    moved: Sequence[
        str
    ] = ()  # versions changed other than at the end, and their neighbours; append-only
    moves: int = 0  # its length at this moment
    slots: int = 0  # slots assigned until this moment: newer ones are higher
    strangers: int = 0  # versions recalled only here: of unknown speakers, or by scope
    worded: VisiblePath = field(default_factory=VisiblePath)  # the path without erased messages
    users: Mapping[str, datetime] = field(default_factory=dict)  # every participant, since when
    heard_by: frozenset[str] = frozenset()  # who was present for any message; "" = nobody known
    speakers: frozenset[tuple[str, str]] = frozenset()  # speakers on the path: role and name
    followed: Mapping[str, str] = field(
        default_factory=dict
    )  # the version each followed when last on the path; "" = it was the first

    def before(self, version: str, near: int = -1) -> tuple[ChatMessage | None, int]:
        """The message before it, now or when last on the path; and its place (`near` is a guess)."""
        at = self.worded.find(version, near)
        if at is None:
            return self.told.get(self.followed.get(version, "")), near
        return self.worded[at - 1] if at else None, at

    @property
    def id(self) -> str:
        """Its id."""
        return self.info.id

    def since(self, mark: int) -> tuple[tuple[ChatMessage, ...], int]:
        """The messages that arrived after that mark, in order, restored ones included; and the next mark.

        What a fork shares with its parent is not new in it.
        """
        came = map(self.told.get, self.order[mark : self.mark])
        return tuple(filter(None, came)), self.mark


class Transcript:
    """Replays a log line by line: the cost of a line depends on its content, not on the history.

    Not thread-safe: its owner synchronizes.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self.head: ChatHead | None = None
        self.look = WindowSize()
        self.present = Attendance()  # participants
        self.voice = ""  # default owner of user messages
        self._format = FORMAT
        self.said: dict[str, ChatMessage] = {}
        self.path = VisiblePath(self.said)
        self.once = UniqueMessages(words)  # unique texts on the path
        self.slots = 0  # assigned slots
        self.edition = 0  # changes with every line
        self.order: list[str] = []  # versions in order of arrival on the path
        self.moved: list[str] = []  # versions changed other than at the end
        self.followed: dict[str, str] = {}  # the version each last followed
        self.inherited: frozenset[str] = frozenset()
        self.strangers = 0  # versions recalled only here
        self.erased: set[str] = set()  # digests of erased messages
        self.users: dict[str, datetime] = {}  # every participant, since when
        self.heard_by = frozenset[str]()  # who was present for any message
        self.updated = datetime.min.replace(tzinfo=UTC)
        self._told: JsonObject = {}
        self.commands: dict[str, Scope] = {}  # memory scope by version; since a mode was set
        self._alike: dict[str, list[str]] = {}  # digest -> versions
        self._versions: dict[int, tuple[str, ...]] = {}  # of each slot
        self._resting: dict[str, set[int]] = {}  # digest -> slots that had it, not on the path
        self._loosely: UniqueMessages | None = None
        self._speakers: Counter[tuple[str, str]] = (
            Counter()
        )  # number of messages on the path, by role and name
        self._known: dict[str, dict[str, ChatMessage]] | None = None
        self._chat: Chat | None = None

    def follow_all(self, rows: Iterable[ChatLogRow]) -> None:
        """Apply lines of the log; consecutive appends are applied together."""
        more: list[ChatMessage] = []
        for row in rows:
            if self._goes_on(row, more):
                more += self._append(row)
            else:
                self._change(len(self.path), len(self.path), more)
                more = []
                self.follow(row)
        self._change(len(self.path), len(self.path), more)
        self._chat = None

    def _goes_on(self, row: ChatLogRow, more: Sequence[ChatMessage]) -> bool:
        """Whether a line only appends new messages after the path and `more`."""
        forked = row.head is not None and bool(row.head.branch_of)
        if len(row.splices) != 1 or row.told or self.erased or forked:
            return False
        (splice,), latest = row.splices, more[-1:] or self.path[-1:]
        behind = splice.place == len(self.path) + len(more) and not splice.out
        follows = splice.after == (latest[0].version if latest else "")
        return behind and follows and self._are_new(row.said, splice.put)

    def _are_new(self, said: Sequence[ChatMessage], put: tuple[str, ...]) -> bool:
        """Whether exactly these are put on the path, each with text and in the next slot."""
        return (
            put == tuple([one.version for one in said])
            and [one.slot for one in said] == [*range(self.slots, self.slots + len(said))]
            and self.said.keys().isdisjoint(put)
            and all(one.text for one in said)
        )

    def _append(self, row: ChatLogRow) -> Sequence[ChatMessage]:
        """Register the messages of an appending line."""
        self._set_participants(row)
        said = self._keep_said(row)
        self.order += row.splices[0].put
        self.edition += 1
        return said

    def follow(self, row: ChatLogRow) -> None:
        """Apply one line of the log."""
        self._set_participants(row)
        self._told.update(row.told)
        if "mode" in row.told:
            self.commands.clear()
        restored = {one for splice in row.splices for one in splice.put if one in self.said}
        self._keep_said(row)
        # the first splice is the path of the parent chat
        inherits = row.head is not None and bool(row.head.branch_of) and not self.path
        if inherits:
            first = row.splices[0].put if row.splices else ()
            self.inherited = frozenset(first)
        for number, splice in enumerate(row.splices):
            self._splice(splice)
            self.moved += [version for version in splice.put if version in restored]
            if number or not inherits:
                self.order += splice.put
        self._rest(said.slot for said in row.said)
        self.edition += 1
        self._chat = None

    def _set_participants(self, row: ChatLogRow) -> None:
        """Apply identity and participants."""
        if row.head is not None:
            if self.head is None:
                self.voice = row.head.user or ""
                self.present = Attendance((self.voice,))
            self.head, self._format = row.head, row.head.format
        self.present = row.present or self.present
        self.voice = self.voice if row.voice is None else row.voice
        if row.head or row.present or row.at < self.updated:
            for user in (row.head.user or "" if row.head else "", *self.present.users):
                self._meet(user, row.at)
        self.look = row.look or self.look
        self.updated = max(self.updated, row.at)

    def _keep_said(self, row: ChatLogRow) -> Sequence[ChatMessage]:
        """Register the line's messages, with defaults restored."""
        apart = self._format < 2
        said = [filled(one, self.voice, self.present, named_apart=apart) for one in row.said]
        for one in said:
            self._keep(one)
        return said

    @property
    def chat(self) -> Chat | None:
        """The current chat; None while its identity is unknown. The same object until it changes."""
        if self._chat is None and self.head is not None:
            worded, told = self._in_words()
            self._chat = Chat(
                self._info(self.head, len(worded)),
                self.path,
                told,
                self.order,
                len(self.order),
                self.inherited,
                self.moved,
                len(self.moved),
                self.slots,
                self.strangers,
                worded,
                dict(self.users),
                self.heard_by,
                frozenset(self._speakers),
                self.followed,
            )
        return self._chat

    def _in_words(self) -> tuple[VisiblePath, Mapping[str, ChatMessage]]:
        """The path, and all messages, without erased ones. Cost: all of it, if there are any."""
        if not self.erased:
            return self.path, self.said
        told = {version: said for version, said in self.said.items() if not said.erased}
        path = VisiblePath(told).spliced(0, 0, [said for said in self.path if not said.erased])
        return path, told

    @property
    def known(self) -> Known:
        """All messages by speaker and text, original and stored."""
        if self._known is None:
            self._known = {"user": {}, "assistant": {}}
            for said in self.said.values():
                self._remember(said, self._known)
        return self._known

    @property
    def loosely(self) -> UniqueMessages:
        """Unique texts on the path under looser equality. Built on first use."""
        if self._loosely is None:
            self._loosely = UniqueMessages(lambda said: hash(loose(said.text)), self.path)
        return self._loosely

    def ever_said(self, digests: Iterable[str]) -> bool:
        """Whether any of these digests ever occurred here."""
        return not self._alike.keys().isdisjoint(digests)

    def version_in(self, slot: int, digest: str) -> str:
        """The version of this digest in that slot; "" if none."""
        own = self._versions.get(slot, ())
        return next((version for version in own if base(version) == digest), "")

    def places(self, digest: str) -> set[int]:
        """The path places of slots that ever had this digest."""
        slots = {self.said[version].slot for version in self._alike.get(digest, ())}
        return {self.path.place(said) for slot in slots if (said := self.path.in_slot(slot))}

    def knows(self, slot: int, digest: str) -> bool:
        """Whether that slot ever had this digest."""
        return bool(self.version_in(slot, digest))

    def resting(self, digest: str) -> Iterable[ChatMessage]:
        """Versions of this digest whose slots are not on the path."""
        slots = sorted(self._resting.get(digest, ()))
        found = (self.said[self.version_in(slot, digest)] for slot in slots)
        return (said for said in found if not said.erased)

    def free_version(self, digest: str, taken: Container[str] = ()) -> str:
        """An id for this digest in another slot: the digest, or with .2, .3, ... appended."""
        number = len(self._alike.get(digest, ())) + 1
        while (
            version := digest if number == 1 else f"{digest}.{number}"
        ) in self.said or version in taken:
            number += 1
        return version

    def _meet(self, user: str, at: datetime) -> None:
        if user and (user not in self.users or at < self.users[user]):
            self.users[user] = at

    def _keep(self, said: ChatMessage) -> None:
        if said.version not in self.said:
            self._alike.setdefault(base(said.version), []).append(said.version)
            self.strangers += said.stays_here
            self._versions[said.slot] = (*self._versions.get(said.slot, ()), said.version)
            self._meet(said.owner or "", said.at)
        if said.erased:
            self.erased.add(base(said.version))
        self.said[said.version] = said
        if not self.heard_by.issuperset(said.users or ()):
            self.heard_by = self.heard_by.union(said.users or ())
        if said.commands:
            self.commands[said.version] = said.scope
        self.slots = max(self.slots, said.slot + 1)
        if self._known is not None:
            self._remember(said, self._known)

    @staticmethod
    def _remember(said: ChatMessage, known: dict[str, dict[str, ChatMessage]]) -> None:
        if said.erased:
            return
        known[said.role].setdefault(said.raw or said.text, said)
        known[said.role].setdefault(said.text, said)

    def _splice(self, splice: Splice) -> None:
        """Apply a splice. If a damaged line was lost, its messages are missing: the rest is placed all the same."""
        start = self._place(splice)
        end = start
        out = set(splice.out)
        while end < len(self.path) and self.path[end].version in out:
            out.discard(self.path[end].version)
            end += 1
        if lost := [said for version in out if (said := self.path.standing(version))]:
            for said in lost:
                place = self.path.place(said)
                self._change(place, place + 1, [])
        if out:
            start = end = self._place(splice)
        staying = {said.slot for said in self.path[start:end]}
        put = [self.said[version] for version in splice.put if version in self.said]
        self._change(
            start,
            end,
            [said for said in put if said.slot in staying or not self.path.in_slot(said.slot)],
        )

    def _change(self, start: int, end: int, put: Sequence[ChatMessage]) -> None:
        """Replace [start, end) of the path."""
        gone = self.path[start:end]
        if gone or start < len(self.path):
            beside = self.path[max(start - 1, 0) : start] + self.path[end : end + 1]
            self.moved += [said.version for said in (*gone, *put, *beside)]
        self.path = self.path.spliced(start, end, put)
        last, end = self.path[start - 1].version if start else "", start + len(put)
        for said in (*put, *self.path[end : end + 1]):
            self.followed[said.version], last = last, said.version
        for once in filter(None, (self.once, self._loosely)):
            once.change(gone, put)
        self._speakers.update((said.role, said.name) for said in put if not said.erased)
        for said in gone:
            self._speakers[said.role, said.name] -= not said.erased
            if not self._speakers[said.role, said.name]:
                del self._speakers[said.role, said.name]
        self._rest(said.slot for said in gone)
        for said in put if self._resting else ():
            for version in self._versions[said.slot]:
                self._resting.get(base(version), set()).discard(said.slot)

    def _rest(self, slots: Iterable[int]) -> None:
        """Mark those of these slots that left the path as restorable."""
        for slot in slots:
            if self.path.in_slot(slot) is None:
                for version in self._versions[slot]:
                    self._resting.setdefault(base(version), set()).add(slot)

    def _place(self, splice: Splice) -> int:
        """The start of the splice: after the current place of `after`."""
        if not splice.after:
            return 0
        if (
            0 < splice.place <= len(self.path)
            and self.path[splice.place - 1].version == splice.after
        ):
            return splice.place
        found = self.path.standing(splice.after)
        return self.path.place(found) + 1 if found else min(splice.place, len(self.path))

    @property
    def told_mode(self) -> Mode:
        """The memory mode of the chat, if no message sets one."""
        mode: Mode = self._told.get("mode", "on")
        return mode if mode in MODES else "on"

    def commands_on(
        self, path: VisiblePath, more: Mapping[str, Scope] = MappingProxyType({})
    ) -> list[tuple[int, Scope]]:
        """The commands on a path, by place. Cost: all commands ever given, and `more`."""
        placed = ((path.find(version), told) for version, told in {**self.commands, **more}.items())
        return sorted((place, told) for place, told in placed if place is not None)

    def scope_of(self, slot: int) -> Scope | None:
        """The memory scope of that slot's versions; None if there is none, or a command."""
        said = (self.said[version] for version in reversed(self._versions.get(slot, ())))
        before = next((one for one in said if not one.erased), None)
        return None if before is None or before.commands else before.scope

    def _info(self, head: ChatHead, messages: int) -> ChatInfo:
        return ChatInfo(
            id=head.chat,
            title=str(self._told.get("title") or self._own_title()),
            user=head.user,
            chosen=_story(self._told),
            mode=next((told for _, told in self.commands_on(self.path)[-1:]), self.told_mode),
            created=head.created,
            updated=self.updated,
            latest=self.path[-1].at if self.path else self.updated,
            messages=messages,
            archived=bool(self._told.get("archived", False)),
            branch_of=head.branch_of,
            file=self.file,
            unnamed=head.unnamed,
            titled=bool(self._told.get("titled", False)),
            users=tuple(sorted(self.users, key=self.users.__getitem__)),
        )

    def _own_title(self) -> str:
        """The truncated first user message, else first message."""
        asked = (one for one in self.path if one.role == "user" and not one.erased)
        found = next(asked, None) or next(iter(self.path), None)
        return title_of(found.text if found else "")


def _story(told: JsonMapping) -> str | None:
    """The story a chat was assigned to, if any. Older logs have timelines and a mode."""
    if "story" not in told and told.get("mode") == OWN:
        return OWN
    chosen: str | None = told.get("story", told.get("timeline"))
    return chosen
