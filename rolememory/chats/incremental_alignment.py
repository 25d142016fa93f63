"""Fast path of alignment: reuses the last window, so that only new messages are normalized."""

from collections.abc import Sequence
from itertools import takewhile

from rolememory.chats.align import SURE, PathChange, align_from
from rolememory.chats.gap_alignment import AlignStep
from rolememory.chats.normalize import VOICES, Clean, normalize_messages, window_size
from rolememory.chats.plan import PathAlignment, align_window
from rolememory.chats.transcript import Transcript
from rolememory.chats.values import WindowSize
from rolememory.schema.learning import ChatMessage
from rolememory.schema.message import Message
from rolememory.schema.value_class import value_class

_VOICES = frozenset(VOICES)


@value_class
class LastWindow:
    """The messages of the last request, and their result."""

    messages: list[Message]
    clean: Clean | None
    script: Transcript
    edition: int  # of the script, when its path ended with these messages
    begin: int
    look: WindowSize

    def more(
        self, messages: Sequence[Message], clean: Clean | None, script: Transcript
    ) -> Sequence[Message] | None:
        """The appended messages; None if these differ from the last ones, or the chat changed."""
        count = len(self.messages)
        if (
            script is not self.script
            or script.edition != self.edition
            or clean != self.clean
            or not count <= len(messages)
        ):
            return None
        if (
            not count
            or messages[0] is not self.messages[0]
            or messages[count - 1] is not self.messages[-1]
        ):
            return None
        return messages[count:] if list(messages[:count]) == self.messages else None


def align_incrementally(
    script: Transcript, messages: Sequence[Message], clean: Clean | None, seen: LastWindow | None
) -> PathAlignment | None:
    """Align the visible messages with the chat; None if there are none.

    Cost: with the same `Message` objects as before, only what was appended; else one text
    comparison per message, and an alignment after the first difference.
    """
    if seen is not None and (more := seen.more(messages, clean, script)) is not None:
        return _appended(script, seen.begin, more, clean, seen.look)
    spoken = SpokenMessages.of(messages)
    begin, run = spoken.sure(script)
    if not run:
        begin, run = spoken.cut(script)
    if run == len(script.path) - begin > 0:
        return _appended(script, begin, spoken.messages[run:], clean, _look(script, begin, run))
    if run >= SURE:
        news = normalize_messages(spoken.messages[run:], clean, script.known)
        look = _look(script, begin, run) + window_size(news)
        return PathAlignment(begin, align_from(script, news, begin + run), look=look)
    news = normalize_messages(spoken.messages, clean, script.known)
    return align_window(script, news) if news else None


@value_class
class SpokenMessages:
    """The messages without instructions."""

    messages: Sequence[Message]
    texts: list[str]
    voices: list[str]

    @classmethod
    def of(cls, messages: Sequence[Message]) -> "SpokenMessages":
        """The spoken messages among these."""
        said = [one for one in messages if one.role in _VOICES and one.content]
        return cls(said, [one.content.strip() for one in said], [one.role for one in said])

    def sure(self, script: Transcript) -> tuple[int, int]:
        """The start on the path and the number of equal messages, assuming the last window's start, or the chat's."""
        size = len(script.path)
        runs = [
            (begin, self._run(script, begin))
            for begin in dict.fromkeys((max(size - script.look.messages, 0), 0))
        ]
        return max(runs, key=lambda pair: (pair[1] == size - pair[0], pair[1]))

    def cut(self, script: Transcript) -> tuple[int, int]:
        """The same if more was cut off in front, all the rest of the path is there, and it is not little."""
        size = len(script.path)
        first = script.known[self.voices[0]].get(self.texts[0]) if self.texts else None
        begin = script.path.find(first.version) if first else None
        run = 0 if begin is None else self._run(script, begin)
        return (begin, run) if begin is not None and SURE <= run == size - begin else (size, 0)

    def shared(self, script: Transcript) -> tuple[int, bool]:
        """How many messages match the path, and whether to its end, from its start or with a user message."""
        begin, run = self.sure(script)
        whole = run == len(script.path) - begin and (begin == 0 or "user" in self.voices[:run])
        return run, whole

    def _run(self, script: Transcript, begin: int) -> int:
        end, step = min(len(script.path), begin + len(self.texts)), SURE
        place = begin
        while place < end:  # in growing steps, since most differ early or never
            olds = script.path[place : min(place + step, end)]
            at, behind = place - begin, place - begin + len(olds)
            cames, voices = list(map(_came, olds)), [said.role for said in olds]
            texts, spoke = self.texts[at:behind], self.voices[at:behind]
            if texts != cames or spoke != voices:
                pairs = zip(texts, cames, spoke, voices, strict=True)
                same = (text == came and one == other for text, came, one, other in pairs)
                return at + sum(takewhile(bool, same))
            place, step = place + len(olds), 2 * step
        return place - begin


def _came(said: ChatMessage) -> str:
    """The original text."""
    return said.raw or said.text


def _appended(
    script: Transcript, begin: int, more: Sequence[Message], clean: Clean | None, look: WindowSize
) -> PathAlignment:
    news = normalize_messages(more, clean, script.known) if more else []
    size = len(script.path)
    change = (
        (PathChange(size, size, tuple([AlignStep(None, message) for message in news])),)
        if news
        else ()
    )
    return PathAlignment(begin, change, look=look + window_size(news))


def _look(script: Transcript, begin: int, count: int) -> WindowSize:
    """The size of this many messages of the path."""
    if count == script.look.messages and begin + count == len(script.path):
        return script.look
    olds = script.path[begin : begin + count]
    users = sum(said.role == "user" for said in olds)
    return WindowSize(count, users, sum(len(_came(said)) for said in olds))
