"""The name that somebody gives themselves: "My name is Lin", 我叫林小雨. It is what to call them, and nothing more is made of it."""

import re
from functools import cache

import orjson

from rolememory.schema.scene import Language
from rolememory.shipped import shipped
from rolememory.text.plain import plain

_LONGEST = 2_000  # characters that are read
_QUOTED = re.compile(
    r'"[^"\n]{0,400}"?|「[^」\n]{0,400}」?|『[^』\n]{0,400}』?|\*[^*\n]{0,400}\*|^>[^\n]*',
    re.MULTILINE,
)
_BEGINS = r"(?:^\s*|[.!?;:,。\n(]\s*|\s[-–—]\s*)"
_ENDS = r"(?=\s*(?:[.!?;,。~)\n]|$))"
_SMALL = re.compile(r"[a-z]")
_LANGUAGES: tuple[Language, ...] = ("en", "zh")


def own_name(text: str) -> str:
    """The name that a speaker gives themselves, the last one said; "" for none. Quoted speech is somebody else's. Cost: O(length).

    >>> own_name("Hello there! My name is Lin Wei, nice inn."), own_name("你好，我叫林小雨。")
    ('Lin Wei', '林小雨')
    >>> own_name("Call me tomorrow."), own_name("我叫外卖了。"), own_name('"My name is Rex," he says.')
    ('', '', '')
    """
    text = text[:_LONGEST]
    even = _QUOTED.sub(lambda quoted: " " * len(quoted.group()), plain(text))
    found = [
        (match.end(), text[match.start("name") : match.end("name")])
        for pattern in map(_says, _LANGUAGES)
        for match in pattern.finditer(even)
    ]
    names = [one for one in found if not any(map(_SMALL.match, one[1].split()))]
    return max(names)[1] if names else ""


@cache
def _says(language: Language) -> re.Pattern[str]:
    raw = orjson.loads(
        shipped("worldbook_rules", "lexicons", f"names.{language}.json").read_bytes()
    )
    return re.compile(
        rf"{_BEGINS}{raw['lead']}{raw['says']}[ :,]*(?!{raw['no_name']})(?P<name>{raw['name']}){raw['tail']}{_ENDS}",
        re.MULTILINE,
    )
