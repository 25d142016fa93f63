"""Character files in YAML: texts, lists and objects, nothing else. No tags, no dates, no merge keys; only read, never written.

Every scalar stays the text that stands there (`name: Yes` is "Yes"). Needs PyYAML, which is loaded here and nowhere else.
"""

from collections.abc import Collection
from typing import Any

from rolememory.cards import limits
from rolememory.cards.json_read import not_utf8
from rolememory.errors import FileError
from rolememory.locales import localized, translatable

_DEPTH = 20
_ALIASES = 50
_EVENTS = 50_000
_STANDARD = "tag:yaml.org,2002:"
_TAGS = frozenset({"str", "int", "float", "bool", "null", "seq", "map"})


def read_yaml(data: bytes, file: str) -> dict[str, Any]:
    """The object in this text.

    Raises:
        FileError: it is no YAML object, or one with tags, many aliases, depth or size that no card needs.
    """
    import yaml

    limits.check_size(data, file, limits.YAML, "YAML text")
    try:
        text = data.decode("utf-8-sig")
        _check_events(text, file)
        found = _value(yaml.compose(text, Loader=_loader()), file)
    except UnicodeDecodeError as error:
        raise not_utf8(data, error.start, file) from error
    except yaml.YAMLError as error:
        raise _broken(error, file) from error
    if not isinstance(found, dict):
        raise FileError(
            file,
            "is neither JSON nor a YAML object",
            remedy="a card in YAML has name, context and greeting",
        )
    return found


def _loader() -> Any:
    """The C parser where PyYAML has it; the base loader knows no types but text."""
    import yaml

    return getattr(yaml, "CBaseLoader", yaml.BaseLoader)


def _check_events(text: str, file: str) -> None:
    """Walk the events, which cost no more than the text, before anything is built of them."""
    import yaml

    depth = aliases = 0
    for number, event in enumerate(yaml.parse(text, Loader=_loader())):
        aliases += isinstance(event, yaml.AliasEvent)
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(
            event, yaml.CollectionEndEvent
        )
        if depth > _DEPTH or aliases > _ALIASES or number > _EVENTS:
            problem = translatable(
                "is nested too deep"
                if depth > _DEPTH
                else "has too many aliases"
                if aliases > _ALIASES
                else "has too many values"
            )
            raise _refused(file, problem, event)
        tag = getattr(event, "tag", None)
        if tag and tag != "!" and str(tag).removeprefix(_STANDARD) not in _TAGS:
            raise _refused(file, "has a tag {tag!r}", event, tag=str(tag)[:40])


def _value(node: Any, file: str, level: int = 0, budget: list[int] | None = None) -> Any:
    """The node as plain values. Aliases are copies, and copies count."""
    import yaml

    budget = [_EVENTS] if budget is None else budget
    budget[0] -= 1
    if budget[0] < 0 or level > _DEPTH:
        raise _refused(file, "has too many aliases", node)
    if isinstance(node, yaml.SequenceNode):
        return [_value(one, file, level + 1, budget) for one in node.value]
    if not isinstance(node, yaml.MappingNode):
        return None if node is None else node.value
    found: dict[str, Any] = {}
    for key, one in node.value:
        found[_name(key, file, found)] = _value(one, file, level + 1, budget)
    return found


def _name(key: Any, file: str, found: Collection[str]) -> str:
    """The name of a member, which must be a text and none of those found before."""
    if not isinstance(key.value, str):
        raise _refused(file, "has a key that is no text", key)
    if key.value in found:
        raise _refused(file, "{shown!r} stands twice in one object", key, shown=key.value[:60])
    return str(key.value)


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
