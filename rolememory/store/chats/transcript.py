"""A chat as its log tells it: slots × versions, and the path of versions that is visible now."""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

from rolememory.schema.learning import Said
from rolememory.store.chats.heard import Known, base
from rolememory.store.chats.rows import Head, Row, Splice
from rolememory.store.chats.title import title_of
from rolememory.store.chats.values import MODES, ChatInfo, Look, Mode


@dataclass(frozen=True)
class Chat:
    """A chat at one moment; it does not change."""

    info: ChatInfo
    path: tuple[Said, ...]
    said: Mapping[str, Said]  # everything ever said, by version
    order: Sequence[str] = ()  # versions as they came to stand on the path, one that returned again; grows at its end only
    disturbed: int = 0  # how often something that counted stopped to count, or came back
    inherited: frozenset[str] = frozenset()  # versions that it shares with the chat it was forked from

    @property
    def id(self) -> str:
        """Its id."""
        return self.info.id

    @cached_property
    def standing(self) -> frozenset[str]:
        """The versions on the path."""
        return frozenset([said.version for said in self.path])

    @cached_property
    def neighbours(self) -> frozenset[tuple[str, str]]:
        """Each version on the path with the one behind it."""
        return frozenset(pairwise([said.version for said in self.path]))


class Transcript:
    """Follows a log line by line. Not thread-safe: its owner sees to that."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.head: Head | None = None
        self.look = Look()
        self.said: dict[str, Said] = {}
        self.path: list[Said] = []
        self.cames: list[str] = []  # of the path, each as it came
        self.voices: list[str] = []  # of the path, who speaks
        self.slots = 0  # slots given out
        self.edition = 0  # another one after every line
        self.order: list[str] = []  # versions as they came to stand on the path
        self.disturbed = 0
        self.inherited: frozenset[str] = frozenset()
        self.updated = datetime.min.replace(tzinfo=UTC)
        self._told: dict[str, Any] = {}
        self._alike: dict[str, list[str]] = {}  # digest -> versions
        self._standing: set[int] = set()  # slots on the path
        self._known: dict[str, dict[str, Said]] | None = None
        self._chat: Chat | None = None

    def follow(self, row: Row) -> None:
        """Take in one line of the log."""
        self.head = row.head or self.head
        self._told.update(row.told)
        self.look = row.look or self.look
        self.updated = max(self.updated, row.at)
        for said in row.said:
            self._keep(said)
        inherits = row.head is not None and bool(row.head.branch_of)  # the first splice is the path of the chat it was forked from
        if inherits:
            self.inherited = frozenset(version for splice in row.splices[:1] for version in splice.put)
        for number, splice in enumerate(row.splices):
            inside = bool(splice.put) and self._place(splice) < len(self.path)  # it parts two that stood side by side
            self._splice(splice)
            self.disturbed += bool(splice.out) or inside
            if number or not inherits:
                self.order += splice.put
        if row.told or row.times:
            self.disturbed += 1
        if row.times:
            self._retime(row.times)
        self.edition += 1
        self._chat = None

    @property
    def chat(self) -> Chat | None:
        """The chat as it stands now; None while nobody knows who it is. The same object until it changes."""
        if self._chat is None and self.head is not None:
            self._chat = Chat(self._info(self.head), tuple(self.path), self.said, self.order, self.disturbed, self.inherited)
        return self._chat

    @property
    def known(self) -> Known:
        """Everything ever said by speaker and text, as it came and as it was kept."""
        if self._known is None:
            self._known = {"user": {}, "assistant": {}}
            for said in self.said.values():
                self._remember(said, self._known)
        return self._known

    def ever_said(self, digests: Iterable[str]) -> bool:
        """Whether any of these words were ever said here."""
        return not self._alike.keys().isdisjoint(digests)

    def version_in(self, slot: int, digest: str) -> str:
        """The version of these words in that slot; "" when it never had them."""
        return next((version for version in self._alike.get(digest, ()) if self.said[version].slot == slot), "")

    def knows(self, slot: int, digest: str) -> bool:
        """Whether that slot ever had these words."""
        return bool(self.version_in(slot, digest))

    def resting(self, digest: str) -> Iterable[Said]:
        """Versions of these words whose slots are not on the path."""
        alike = (self.said[version] for version in self._alike.get(digest, ()))
        return (said for said in alike if said.slot not in self._standing)

    def free_version(self, digest: str, taken: Container[str] = ()) -> str:
        """An id for these words in a further slot: the digest, or with .2, .3, ... behind it."""
        number = len(self._alike.get(digest, ())) + 1
        while (version := digest if number == 1 else f"{digest}.{number}") in self.said or version in taken:
            number += 1
        return version

    def _keep(self, said: Said) -> None:
        if said.version not in self.said:
            self._alike.setdefault(base(said.version), []).append(said.version)
        self.said[said.version] = said
        self.slots = max(self.slots, said.slot + 1)
        if self._known is not None:
            self._remember(said, self._known)

    @staticmethod
    def _remember(said: Said, known: dict[str, dict[str, Said]]) -> None:
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
        if out:
            self._drop(out)
            start = self._place(splice)
            end = start
        self._standing -= {said.slot for said in self.path[start:end]}
        put = [self.said[version] for version in splice.put if version in self.said]
        put = [said for said in put if said.slot not in self._standing]
        self.path[start:end] = put
        self.cames[start:end] = [said.raw or said.text for said in put]
        self.voices[start:end] = [said.role for said in put]
        self._standing.update(said.slot for said in put)

    def _place(self, splice: Splice) -> int:
        """Where the splice begins: behind `after`, wherever that stands by now."""
        if not splice.after:
            return 0
        if 0 < splice.place <= len(self.path) and self.path[splice.place - 1].version == splice.after:
            return splice.place
        found = (place for place in range(len(self.path), 0, -1) if self.path[place - 1].version == splice.after)
        return next(found, min(splice.place, len(self.path)))

    def _drop(self, versions: set[str]) -> None:
        kept = [said for said in self.path if said.version not in versions]
        self._standing -= {said.slot for said in self.path if said.version in versions}
        self.path = kept
        self.cames, self.voices = [said.raw or said.text for said in kept], [said.role for said in kept]

    def _retime(self, times: Mapping[int, datetime]) -> None:
        for version, said in self.said.items():
            if said.slot in times:
                self.said[version] = replace(said, at=times[said.slot])
        self.path = [self.said[said.version] for said in self.path]

    def _info(self, head: Head) -> ChatInfo:
        mode: Mode = self._told.get("mode", "shared")
        return ChatInfo(
            id=head.chat,
            title=str(self._told.get("title") or self._own_title()),
            user=head.user,
            timeline=str(self._told.get("timeline", "")),
            mode=mode if mode in MODES else "shared",
            created=head.created,
            updated=self.updated,
            messages=len(self.path),
            archived=bool(self._told.get("archived", False)),
            branch_of=head.branch_of,
            file=self.file,
            unnamed=head.unnamed,
        )

    def _own_title(self) -> str:
        words = (said.text for said in self.path if said.role == "user")
        anything = (said.text for said in self.path)
        return title_of(next(words, "") or next(anything, ""))
