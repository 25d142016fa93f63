"""Traits out of a card's description and personality: one line each, ready to be remembered."""

import re
from collections.abc import Iterator

from rolememory.cards.attributes import Attribute, attributes
from rolememory.cards.card import Card
from rolememory.cards.json_read import Raw
from rolememory.text.language import CJK
from rolememory.text.sentences import sentences

MOST = 200

_NAMES = re.compile(r"\{\{\s*char\s*\}\}|<(?:bot|char)>", re.IGNORECASE)
_MARK = re.compile(r"^\s*(?:[-*•·●◦‣–—]+|\d{1,3}[.)、．])\s+|^\s*[•·●◦‣]\s*|^\s*\d{1,3}、\s*")
_HEADING = re.compile(r"(?:#{1,6}\s+|\*\*|==+\s*)?(.+?)(?:\*\*|\s*==+|\s*#+)?\s*[:：]?(?:\*\*)?")
_SCRIPT = re.compile(r"^\s*<(?:START|END)>\s*$", re.IGNORECASE | re.MULTILINE)
_SPEECH = re.compile(r"[*\"“”「」]")
_USER_SPEAKS = ("{{user}}:", "{{user}}：", "<user>:", "<user>：")
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
    yield from _of_prose(prose)


def _of_prose(prose: str) -> Iterator[str]:
    """Sentences, and bullet points under their heading."""
    heading = ""
    for line in prose.splitlines():
        bare, bullet = _bare(line)
        if not bare and (bullet or not line.strip()):
            continue
        if bullet and heading:
            yield _under(heading, bare)
        elif bare and not bullet and _is_heading(line, bare):
            heading = _heading_in(bare)
        else:
            heading = ""
            yield from _statements(bare)


def _heading_in(bare: str) -> str:
    """A heading without its marks."""
    match = _HEADING.fullmatch(bare)
    return match[1].strip() if match else bare


def _without_dialogue(text: str, name: str) -> str:
    """The text without its example dialogue: lines that somebody speaks, in a text that marks where dialogue starts or gives the user lines."""
    lines = text.splitlines()
    if not _SCRIPT.search(text) and not any(_begins(line, _USER_SPEAKS) for line in lines):
        return text
    own = (f"{name.casefold()}:", f"{name.casefold()}：") if name else ()
    return "\n".join(
        line for line in lines if not _SCRIPT.fullmatch(line) and not _is_spoken(line, own)
    )


def _begins(line: str, names: tuple[str, ...]) -> bool:
    return line.lstrip().casefold().startswith(names)


def _is_spoken(line: str, own: tuple[str, ...]) -> bool:
    """Whether somebody speaks in a line; the character only with quotation marks or stage directions."""
    return _begins(line, (*_USER_SPEAKS, *own)) and (not own or bool(_SPEECH.search(line)))


def _statements(line: str) -> Iterator[str]:
    """The sentences of one line that hold a word."""
    for span in sentences(line):
        if re.search(r"\w", said := span.of(line)):
            yield said if len(said) <= _LONGEST else said[: _LONGEST - 1] + "…"


def _told(one: Attribute) -> str:
    """An attribute as a line; Chinese punctuation where it is Chinese.

    >>> _told(Attribute("Mind", ("kind", "shy"))), _told(Attribute("性格", ("温柔", "害羞")))
    ('Mind: kind, shy', '性格：温柔、害羞')
    """
    chinese = bool(CJK.search(one.key + "".join(one.values)))
    values = ("、" if chinese else ", ").join(one.values)
    return _under(one.key, values) if one.key else values


def _under(heading: str, line: str) -> str:
    return f"{heading}：{line}" if CJK.search(heading + line) else f"{heading}: {line}"


def _bare(line: str) -> tuple[str, bool]:
    """The line without its bullet point, and whether it had one."""
    bare = _MARK.sub("", line, count=1)
    return bare.strip(), bare != line


def _is_heading(line: str, bare: str) -> bool:
    marked = line.lstrip().startswith(("#", "==")) or (
        bare.startswith("**") and bare.rstrip(":：").endswith("**")
    )
    return marked or (len(bare) <= 40 and bare.endswith((":", "：")))
