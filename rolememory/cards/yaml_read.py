"""Character files in YAML: texts, lists and objects, nothing else. No tags, aliases, dates or merge keys; only read, never written.

Every scalar stays the text that stands there (`name: Yes` is "Yes"). Needs PyYAML, which is loaded here and nowhere else.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from rolememory.cards import limits
from rolememory.cards.json_read import not_utf8
from rolememory.errors import FileError
from rolememory.locales import localized

_DEPTH = 20
_EVENTS = 50_000
_TAG = "tag:yaml.org,2002:"
_TAGS = frozenset({"!", *(_TAG + name for name in "str int float bool null seq map".split())})


def read_yaml(data: bytes, file: str) -> dict[str, Any]:
    """The object in this text.

    Raises:
        FileError: it is no YAML object, or one with tags, aliases, depth or size that no card needs.
    """
    import yaml

    limits.check_size(data, file, limits.YAML, "YAML text")
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # the C parser where PyYAML has it
    try:
        events = islice(yaml.parse(data.decode("utf-8-sig"), Loader=loader), _EVENTS)
        documents = _value(next(events), events, file)
    except UnicodeDecodeError as error:
        raise not_utf8(data, error.start, file) from error
    except yaml.YAMLError as error:
        raise _broken(error, file) from error
    if len(documents) != 1 or not isinstance(documents[0][0], dict):
        raise FileError(
            file,
            "is neither JSON nor a YAML object",
            remedy="a card in YAML has name, context and greeting",
        )
    found: dict[str, Any] = documents[0][0]
    return found


def _value(event: Any, events: Iterator[Any], file: str, depth: int = 0) -> Any:
    """What an event begins: a text, a list or an object; of the stream its documents, each a list of one."""
    import yaml

    tag = getattr(event, "tag", None)
    if tag and tag not in _TAGS:
        raise _refused(file, "has a tag {tag!r}", event, tag=str(tag)[:40])
    if getattr(event, "anchor", None):
        raise _refused(file, "has aliases", event)
    if depth > _DEPTH:
        raise _refused(file, "is nested too deep", event)
    if isinstance(event, yaml.ScalarEvent):
        return event.value
    inside: list[Any] = []
    for one in events:
        if type(one).__name__.endswith("EndEvent"):
            mapping = isinstance(event, yaml.MappingStartEvent)
            return _object(inside, file, event) if mapping else inside
        inside.append(_value(one, events, file, depth + 1))
    raise _refused(file, "has too many values", event)


def _object(inside: list[Any], file: str, where: Any) -> dict[str, Any]:
    """The object of names and values in turn; each name must be a text of its own."""
    found: dict[str, Any] = {}
    for name, value in zip(inside[::2], inside[1::2], strict=True):
        if not isinstance(name, str):
            raise _refused(file, "has a key that is no text", where)
        if name in found:
            raise _refused(file, "{shown!r} stands twice in one object", where, shown=name[:60])
        found[name] = value
    return found


def _refused(file: str, problem: str, where: Any, **values: object) -> FileError:
    mark = where.start_mark
    return FileError(
        file,
        localized(problem, "", **values),
        remedy="a card needs no more than texts",
        line=mark.line + 1,
        column=mark.column + 1,
    )


def _broken(error: Any, file: str) -> FileError:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    said = getattr(error, "problem", None) or getattr(error, "reason", None) or "unreadable text"
    place = {"line": mark.line + 1, "column": mark.column + 1} if mark else {}
    return FileError(
        file,
        "is neither JSON nor YAML: {said}",
        remedy="export the file again from the program that made it",
        **place,
        said=said,
    )
