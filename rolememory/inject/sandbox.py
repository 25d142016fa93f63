"""A sandbox for untrusted templates: only text comes out, within limits.

Compile stage: size, nesting, allow-lists of tags, filters, tests, methods and names, then the tree is rewritten so that every
loop, text and container charges the meter. Run stage: operators and calls are checked before, output is counted.
Memory text is only passed as a value; the output is a `RenderedText`, which is never compiled.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from time import thread_time
from typing import Any

from jinja2 import StrictUndefined, Template, TemplateSyntaxError, Undefined, nodes, pass_context
from jinja2.runtime import Context, LoopContext, Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

from rolememory.errors import TemplateError
from rolememory.inject.filters import (
    FILTERS,
    METHODS,
    OPERATORS,
    TESTS,
    Plain,
    call_method,
    joined,
    numbers,
)
from rolememory.inject.meter import (
    LIMITS,
    METER,
    Limits,
    Meter,
    OutOfTimeError,
    SpentError,
    counted,
    spoken,
    weighed,
)
from rolememory.inject.shape import (
    MemoryPlaceholder,
    fields_of,
    hollow,
    line_alone,
    line_macro,
    names_fields,
    says_lines_plainly,
)
from rolememory.schema.value_class import value_class

_ALLOWED = (
    "Template Output TemplateData Name Const Tuple List Dict Pair For If CondExpr And Or Not Compare Operand Getattr Getitem Slice "
    "Filter Test Assign AssignBlock With FilterBlock Macro Call Keyword Concat Add Sub Mul Div FloorDiv Mod Pow Neg Pos"
).split()  # fmt: skip
_LOOP = frozenset(
    "index index0 revindex revindex0 first last length depth depth0 previtem nextitem cycle changed".split()
)
_GROUP = frozenset({"grouper", "list"})
_RESERVED = frozenset({"self", "super", "caller", "varargs", "kwargs"})
_COUNTED, _SPOKEN, _JOINED, _MADE = (
    "a loop",
    "output",
    "joined texts",
    "a container",
)  # not valid as names in templates


class RenderedText(str):
    """A template's output: text for the prompt, never compiled as a template."""

    __slots__ = ()


_PLAIN = frozenset({str, bool, int, float, type(None), MemoryPlaceholder, Plain})


def plain(value: Any) -> Any:
    """A copy of text, numbers, tuples and tables only: the values that templates get.

    >>> plain({"tags": ["a", "b"]})
    {'tags': ('a', 'b')}

    Raises:
        TypeError: it contains anything else.
    """
    if type(value) in _PLAIN:
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, Mapping):
        return Plain({plain(key): plain(inner) for key, inner in value.items()})
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return tuple(plain(inner) for inner in value)
    if isinstance(value, bool | int | float):
        return type(value)(value)
    raise TypeError(f"a template gets text, numbers, lists and tables, not {type(value).__name__}")


class _Environment(ImmutableSandboxedEnvironment):
    """Jinja's sandbox, restricted to what `filters` lists."""

    intercepted_binops = frozenset(OPERATORS)

    def __init__(self) -> None:
        super().__init__(
            undefined=StrictUndefined,
            autoescape=False,
            optimized=False,
            keep_trailing_newline=True,
            cache_size=0,
        )
        self.globals = {"range": numbers}
        self.tests = dict(TESTS)
        self.filters = FILTERS | {
            _COUNTED: counted,
            _SPOKEN: _said,
            _JOINED: joined,
            _MADE: weighed,
        }

    def getattr(self, obj: Any, attribute: str) -> Any:
        """`obj.attribute`: a table's field first, then one of the few methods."""
        if isinstance(obj, dict) and attribute in obj:
            return obj[attribute]
        if isinstance(obj, Undefined):
            return getattr(obj, attribute)  # raises: unset names are errors
        _refuse_slot(obj)
        if self.is_safe_attribute(obj, attribute, None):
            return getattr(obj, attribute, self.undefined(obj=obj, name=attribute))
        return self.undefined(obj=obj, name=attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        """`obj[argument]`: never an attribute."""
        if isinstance(obj, Undefined):
            return obj[argument]  # raises: unset names are errors
        _refuse_slot(obj)
        if isinstance(argument, str) and not isinstance(obj, Mapping):
            return (
                self.getattr(obj, argument)
                if argument in _GROUP
                else self.undefined(obj=obj, name=argument)
            )
        try:
            return weighed(obj[argument])
        except (LookupError, TypeError):
            return self.undefined(obj=obj, name=str(argument))

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Whether a template may read the attribute."""
        if isinstance(obj, LoopContext):
            return attr in _LOOP
        return attr in METHODS.get(type(obj), ()) or (isinstance(obj, tuple) and attr in _GROUP)

    def call(self, context: Context, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Call a macro, `range`, or a method of a text, list or table."""
        METER.get().step()
        given = {
            name: value
            for name, value in kwargs.items()
            if name not in ("_loop_vars", "_block_vars")
        }
        if isinstance(obj, Undefined):
            obj()  # raises: unset names are errors
        if isinstance(obj, Macro) or isinstance(getattr(obj, "__self__", None), LoopContext):
            return weighed(obj(*args, **given))
        return weighed(numbers(*args)) if obj is numbers else call_method(obj, args, given)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """An operator that can make something large."""
        METER.get().step()
        return OPERATORS[operator](left, right)


def _refuse_slot(value: Any) -> None:
    if isinstance(value, MemoryPlaceholder):
        raise SpentError("the frame looks at a memory")


def _is_memory(value: Any) -> bool:
    return isinstance(value, Plain) and isinstance(value.get("text"), str)


@pass_context
def _said(_: Context, value: Any) -> str:
    if isinstance(value, list | tuple):
        if all(isinstance(one, str) for one in value):
            value = joined(value, ", ")  # tags and names, comma-separated
        elif all(map(_is_memory, value)):
            value = joined([f"- {one['text']}" for one in value], "\n")
    text = str(value) if isinstance(value, MemoryPlaceholder) else spoken(value)
    METER.get().say(len(text))
    return text


class _Metered(NodeTransformer):
    """Rewrites a checked tree so that loops, texts and containers charge the meter."""

    def generic_visit(self, node: nodes.Node, *args: Any, **kwargs: Any) -> nodes.Node:
        """The node with its charge, after its children: loop iterations, output, `a ~ b`, [a, b], {a: b}, (a, b)."""
        node.lineno = node.lineno or 1
        super().generic_visit(node)
        match node:
            case nodes.For():
                node.iter = _through(node.iter, _COUNTED)
            case nodes.Output():
                node.nodes = [_through(_expression(child), _SPOKEN) for child in node.nodes]
            case nodes.Concat():
                return _through(nodes.List(node.nodes, lineno=node.lineno), _JOINED)
            case nodes.List() | nodes.Dict() | nodes.Tuple(ctx="load"):
                return _through(node, _MADE)
        return node


def _through(node: nodes.Node, name: str) -> nodes.Filter:
    return nodes.Filter(node, name, [], [], None, None, lineno=node.lineno)


def _expression(node: nodes.Node) -> nodes.Node:
    """An output node as an expression: raw template text becomes a constant."""
    if isinstance(node, nodes.TemplateData):
        return nodes.Const(node.data, lineno=node.lineno)
    return node


@value_class
class Compiled:
    """A template that passed the checks."""

    name: str
    sandbox: "Sandbox"
    whole: Callable[[], Template]  # compiled lazily: most turns only render lines
    line: Template | None = None  # its macro `line(memory)` alone, if any
    fields: frozenset[str] | None = None  # the fields of a memory that it uses; None = any
    names_fields: bool = False  # whether it only prints or tests them
    frame: Template | None = (
        None  # the whole with placeholders for lines, if it uses memories by `line` only
    )
    scenes: bool = False  # whether it has a heading for passages
    stamped: bool = False  # whether it uses the scene state

    def render(self, context: Mapping[str, Any]) -> RenderedText:
        """The rendered text.

        Raises:
            TemplateError: with the template's name and line.
        """
        return self.sandbox.run(self.whole(), self.name, context)

    def render_line(self, context: Mapping[str, Any]) -> RenderedText | None:
        """The output of `line(memory)`; None if the template has no such macro."""
        return self.sandbox.run(self.line, self.name, context) if self.line else None

    def render_frame(self, context: Mapping[str, Any]) -> RenderedText | None:
        """The text with placeholders for lines; `context` has a `MemoryPlaceholder` for each memory. None if the template has no frame."""
        if self.frame is None:
            return None
        try:
            return self.sandbox.run(self.frame, self.name, context)
        except TemplateError:
            return None


class Sandbox:
    """Compiles and runs untrusted templates. Thread-safe."""

    def __init__(self, limits: Limits = LIMITS, clock: Callable[[], float] = thread_time) -> None:
        self._limits, self._clock = limits, clock
        self._environment = _Environment()

    def compile(self, name: str, source: str) -> Compiled:
        """Check and compile a template; `name` is for errors.

        Raises:
            TemplateError: it does not parse, is too large, or uses something forbidden.
        """
        if isinstance(source, RenderedText):
            raise TemplateError(
                name, "what a template said is not a template", remedy="pass it as a value"
            )
        if len(source.encode("utf-8", "replace")) > self._limits.source_bytes:
            raise too_large(name, self._limits.source_bytes)
        try:
            tree = self._parsed(source, name)
            every = _check(tree, name, self._limits)
            scenes = any(isinstance(one, nodes.Const) and one.value == "scene" for one in every)
            stamped = any(isinstance(one, nodes.Name) and one.name == "stamp" for one in every)
            whole = cache(lambda: self._finish(self._parsed(source, name), name))
            parts = self._parts(tree, source, name)
            if not parts.get("frame"):  # else its parts have compiled
                whole()
            return Compiled(name, self, whole, scenes=scenes, stamped=stamped, **parts)
        except Exception as error:
            raise _told(error, name) from None

    def _parts(self, tree: nodes.Template, source: str, name: str) -> dict[str, Any]:
        """Line and frame of a checked template, as fields of `Compiled`, if it has both; consumes the tree."""
        frame, alone = line_macro(tree), self._parsed(source, name)
        line = line_macro(alone)
        if frame is None or line is None:
            return {}
        plainly, fields = says_lines_plainly(tree), fields_of(line)
        named = fields is not None and names_fields(line)
        alone.body = line_alone(alone, line)
        hollow(frame)
        return {
            "line": self._finish(alone, name),
            "fields": fields,
            "names_fields": named,
            "frame": self._finish(tree, name) if plainly else None,
        }

    def _parsed(self, source: str, name: str) -> nodes.Template:
        return self._environment.parse(source, name, name)

    def _finish(self, tree: nodes.Template, name: str) -> Template:
        _Metered().visit(tree)
        tree.set_environment(self._environment)
        return Template.from_code(
            self._environment,
            self._environment.compile(tree, name, name),
            dict(self._environment.globals),
        )

    def run(self, template: Template, name: str, context: Mapping[str, Any]) -> RenderedText:
        """Render within the limits; every failure is a `TemplateError`.

        Retried once after a timeout: a garbage collection may have run in this thread meanwhile.
        """
        try:
            try:
                return self._metered(template, context)
            except OutOfTimeError:
                return self._metered(template, context)
        except Exception as error:
            raise _told(error, name) from None

    def _metered(self, template: Template, context: Mapping[str, Any]) -> RenderedText:
        token = METER.set(Meter(self._limits, self._clock))
        try:
            return RenderedText("".join(template.generate(plain(context))))
        finally:
            METER.reset(token)


def too_large(name: Path | str, limit: int) -> TemplateError:
    """The error of a template with more bytes than that."""
    return TemplateError(
        name,
        "larger than {limit} KB",
        remedy="split it, or keep data out of it",
        limit=limit // 1024,
    )


def _check(tree: nodes.Template, name: str, limits: Limits) -> list[nodes.Node]:
    """All nodes of a template, after checking that all are allowed."""
    calls: dict[str, set[str]] = {}
    stack: list[tuple[nodes.Node, int]] = [(tree, 0)]
    while stack:
        node, depth = stack.pop()
        if depth > limits.nesting:
            raise TemplateError(
                name, "nested deeper than {limit} levels", line=node.lineno, limit=limits.nesting
            )
        if problem := _problem(node):
            raise TemplateError(name, problem, line=node.lineno)
        if isinstance(node, nodes.Macro):
            calls[node.name] = {call.name for call in node.find_all(nodes.Name)} | calls.get(
                node.name, set()
            )
        stack += [(child, depth + 1) for child in node.iter_child_nodes()]
    every = list(tree.find_all(nodes.Node))
    _check_macros(every, calls, name)
    return every


def _problem(node: nodes.Node) -> str:
    """Why this node is forbidden; "" if it is allowed."""
    if type(node).__name__ not in _ALLOWED:
        return f"a template may not use {type(node).__name__.lower()}"
    if isinstance(node, nodes.For) and node.recursive:
        return "a loop may not be recursive"
    named = next((text for text in _names(node) if text.startswith("_") or text in _RESERVED), None)
    if named is not None:
        return f"the name {named!r} is not for templates"
    if isinstance(node, nodes.Filter):
        return _unknown("filter", node.name, FILTERS)
    if isinstance(node, nodes.Test):
        return _unknown("test", node.name, TESTS)
    return ""


def _unknown(what: str, name: str, known: Collection[str]) -> str:
    if name in known:
        return ""
    return f"no {what} named {name!r} (known: {', '.join(sorted(filter(str.isalpha, known)))})"


def _names(node: nodes.Node) -> Iterator[str]:
    if isinstance(node, nodes.Name | nodes.Macro):
        yield node.name
    elif isinstance(node, nodes.Getattr):
        yield node.attr
    elif isinstance(node, nodes.Keyword):
        yield node.key
    elif (
        isinstance(node, nodes.Getitem)
        and isinstance(node.arg, nodes.Const)
        and isinstance(node.arg.value, str)
    ):
        yield node.arg.value


def _check_macros(every: Sequence[nodes.Node], calls: Mapping[str, set[str]], name: str) -> None:
    """Check that macros are only called by their names, and are not recursive."""
    called = {id(call.node) for call in every if isinstance(call, nodes.Call)}
    for use in every:
        if not isinstance(use, nodes.Name):
            continue
        if use.name in calls and not (use.ctx == "load" and id(use) in called):
            raise TemplateError(
                name, "macro {name!r} may only be called", line=use.lineno, name=use.name
            )
    for start in calls:
        if start in _reached(start, calls):
            raise TemplateError(name, "macro {name!r} calls itself", name=start)


def _reached(start: str, calls: Mapping[str, set[str]]) -> set[str]:
    """The macros that this one calls, directly or indirectly."""
    reached, waiting = set[str](), list(calls[start])
    while waiting:
        if (macro := waiting.pop()) in calls and macro not in reached:
            reached.add(macro)
            waiting += calls[macro]
    return reached


def _told(error: Exception, name: str) -> TemplateError:
    if isinstance(error, TemplateError):
        return error
    line = error.lineno if isinstance(error, TemplateSyntaxError) else _line_of(error, name)
    text = str(error).strip().split("\n")[0]
    problem = (
        f"{text[:1].lower()}{text[1:300]}".rstrip(".")
        if text
        else f"it fails with {type(error).__name__}"
    )
    return TemplateError(name, problem, line=line)


def _line_of(error: Exception, name: str) -> int | None:
    """The template line of an error; jinja maps frames back to the source."""
    trace, line = error.__traceback__, None
    while trace:
        if trace.tb_frame.f_code.co_filename == name:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
