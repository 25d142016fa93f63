"""Which chats belong together: the one that the messages continue, the one that a chat was forked from, and whole families."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from rolememory.schema.learning import Said
from rolememory.store.chats.align import Alignment
from rolememory.store.chats.heard import Heard, base
from rolememory.store.chats.plan import NEAR_END, TELLING, credible, weight
from rolememory.store.chats.transcript import Chat

_HELLO: Final = frozenset("hello hi hey heya hiya yo hallo greetings good morning afternoon evening night".split())
_POLITE: Final = _HELLO | frozenset(
    "there how are you doing today i'm im i am fine well and thanks thank ok okay yes no please nice to meet everyone again bye".split()
)
_POLITE_ZH: Final = re.compile(
    "你好[吗嗎呀啊]?|您好|大家好|哈[喽囉罗]|嗨|嘿|早上好|中午好|下午好|[晚早]上好|早安|午安|晚安|在[吗嗎么]|最近怎么样|最近怎麼樣|你怎么样|很高兴[认見见]?[识到]?你|很高興認識你"
    "|认识你很高兴|[谢謝][谢謝]你?|好[的吧]|嗯+|是的|不是|再见|再見|拜拜"
)
_LATIN = re.compile(r"[^\W\d_\u2e80-\uffff]+(?:'[a-z]+)?|\d+")
_CJK = re.compile(r"[\u3400-\u9fff\u3040-\u30ff\uac00-\ud7af]")
_REPEATED = 3  # so many exchanges of small talk, word for word, are no accident either


@dataclass(frozen=True, slots=True)
class Fork:
    """Where a chat leaves another one."""

    parent: str
    path: tuple[Said, ...]  # what both share, with what the frontend cut off
    heard: int  # so many of the new chat's messages are among it


def forked(news: Sequence[Heard], chats: Iterable[Chat]) -> Fork | None:
    """The chat that a new one was forked from, seen at its first look: the longest beginning in common, then the chat that went on last.

    Both must share whole exchanges from the new one's first message on, and not only such as every chat begins with; the new one
    must hold two messages of the user, for with one it is simply a chat that begins alike.
    """
    if sum(heard.role == "user" for heard in news) < 2:
        return None
    found = [(shared, chat) for chat in chats if (shared := _shared(news, chat)) is not None]
    best = max(found, key=lambda pair: (_in_common(*pair), pair[1].info.updated), default=None)
    return best[0] if best else None


def _in_common(fork: Fork, chat: Chat) -> tuple[int, int]:
    """How far both go together, to the last reply (an "ok" behind it may be anybody's), and how much of that the chat still shows."""
    run = fork.path[len(fork.path) - fork.heard :]
    last = max((place for place, said in enumerate(run) if said.role == "assistant"), default=-1)
    return last + 1, sum(said.version in chat.standing for said in run[: last + 1])


def _shared(news: Sequence[Heard], chat: Chat) -> Fork | None:
    """The longest stretch of the chat's path, of any version in its slots, that the new messages begin with."""
    slots = {said.slot: place for place, said in enumerate(chat.path)}
    starts = {slots[said.slot] for said in chat.said.values() if said.slot in slots and base(said.version) == news[0].digest}
    if not starts:
        return None
    versions: dict[tuple[int, str], Said] = {(said.slot, base(said.version)): said for said in chat.said.values()}
    runs = [(start, _run(news, chat.path[start:], versions)) for start in sorted(starts)]
    start, run = max(runs, key=lambda pair: (len(pair[1]), -pair[0]))
    if not _is_telling(news[: len(run)]):
        return None
    return Fork(chat.id, (*chat.path[:start], *run), len(run))


def _run(news: Sequence[Heard], path: Sequence[Said], versions: Mapping[tuple[int, str], Said]) -> list[Said]:
    found: list[Said] = []
    for heard, said in zip(news, path, strict=False):
        version = versions.get((said.slot, heard.digest))
        if version is None:
            break
        found.append(version)
    return found


def _is_telling(shared: Sequence[Heard]) -> bool:
    """Whether two chats that share these messages are one story: whole exchanges, and more than small talk."""
    asked = [first.text for first, then in pairwise(shared) if first.role == "user" and then.role == "assistant"]
    return len(asked) >= _REPEATED or any(not is_small_talk(text) for text in asked)


def continues(alignment: Alignment, path: Sequence[Said], news: Sequence[Heard], first: int) -> bool:
    """Whether messages without a chat's id belong to this one: two conversations must never run together.

    They do when they share its end, from words of the user's on; and when they go further back only if whole exchanges are the same.
    """
    exact = tuple((old, heard) for old, heard in alignment.common if base(path[old].version) == news[heard].digest)
    alignment = replace(alignment, common=exact)  # what is only similar may be another conversation
    if not credible(alignment, news, first):
        return False
    if alignment.gone > NEAR_END:
        return _is_telling(_in_a_row(dict(exact), news))
    if not any(news[heard].role == "user" for _, heard in exact):
        return all(said.role == "assistant" for said in path)
    return exact[0] in ((0, 0), (first, 0)) or alignment.gone == 0 or weight(alignment, news) >= TELLING


def _in_a_row(places: Mapping[int, int], news: Sequence[Heard]) -> list[Heard]:
    """What both share next to one another: an exchange with a gap in it is none."""
    found: list[Heard] = []
    for old, heard in sorted(places.items()):
        if places.get(old - 1) == heard - 1 or places.get(old + 1) == heard + 1:
            found.append(news[heard])
    return found


def is_small_talk(text: str) -> bool:
    """Whether it is only what any chat may begin with.

    >>> [is_small_talk(words) for words in ("Hello!", "Hi Mira, how are you?", "My sister is called Anna.", "你好呀！", "我养了一只猫")]
    [True, True, False, True, False]
    """
    chinese = _CJK.findall(text)
    if chinese:
        left = _CJK.findall(_POLITE_ZH.sub("", text))
        return len(left) == 0 or (len(left) <= 2 and _POLITE_ZH.match(text.strip()) is not None)
    words = _LATIN.findall(text.casefold().replace("’", "'"))
    left = [word for word in words if word not in _POLITE]
    return not left or (words[0] in _HELLO and len(left) <= 2)


class Families:
    """Chats by the one they all come from."""

    def __init__(self, chats: Iterable[Chat]) -> None:
        self.chats = {chat.id: chat for chat in chats}
        disturbed = ((chat.id, chat.disturbed, chat.info.branch_of) for chat in self.chats.values())
        self.disturbed = tuple(sorted(each for each in disturbed if each[1] or each[2]))  # equal while the same things count
        self._roots = {chat: self._climb(chat) for chat in self.chats}
        self._members: dict[str, list[Chat]] = defaultdict(list)
        for chat in self.chats.values():
            self._members[self._roots[chat.id]].append(chat)

    def root(self, chat: str, branch_of: str = "") -> str:
        """The chat at which the family begins; `branch_of`: where a chat that is not known yet comes from."""
        return self._roots.get(chat) or (self._roots.get(branch_of, branch_of) if branch_of else chat)

    def of(self, chat: str) -> Sequence[Chat]:
        """Every chat of its family."""
        return self._members.get(self.root(chat), ())

    def is_shared(self, versions: Iterable[str], one: str, other: str) -> bool:
        """Whether these versions of two chats are the same words said once, before they parted, and not the same words said twice."""
        return one == other or all(self._teller(one, version) == self._teller(other, version) for version in versions)

    def _teller(self, chat: str, version: str) -> str:
        """The chat in which these words were said."""
        seen = set[str]()
        while chat not in seen and (found := self.chats.get(chat)) is not None and version in found.inherited:
            seen.add(chat)
            chat = found.info.branch_of
        return chat

    def _climb(self, chat: str) -> str:
        seen = {chat}
        while (found := self.chats.get(chat)) is not None and found.info.branch_of:
            chat = found.info.branch_of
            if chat in seen:  # nobody of ours writes a ring; whoever did has one family
                return min(seen)
            seen.add(chat)
        return chat
