"""Resource limits of a render: steps, characters created, characters output, seconds. One meter per render."""

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
    """Limits of a template and of one render of it."""

    source_bytes: int = 64 * 1024
    nesting: int = 50
    steps: int = 100_000
    made_characters: int = 4_000_000  # of all intermediate values of a render
    output_characters: int = 1_000_000
    seconds: float = 0.2  # of thread CPU time, so that load of the machine does not matter


LIMITS = Limits()


class SpentError(Exception):
    """A template exceeded a limit; reported to the author as a `TemplateError`."""


class OutOfTimeError(SpentError):
    """It took too long, by itself or because something else (a garbage collection) ran in its thread."""


class Meter:
    """Counts the resources of one render; every method raises `SpentError` when a limit is exceeded."""

    __slots__ = ("_clock", "_end", "_limits", "_made", "_said", "_steps")

    def __init__(self, limits: Limits, clock: Callable[[], float] = thread_time) -> None:
        self._limits, self._clock = limits, clock
        self._steps, self._made, self._said = (
            limits.steps,
            limits.made_characters,
            limits.output_characters,
        )
        self._end: float | None = (
            None  # set at the first check of the clock: most renders need none
        )

    def step(self, count: int = 1) -> None:
        """Charge a loop iteration, a call or the visit of a value."""
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
        """Charge the creation of a text of `size` characters."""
        self.step()
        self._made -= size
        if self._made < 0:
            raise SpentError(f"its texts grow beyond {self._limits.made_characters:,} characters")

    def say(self, size: int) -> None:
        """Charge the output of `size` characters."""
        self.step()
        self._said -= size
        if self._said < 0:
            raise SpentError(
                f"its output grows beyond {self._limits.output_characters:,} characters"
            )


METER: ContextVar[Meter] = ContextVar("rolememory_template_meter")


def counted(values: Iterable[Any]) -> Iterator[Any]:
    """The same values, charging a step for each: applied to every loop."""
    meter = METER.get()
    for value in values:
        meter.step()
        yield value


def weighed(value: Any) -> Any:
    """Charge for a value: texts by length, containers by their content; iterators become lists.

    Every container is walked when it is created, so none can hold more than the steps of one render,
    however it is nested.
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
    """A single value as text. Raises for containers, functions and unset names."""
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
