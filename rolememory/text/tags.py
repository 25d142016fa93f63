"""Removes tags of emotion and gesture that a model puts into its reply for an avatar.

Read are: a name and a value in any bracket (`[emotion:happy]`, `{{emotion=happy}}`, `[动作:wave,表情:happy]`, `【动作：点头】`, `[face:Joy]`),
elements (`<emotion>joy</emotion>`, `<gesture name="wave"/>`), special tokens (`<|EMOTE_HAPPY|>`, `<|ACT {"emotion":"happy"}|>`), and a
bare label in brackets (`[happy]`, `（开心）`) if it is the name of an emotion. `*smiles*` and other asides are story and stay.
Source: the forms that avatar and voice front ends ask their models for (VRM and Live2D viewers, desktop companions, speech services).
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from rolememory.shipped import lexicon
from rolememory.text.affect import affect_of_labels
from rolememory.text.affect_lexicon import shipped_lexicon
from rolememory.text.fold import fold
from rolememory.text.late_pattern import late_pattern
from rolememory.text.plain import simplified


class UntaggedReply(NamedTuple):
    """A reply without its tags, and their emotions."""

    text: str  # the same object if there was no tag, or nothing else
    emotions: tuple[str, ...] = ()  # labels of `text.affect.EMOTIONS`, in order


_LANGUAGES = lexicon("tags")["languages"].values()


def _words(name: str) -> list[str]:
    """The words of that name, all languages together."""
    return [word for rows in _LANGUAGES for word in rows.get(name, ())]


_FEELS, _DOES = "|".join(_words("feels")), "|".join(_words("does"))
_NAME = rf"(?:{_FEELS}|{_DOES})"
_SAYS = r"\s*(?:::?|：|=)\s*"
_VALUE = r"[^\[\]{}()<>【】（）｛｝〔〕「」|\n:：=]{0,60}"
_PAIRS = rf"\s*{_NAME}{_SAYS}{_VALUE}(?:[,，;；|]\s*{_NAME}{_SAYS}{_VALUE})*"
_LABELS = r"[^\W\d_][^\[\]{}()<>【】（）｛｝〔〕*\n]{0,40}"
_CLOSED_BY = {
    "[": r"\](?!\()",
    "【": "】",
    "(": r"\)",
    "（": "）",
    "{": r"\}",
    "｛": "｝",
    "〔": "〕",
    "<": ">",
}
_OTHER_FORMS = {
    "<": (
        rf"<(?P<element>{_NAME})(?:\s[^<>\n]{{0,80}})?>(?P<inside>[^<>\n]{{1,60}})</(?P=element)\s*>",
        rf"""<(?P<empty>{_NAME})\s+\w+\s*=\s*["'](?P<attribute>[^"'<>\n]{{1,60}})["'][^<>\n]{{0,60}}/?>""",
        r"<\|\s*(?:EMOTE|EMOTION)[_: ]\s*(?P<token>[^|<>\n]{1,40}?)\s*\|>",
        r"<\|\s*(?P<act>(?:ACT|MOTION|ANIM)\b[^|<>\n]{1,300}?)\s*\|>",
    ),
    "{": (rf"\{{\{{(?P<double>{_PAIRS})\}}\}}",),
}


@cache
def _forms(opening: str) -> re.Pattern[str]:
    """The pattern of tags that begin with `opening`; compiled on first use."""
    left, close = re.escape(opening), _CLOSED_BY[opening]
    plain = rf"{left}(?P<pairs>{_PAIRS}){close}", rf"{left}\s*(?P<bare>{_LABELS}?)\s*{close}"
    return re.compile("|".join((*_OTHER_FORMS.get(opening, ()), *plain)), re.IGNORECASE)


_OPENS = late_pattern(r"[\[【(（{｛〔<]")
_PAIR = late_pattern(
    rf"(?P<name>{_NAME}){_SAYS}(?P<value>{_VALUE}?)(?=\s*(?:[,，;；|]\s*{_NAME}{_SAYS}|$))",
    re.IGNORECASE,
)
_QUOTED_PAIR = late_pattern(
    r"""["'](?P<name>\w+)["']\s*:\s*(?:\{\s*["']name["']\s*:\s*)?["'](?P<value>[^"']{1,40})["']"""
)
_FEELS_NAME = late_pattern(_FEELS, re.IGNORECASE)
_STRENGTH = late_pattern(r"[\s:：=|*×x]*\d+(?:\.\d+)?%?\s*$", re.IGNORECASE)
_AND = late_pattern(rf"\s*(?:[,，、/|&+]|{'|'.join(_words('and'))})\s*")

_NOTHING_FELT = frozenset(_words("calm"))
_ALSO_WORDS = frozenset(_words("also_words"))
"""Names of emotions that are in brackets more often for other reasons: not removed as bare labels."""


def strip_tags(raw: str) -> UntaggedReply:
    """The reply without tags of emotion and gesture, and the emotions in these. Cost: O(length).

    >>> strip_tags("[happy] You came back! *smiles*")
    UntaggedReply(text='You came back! *smiles*', emotions=('joy',))
    >>> strip_tags("（难过）我以为你走了。【动作：低头】（门开着）")
    UntaggedReply(text='我以为你走了。（门开着）', emotions=('sadness',))
    """
    told = list(_found(raw))
    if not told:
        return UntaggedReply(raw)
    text = "".join(_pieces(raw, (match.span() for match, _ in told))).strip()
    emotions = dict.fromkeys(label for _, labels in told for label in labels)
    return UntaggedReply(text or raw, tuple(emotions))


def _found(raw: str) -> Iterator[tuple[re.Match[str], list[str]]]:
    """Every tag with its emotions, in order, without overlaps."""
    place = 0
    while opening := _OPENS.search(raw, place):
        place = opening.end()
        match = _forms(opening.group()).match(raw, opening.start())
        if match and (felt := _read(match)) is not None:
            place = match.end()
            yield match, felt


def _read(match: re.Match[str]) -> list[str] | None:
    """The emotions of a tag; None if it is not a tag."""
    kind = match.lastgroup or ""
    if kind in ("inside", "attribute"):
        return _named(match["element"] or match["empty"], match[kind])
    if kind == "token":
        return _felt(match["token"].replace("_", " "))
    if kind == "bare":
        return _bare(match[kind])
    quoted = list(_QUOTED_PAIR.finditer(match[kind])) if kind == "act" else []
    pairs = quoted or _PAIR.finditer(match[kind])
    return [label for pair in pairs for label in _named(pair["name"], pair["value"])]


def _named(name: str, value: str) -> list[str]:
    """The emotions of a value, if its name is one for emotions."""
    return _felt(value.strip().strip("\"'“”")) if _FEELS_NAME.fullmatch(name) else []


def _felt(value: str) -> list[str]:
    """The strongest emotion of each word of a value."""
    words = [_STRENGTH.sub("", word).strip() for word in _AND.split(value)]
    feelings = [
        affect_of_labels([word]) for word in words if word and word.lower() not in _NOTHING_FELT
    ]
    return [feeling.emotions[0][0] for feeling in feelings if feeling.emotions]


def _bare(value: str) -> list[str] | None:
    """The emotions of bare labels in brackets, which must all be names of emotions."""
    labels: list[str] = []
    for word in _AND.split(_STRENGTH.sub("", value).strip()):
        label = _label(word)
        if label is None:
            return None
        labels += [label] if label else []
    return labels


def _label(word: str) -> str | None:
    """The emotion of that name; "" for a neutral one, None for any other word."""
    if not 0 < len(word) <= 24:
        return None
    name = fold(word.replace("_", " ")).text.strip()
    if name in _NOTHING_FELT:
        return ""
    if name in _ALSO_WORDS:
        return None
    return shipped_lexicon().names.get(simplified(name))


def _pieces(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[str]:
    """The text without these spans and the gaps they would leave."""
    place, before = 0, "\n"
    for start, end in spans:
        piece = text[place:start]
        yield piece
        before = piece[-1] if piece else before
        place = _after_blanks(text, end) if before.isspace() else end
        if before == "\n" and text[place : place + 1] == "\n":
            place += 1  # the tag was a line of its own
        if _would_join(before, text[place : place + 1]):
            yield " "
            before = " "
    yield text[place:]


def _after_blanks(text: str, place: int) -> int:
    while place < len(text) and text[place] in " \t":
        place += 1
    return place


def _would_join(before: str, after: str) -> bool:
    """Whether removing a tag would join two Latin words or sentences."""
    return (before + after).isascii() and not before.isspace() and after.isalnum()
