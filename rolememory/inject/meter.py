"""What one render may cost: steps, characters made, characters said, seconds. One meter per render, shared by all loops."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from time import thread_time
from typing import Any

from jinja2 import Undefined

from rolememory.schema.value_class import value_class

_CHARACTERS_PER_STEP = 64
_STEPS_PER_LOOK = 16


@value_class
class Limits:
    """Bounds of one template and of one render of it."""

    source_bytes: int = 64 * 1024
    nesting: int = 50
    steps: int = 100_000
    made_characters: int = 4_000_000  # of all values a render makes on its way
    output_characters: int = 1_000_000
    seconds: float = 0.2  # of this thread's own time, so that a busy machine fails no good template


LIMITS = Limits()


class SpentError(Exception):
    """A template wanted more than it may; told to the author as a `TemplateError`."""


class OutOfTimeError(SpentError):
    """It took too long, through its own doing or because something else (a garbage collection) ran in its thread."""


class Meter:
    """Counts one render down; every method raises `SpentError` when its allowance is gone."""

    __slots__ = ("_clock", "_end", "_limits", "_made", "_said", "_steps")

    def __init__(self, limits: Limits, clock: Callable[[], float] = thread_time) -> None:
        self._limits, self._clock = limits, clock
        self._steps, self._made, self._said = (
            limits.steps,
            limits.made_characters,
            limits.output_characters,
        )
        self._end: float | None = (
            None  # from the first look at the clock on: most renders never look
        )

    def step(self, count: int = 1) -> None:
        """One turn of a loop, one call, one value looked at."""
        before = self._steps // _STEPS_PER_LOOK
        self._steps -= count
        if self._steps < 0:
            raise SpentError(f"it takes more than {self._limits.steps:,} steps")
        if self._steps // _STEPS_PER_LOOK != before:
            now = self._clock()
            self._end = now + self._limits.seconds if self._end is None else self._end
            if now > self._end:
                raise OutOfTimeError(f"it takes longer than {self._limits.seconds * 1000:.0f} ms")

    def make(self, size: int) -> None:
        """A text of `size` characters is about to be made, or was."""
        self.step()
        self._made -= size
        if self._made < 0:
            raise SpentError(f"its texts grow beyond {self._limits.made_characters:,} characters")

    def say(self, size: int) -> None:
        """`size` characters go out."""
        self.step()
        self._said -= size
        if self._said < 0:
            raise SpentError(
                f"its output grows beyond {self._limits.output_characters:,} characters"
            )


METER: ContextVar[Meter] = ContextVar("rolememory_template_meter")


def counted(values: Iterable[Any]) -> Iterator[Any]:
    """The same values, a step each: what every loop runs over."""
    meter = METER.get()
    for value in values:
        meter.step()
        yield value


def weighed(value: Any) -> Any:
    """The value, paid for: texts by length, containers by all they hold; iterators become lists on the way.

    Because every container is walked when it is made, none can hold more than the steps of one render,
    however often it holds itself.
    """
    if isinstance(value, str):
        METER.get().make(len(value))
        return value
    if isinstance(value, Undefined):
        return value
    if isinstance(value, Iterator):
        value = list(counted(value))
    _walk(value, METER.get())
    return value


def _walk(value: Any, meter: Meter) -> None:
    if isinstance(value, str):
        meter.step(1 + len(value) // _CHARACTERS_PER_STEP)
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            _walk(key, meter)
            _walk(inner, meter)
    elif isinstance(value, list | tuple):
        meter.step()
        for inner in value:
            _walk(inner, meter)
    elif isinstance(value, range):
        meter.step(len(value))
    else:
        meter.step()


def spoken(value: Any) -> str:
    """A single value as text. Containers, functions and unset names are no text."""
    if isinstance(value, str):
        return value
    if isinstance(value, Undefined):
        return str(value)  # raises: unset names are errors
    if isinstance(value, bool | int | float):
        return str(value)
    if value is None:
        raise SpentError("it prints none; write {{ name or '' }}")
    raise SpentError(f"it prints {_kind(value)}; write {{{{ name | join(', ') }}}} or loop over it")


def _kind(value: Any) -> str:
    if isinstance(value, list | tuple | range):
        return "a list"
    return "a table" if isinstance(value, Mapping) else "something that is no text"
