"""Attribute lists that authors write in place of sentences: W++, Boostyle, square brackets, JSON. What is none of these is prose.

[Character("Mira") { Age("30") Mind("kind" + "shy") }]      W++
[ character: "Mira"; age: "30"; mind: "kind", "shy" ]       square brackets
Mira = "kind" + "shy"                                       Boostyle
{"age": 30, "mind": ["kind", "shy"]}                        JSON
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_QUOTED = r"""(?:"[^"\n]*"|“[^”\n]*”|「[^」\n]*」|'[^'\n]*')"""
_ITEM = re.compile(
    rf"(?P<key>[^\W\d_][^\n(){{}}\[\]\"“”「」;:,+]{{0,60}}?)\s*[(（]\s*(?P<values>{_QUOTED}(?:\s*[+,，、]\s*{_QUOTED})*)\s*[)）]"
)
_PLUS = re.compile(
    rf"^[ \t]*(?:[^\n\"=+]{{0,60}}=\s*)?(?P<values>{_QUOTED}(?:\s*\+\s*{_QUOTED})+)[ \t]*$",
    re.MULTILINE,
)
_BRACKET = re.compile(r"\[([^\[\]]{3,8000})\]")
_PAIR = re.compile(r"\s*(?P<key>[^:：;；=\"“”\n]{1,60}?)\s*[:：=]\s*(?P<values>[^;；]+)")
_VALUE = re.compile(_QUOTED)
_HEADERS = frozenset({"character", "char", "角色", "人物", "name", "姓名", "名字", "名称"})
_EMPTY = re.compile(r"[\[\]{}()\s;,+=]*")
_LONGEST = 65_536


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute and its values; a list without a name has the key ""."""

    key: str
    values: tuple[str, ...]


def attributes(text: str) -> tuple[list[Attribute], str]:
    """The attributes in a text, and what is left of it: the prose.

    >>> attributes('[Character("Mira") { Age("30") Mind("kind" + "shy") }]')
    ([Attribute(key='Age', values=('30',)), Attribute(key='Mind', values=('kind', 'shy'))], '')
    >>> attributes("[米拉的性格：温柔，害羞；身高：170cm] 她住在灯塔里。")
    ([Attribute(key='米拉的性格', values=('温柔', '害羞')), Attribute(key='身高', values=('170cm',))], '她住在灯塔里。')
    """
    if (found := _from_json(text)) is not None:
        return found, ""
    listed: list[Attribute] = []
    for pattern, read in ((_ITEM, _items), (_BRACKET, _pairs), (_PLUS, _plain)):
        text = _cut(text, pattern, read, listed)
    return listed, "\n".join(
        line for line in text.splitlines() if not _EMPTY.fullmatch(line)
    ).strip()


def _cut(text: str, pattern: re.Pattern[str], read: Any, listed: list[Attribute]) -> str:
    """The text without the places that say attributes, which go to `listed`."""

    def take(match: re.Match[str]) -> str:
        found = list(read(match))
        listed.extend(one for one in found if one.key.casefold() not in _HEADERS)
        return "" if found else match[0]

    return pattern.sub(take, text)


def _items(match: re.Match[str]) -> Iterator[Attribute]:
    yield Attribute(_clean(match["key"]), tuple(_unquoted(match["values"])))


def _pairs(match: re.Match[str]) -> Iterator[Attribute]:
    for part in re.split(r"[;；\n]", match[1]):
        if pair := _PAIR.fullmatch(part):
            quoted = tuple(_unquoted(pair["values"]))
            plain = tuple(
                value for one in re.split(r"[,，、]", pair["values"]) if (value := one.strip())
            )
            yield Attribute(_clean(pair["key"]), quoted or plain)


def _plain(match: re.Match[str]) -> Iterator[Attribute]:
    yield Attribute("", tuple(_unquoted(match["values"])))


def _unquoted(values: str) -> list[str]:
    return [value for one in _VALUE.findall(values) if (value := one[1:-1].strip())]


def _clean(key: str) -> str:
    return " ".join(key.replace("_", " ").split())


def _from_json(text: str) -> list[Attribute] | None:
    """The attributes of a text that is one JSON object; None when it is not."""
    if not text.lstrip().startswith("{") or len(text) > _LONGEST:
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return (
        [one for one in _flat(found) if one.key.casefold() not in _HEADERS]
        if isinstance(found, dict)
        else None
    )


def _flat(raw: Mapping[str, Any], above: str = "", depth: int = 0) -> Iterator[Attribute]:
    for name, value in raw.items():
        key = _clean(f"{above} {name}" if above else str(name))
        if isinstance(value, Mapping):
            if depth < 5:
                yield from _flat(value, key, depth + 1)
        elif values := tuple(
            str(one) for one in (value if isinstance(value, list) else [value]) if _says(one)
        ):
            yield Attribute(key, values)


def _says(value: Any) -> bool:
    return (
        isinstance(value, str | int | float)
        and not isinstance(value, bool)
        and bool(str(value).strip())
    )
