"""Who says what in a Chinese text with quoted words: 小梅说“我讨厌茶” is Mei's, “我住在苏州。” standing alone is the writer's.

Quoted words that nobody can be found to say are read by nobody; a quoted word inside a sentence belongs to the sentence.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from rolememory.learn.statements.base import quotes
from rolememory.learn.statements.chinese_text import plain
from rolememory.learn.statements.chinese_who import NOBODY, Scene, Who, subject_at, whole
from rolememory.learn.statements.chinese_words import simple
from rolememory.schema.claims import ROLE

HEARSAY: Final = 0.7  # factor on the certainty of what somebody else is quoted with

_VERBS = "说道?|道|问道?|答道?|回答道?|喊道?|叫道|嚷道?|吼道?|笑道|叹道|嘟囔道?|喃喃道?|低语道?|低声道|轻声道|柔声道|沉声道|冷声道|开口道?|回应道?|回道|补充道?|解释道?|告诉[我你他她]|宣布|承认|坦白道?|念叨着?|吐槽道?|应道|表示|自语道?|自言自语道?"
_TAGGED = re.compile(rf"(?:{_VERBS})(?:了|着|过|一句|一声|的是|话)?$")
_TAGGED_BEHIND = re.compile(
    rf"[，,]?(?P<who>[^，。！？,“”\"「」\n]{{1,16}}?)(?:{_VERBS})(?:[，,。：:！？…]|着|了|$)"
)
_TO_SOMEBODY = re.compile(r"[对向跟和给问](?P<to>[^，。]{1,8}?)(?:" + _VERBS + ")")
_STOP = "。！？…～\n”」』）*】!?."
_SPEECH_END = re.compile("[。！？…，~～.!?—]$")
_CUT = re.compile("[，,]")
_STRANGER = re.compile(
    "(?:那个?|这个?|那位|这位|一个|一位|有个|年轻的?|年老的?|陌生的?|旁边的?|为首的?|[^，。]{1,4}的)?"
    "(?:老头|老人|老妇|老者|老汉|老太太|男人|女人|男子|女子|少年|少女|男孩|女孩|小孩|孩子|小贩|店主|店家|掌柜|伙计|小二|侍者|服务员|酒保|守卫|卫兵|侍卫|士兵|将军"
    "|队长|船长|水手|国王|女王|王后|公主|王子|骑士|巫师|女巫|法师|精灵|矮人|商人|医生|护士|老师|警察|司机|乘客|路人|众人|村民|邻居|对方|有人|丫鬟|婆婆|大叔|大妈|大爷|牧师|刺客|强盗|海盗|猎人|铁匠)"
    "(?!们?是我|的)"
)
"""Somebody whom no name tells, behind quoted words: they are not the writer's."""


@dataclass(frozen=True, slots=True)
class Voice:
    """A stretch of the text and whose words it is."""

    start: int
    text: str  # as long as the stretch
    me: Who
    you: Who
    certainty: float = 1.0
    told: bool = False  # the text around the quotes


def voices(text: str, here: Scene) -> Iterator[Voice]:
    """The text around the quotes first, then each quote that has a speaker."""
    if not any(mark in text for mark in '“"「『'):
        yield Voice(0, text, here.me, here.you, told=True)
        return
    speeches = list(_speeches(text, here))
    rest = text
    for voice, start, end in speeches:
        rest = f"{rest[:start]}{'。' * (end - start)}{rest[end:]}"
        if voice:
            yield voice
    yield Voice(0, rest, here.me, here.you, told=True)


def _speeches(text: str, here: Scene) -> Iterator[tuple[Voice | None, int, int]]:
    """Quoted words that are speech, with whose they are where that can be told, and where the quote stands."""
    last = 0
    for start, end in quotes(text):
        before = text[max(last, text.rfind("\n", 0, start) + 1) : start - 1]
        behind = text[end + 1 : end + 40].partition("\n")[0]
        who = _speaker(before, text[start:end], behind, here)
        if who is not None:
            voice = Voice(
                start,
                text[start:end],
                who,
                _addressee(before, who, here),
                1.0 if who == here.me else HEARSAY,
            )
            yield (voice if who.known else None), start - 1, end + 1
        last = end + 1


def _speaker(before: str, inner: str, behind: str, here: Scene) -> Who | None:
    """Who says it; NOBODY where that cannot be told, None where it is no speech."""
    lead = before.rstrip(" 　，,：:")
    if _TAGGED.search(simple(lead)):
        return _who_of(_last_sentence(lead), here)
    if tag := _TAGGED_BEHIND.match(simple(behind)):
        return (
            _who_of(tag["who"], here)
            if not lead.strip() or lead[-1] in _STOP or _SPEECH_END.search(inner)
            else None
        )
    if not lead.strip():
        return _beside(behind, here)
    if lead[-1] in _STOP:
        return _after(lead, here) if _SPEECH_END.search(inner) or len(inner) > 6 else None
    return (
        _untagged(before.rstrip()[-1], _last_sentence(lead), here)
        if _SPEECH_END.search(inner) or before.rstrip()[-1] in "：:"
        else None
    )


def _untagged(mark: str, lead: str, here: Scene) -> Who:
    """Who speaks behind words that do not say so: by a colon, or a comma behind what somebody does."""
    if mark in "：:":
        return _named_alone(lead, here)
    return _who_of(lead, here) if mark in "，," else NOBODY


def _beside(behind: str, here: Scene) -> Who:
    """Whose the words are that open a line: of whom the sentence behind them tells, else the writer's."""
    clause = re.split(f"[{_STOP}]", behind.lstrip(" 　，,"), maxsplit=1)[0]
    if _STRANGER.match(simple(clause)):
        return NOBODY
    return _who_of(clause, here, silent=here.me, first=True) if clause.strip() else here.me


def _named_alone(lead: str, here: Scene) -> Who:
    """小梅：“…”"""
    source = plain(lead)
    return whole(source, 0, len(source.text), here) or NOBODY


def _last_sentence(lead: str) -> str:
    place = max(lead.rfind(stop) for stop in _STOP)
    return lead[place + 1 :]


def _after(lead: str, here: Scene) -> Who:
    """Who speaks behind a sentence that tells what somebody does: whom that sentence is about."""
    return _who_of(_last_sentence(lead.rstrip(_STOP)), here, silent=here.me)


def _who_of(clause: str, here: Scene, silent: Who = NOBODY, *, first: bool = False) -> Who:
    """The subject of the last part of a clause that names one, or of its first part alone."""
    source = plain(clause)
    parts = list(_CUT.split(source.text))
    if first:
        who, _ = subject_at(source, 0, len(parts[0]), here)
        return silent if who is None else _writer(parts[0], who, here)
    for part in reversed(parts):
        start = source.text.rfind(part)
        who, _ = subject_at(source, start, start + len(part), here)
        if who is not None:
            return _writer(part, who, here)
    return silent if not source.text.strip("，。") else NOBODY


def _writer(part: str, who: Who, here: Scene) -> Who:
    """她 where nobody else is spoken of is the character that writes of herself."""
    if (
        not who.known
        and part.startswith(("他", "她"))
        and here.me.label == ROLE
        and here.me.known
        and not here.thirds
    ):
        return here.me
    if here.me.known and who.label == here.me.label and not who.kin:
        return here.me
    return replace(who, person="me") if who.known else who


def _addressee(before: str, who: Who, here: Scene) -> Who:
    """Whom 你 means in a quote: between the two who talk it is the other one, unless somebody else is spoken to."""
    to = _TO_SOMEBODY.search(simple(before))
    if who != here.me:
        return NOBODY
    if to is None:
        return here.you
    source = plain(to["to"])
    named, _ = subject_at(source, 0, len(source.text), here)
    return named if named is not None else NOBODY
