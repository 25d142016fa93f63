"""Partial rendering: a template with a macro `line(memory)` is rendered once per shape, and its lines are filled in.

So a block can be measured many times a turn without rendering it again. This requires that the template prints each memory by
`{{ line(memory) }}` and uses nothing else of it; other templates are rendered as a whole, which is slower. Likewise a line is rendered
once for all memories with the same fields set, if the macro only prints them.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from jinja2 import nodes

from rolememory.inject.filters import TABLE_METHODS
from rolememory.schema.value_class import value_class

_MARK = re.compile("\x00(\\d+)\x00")
_FIELD = "\x00{}\x00"
_GIVEN = frozenset({"char", "user", "language", "heading", "stamp", "range"})


class MemoryPlaceholder:
    """A placeholder for a memory in a frame; any use other than printing fails."""

    __slots__ = ("index",)

    def __init__(self, index: int) -> None:
        self.index = index

    def __str__(self) -> str:
        return f"\x00{self.index}\x00"


def filled(frame: str, lines: Sequence[str]) -> str:
    r"""The frame with its lines filled in.

    >>> filled(f"a {MemoryPlaceholder(1)}, {MemoryPlaceholder(0)}", ["x", "y"])
    'a y, x'
    """
    return _MARK.sub(lambda match: lines[int(match[1])], frame)


def marked(told: Mapping[str, object]) -> dict[str, object]:
    """A memory's values, with each text replaced by a mark."""
    return {
        name: _FIELD.format(name) if one and isinstance(one, str) else one
        for name, one in told.items()
    }


def slotted(line: str, names: Iterable[str]) -> str:
    """A line rendered from `marked`, as a format string for a memory's values."""
    line = line.replace("%", "%%")
    for name in names:
        line = line.replace(_FIELD.format(name), f"%({name})s")
    return line


@value_class
class Frame:
    """A rendered frame: its text with marks for the lines, and its length without them."""

    text: str
    bare: int  # characters of the final block outside of lines
    times: int | None  # how often it prints each line; None = it differs
    between: tuple[int, ...]  # characters between each two lines; empty = not once each, in order

    @classmethod
    def of(cls, text: str, finish: Callable[[str], str], lines: int) -> "Frame":
        """Measure a frame for so many lines; `finish` is applied to the text after filling in lines (the fence).

        A line may have two marks, whose numbers differ by `lines`.
        """
        pieces = _MARK.split(text)
        marks = list(map(int, pieces[1::2]))
        uses = Counter(mark % lines for mark in marks)
        bare = len(finish("x".join(pieces[::2]))) - len(marks)
        counts = {uses[line] for line in range(lines)}
        between = tuple(map(len, pieces[2::4])) if marks == list(range(lines)) else ()
        return cls(text, bare, counts.pop() if len(counts) == 1 else None, between)

    def length(self, said: int, counts: Iterable[int] = ()) -> int | None:
        """Characters of the final block, given those of all lines; None if that does not determine it.

        `counts`: how many lines are to be under each heading, where the frame has two.
        """
        if self.times is None:
            return None
        further = sum((count - 2) * more for count, more in zip(counts, self.between, strict=False))
        return self.bare + further + self.times * said

    def widened(self, counts: Iterable[int]) -> str:
        r"""The text for so many lines under each heading, where it has two under each.

        >>> filled(Frame.of("a \x000\x00, \x001\x00!", str, 2).widened([3]), "xyz")
        'a x, y, z!'
        """
        pieces, text, lines = _MARK.split(self.text), list[str](), 0
        for at, count in enumerate(counts):
            slots = [_FIELD.format(number) for number in range(lines, lines + count)]
            text += [pieces[4 * at], pieces[4 * at + 2].join(slots)]
            lines += count
        return "".join([*text, pieces[-1]]) if text else self.text


def line_macro(tree: nodes.Template) -> nodes.Macro | None:
    """The template's macro `line(memory)`, if it depends only on values that every template gets."""
    macro = next(
        (node for node in tree.body if isinstance(node, nodes.Macro) and node.name == "line"), None
    )
    if macro is None or len(macro.args) != 1 or macro.defaults:
        return None
    return macro if set(_asked(macro)) <= _GIVEN | {macro.args[0].name} | set(_set(tree)) else None


def fields_of(macro: nodes.Macro) -> frozenset[str] | None:
    """The fields of a memory that the macro uses; None if it uses the memory otherwise."""
    name = macro.args[0].name
    looks = [one for one in macro.find_all(nodes.Getattr) if getattr(one.node, "name", "") == name]
    named = sum(one.name == name and one.ctx == "load" for one in macro.find_all(nodes.Name))
    fields = frozenset(one.attr for one in looks)
    return fields if len(looks) == named and fields.isdisjoint(TABLE_METHODS) else None


def names_fields(macro: nodes.Macro) -> bool:
    """Whether the macro only prints fields of its memory unchanged, or tests whether they are set.

    Then its output has the same form for all memories with the same fields set.
    """
    tops = [one.test for one in macro.find_all(nodes.If)]
    tops += [one for output in macro.find_all(nodes.Output) for one in output.nodes]
    plain = {id(one) for top in tops for one in _as_they_are(top)}
    changed = any(macro.find_all((nodes.FilterBlock, nodes.AssignBlock)))
    return not changed and all(id(look) in plain for look in macro.find_all(nodes.Getattr))


def _as_they_are(node: nodes.Node) -> Iterator[nodes.Node]:
    """The nodes whose values an expression may return unchanged."""
    yield node
    if isinstance(node, nodes.And | nodes.Or | nodes.Not | nodes.CondExpr):
        for one in node.iter_child_nodes():
            yield from _as_they_are(one)


def line_alone(tree: nodes.Template, macro: nodes.Macro) -> list[nodes.Node]:
    """A template body that renders one line: the needed names that the template sets, the macro, one call of it."""
    needed, sets = set(_asked(macro)), [one for one in tree.body if isinstance(one, nodes.Assign)]
    for one in reversed(sets):
        if needed & _names(one.target, "store"):
            needed |= _names(one.node, "load")
        else:
            sets.remove(one)
    call = nodes.Call(nodes.Name("line", "load"), [nodes.Name("memory", "load")], [], None, None)
    return [
        *(node for node in tree.body if node in sets or node is macro),
        nodes.Output([call]),
    ]


def hollow(macro: nodes.Macro) -> None:
    """Make the macro print its argument, which will be a `MemoryPlaceholder`."""
    macro.body = [nodes.Output([nodes.Name(macro.args[0].name, "load")])]


def says_lines_plainly(tree: nodes.Template) -> bool:
    """Whether the output of `line` is printed unchanged: not used by a filter, test, variable or other macro."""
    if any(
        isinstance(node, nodes.FilterBlock | nodes.AssignBlock)
        for node in tree.find_all(nodes.Node)
    ):
        return False
    if sum(isinstance(node, nodes.Macro) for node in tree.body) > 1:
        return False
    calls = {
        id(call)
        for call in tree.find_all(nodes.Call)
        if isinstance(call.node, nodes.Name) and call.node.name == "line"
    }
    return calls <= {id(child) for output in tree.find_all(nodes.Output) for child in output.nodes}


def _asked(macro: nodes.Macro) -> Iterator[str]:
    """The free names of the macro."""
    own = {name.name for name in macro.find_all(nodes.Name) if name.ctx == "store"} | {"loop"}
    return (
        name.name
        for name in macro.find_all(nodes.Name)
        if name.ctx == "load" and name.name not in own
    )


def _names(node: nodes.Node, use: str) -> set[str]:
    own = {node.name} if isinstance(node, nodes.Name) and node.ctx == use else set()
    return own | {name.name for name in node.find_all(nodes.Name) if name.ctx == use}


def _set(tree: nodes.Template) -> Iterator[str]:
    """The names set at the top level of the template."""
    targets = (node.target for node in tree.body if isinstance(node, nodes.Assign))
    return (target.name for target in targets if isinstance(target, nodes.Name))
