"""One sentence of a turn: what it is, and how much it tells."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from rolememory.learn.worth.noise import is_noise
from rolememory.learn.worth.rules import Rules, rules
from rolememory.schema.scene import Language
from rolememory.text.feel import feel
from rolememory.text.feel_words import Lexicon
from rolememory.text.plain import plain
from rolememory.text.words import COMMON, HAN, HAN_EVERYDAY, RARE, kind, stem, tokens

Kind = Literal[
    "event",
    "statement",
    "feeling",
    "plan",
    "scene",
    "chit_chat",
    "command",
    "question",
    "echo",
    "noise",
]

ENOUGH = 1.25
"""Points from which a sentence is kept (`Sentence.weight`): two rare words and a bit, or one and whom it is about. On 1,428 turns that
later questions asked about (LoCoMo), 1.0 keeps 98.2 %, 1.25 98.0 %, 1.5 97.5 %, 1.75 96.8 %; of the 4,454 others 79, 76, 73, 71 %."""

_TELLS = {
    RARE: 1.0,
    COMMON: 0.25,
    HAN: 1.0,
    HAN_EVERYDAY: 0.25,
}  # of its weight that a word of the class adds
_MOST_TOLD = 6.0
_EDGES = " \t\n\"'“”‘’「」『』()（）[]【】*_~-–—.,!?;:…。，！？；：、"
_CAPITAL = re.compile(r"\b[A-Z][a-zà-ÿ]+(?:['’][a-z]+)?\b")
_NO_NAMES = frozenset(
    "i i'm i'd i'll i've ok okay oh god tv monday tuesday wednesday thursday friday saturday sunday".split()
)
_NAMED_ZH = re.compile(
    r"[《“「『][^》”」』]{1,16}[》”」』]|(?:叫|名叫|叫做|名字是)(?!我|你|什么|啥|他|她|醒)[\u4e00-\u9fff]{1,4}"
)
_NUMBER = re.compile(
    r"\d|[一二三四五六七八九十两百千万]+(?:个|只|条|岁|年|月|天|号|点|次|块|元|斤|公里|米|层|楼|位|名|本|张|封|把)|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand|dozen)\b"
)
_CALLED_FIRST = re.compile(
    r"^(?:(?:hey|hi|hello|oh|wow|yes|yeah|no|well|so|thanks|ok|okay|dear)[,!]? )?([A-Z][\w'’-]{1,15}(?: [A-Z][\w'’-]{1,15})?)[,!] ",
    re.IGNORECASE,
)
_CALLED_LAST = re.compile(r"[,!] ?([A-Z][\w'’-]{1,15}(?: [A-Z][\w'’-]{1,15})?)\W*$")
_CLAUSE = re.compile(r"\s*[,;:–—]\s*|\s+-\s+|\s+(?:and|but|so)\s+|[!.。]\s*")
_FELT, _STRONG = 0.3, 0.5


@dataclass(frozen=True)
class Sentence:
    """A sentence with its plain form; `action` when it stands between asterisks."""

    text: str
    even: str  # `text.plain.plain` of it
    language: Language
    lexicon: Lexicon | None = None

    @cached_property
    def rules(self) -> Rules:
        """The patterns of its language."""
        return rules(self.language)

    @cached_property
    def action(self) -> bool:
        """Whether it is done, not said: *I lock the door*."""
        return self.text.startswith("*") and self.text.rstrip().endswith("*")

    @cached_property
    def core(self) -> str:
        """The plain form without edges, fillers and whom it speaks to."""
        even = _trimmed(plain(self._uncalled))
        return (
            even
            if self.rules.small_talk.fullmatch(even)
            else _trimmed(self.rules.fillers.sub("", even, count=1))
        )

    @cached_property
    def _uncalled(self) -> str:
        """The sentence without the names of those it speaks to."""
        if self.language == "zh":
            return self.text
        text = _CALLED_LAST.sub("", self.text.strip(_EDGES))
        called = _CALLED_FIRST.match(text)
        return text[called.end() :] if called and _is_name(called[1]) else text

    @cached_property
    def kind(self) -> Kind:
        """What it is; the kinds that are dropped first."""
        if is_noise(self.even):
            return "noise"
        if self._is_small():
            return "chit_chat"
        if self._asks():
            return "question"
        return "command" if self._orders() else self._tells()

    @cached_property
    def weight(self) -> float:
        """How much it tells, in points: 0 = nothing, above 6 = a great deal.

        Half a point for each rare word (three at most), and points for names, numbers and times, the first person, the past,
        the future, feeling, and what later questions ask for: kin, tastes, promises, gifts, losses.
        """
        about_me = self.rules.me.search(self.core) is not None
        return (
            0.5 * min(self._told, _MOST_TOLD)
            + 1.5 * min(self.names, 2)
            + 1.0
            * min(len(_NUMBER.findall(self.even)) + len(self.rules.when.findall(self.even)), 2)
            + 1.0 * about_me
            + 0.75 * (self.rules.past.search(self.core) is not None)
            + 0.75 * (self.rules.future.search(self.core) is not None)
            + 1.0 * min(len(self.rules.weighty.findall(self.core)), 2)
            + 1.0 * (about_me and self._felt >= _FELT)
        )

    @cached_property
    def names(self) -> int:
        """How many names it says, the one at its start and whom it speaks to left out."""
        if self.language == "zh":
            return len(_NAMED_ZH.findall(self.text))
        inner = self._uncalled
        found = [
            match
            for match in _CAPITAL.finditer(inner)
            if match.start() > 0
            and inner[match.start() - 2 : match.start()] not in (". ", "! ", "? ")
        ]
        return sum(match.group().lower() not in _NO_NAMES for match in found)

    @property
    def tells(self) -> bool:
        """Whether it says anything at all, however little."""
        return self.kind in ("event", "statement", "feeling", "plan", "scene")

    @property
    def kept(self) -> bool:
        """Whether it is worth keeping by itself."""
        return self.tells and self.weight >= ENOUGH

    @property
    def concrete(self) -> bool:
        """Whether it says a name, a number, a time, or something of weight about oneself."""
        weighty = self.rules.weighty.search(self.core) and self.rules.me.search(self.core)
        timed = self._told >= 1.0 and self.rules.when.search(self.core)
        return self.names > 0 or bool(_NUMBER.search(self.even)) or bool(weighty) or bool(timed)

    @cached_property
    def _told(self) -> float:
        """Its telling words, a rare one counted as one."""
        return sum(_TELLS.get(kind(token), 0.0) for token in set(tokens(self.text)))

    @cached_property
    def _felt(self) -> float:
        return feel(self.text, lexicon=self.lexicon).intensity

    def _is_small(self) -> bool:
        if self.action:
            return self.rules.small_act.fullmatch(self.core) is not None
        whole = _trimmed(self.even)
        if self.rules.when.search(self.core) and self._told >= 1.0:
            return False
        if (
            not self.core
            or self.rules.small_talk.fullmatch(self.core)
            or self.rules.small_talk.fullmatch(whole)
        ):
            return True
        if len(self.core) > 160:
            return False
        clauses = [
            clause
            for part in _CLAUSE.split(self.core)
            if (clause := _trimmed(self.rules.fillers.sub("", part, count=1)))
        ]
        return all(self.rules.small_talk.fullmatch(clause) for clause in clauses)

    @property
    def asked(self) -> bool:
        """Whether it has the form of a question that wants an answer, whatever else it tells."""
        if re.search(r"\?[\W_]*$", self.even):
            tagged = self.rules.tag_question.search(self.core) and not self.rules.question.match(
                self.core
            )
            return not tagged and not self.rules.told_in_question.search(self.core)
        if self.action or self.rules.told_in_question.search(self.core):
            return False
        if self.rules.asks_surely.search(self.core):
            return True
        return self.rules.question.search(self.core) is not None and not self.rules.me.match(
            self.core
        )

    def _asks(self) -> bool:
        tells = (
            self.concrete
            and self.rules.me.search(self.core)
            and not self.rules.past_question.search(self.core)
        )
        return self.asked and not tells

    def _orders(self) -> bool:
        if self.action:
            return False
        if self.rules.asks_for_words.match(self.core):
            return True
        return self.rules.order.match(self.core) is not None and not self.concrete

    def _tells(self) -> Kind:
        if self.action:
            return "scene"
        past, future = self.rules.past.search(self.core), self.rules.future.search(self.core)
        if future and (not past or future.start() < past.start()):
            return "plan"
        if past:
            return "event"
        return (
            "feeling" if self._felt >= _STRONG and self.rules.me.search(self.core) else "statement"
        )


def _trimmed(even: str) -> str:
    return re.sub(r"^[^\w\u3400-\u9fff]+|[^\w\u3400-\u9fff]+$", "", even)


def _is_name(called: str) -> bool:
    """Whether a capitalised word before a comma may be somebody's name: "Mel, ..." and not "Well, ...", "Yesterday, ...", "I'm Kai, ..."."""
    first = called.split(maxsplit=1)[0].lower().replace("’", "'").replace("'", "")
    return (
        called[0].isupper()
        and kind(stem(first)) == RARE
        and not rules("en").fillers.fullmatch(called.lower())
    )
