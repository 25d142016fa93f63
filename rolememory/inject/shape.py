"""Frame and lines apart: a template with a macro `line(memory)` is rendered once per shape, and its lines are filled in.

So a block can be measured many times a turn without rendering it anew. It holds where the template says each memory by
`{{ line(memory) }}` and asks nothing else of it; every other template works too, only slower, as a whole.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from jinja2 import nodes

_MARK = re.compile("\x00(\\d+)\x00")
_GIVEN = frozenset({"char", "user", "language", "heading", "stamp", "range"})


class Slot:
    """Stands for a memory where only its place matters; whoever asks it anything else is told that it is none."""

    __slots__ = ("index",)

    def __init__(self, index: int) -> None:
        self.index = index

    def __str__(self) -> str:
        return f"\x00{self.index}\x00"


def filled(frame: str, lines: Sequence[str]) -> str:
    r"""The frame with its lines.

    >>> filled(f"a {Slot(1)}, {Slot(0)}", ["x", "y"])
    'a y, x'
    """
    return _MARK.sub(lambda match: lines[int(match[1])], frame)


@dataclass(frozen=True, slots=True)
class Frame:
    """A rendered frame: its text with marks for the lines, and how long it is without them."""

    text: str
    bare: int  # characters of the finished block that belong to no line
    uses: tuple[int, ...]  # which line each mark stands for

    @classmethod
    def of(cls, text: str, finish: Callable[[str], str]) -> "Frame":
        """Measure a frame; `finish` is what happens to the text once its lines are in (the fence)."""
        uses = tuple(int(mark) for mark in _MARK.findall(text))
        return cls(text, len(finish(_MARK.sub("x", text))) - len(uses), uses)

    def length(self, lines: Sequence[str]) -> int:
        """Characters of the finished block with these lines."""
        return self.bare + sum(len(lines[line]) for line in self.uses)


def line_macro(tree: nodes.Template) -> nodes.Macro | None:
    """The macro `line(memory)`, when the template has one that needs nothing but what every template gets."""
    macro = next(
        (node for node in tree.body if isinstance(node, nodes.Macro) and node.name == "line"), None
    )
    if macro is None or len(macro.args) != 1 or macro.defaults:
        return None
    return macro if set(_asked(macro)) <= _GIVEN | {macro.args[0].name} | set(_set(tree)) else None


def line_alone(tree: nodes.Template, macro: nodes.Macro) -> list[nodes.Node]:
    """The body that says one line: the names the template sets, the macro, one call of it."""
    call = nodes.Call(nodes.Name("line", "load"), [nodes.Name("memory", "load")], [], None, None)
    return [
        *(node for node in tree.body if isinstance(node, nodes.Assign) or node is macro),
        nodes.Output([call]),
    ]


def hollow(macro: nodes.Macro) -> None:
    """Let the macro say its argument itself, which will be a `Slot`."""
    macro.body = [nodes.Output([nodes.Name(macro.args[0].name, "load")])]


def says_lines_plainly(tree: nodes.Template) -> bool:
    """Whether what `line` says goes out as it is: never through a filter, a test, a variable or another macro."""
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
    """Names the macro takes from outside."""
    own = {name.name for name in macro.find_all(nodes.Name) if name.ctx == "store"} | {"loop"}
    return (
        name.name
        for name in macro.find_all(nodes.Name)
        if name.ctx == "load" and name.name not in own
    )


def _set(tree: nodes.Template) -> Iterator[str]:
    """Names set at the top of the template."""
    targets = (node.target for node in tree.body if isinstance(node, nodes.Assign))
    return (target.name for target in targets if isinstance(target, nodes.Name))
