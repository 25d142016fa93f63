"""Decorator lines at the head of an entry's content: `@@name value`, with `@@@name` as a fallback for an unknown one.

Two dialects: SillyTavern's, and the V3 specification's. Source: spec/worldinfo.md 3.4, 7.3.
"""

from collections.abc import Iterator, Mapping
from enum import StrEnum

from rolememory.schema.value_class import value_class


class DecoratorArgument(StrEnum):
    """The kind of argument of a decorator."""

    NOTHING = "nothing"
    NUMBER = "number"
    NAME = "name"
    KEYS = "keys"


_TAKES = {
    DecoratorArgument.NOTHING: "activate dont_activate keep_activate_after_match dont_activate_after_match ignore_on_max_context",
    DecoratorArgument.NUMBER: "activate_only_after activate_only_every depth reverse_depth instruct_depth reverse_instruct_depth"
    " scan_depth instruct_scan_depth is_greeting",
    DecoratorArgument.NAME: "role position is_user_icon disable_ui_prompt",
    DecoratorArgument.KEYS: "additional_keys exclude_keys",
}
KNOWN: Mapping[str, DecoratorArgument] = {
    name: takes for takes, names in _TAKES.items() for name in names.split()
}
"""Every decorator of the V3 specification."""

_NAMES: Mapping[str, tuple[str, ...]] = {
    "role": ("assistant", "system", "user"),
    "position": ("after_desc", "before_desc", "personality", "scenario"),
    "disable_ui_prompt": ("post_history_instructions", "system_prompt"),
}
_REPEATABLE = ("additional_keys", "exclude_keys", "disable_ui_prompt")
_SILLYTAVERN = ("@@activate", "@@dont_activate")


@value_class
class Decorators:
    """The values of an entry's decorators; None or False = absent."""

    activate: bool = False
    dont_activate: bool = False
    activate_only_after: int | None = None  # assistant messages
    activate_only_every: int | None = None
    keep_activate_after_match: bool = False
    dont_activate_after_match: bool = False
    depth: int | None = None
    reverse_depth: int | None = None
    role: str | None = None
    scan_depth: int | None = None
    is_greeting: int | None = None
    position: str | None = None
    ignore_on_max_context: bool = False
    additional_keys: tuple[tuple[str, ...], ...] = ()  # one of each line must occur
    exclude_keys: tuple[tuple[str, ...], ...] = ()  # none may occur
    is_user_icon: str | None = None
    disable_ui_prompt: tuple[str, ...] = ()


NONE = Decorators()


def read_sillytavern(content: str) -> tuple[Decorators, str]:
    r"""Decorators as SillyTavern reads them: only activate and dont_activate without a value; all others are cut off.

    A content of only decorators is unchanged; a blank line after them stays.

    >>> read_sillytavern("@@what\n@@@activate\n\ntext")[1], read_sillytavern("@@what\n@@@activate\ntext")[0].activate
    ('\ntext', True)
    """
    head, text = split(content)
    if not head:
        return NONE, content
    orders = set(_orders(head))
    asked = Decorators(activate="@@activate" in orders, dont_activate="@@dont_activate" in orders)
    return asked, content if text is None else text


def split(content: str) -> tuple[list[str], str | None]:
    """The decorator lines at the beginning, and the text after them, None if there is none."""
    lines = content.split("\n")
    head = next((at for at, line in enumerate(lines) if not line.startswith("@@")), len(lines))
    return lines[:head], "\n".join(lines[head:]) if lines[head:] else None


def _orders(lines: list[str]) -> Iterator[str]:
    """The effective lines in order: fallbacks only after unknown lines."""
    open_fallback = False
    for line in lines:
        fallback = line.startswith("@@@")
        if fallback and not open_fallback:
            continue
        order = line[1:] if fallback else line
        known = order.startswith(_SILLYTAVERN)
        open_fallback = not known
        if known:
            yield order


def read_card(content: str) -> tuple[Decorators, str]:
    r"""Decorators by the V3 specification: the first of a name counts; unknown names and invalid values are ignored.

    Removes the lines and the line breaks around them.

    >>> asked, text = read_card("@@depth 2\n@@role user\n@@shimmer\n@@@scan_depth 8\n\nThe lamp.")
    >>> asked.depth, asked.role, asked.scan_depth, text
    (2, 'user', 8, 'The lamp.')
    """
    head, text = split(content.lstrip("\r\n"))
    if not head:
        return NONE, content
    found: dict[str, list[object]] = {}
    known = True
    for line in head:
        if line.startswith("@@@") and known:
            continue
        name, _, rest = line.strip().lstrip("@").partition(" ")
        value = _value(name, rest.strip())
        known = value is not None
        if known and (name not in found or name in _REPEATABLE):
            found.setdefault(name, []).append(value)
    return _asked(found), (text or "").strip("\r\n")


def _asked(found: Mapping[str, list[object]]) -> Decorators:
    fields = Decorators.__dataclass_fields__
    told = {
        name: tuple(values) if name in _REPEATABLE else values[0]
        for name, values in found.items()
        if name in fields
    }
    return Decorators(**told)  # type: ignore[arg-type]


def _value(name: str, rest: str) -> object | None:
    """The value after the name, or None if the name is unknown or the value invalid."""
    takes = KNOWN.get(name)
    if takes is DecoratorArgument.NOTHING:
        return True
    if takes is DecoratorArgument.NUMBER:
        return int(rest) if rest.isascii() and rest.isdigit() else None
    if takes is DecoratorArgument.KEYS:
        return tuple(filter(None, map(str.strip, rest.split(",")))) or None
    if takes is DecoratorArgument.NAME:
        return rest if rest and rest in _NAMES.get(name, (rest,)) else None
    return None
