"""Traits out of a card's description and personality: one line each, ready to be remembered."""

import re
from collections.abc import Iterator
from typing import Any

from rolememory.cards.attributes import Attribute, attributes
from rolememory.cards.card import Card

Raw = dict[str, Any]

MOST = 200

_NAMES = re.compile(r"\{\{\s*char\s*\}\}|<(?:bot|char)>", re.IGNORECASE)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_MARK = re.compile(r"^\s*(?:[-*•·●◦‣–—]+|\d{1,3}[.)、．])\s+|^\s*[•·●◦‣]\s*|^\s*\d{1,3}、\s*")
_HEADING = re.compile(r"(?:#{1,6}\s+|\*\*|==+\s*)?(.+?)(?:\*\*|\s*==+|\s*#+)?\s*[:：]?(?:\*\*)?")
_SCRIPT = re.compile(r"^\s*<(?:START|END)>\s*$", re.IGNORECASE | re.MULTILINE)
_SPEECH = re.compile(r"[*\"“”「」]")
_SHORT = frozenset("mr mrs ms dr st prof sr jr vs etc e.g i.e no vol fig".split())
_STOP = re.compile(
    r"(?:[。！？!?…]+|(?<!\.)\.(?!\.))[\"”’』」）)\]*]*(?=\s|$|[^\x00-\x7f])|[。！？]+[”’』」）]*"
)
_WORD = re.compile(r"[A-Za-z.]+$")
_NEXT = re.compile(r"\s*(\S?)")
_LONGEST = 400
_READ = 65_536


def traits_of(card: Card) -> list[Raw]:
    """What the card says the character is like, as memories to be written: {content, type, tags}. At most MOST.

    {{char}} and <BOT> become the name; {{user}} stays. Sentences and lines in Chinese and English, bullet points under their
    heading, and attribute lists are understood; a repeated line is given once.
    """
    name = card.character().name
    found: dict[str, Raw] = {}
    for field in ("description", "personality"):
        for line in lines_of(card.text(field), name):
            found.setdefault(
                " ".join(line.casefold().split()),
                {"content": line, "type": "trait", "tags": ["card"]},
            )
    return list(found.values())[:MOST]


def lines_of(text: str, name: str = "") -> Iterator[str]:
    r"""The text as single statements. Only the first 65,536 characters are read.

    >>> list(lines_of("{{char}} is a keeper. She fears Mr. Hale!\nLikes:\n- tea\n- rain", "Mira"))
    ['Mira is a keeper.', 'She fears Mr. Hale!', 'Likes: tea', 'Likes: rain']
    >>> list(lines_of("性格：温柔。她守着灯塔，从不离开！", "米拉"))
    ['性格：温柔。', '她守着灯塔，从不离开！']
    """
    said = _NAMES.sub(lambda _: name, text[:_READ]) if name else text[:_READ]
    listed, prose = attributes(_without_dialogue(said, name))
    yield from (_told(one) for one in listed if one.values)
    heading = ""
    for line in prose.splitlines():
        bare, bullet = _bare(line)
        if not bare:
            heading = heading if bullet or line.strip() == "" else ""
        elif not bullet and _is_heading(line, bare):
            heading = match[1].strip() if (match := _HEADING.fullmatch(bare)) else bare
        elif bullet and heading:
            yield _under(heading, bare)
        else:
            heading = ""
            yield from sentences(bare)


def _without_dialogue(text: str, name: str) -> str:
    """The text without its example dialogue: lines that somebody speaks, in a text that marks where dialogue starts or gives the user lines."""
    speakers = ("{{user}}:", "{{user}}：", "<user>:", "<user>：")
    lines = text.splitlines()
    if not _SCRIPT.search(text) and not any(
        line.lstrip().casefold().startswith(speakers) for line in lines
    ):
        return text
    own = (f"{name.casefold()}:", f"{name.casefold()}：") if name else ()
    spoken = [
        line.lstrip().casefold().startswith((*speakers, *own)) and (_SPEECH.search(line) or not own)
        for line in lines
    ]
    return "\n".join(
        line
        for line, said in zip(lines, spoken, strict=True)
        if not said and not _SCRIPT.fullmatch(line)
    )


def sentences(text: str) -> Iterator[str]:
    """The sentences of one line; abbreviations and decimals do not end one.

    >>> list(sentences('He paid 3.50. "No!" she said. 走吧。好……'))
    ['He paid 3.50.', '"No!" she said.', '走吧。', '好……']
    """
    start = 0
    for stop in _STOP.finditer(text):
        before = _WORD.search(text[max(start, stop.start() - 12) : stop.start()])
        follows = _NEXT.match(text, stop.end())
        if (
            text[stop.start()] == "."
            and before
            and (before[0].lower() in _SHORT or re.fullmatch(r"[A-Z]", before[0]))
        ):
            continue
        if follows and follows[1].islower():  # the sentence goes on behind a quotation
            continue
        yield from _cut(text[start : stop.end()])
        start = stop.end()
    yield from _cut(text[start:])


def _cut(sentence: str) -> Iterator[str]:
    said = sentence.strip()
    if re.search(r"\w", said):
        yield said if len(said) <= _LONGEST else said[: _LONGEST - 1] + "…"


def _told(one: Attribute) -> str:
    """An attribute as a line; Chinese punctuation where it is Chinese.

    >>> _told(Attribute("Mind", ("kind", "shy"))), _told(Attribute("性格", ("温柔", "害羞")))
    ('Mind: kind, shy', '性格：温柔、害羞')
    """
    chinese = bool(_CJK.search(one.key + "".join(one.values)))
    values = ("、" if chinese else ", ").join(one.values)
    return _under(one.key, values) if one.key else values


def _under(heading: str, line: str) -> str:
    return f"{heading}：{line}" if _CJK.search(heading + line) else f"{heading}: {line}"


def _bare(line: str) -> tuple[str, bool]:
    """The line without its bullet point, and whether it had one."""
    bare = _MARK.sub("", line, count=1)
    return bare.strip(), bare != line


def _is_heading(line: str, bare: str) -> bool:
    marked = line.lstrip().startswith(("#", "==")) or (
        bare.startswith("**") and bare.rstrip(":：").endswith("**")
    )
    return marked or (len(bare) <= 40 and bare.endswith((":", "：")))
