"""Detects which chat messages continue, which chat a new one was forked from, and families of chats."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from itertools import count, pairwise
from typing import Final

from rolememory.chats.align import Alignment
from rolememory.chats.normalize import NormalizedMessage, base
from rolememory.chats.plan import NEAR_END, TELLING, credible, weight
from rolememory.chats.transcript import Chat, Transcript
from rolememory.schema.learning import ChatMessage
from rolememory.schema.value_class import value_class
from rolememory.text.change_log import ChangeLog
from rolememory.text.late_pattern import late_pattern

_HELLO: Final = frozenset(
    "hello hi hey heya hiya yo hallo greetings good morning afternoon evening night".split()
)
_POLITE: Final = _HELLO | frozenset(
    "there how are you doing today i'm im i am fine well and thanks thank ok okay yes no please nice to meet everyone again bye".split()
)
_POLITE_ZH: Final = late_pattern(
    "你好[吗嗎呀啊]?|您好|大家好|哈[喽囉罗]|嗨|嘿|早上好|中午好|下午好|[晚早]上好|早安|午安|晚安|在[吗嗎么]|最近怎么样|最近怎麼樣|你怎么样|很高兴[认見见]?[识到]?你|很高興認識你"
    "|认识你很高兴|[谢謝][谢謝]你?|好[的吧]|嗯+|是的|不是|再见|再見|拜拜"
)
_LATIN = late_pattern(r"[^\W\d_\u2e80-\uffff]+(?:'[a-z]+)?|\d+")
_CJK = late_pattern(r"[\u3400-\u9fff\u3040-\u30ff\uac00-\ud7af]")
_EDITIONS = count()  # unique numbers within a process
_REPEATED = 3  # this many verbatim exchanges of small talk are no coincidence either


@value_class
class Fork:
    """Where a chat forks off another one."""

    parent: str
    path: tuple[ChatMessage, ...]  # common messages, including those cut off
    heard: int  # how many of the new chat's messages are common


def forked(news: Sequence[NormalizedMessage], scripts: Iterable[Transcript]) -> Fork | None:
    """The chat that a new one was forked from, by the longest common beginning, then the latest activity.

    Both must share whole exchanges from the new one's first message on, beyond small talk.
    Cost: O(news) for each chat.
    """
    found = [shared for script in scripts if (shared := _shared(news, script)) is not None]
    best = max(found, key=lambda one: (one.in_common, one.script.updated), default=None)
    return best.fork if best else None


@value_class
class _Shared:
    """The common beginning with another chat: from `start` on, in any version of each slot."""

    script: Transcript
    start: int
    run: Sequence[ChatMessage]

    @property
    def in_common(self) -> tuple[int, int]:
        """The common length up to the last reply (an "ok" after it may be anyone's), and how much is still visible."""
        replies = [place for place, said in enumerate(self.run) if said.role == "assistant"]
        path, run = self.script.path, self.run[: max(replies, default=-1) + 1]
        return len(run), sum(path.standing(said.version) is not None for said in run)

    @property
    def fork(self) -> Fork:
        """The fork point."""
        head = self.script.head
        begun = self.script.path[: self.start]
        return Fork(head.chat if head else "", (*begun, *self.run), len(self.run))


def _shared(news: Sequence[NormalizedMessage], script: Transcript) -> _Shared | None:
    """The longest run in the chat, of any version in its slots, that the new messages begin with."""
    runs = [(start, _run(news, script, start)) for start in sorted(script.places(news[0].digest))]
    start, run = max(runs, key=lambda pair: (len(pair[1]), -pair[0]), default=(0, []))
    return _Shared(script, start, run) if run and _is_telling(news[: len(run)]) else None


def _run(news: Sequence[NormalizedMessage], script: Transcript, start: int) -> list[ChatMessage]:
    found: list[ChatMessage] = []
    for message, said in zip(news, script.path[start : start + len(news)], strict=False):
        version = script.version_in(said.slot, message.digest)
        if not version:
            break
        found.append(script.said[version])
    return found


def _is_telling(shared: Sequence[NormalizedMessage]) -> bool:
    """Whether common messages prove one story: whole exchanges, and more than small talk."""
    asked = [
        first.text
        for first, then in pairwise(shared)
        if first.role == "user" and then.role == "assistant"
    ]
    return len(asked) >= _REPEATED or any(not is_small_talk(text) for text in asked)


def continues(
    alignment: Alignment, path: Sequence[ChatMessage], news: Sequence[NormalizedMessage], first: int
) -> bool:
    """Whether messages without a chat id continue this chat: two conversations must never be merged.

    True if they share its end, from a user message on; further back only if whole exchanges are equal.
    """
    exact = tuple(
        (old, message)
        for old, message in alignment.common
        if base(path[old].version) == news[message].digest
    )
    alignment = replace(alignment, common=exact)  # similar messages may be another conversation
    if not credible(alignment, news, first):
        return False
    if alignment.gone > NEAR_END:
        return _is_telling(_in_a_row(dict(exact), news))
    if not any(news[message].role == "user" for _, message in exact):
        return all(said.role == "assistant" for said in path)
    return (
        exact[0] in ((0, 0), (first, 0))
        or alignment.gone == 0
        or weight(alignment, news) >= TELLING
    )


def _in_a_row(
    places: Mapping[int, int], news: Sequence[NormalizedMessage]
) -> list[NormalizedMessage]:
    """The common contiguous messages: exchanges with a gap do not count."""
    found: list[NormalizedMessage] = []
    for old, message in sorted(places.items()):
        if places.get(old - 1) == message - 1 or places.get(old + 1) == message + 1:
            found.append(news[message])
    return found


def is_small_talk(text: str) -> bool:
    """Whether it is a common opening without content.

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


class BranchForest:
    """Chats grouped by root, at one moment. Immutable; `following` returns the next state."""

    def __init__(self) -> None:
        self.edition = next(_EDITIONS)  # equal while the same things count
        self._ids: dict[str, str] = {}  # chats in logs; shared with all successors
        self.chats: Mapping[str, Chat] = {}  # by id
        self._roots: dict[str, str] = {}
        self._members: dict[str, list[str]] = {}
        self._moves = ChangeLog[tuple[str, str]]()  # chat and version; shared by all successors
        self._mark = 0

    def following(self, changed: Iterable[tuple[str, Chat | None]]) -> "BranchForest":
        """The forest with these chats changed, by log name; None = removed.

        Cost: a copy of the list of chats; families are recomputed only for new or removed ones.
        """
        new, regrouped = copy(self), False
        new.chats = chats = dict(self.chats)
        for log, chat in changed:
            known = self._ids.setdefault(log, chat.id) if chat else self._ids.get(log, "")
            before = chats.pop(known, None)
            if chat is not None:
                chats[known] = chat
            if before is not chat:
                moved = _moved_between(before, chat)
                if moved is None:
                    self._moves.all()
                elif moved and chat is not None:
                    self._moves.note(*((chat.id, one) for one in moved))
                if moved is None or moved:
                    new.edition = next(_EDITIONS)
                regrouped |= before is None or chat is None
        if regrouped:
            new._regroup()
        new._mark = self._moves.version
        return new

    def moved_since(self, before: "BranchForest") -> Iterable[tuple[str, str]] | None:
        """Chat and version of what may have changed visibility since then; None if unknown. Cost: what changed."""
        return self._moves.since(before._mark) if self._moves is before._moves else None

    def root(self, chat: str, branch_of: str = "") -> str:
        """The root chat of the family; `branch_of`: the parent of an unknown chat."""
        return self._roots.get(chat) or (
            self._roots.get(branch_of, branch_of) if branch_of else chat
        )

    def of(self, chat: str) -> Sequence[Chat]:
        """Every chat of its family."""
        return [self.chats[one] for one in self._members.get(self.root(chat), ())]

    def ids(self, chat: str) -> Sequence[str]:
        """The ids of its family, its own among them."""
        return self._members.get(self.root(chat), (chat,))

    def is_shared(self, versions: Iterable[str], one: str, other: str) -> bool:
        """Whether these versions of two chats are one message from before the fork, not equal ones written twice."""
        return one == other or all(
            self._teller(one, version) == self._teller(other, version) for version in versions
        )

    def _teller(self, chat: str, version: str) -> str:
        """The chat in which this version was written."""
        seen = set[str]()
        while (
            chat not in seen
            and (found := self.chats.get(chat)) is not None
            and version in found.inherited
        ):
            seen.add(chat)
            chat = found.info.branch_of
        return chat

    def _regroup(self) -> None:
        self._roots, self._members = {}, defaultdict(list)
        for chat in self.chats.values():
            self._roots[chat.id] = self._climb(chat.id)
            self._members[self._roots[chat.id]].append(chat.id)

    def _climb(self, chat: str) -> str:
        seen = {chat}
        while (found := self.chats.get(chat)) is not None and found.info.branch_of:
            chat = found.info.branch_of
            if chat in seen:  # cycles are never written by us; if there is one, it is one family
                return min(seen)
            seen.add(chat)
        return chat


def _moved_between(before: Chat | None, after: Chat | None) -> Sequence[str] | None:
    """The versions of a chat that may count otherwise; None if any may.

    Whether a chat exists makes no difference while messages were only appended to it.
    """
    if before is None or after is None:
        only = before or after
        return () if only is None or (_scope(only) == _PLAIN and not only.moves) else None
    if before.moved is not after.moved or _scope(before) != _scope(after):
        return None  # its log was rewritten, or its story changed
    return after.moved[before.moves : after.moves]


_PLAIN = "on", None, ""


def _scope(chat: Chat) -> tuple[str, str | None, str]:
    """What decides where a chat as a whole counts."""
    return chat.info.mode, chat.info.chosen, chat.info.branch_of
