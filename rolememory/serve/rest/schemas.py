"""What requests may hold and answers do hold: closed, bounded, the same words as everywhere else."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Generic, Literal, Self, TypeVar

from pydantic import BaseModel, BeforeValidator, Field
from pydantic.fields import FieldInfo

from rolememory.schema.described import DescribedModel
from rolememory.schema.json_types import JsonObject
from rolememory.serve.rest.reader import reader

Name = Annotated[str, Field(min_length=1, max_length=200)]
Id = Annotated[str, Field(min_length=1, max_length=300)]
Line = Annotated[str, Field(max_length=500)]
Text = Annotated[str, Field(max_length=100_000)]
Lines = Annotated[list[Line], Field(max_length=200)]
Whole = Annotated[int, Field(ge=0, le=1_000_000)]
Number = Annotated[int | float, Field(ge=-1_000_000, le=1_000_000)]
Ids = Annotated[list[Id], Field(min_length=1, max_length=5000)]
Target = Literal["memory", "entry", "settings", "message"]
Scalar = str | int | float | bool | None
Row = TypeVar("Row")


class In(DescribedModel, frozen=True, extra="forbid", allow_inf_nan=False):
    """Part of a request: an unknown field is a typing mistake, numbers are finite."""


class Out(DescribedModel, frozen=True, from_attributes=True, populate_by_name=True):
    """Part of an answer."""

    @classmethod
    def from_value(cls, value: object, /, **more: Any) -> Self:
        """The attributes of a value of the engine that go out, by the same names; `more`: those that it has otherwise or lacks."""
        same = {
            name: getattr(value, name)
            for name in cls.model_fields
            if name not in more and hasattr(value, name)
        }
        return cls.model_validate({**same, **more})


_BOUNDED: Mapping[Any, Any] = {
    str: Line,
    str | None: Line,
    int: Whole,
    int | None: Whole,
    int | float: Number,
    tuple[str, ...]: Lines,
}
"""What stands for an unbounded type of ours in a request."""


def bounded(model: type[BaseModel], names: Iterable[str]) -> JsonObject:
    """Fields of a value of ours as a request may name them: all optional, none without end. For `create_model`."""
    return {name: (_bounded(model.model_fields[name]) | None, None) for name in names}


def _bounded(one: FieldInfo) -> Any:
    kind: Any = _BOUNDED.get(one.annotation, one.annotation)
    for bound in one.metadata:
        kind = Annotated[kind, bound]
    return kind


Translated = Annotated[str, BeforeValidator(lambda text: reader().say(text))]
"""A sentence of ours: in the reader's language, without local paths."""
Rounded = Annotated[float, BeforeValidator(lambda value: round(value, 4))]


class Page(Out, Generic[Row]):
    """Some rows of a list; `total` counts all of them."""

    items: list[Row]
    total: int
    limit: int
    offset: int


class Fault(Out):
    """An error, with a message in the caller's language and a code for programs."""

    code: str
    message: str
    hint: str = ""
    where: str = ""
    """the field, or file:line:column"""
    all: list[str] = Field([])
    """all errors, if there are several"""


class Faulty(Out):
    """An error response."""

    error: Fault
    current: Any = None
    """412: the present state"""


class Done(Out):
    """The result of a change."""

    changed: int
    txn: str | None = None
    """for `undo`"""


class Why(Out):
    """One reason."""

    by: str
    """strategy, part of the score, or gate"""
    code: str
    values: dict[str, Scalar]
    text: str
    strength: float | None = None
    """of a strategy's evidence; -1..1"""


class Part(Out):
    """A contribution to a score."""

    name: str
    amount: Rounded
    text: str


class ChangeOut(Out):
    """The smallest change that would have included something; POST it to `apply` unchanged."""

    target: Target
    field: str
    value: Scalar | list[str]
    id: str = ""
    """target memory or entry: which"""
    text: str = ""
