"""Parses scene stamps: what cards and frontends print in a message about the state of the scene.

Read are: a status panel in an element (`<status>`, `<StatusBlock>`, `<状态栏>`), in a code block (JSON, YAML or lines) or under a
heading (`【状态栏】`), a JSON object at either end of a message, updates of variables (JSON Patch, `_.set('path', old, new)`), lines in
brackets (`【时间】三月初七【地点】茶楼`, `[Time: dusk | Place: mill]`), and bare lines (`时间：…｜地点：…`) at either end of a message.
Source: the forms that status bars and trackers for SillyTavern and RisuAI, MVU cards among them, ask their models for.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import groupby
from typing import Any, Literal, NamedTuple

import orjson

from rolememory.shipped import lexicon
from rolememory.text.late_pattern import late_pattern

MOST_FIELDS = 12
LONGEST_VALUE = 80
_LONGEST_LINE = 600
_LONGEST_NAME = 20
_LONGEST_PANEL = 20_000  # characters read per panel
_DEEPEST = 5  # levels of JSON

Fields = list[tuple[str, str]]

_OPENING = late_pattern(
    r"<(?P<tag>\w{1,40})(?:\s[^<>]*)?>|^[ \t]*(?P<fence>`{3,})[ \t]*(?P<lang>\w*)[^\n`]*\n", re.M
)
_LINE_TAG = late_pattern(r"</?(?:br|p|div|li|ul|tr|table|hr|details|summary|h\d)\b[^<>]*>", re.I)
_ELEMENT = late_pattern(r"<(\w{1,40})>([^<>\n]+)</\1>")
_TAG = late_pattern(r"<[^<>]*>")
_OBJECT = late_pattern(r"\A\s*(?P<first>\{[^\n]*\}|\{\n[\s\S]*?\n\})[ \t]*(?=\n|\Z)")
_UPDATE = late_pattern(
    r"""_\.set\(\s*['"](?P<path>[^'"\n]{1,200})['"][^\n]{0,200}?,\s*['"]?(?P<value>[^'",()\n]{1,80})['"]?\s*\)"""
)
_PATCH = late_pattern(r"<json_?patch>", re.I)
_SETS = ("replace", "add", "insert")  # JSON Patch operations that set a value
_WORD = late_pattern(r"\w")
_PATH = late_pattern(r"[^./\[\]\d][^./\[\]]*")
_DECORATION = " \t\r　>#-=*_~•·|｜`"
_BOXES = {"[": "]", "【": "】", "(": ")", "（": "）", "{": "}", "「": "」", "『": "』", "<": ">"}
_NAMED = late_pattern(
    r"[【\[]\s*([^【】\[\]:：\n]{1,20})[】\]]\s*[:：]?([^【】\[\]\n]*)"
)  # 【时间】三月初七
_NEXT_BOX = late_pattern(r"[】\])）]\s*[【\[(（]")
_BAR = late_pattern(r"[|｜]")
_NEXT_NAME = late_pattern(r"[,，;；·•/\s]\s*(?=([^\W\d_]\w{0,11})[*_]*\s?[:：])")
_PAIR = late_pattern(
    r"\W*?(?P<name>[^\W\d_][^:：|｜,，。.!?！？\"“”「」\n]{0,19}?)[*_`\s】\]]*[:：](?P<value>.+)"
)
_NOT_IN_NAMES = late_pattern(r"[\s_'’\ufe0f*-]+")
_LINES = late_pattern(r"[^\n]+|\n(?=\n)")
_THOUGHTS = frozenset({"think", "thinking", "thought", "thoughts", "reasoning"})
_OTHER_ELEMENTS = _THOUGHTS | {"details", "updatevariable", "updatevariables", "jsonpatch"}
_AROUND = "[]【】「」『』()（）:： "
_SCENE = ("place", "date", "time")
_CLOCK = late_pattern(
    r"\d{1,2}\s*[:：点點时時]\s*(?:\d{1,2}\s*[分]?)?(?:[:：]\d{2})?\s*(?:[ap]\.?m\.?)?", re.I
)
_NAMES = late_pattern(r"[,，、;；/|]|\s(?:and|with)\s")
_EDGES = " \t\r　*_`'\"“”；;，,。|｜"


class Panel(NamedTuple):
    """A span (half-open) that prints the state of the scene, and its fields."""

    start: int
    end: int
    fields: tuple[tuple[str, str], ...]


@lru_cache(maxsize=256)
def stamp_of(raw: str) -> tuple[tuple[str, str], ...]:
    r"""The scene stamp of a message: (field, value), each field once, in printed order. Cost: O(length).

    Known fields are called time, date, place, mood, affection, who, items, weather; others keep their printed name.

    >>> stamp_of("【时间】三月初七【地点】茶楼【好感】45\n雨还在下。")
    (('time', '三月初七'), ('place', '茶楼'), ('affection', '45'))
    >>> stamp_of("She waits. [He is late: again]")
    ()
    """
    told: dict[str, str] = {}
    for panel in panels(raw):
        for name, value in panel.fields:
            told.setdefault(name, value)
    if not told:
        return ()
    known = known_fields()
    chosen = sorted(told, key=lambda name: name not in known)[:MOST_FIELDS]
    return tuple((name, value) for name, value in told.items() if name in chosen)


def moved(before: Mapping[str, str], stamp: Iterable[tuple[str, str]]) -> bool:
    """Whether place or day differ from before; a later time of day does not count.

    >>> moved({"place": "mill"}, [("place", "the mill, upstairs")]), moved({"place": "mill"}, [("place", "harbour")])
    (False, True)
    >>> moved({"time": "三月初七 21:05"}, [("time", "三月初七 22:40")]), moved({"date": "三月初七"}, [("date", "三月初八")])
    (False, True)
    """
    pairs = ((before.get(name, ""), value) for name, value in stamp if name in _SCENE)
    told = ((_scene(old), _scene(new)) for old, new in pairs)
    return any(old and new and not (old in new or new in old) for old, new in told)


def named(stamp: Iterable[tuple[str, str]]) -> list[str]:
    """The names printed as present.

    >>> named([("who", "Lin, Mira、老周"), ("place", "mill")])
    ['Lin', 'Mira', '老周']
    """
    told = next((value for name, value in stamp if name == "who"), "")
    return [name for one in _NAMES.split(told) if (name := one.strip(_EDGES))]


def _scene(value: str) -> str:
    return _folded(_CLOCK.sub("", value)).strip(_AROUND + _EDGES)


def known_fields() -> tuple[str, ...]:
    """The fields that have the same name in every language."""
    return tuple(dict.fromkeys(_words().names.values()))


def panels(raw: str) -> list[Panel]:
    """The panels of a message, in order."""
    return list(_found(raw)) if _words().signs.search(raw) else []


class _StampLexicon(NamedTuple):
    names: Mapping[str, str]  # folded name -> field
    before: tuple[str, ...]  # prefixes of a name
    panels: frozenset[str]
    picture: re.Pattern[str]  # an emoji before a value that names its field
    signs: re.Pattern[str]  # every panel contains one of these


@cache
def _words() -> _StampLexicon:
    raw = lexicon("stamps")
    names = {_folded(name): field for field, row in raw["fields"].items() for name in row.split()}
    pictures = "|".join(re.escape(name) for name in names if not name[0].isalpha())
    return _StampLexicon(
        names,
        tuple(_folded(word) for word in raw["before"].split()),
        frozenset(map(_folded, raw["panels"].split())),
        re.compile(rf"\W*?(?P<name>{pictures})\ufe0f?\s*[:：]?(?P<value>.+)"),
        re.compile(rf"[:：<{{\[【]|{pictures}"),
    )


def _folded(name: str) -> str:
    return _NOT_IN_NAMES.sub("", name).lower()


@lru_cache(maxsize=4096)
def _field(name: str) -> str:
    """The known field of a printed name; "" if unknown."""
    words, folded = _words(), _folded(name)
    if folded in words.names:
        return words.names[folded]
    rest = (folded.removeprefix(word) for word in words.before if folded.startswith(word))
    return next((words.names[one] for one in rest if one in words.names), "")


def _known(fields: Fields) -> int:
    """The number of known fields."""
    return len({field for name, _ in fields if (field := _field(name))})


def _panel(start: int, end: int, fields: Fields) -> Panel:
    named = ((_field(name) or name.strip(), value.strip(_EDGES)) for name, value in fields)
    kept = ((name, value[:LONGEST_VALUE].rstrip()) for name, value in named if name and value)
    return Panel(start, end, tuple(kept))


def _found(raw: str) -> Iterator[Panel]:
    place = 0
    for start, end, fields in _containers(raw):
        yield from _between(raw, place, start)
        if fields:
            yield _panel(start, end, fields)
        place = end
    yield from _between(raw, place, len(raw))


def _containers(raw: str) -> Iterator[tuple[int, int, Fields]]:
    """Elements, code blocks and objects with fields of the scene."""
    raw, place = raw.rstrip(), 0
    if (first := _OBJECT.match(raw)) and (fields := _in_json(first["first"])):
        yield first.start("first"), first.end("first"), fields
        place = first.end()
    while opening := _OPENING.search(raw, place):
        place = opening.end()
        if not (opening["fence"] or _folded(opening["tag"]) in _words().panels | _OTHER_ELEMENTS):
            continue
        closed, end = _closing(raw, opening)
        inside = raw[opening.end() : min(closed, opening.end() + _LONGEST_PANEL)]
        yield opening.start(), end, _inside(inside, _folded(opening["tag"] or opening["lang"]))
        place = end
    last = raw.rfind("\n{", place)
    if last >= 0 and raw.endswith("}") and (fields := _in_json(raw[last:])):
        yield last + 1, len(raw), fields


def _closing(raw: str, opening: re.Match[str]) -> tuple[int, int]:
    """The end of the inside of an element or code block, and of its closing mark; the end of the text if unclosed."""
    if opening["fence"]:
        closing = "\n" + opening["fence"]
        closed = raw.find(closing, opening.end() - 1)
        end = closed + len(closing)
    else:
        closed = raw.find(f"</{opening['tag']}", opening.end())
        end = raw.find(">", closed) + 1
    return (closed, end) if closed >= 0 and end else (len(raw), len(raw))


def _inside(inside: str, name: str) -> Fields:
    """The fields in an element or a code block of that name."""
    if name in _THOUGHTS:
        return []
    inside = _PATCH.split(inside)[-1]
    if fields := [*_in_json(inside), *_updates(inside)]:
        return fields
    text = _TAG.sub("", _ELEMENT.sub(r"\1: \2\n", _LINE_TAG.sub("\n", inside)))
    lines = (line.strip(_DECORATION) for line in text.splitlines())
    fields = [field for line in lines if line for field in _in_line(line)[0]]
    return fields if name in _words().panels or _known(fields) > 1 else []


def _updates(inside: str) -> Fields:
    """The values that variables are set to, for fields of the scene."""
    told = ((_PATH.findall(one["path"])[-1:], one["value"]) for one in _UPDATE.finditer(inside))
    return [(path[0], value) for path, value in told if path and _field(path[0])]


def _in_json(text: str) -> Fields:
    """The fields of a JSON value with at least one known field."""
    opening = min((at for mark in "{[" if (at := text.find(mark)) >= 0), default=-1)
    if opening < 0 or _TAG.sub("", text[:opening]).strip() or len(text) > _LONGEST_PANEL:
        return []
    closing = max(text.rfind("}"), text.rfind("]"))
    try:
        value = orjson.loads(text[opening : closing + 1])
    except orjson.JSONDecodeError:
        return []
    fields = list(_flat(value))
    return fields if _known(fields) else []


def _flat(value: Any, depth: int = 0) -> Iterator[tuple[str, str]]:
    if depth >= _DEEPEST:
        return
    if isinstance(value, list):
        for one in filter(_is_patch, value):
            path = _PATH.findall(str(one["path"]))[-1:]
            yield from _flat(dict.fromkeys(path, one["value"]), depth + 1)
    elif isinstance(value, Mapping):
        for name, one in value.items():
            if text := _text(one, _field(name)):
                yield name, text
            if isinstance(one, Mapping) and (not text or _field(name) == "who"):
                yield from _flat(one, depth + 1)


def _is_patch(value: Any) -> bool:
    """Whether a value is a step of a JSON patch that sets something."""
    return (
        isinstance(value, Mapping)
        and value.get("op") in _SETS
        and {"path", "value"} <= value.keys()
    )


def _text(value: Any, field: str) -> str:
    """A value as one line: list members and parts of a known field joined; "" without text."""
    if isinstance(value, str | int | float):
        return str(value)
    if isinstance(value, list):
        plain = _plain(one.get("name") if isinstance(one, Mapping) else one for one in value)
        return ", ".join(plain if field in ("who", "items") else plain[:1])  # [value, what it is]
    if isinstance(value, Mapping) and field:
        return ", ".join(value if field == "who" else _plain(value.values()))
    return ""


def _plain(values: Iterable[Any]) -> list[str]:
    return [str(one) for one in values if isinstance(one, str | int | float)]


class _StampLine(NamedTuple):
    """A line outside of elements and blocks."""

    start: int
    end: int
    kind: Literal["blank", "heading", "boxed", "bare", "text"]
    fields: Fields


def _between(raw: str, start: int, end: int) -> Iterator[Panel]:
    """The panels among the lines from `start` to `end`."""
    rows = list(_rows(raw, start, end))
    while rows and rows[-1].kind == "blank":
        rows.pop()
    first = True
    place = 0
    for is_text, group in groupby(rows, key=lambda row: row.kind == "text"):
        run = list(group)
        place += len(run)
        told = () if is_text else _told(run, edge=first or place == len(rows))
        if printed := [row for row in told if row.fields]:
            yield _panel(printed[0].start, printed[-1].end, _all_fields(printed))
        first = first and {row.kind for row in run} == {"blank"}


def _rows(raw: str, start: int, end: int) -> Iterator[_StampLine]:
    for line in _LINES.finditer(raw, start, end):
        text = _TAG.sub("", line[0]) if "<" in line[0] else line[0]
        yield _StampLine(*line.span(), *_kind(text.strip(_DECORATION)))


def _kind(line: str) -> tuple[Literal["blank", "heading", "boxed", "bare", "text"], Fields]:
    if not line:
        return "blank", []
    if len(line) <= _LONGEST_NAME and _folded(line.strip(_AROUND)) in _words().panels:
        return "heading", []
    fields = _only_fields(line)
    if not fields:
        return "text", []
    needed = 1 if line[0] in "(（" else 0  # known fields required: speech may be in parentheses too
    return ("boxed" if line[0] in _BOXES and _known(fields) > needed else "bare"), fields


def _only_fields(line: str) -> Fields:
    """The fields of a line with nothing else; none for other text."""
    if len(line) > _LONGEST_LINE or (line[0] not in _BOXES and not _pair(line)):
        return []
    fields, whole = _in_line(line)
    return fields if whole and all(len(value) <= LONGEST_VALUE for _, value in fields) else []


def _told(run: list[_StampLine], *, edge: bool) -> Iterator[_StampLine]:
    """The rows of a run that are a scene stamp, not speech that looks like one."""
    block = _bare_block(run) if edge else range(0)
    headed = False
    for number, row in enumerate(run):
        headed = (headed or row.kind == "heading") and row.kind != "blank"
        if headed or row.kind == "boxed" or number in block:
            yield row


def _bare_block(run: Sequence[_StampLine]) -> range:
    """The range of bare rows with a known field, if the run has several known fields."""
    bare = [at for at, row in enumerate(run) if row.kind == "bare" and _known(row.fields)]
    return range(bare[0], bare[-1] + 1) if bare and _known(_all_fields(run)) > 1 else range(0)


def _all_fields(rows: Iterable[_StampLine]) -> Fields:
    return [one for row in rows for one in row.fields]


def _in_line(line: str) -> tuple[Fields, bool]:
    """The fields of a line, and whether it contains nothing else."""
    named = _bracketed(line)
    if len(named) == 1 and _folded(named[0][0]) in _words().panels:
        return _in_line(named[0][1].strip())
    if named:
        return named, True
    if _BOXES.get(line[0]) == line[-1]:
        line = _NEXT_BOX.sub("|", line[1:-1])
    parts = [part for part in _parts(line) if part.strip(_EDGES)]
    fields = [field for part in parts if (field := _pair(part))]
    return fields, len(fields) == len(parts)


def _bracketed(line: str) -> Fields:
    """The fields of a line like "【时间】夜【地点】茶楼"."""
    found = _NAMED.findall(line) if line[0] in "【[" else ()
    return [(name, value) for name, value in found if value.strip()]


def _parts(line: str) -> Iterator[str]:
    for part in _BAR.split(line):
        place = 0
        for name in _NEXT_NAME.finditer(part):
            if _field(name[1]) and _WORD.search(part, place, name.start()):
                yield part[place : name.start()]
                place = name.end()
        yield part[place:]


def _pair(part: str) -> tuple[str, str] | None:
    named = _PAIR.match(part)
    if named and _field(named["name"]):
        return named["name"], named["value"]
    pictured = _words().picture.match(part)
    told = pictured or named
    return (told["name"], told["value"]) if told else None
