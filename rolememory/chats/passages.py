"""The passages of a role's chats, followed as the chats go on: what recall asks beside memories."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from rolememory.chats.chats import Chats
from rolememory.chats.forgotten import Forgotten, key_of
from rolememory.chats.visible_path import VisiblePath
from rolememory.schema.learning import Said
from rolememory.schema.passage import Passage, passage
from rolememory.text.passages import Passage as Stretch
from rolememory.text.passages import passages
from rolememory.text.sentences import Span, sentences
from rolememory.text.stamps import panels as panels_of

_ANSWER = 160  # characters of an answer that may say little without its question
_ASKS = re.compile(r"[?？]\W*$")
_HAN = re.compile("[\u3400-\u9fff]")
_SCENE = ("date", "time", "place")  # fields of a stamp
Speaker = Callable[[Said], str]
"""The name under which a message's speaker is known."""


class ChatPassages:
    """Every passage that was ever said in a role's chats, by id. What does not stand or was not heard is for the gates to tell.

    Not thread-safe: its owner lets one turn in at a time. Cost of `follow`: what is new.
    """

    def __init__(self, chats: Chats, speaker: Speaker, forgotten: Forgotten | None = None) -> None:
        self._chats, self._speaker, self._forgotten = chats, speaker, forgotten
        self._hidden: frozenset[str] = frozenset()
        self._marks: dict[str, int] = {}  # by chat: how far it was read
        self._known: dict[str, Passage] = {}
        self._versions: dict[tuple[str, str], tuple[str, ...]] = {}
        self._generation: object = None
        self.current: Mapping[str, Passage] = MappingProxyType(self._known)

    def follow(self) -> Mapping[str, Passage]:
        """The passages as they are now; another mapping whenever something was said or removed."""
        forgotten = self._forgotten.mark if self._forgotten else None
        generation = (self._chats.generation, forgotten)
        if generation == self._generation:
            return self.current
        hidden = self._forgotten.keys() if self._forgotten else self._hidden
        changed = [hidden != self._hidden]
        self._hidden = hidden
        self._generation = generation
        infos = self._chats.chats(archived=True)
        here = {info.id for info in infos}
        changed += [self._forget(chat) for chat in [*self._marks] if chat not in here]
        changed += [self._read(info.id) for info in infos]
        if any(changed):
            self.current = MappingProxyType(
                {one.id: one for one in self._known.values() if not self._is_hidden(one)}
            )
        return self.current

    def every(self) -> Mapping[str, Passage]:
        """Every passage, forgotten ones too."""
        self.follow()
        return self._known

    def of(self, chat: str, versions: Iterable[str]) -> frozenset[str]:
        """The ids of what these versions of a chat say."""
        return frozenset(
            one for version in versions for one in self._versions.get((chat, version), ())
        )

    def _is_hidden(self, one: Passage) -> bool:
        return bool(self._hidden) and key_of(one.evidence[0].version, one.start) in self._hidden

    def _read(self, chat: str) -> bool:
        news, mark = self._chats.since(chat, self._marks.get(chat, 0))
        self._marks[chat] = mark
        path = self._chats.path(chat) if news else VisiblePath()
        behind = (one for one in _behind(path, news) if (chat, one.version) in self._versions)
        for said in (*news, *behind):
            place = path.find(said.version)
            self._tell(chat, said, path[place - 1] if place else None)
        return bool(news)

    def _tell(self, chat: str, said: Said, before: Said | None) -> None:
        """Know what a message says that stands behind that one."""
        asked, scene = _question(before, said), _scene(before, said)
        panels = [Span(one.start, one.end) for one in panels_of(said.text)] if said.stamp else ()
        made = [
            self._made(chat, said, one, "" if number else asked, scene)
            for number, one in enumerate(passages(said.text, said.spans, panels))
        ]
        self._known |= {one.id: one for one in made}
        self._versions[chat, said.version] = tuple(one.id for one in made)

    def _made(self, chat: str, said: Said, where: Stretch, asked: str, scene: str) -> Passage:
        return passage(
            chat=chat,
            version=said.version,
            role=said.role,
            text=said.text,
            span=(where.start, where.end),
            speaker=self._speaker(said),
            owner=said.owner,
            created=said.at,
            slot=said.slot,
            emotions=said.emotions,
            ooc=where.ooc,
            asked=asked,
            scene=scene,
            company=tuple(name for name in (*(said.users or ()), *said.members) if name),
        )

    def _forget(self, chat: str) -> bool:
        del self._marks[chat]
        gone = [key for key in self._versions if key[0] == chat]
        for key in gone:
            for one in self._versions.pop(key):
                self._known.pop(one, None)
        return bool(gone)


def _behind(path: VisiblePath, news: Sequence[Said]) -> Iterator[Said]:
    """What stands behind messages that were changed in their places, and may answer them or go on in their scene."""
    fresh = {said.version for said in news}
    places = (path.find(said.version) for said in news)
    behind = (path[place + 1 : place + 2] for place in places if place is not None)
    yield from (said for some in behind for said in some if said.version not in fresh)


def _question(before: Said | None, said: Said) -> str:
    """What a short message answers: the question at the end of the message before it; "" when there is none."""
    if before is None or before.role == said.role or len(said.text) > _ANSWER:
        return ""
    asked = [before.text[one.start : one.end] for one in sentences(before.text)[-1:]]
    return next((one for one in asked if _ASKS.search(one) and len(one) <= _ANSWER), "")


def _scene(before: Said | None, said: Said) -> str:
    """When and where in the story a message is said: as it prints, else as the message before it printed."""
    stamp = dict(said.stamp) or dict(before.stamp if before else ())
    told = [stamp[name] for name in _SCENE if stamp.get(name)]
    return ("，" if _HAN.search("".join(told)) else ", ").join(told)
