"""The log of one chat: read incrementally, appended under the lock."""

from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path

from rolememory.chats.rows import FORMAT, ChatHead, ChatLogRow, decoded, encoded
from rolememory.chats.transcript import Chat, Transcript
from rolememory.errors import NotWrittenError
from rolememory.schema.problem import Problem
from rolememory.storage import port
from rolememory.storage.gc_pause import gc_paused
from rolememory.storage.port import START, Append

_MANY = 200  # lines read at once


class ChatLog:
    """A chat's log. Not thread-safe: its owner synchronizes; any number of processes may read."""

    def __init__(self, kept: port.Log) -> None:
        self.name = kept.name
        self.path = Path(kept.place)  # file name for messages
        self.transcript = Transcript(self.path)
        self.fault: OSError | None = None  # why it is unreadable
        self.look: object = None  # last read time
        self._kept = kept
        self._place = START  # read offset
        self._bad: list[int] = []  # numbers of damaged lines, from 1

    @property
    def exists(self) -> bool:
        """Whether it existed at the last check."""
        return self._place != START or self.fault is not None

    @property
    def head(self) -> ChatHead | None:
        """The chat's identity; None if there is none."""
        return self.transcript.head

    @property
    def chat(self) -> Chat | None:
        """The chat as last read; None if missing or without identity."""
        return self.transcript.chat

    @property
    def problems(self) -> list[Problem]:
        """Damaged lines with positions, and why the log is unreadable."""
        file = f"{self.path.parent.name}/{self.path.name}"
        found = [Problem("bad_line", file, row) for row in self._bad]
        return (
            [*found, Problem.of("unreadable", file, reason=str(self.fault))]
            if self.fault
            else found
        )

    def refresh(self) -> bool:
        """Read new lines, if any: one stat if there are none. True if the chat changed.

        If unreadable, the state stays, with its `fault`.
        """
        try:
            part = self._kept.read(self._place)
        except OSError as error:
            self.fault = error
            return False
        self.fault = None
        if part.anew:
            self.transcript, self._bad = Transcript(self.path), []
        if part.appends:
            with gc_paused() if len(part.appends) > _MANY else nullcontext():
                self.transcript.follow_all(self._rows(part.appends))
        self._bad += part.bad
        changed = part.anew or part.place != self._place
        self._place = part.place
        return changed

    def append(self, row: ChatLogRow) -> None:
        """Append a line durably. Under the lock of the chats, right after `refresh`.

        Raises: NotWrittenError; nothing was written, or only what readers skip.
        """
        if self.fault is not None:
            raise NotWrittenError(
                "{path}: cannot be read: {fault}; nothing is written to it before it can",
                path=self.path,
                fault=self.fault,
            )
        if self.head is not None and self.head.format > FORMAT:
            raise NotWrittenError(
                "{path}: written by a newer rolememory (format {format}, this one writes {ours}); it is read as far as it is understood, and nothing is written to it: upgrade",
                path=self.path,
                format=self.head.format,
                ours=FORMAT,
            )
        self._kept.append(encoded(row))

    def delete(self) -> None:
        """Delete it durably. Raises: NotWrittenError."""
        self._kept.delete()

    def lines(self) -> list[bytes]:
        """All undamaged lines, read again. Raises: OSError."""
        return [line for append in self._kept.read().appends for line in append.lines]

    def rewrite(self, lines: Iterable[bytes]) -> None:
        """Replace the whole content, including damaged lines. Under the lock. Raises: NotWrittenError."""
        self._kept.rewrite([[line] for line in lines])
        self.transcript, self._bad, self._place = Transcript(self.path), [], START

    def _rows(self, appends: Iterable[Append]) -> Iterator[ChatLogRow]:
        """The decoded rows; invalid ones are left out."""
        for append in appends:
            for number, line in enumerate(append.lines, append.number):
                row = decoded(line)
                if row is None:
                    self._bad.append(number)
                else:
                    yield row
