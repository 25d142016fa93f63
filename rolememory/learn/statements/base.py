"""What both languages share in reading statements: who speaks, what of a text is speech, where its sentences and quotes stand.

Everything here keeps places: a blanked text is as long as the text, so a span found in it is a span of the original.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from rolememory.schema.claims import ROLE, USER
from rolememory.schema.scene import Language
from rolememory.text.fold import folded_key
from rolememory.text.language import language_of

LONGEST: Final = 40_000  # characters of a message that are read: what stands behind is not

_UNNAMED: dict[str, dict[Language, str]] = {
    USER: {"en": "the user", "zh": "用户"},
    ROLE: {"en": "the character", "zh": "角色"},
}
_CALLED = {
    "the user": USER,
    "user": USER,
    "用户": USER,
    "用戶": USER,
    "the character": ROLE,
    "角色": ROLE,
}
_RELATED: dict[Language, str] = {"en": "{owner}'s {kin}", "zh": "{owner}的{kin}"}

_HAN, _LATIN = re.compile("[\u3400-\u9fff]"), re.compile("[A-Za-z]")
_MARKED = re.compile("[*`_\\[<>♪♫\U0001f3b5\U0001f3b6]|\\(\\(|//|/me|[Oo][Oo][Cc]")
_NO_SPEECH = re.compile(
    r"""
      ```[\s\S]{0,20000}?(?:```|\Z) | `[^`\n]{1,300}`
    | <(?P<tag>think(?:ing)?)>[\s\S]{0,20000}?</(?P=tag)>
    | \(\((?!\()[\s\S]{0,1000}?\)\) | \(\s*OOC\b[^()]{0,1000}\) | \[[^\[\]]{1,1000}\] | <[^<>\n]{1,300}>
    | ^[ \t]*(?:>|//|/me\b|/ooc\b|OOC\s*:)[^\n]* | ^[^\n]*[♪♫\U0001f3b5\U0001f3b6][^\n]*
    | (?P<bold>(?<!\*)\*{2,3})(?P<strong>[^*\n]{1,600})\*{2,3}(?!\*)
    | (?<!\*)\*(?P<starred>[^*\n]{1,600})\*(?!\*)
    | (?<!\w)_(?P<lined>[^_\n]{1,600})_(?!\w)
    """,
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
_STRESSED = re.compile(
    r"(?!\w*(?:s|ing)\b)[A-Za-z']{1,12}|[\u3400-\u9fff]{1,3}"
)  # a word made strong, not an action: "smiles", "waving"
_QUOTES = re.compile(
    r"“([^“”\n]{1,2000})”|\"([^\"\n]{1,2000})\"|「([^「」\n]{1,2000})」|『([^『』\n]{1,2000})』|«([^«»\n]{1,2000})»"
)
_STOP = re.compile(r"[.!?]+[\"'”’)\]]*(?=\s|$|[\u3400-\u9fff])|[。！？…]+[”」』）]*|\n+")
_TELLER = re.compile(
    r"^[ \t]*@?([^\W\d][^:：\n\"“「]{0,39}?)[ \t]*(?::(?=\s|[\"“「])|：)[ \t]*", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Speaker:
    """Whom the words of a message mean. Labels are subjects as in `Claim`: ROLE "", USER "user", or a name."""

    me: str  # of "I"
    you: str | None = None  # of "you"; None = nobody known, as in a group
    names: Mapping[str, str] = field(default_factory=dict)  # folded name or alias -> label
    shown: Mapping[str, str] = field(default_factory=dict)  # label -> how `content` names it


def named(name: str, speaker: Speaker) -> str:
    """The label of a name: that of somebody known, else the name itself."""
    return speaker.names.get(folded_key(name), name)


def shown_as(label: str, shown: Mapping[str, str], language: Language) -> str:
    """How a sentence names somebody.

    >>> shown_as("user", {}, "en"), shown_as("user", {"user": "Lin"}, "en"), shown_as("Mei", {}, "en")
    ('the user', 'Lin', 'Mei')
    """
    return shown.get(label) or _UNNAMED.get(label, {}).get(language, label)


def names_of(shown: Mapping[str, str]) -> dict[str, str]:
    """Folded name -> label, the way back from `shown_as`."""
    return _CALLED | {folded_key(name): label for label, name in shown.items() if name}


def related(owner: str, kin: str, language: Language) -> str:
    """The subject label, and the words, for somebody who is known only by what he is to another ("my sister is a doctor").

    `owner` is the owner's shown name. A third whose name is told has that name as label instead.

    >>> related("Lin", "sister", "en"), related("Lin", "妹妹", "zh")
    ("Lin's sister", 'Lin的妹妹')
    """
    return _RELATED[language].format(owner=owner, kin=kin)


def spoken(text: str) -> str:
    r"""The text with what is not speech blanked, place for place: actions, code, words out of character, lyrics, quoted lines.

    What is blanked begins with a line break, so no sentence reaches over it; a single stressed word stays.

    >>> spoken("*sits* I *really* like tea")
    '\n      I  really  like tea'
    """
    return _NO_SPEECH.sub(_blank, text) if _MARKED.search(text) else text


def _blank(found: re.Match[str]) -> str:
    length = found.end() - found.start()
    if found["bold"]:
        return f"{' ' * len(found['bold'])}{found['strong']}".ljust(length)
    inner = found["starred"] or found["lined"]
    if inner and _stressed(inner, found.string, found.start(), found.end()):
        return f" {inner} "
    return "\n".ljust(length)


def _stressed(inner: str, text: str, start: int, end: int) -> bool:
    """Whether a marked word belongs to the sentence around it: words of that sentence stand on both sides."""
    before, behind = text[max(start - 2, 0) : start], text[end : end + 2]
    inside = before.strip()[-1:].isalpha() and behind.strip()[:1].isalpha()
    return inside and "\n" not in before + behind and bool(_STRESSED.fullmatch(inner))


def quotes(text: str) -> list[tuple[int, int]]:
    """Where quoted words stand, marks not included: outermost pairs inside a line, in order.

    >>> [('She said "hi."'[start:end]) for start, end in quotes('She said "hi."')]
    ['hi.']
    """
    return [found.span(found.lastindex or 0) for found in _QUOTES.finditer(text)]


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Where sentences stand, closing marks included; a stop inside quotes does not end one. Abbreviations may be cut.

    >>> [text[start:end] for text in ["Hi! I am Al. 我住在罗马。"] for start, end in sentences(text)]
    ['Hi!', ' I am Al.', ' 我住在罗马。']
    """
    inside = iter([*quotes(text), (len(text), len(text))])
    quote, start = next(inside), 0
    for stop in _STOP.finditer(text):
        while quote[1] < stop.start():
            quote = next(inside)
        if not quote[0] <= stop.start() < quote[1]:
            yield start, stop.end()
            start = stop.end()
    if text[start:].strip():
        yield start, len(text)


def blocks(text: str) -> Iterator[tuple[int, int, Language]]:
    """The stretches of one language: neighbouring sentences of the same language stay together."""
    if not _HAN.search(text):
        if _LATIN.search(text):
            yield 0, len(text), "en"
    elif not _LATIN.search(text):
        yield 0, len(text), "zh"
    else:
        yield from _mixed(text)


def _mixed(text: str) -> Iterator[tuple[int, int, Language]]:
    first, last, language = 0, 0, ""
    for start, end in sentences(text):
        here = language_of(text[start:end], default="zh" if language == "zh" else "en")
        if language and here != language:
            yield first, last, "zh" if language == "zh" else "en"
            first = start
        last, language = end, here
    if language:
        yield first, last, "zh" if language == "zh" else "en"


def turns(text: str, speaker: Speaker) -> Iterator[tuple[int, int, Speaker]]:
    """The stretches of one speaker: lines that begin with a known name and a colon are that person's.

    Beside a known name, an unknown one is taken for a third; "you" is known only between the two who talk anyway.
    """
    heads = list(_TELLER.finditer(text)) if ":" in text or "：" in text else []
    if not any(_plain(head[1]) in speaker.names for head in heads):
        yield 0, len(text), speaker
        return
    if heads[0].start():
        yield 0, heads[0].start(), speaker
    for head, end in zip(heads, [*(later.start() for later in heads[1:]), len(text)], strict=True):
        yield head.end(), end, as_said_by(speaker.names.get(_plain(head[1]), head[1]), speaker)


def _plain(head: str) -> str:
    """The name in the head of a line, folded: "Lin (smiling)" is Lin."""
    return folded_key(re.split(r"[(（]", head)[0])


def as_said_by(label: str, speaker: Speaker) -> Speaker:
    """The same company, with somebody else speaking."""
    if label == speaker.me:
        return speaker
    return replace(speaker, me=label, you=speaker.me if label == speaker.you else None)
