"""A chat as its log tells it: slots × versions, and the path of versions that is visible now."""

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
    """A chat at one moment; it does not change."""

    info: ChatInfo
    path: VisiblePath
    said: Mapping[str, ChatMessage]  # everything ever said, by version
    order: Sequence[
        str
    ] = ()  # versions as they came to stand on the path, one that returned again; grows at its end only
    mark: int = (
        0  # how many of them there were at this moment: what `since` would give to ask with next
    )
    disturbed: int = 0  # how often something that counted stopped to count, or came back
    inherited: frozenset[str] = (
        frozenset()
    )  # versions that it shares with the chat it was forked from
    moved: Sequence[
        str
    ] = ()  # versions that came or went other than at the end, and those beside them; grows at its end only
    moves: int = 0  # how many of them there were at this moment
    slots: int = 0  # slots given out until this moment: what is new later stands in a further one
    strangers: int = 0  # versions that are recalled here alone: nobody knows who said them, or somebody wants it so
    worded: VisiblePath = field(
        default_factory=VisiblePath
    )  # the path without messages whose words went
    told: Mapping[str, ChatMessage] = field(default_factory=dict)  # `said` without them
    users: Mapping[str, datetime] = field(default_factory=dict)  # who was ever in it, since when
    heard_by: frozenset[str] = (
        frozenset()
    )  # who was there for any of its messages; "" = nobody known
    speakers: frozenset[tuple[str, str]] = frozenset()  # who speaks on the path: role and name
    behind: Mapping[str, str] = field(
        default_factory=dict
    )  # the version that each stood behind when it last stood on the path; "" = it was the first

    def before(self, version: str, near: int = -1) -> tuple[ChatMessage | None, int]:
        """What a message stands behind, or stood behind when it was last on the path; and its place (`near` is a guess)."""
        at = self.worded.find(version, near)
        if at is None:
            return self.told.get(self.behind.get(version, "")), near
        return self.worded[at - 1] if at else None, at

    @property
    def id(self) -> str:
        """Its id."""
        return self.info.id

    def since(self, mark: int) -> tuple[tuple[ChatMessage, ...], int]:
        """What came to stand in it after that mark, in the order it came, what returned among it; and the mark to ask with next.

        What a fork shares with the chat it came from is not new in it.
        """
        came = (
            self.said[version] for version in self.order[mark : self.mark] if version in self.said
        )
        return tuple(said for said in came if not said.erased), self.mark


class Transcript:
    """Follows a log line by line: what a line costs depends on what it says, not on what was said before.

    Not thread-safe: its owner sees to that.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self.head: ChatHead | None = None
        self.look = WindowSize()
        self.present = Attendance()  # who is in the chat
        self.voice = ""  # whose words those of users are, if nothing else is said
        self._format = FORMAT
        self.said: dict[str, ChatMessage] = {}
        self.path = VisiblePath(self.said)
        self.once = UniqueMessages(words)  # what stands once on the path, by its words
        self.slots = 0  # slots given out
        self.edition = 0  # another one after every line
        self.order: list[str] = []  # versions as they came to stand on the path
        self.disturbed = 0
        self.moved: list[str] = []  # versions that came or went other than at the end
        self.behind: dict[str, str] = {}  # what each version stood behind when it last did
        self.inherited: frozenset[str] = frozenset()
        self.strangers = 0  # versions that are recalled here alone
        self.erased: set[str] = set()  # digests of words that went
        self.users: dict[str, datetime] = {}  # everybody who was ever in it, since when
        self.heard_by = frozenset[str]()  # who was there for any message
        self.updated = datetime.min.replace(tzinfo=UTC)
        self._told: JsonObject = {}
        self.commands: dict[
            str, Scope
        ] = {}  # how far memory goes, by version; since a mode was told
        self._alike: dict[str, list[str]] = {}  # digest -> versions
        self._versions: dict[int, tuple[str, ...]] = {}  # of each slot
        self._resting: dict[str, set[int]] = {}  # digest -> slots that had it, not on the path
        self._loosely: UniqueMessages | None = None
        self._speakers: Counter[tuple[str, str]] = (
            Counter()
        )  # messages on the path, by role and name
        self._known: dict[str, dict[str, ChatMessage]] | None = None
        self._chat: Chat | None = None

    def follow_all(self, rows: Iterable[ChatLogRow]) -> None:
        """Take in lines of the log; what those say that only go on is put on the path together."""
        more: list[ChatMessage] = []
        for row in rows:
            if self._goes_on(row, more):
                more += self._hear(row)
            else:
                self._change(len(self.path), len(self.path), more)
                more = []
                self.follow(row)
        self._change(len(self.path), len(self.path), more)
        self._chat = None

    def _goes_on(self, row: ChatLogRow, more: Sequence[ChatMessage]) -> bool:
        """Whether a line only puts new messages behind the path and these."""
        forked = row.head is not None and bool(row.head.branch_of)
        if len(row.splices) != 1 or row.times or row.told or self.erased or forked:
            return False
        (splice,), latest = row.splices, more[-1:] or self.path[-1:]
        behind = splice.place == len(self.path) + len(more) and not splice.out
        follows = splice.after == (latest[0].version if latest else "")
        return behind and follows and self._are_new(row.said, splice.put)

    def _are_new(self, said: Sequence[ChatMessage], put: tuple[str, ...]) -> bool:
        """Whether all that is put on the path are these messages, each with words and in the next slot."""
        return (
            put == tuple([one.version for one in said])
            and [one.slot for one in said] == [*range(self.slots, self.slots + len(said))]
            and self.said.keys().isdisjoint(put)
            and all(one.text for one in said)
        )

    def _hear(self, row: ChatLogRow) -> Sequence[ChatMessage]:
        """Know the messages of a line that goes on."""
        self._attend(row)
        said = self._keep_said(row)
        self.order += row.splices[0].put
        self.edition += 1
        return said

    def follow(self, row: ChatLogRow) -> None:
        """Take in one line of the log."""
        self._attend(row)
        self._told.update(row.told)
        if "mode" in row.told:
            self.commands.clear()
        back = {one for splice in row.splices for one in splice.put if one in self.said}
        self._keep_said(row)
        if row.times:
            self._retime(row.times)
        # the first splice is the path of the chat it was forked from
        inherits = row.head is not None and bool(row.head.branch_of) and not self.path
        if inherits:
            first = row.splices[0].put if row.splices else ()
            self.inherited = frozenset(first)
        for number, splice in enumerate(row.splices):
            self._put(splice, back)
            if number or not inherits:
                self.order += splice.put
        if row.told or row.times:
            self.disturbed += 1
        self._rest(said.slot for said in row.said)
        self.edition += 1
        self._chat = None

    def _put(self, splice: Splice, back: Container[str]) -> None:
        """Change the path as the line says; `back`: what stood before and returns."""
        inside = bool(splice.put) and self._place(splice) < len(
            self.path
        )  # it parts two that stood side by side
        self._splice(splice)
        returned = [version for version in splice.put if version in back]
        self.moved += returned
        self.disturbed += bool(splice.out) or inside or bool(returned)

    def _attend(self, row: ChatLogRow) -> None:
        """Take in who the chat is and who is in it."""
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
        """Know what the line says, with what it did not say again."""
        apart = self._format < 2
        said = [filled(one, self.voice, self.present, named_apart=apart) for one in row.said]
        for one in said:
            self._keep(one)
        return said

    @property
    def chat(self) -> Chat | None:
        """The chat as it stands now; None while nobody knows who it is. The same object until it changes."""
        if self._chat is None and self.head is not None:
            worded, told = self._in_words()
            self._chat = Chat(
                self._info(self.head, len(worded)),
                self.path,
                self.said,
                self.order,
                len(self.order),
                self.disturbed,
                self.inherited,
                self.moved,
                len(self.moved),
                self.slots,
                self.strangers,
                worded,
                told,
                dict(self.users),
                self.heard_by,
                frozenset(self._speakers),
                self.behind,
            )
        return self._chat

    def _in_words(self) -> tuple[VisiblePath, Mapping[str, ChatMessage]]:
        """The path, and everything ever said, without messages whose words went. Cost: all of it, where any did."""
        if not self.erased:
            return self.path, self.said
        told = {version: said for version, said in self.said.items() if not said.erased}
        path = VisiblePath(told).spliced(0, 0, [said for said in self.path if not said.erased])
        return path, told

    @property
    def known(self) -> Known:
        """Everything ever said by speaker and text, as it came and as it was kept."""
        if self._known is None:
            self._known = {"user": {}, "assistant": {}}
            for said in self.said.values():
                self._remember(said, self._known)
        return self._known

    @property
    def loosely(self) -> UniqueMessages:
        """What stands once on the path, by its words alone. Read through once, when it is first asked for."""
        if self._loosely is None:
            self._loosely = UniqueMessages(lambda said: hash(loose(said.text)), self.path)
        return self._loosely

    def ever_said(self, digests: Iterable[str]) -> bool:
        """Whether any of these words were ever said here."""
        return not self._alike.keys().isdisjoint(digests)

    def version_in(self, slot: int, digest: str) -> str:
        """The version of these words in that slot; "" when it never had them."""
        own = self._versions.get(slot, ())
        return next((version for version in own if base(version) == digest), "")

    def places(self, digest: str) -> set[int]:
        """Where on the path a slot stands that ever had these words."""
        slots = {self.said[version].slot for version in self._alike.get(digest, ())}
        return {self.path.place(said) for slot in slots if (said := self.path.in_slot(slot))}

    def alike(self, digest: str) -> Sequence[str]:
        """The versions of these words, in whatever slot."""
        return tuple(self._alike.get(digest, ()))

    def knows(self, slot: int, digest: str) -> bool:
        """Whether that slot ever had these words."""
        return bool(self.version_in(slot, digest))

    def resting(self, digest: str) -> Iterable[ChatMessage]:
        """Versions of these words whose slots are not on the path."""
        slots = sorted(self._resting.get(digest, ()))
        found = (self.said[self.version_in(slot, digest)] for slot in slots)
        return (said for said in found if not said.erased)

    def free_version(self, digest: str, taken: Container[str] = ()) -> str:
        """An id for these words in a further slot: the digest, or with .2, .3, ... behind it."""
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
            self.strangers += (said.role == "user" and said.owner is None) or said.scope == "here"
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
        """Cut and put. Where a damaged line was lost, what it said is not there: the rest finds its place all the same."""
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
        """Put these in the place of [start, end) on the path."""
        gone = self.path[start:end]
        if gone or start < len(self.path):
            beside = self.path[max(start - 1, 0) : start] + self.path[end : end + 1]
            self.moved += [said.version for said in (*gone, *put, *beside)]
        self.path = self.path.spliced(start, end, put)
        last, end = self.path[start - 1].version if start else "", start + len(put)
        for said in (*put, *self.path[end : end + 1]):
            self.behind[said.version], last = last, said.version
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
        """Those of these slots that are not on the path may come back to it."""
        for slot in slots:
            if self.path.in_slot(slot) is None:
                for version in self._versions[slot]:
                    self._resting.setdefault(base(version), set()).add(slot)

    def _place(self, splice: Splice) -> int:
        """Where the splice begins: behind `after`, wherever that stands by now."""
        if not splice.after:
            return 0
        if (
            0 < splice.place <= len(self.path)
            and self.path[splice.place - 1].version == splice.after
        ):
            return splice.place
        found = self.path.standing(splice.after)
        return self.path.place(found) + 1 if found else min(splice.place, len(self.path))

    def _retime(self, times: Mapping[int, datetime]) -> None:
        for slot in times:
            for version in self._versions.get(slot, ()):
                self.said[version] = replace(self.said[version], at=times[slot])
        self.moved += [one for slot in times for one in self._versions.get(slot, ())]
        self.path = self.path.retimed(times) if times else self.path

    @property
    def told_mode(self) -> Mode:
        """What memory does here where no message says it."""
        mode: Mode = self._told.get("mode", "on")
        return mode if mode in MODES else "on"

    def commands_on(
        self, path: VisiblePath, more: Mapping[str, Scope] = MappingProxyType({})
    ) -> list[tuple[int, Scope]]:
        """The commands that stand on a path, by their places. Cost: the commands that were ever given, and `more`."""
        placed = ((path.find(version), told) for version, told in {**self.commands, **more}.items())
        return sorted((place, told) for place, told in placed if place is not None)

    def scope_of(self, slot: int) -> Scope | None:
        """How far memory went for what was said before in that slot; None where nothing was, or a command."""
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
            messages=messages,
            archived=bool(self._told.get("archived", False)),
            branch_of=head.branch_of,
            file=self.file,
            unnamed=head.unnamed,
            users=tuple(sorted(self.users, key=self.users.__getitem__)),
        )

    def _own_title(self) -> str:
        """A cut of the first thing the user said, else of the first that anybody said."""
        asked = (one for one in self.path if one.role == "user" and not one.erased)
        found = next(asked, None) or next(iter(self.path), None)
        return title_of(found.text if found else "")


def _story(told: JsonMapping) -> str | None:
    """The story that a chat was put into; None where nobody did. Logs of earlier versions tell of timelines and a mode."""
    if "story" not in told and told.get("mode") == OWN:
        return OWN
    chosen: str | None = told.get("story", told.get("timeline"))
    return chosen
