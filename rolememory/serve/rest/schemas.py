"""What requests may hold and answers do hold: closed, bounded, the same words as everywhere else."""

from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

Name = Annotated[str, Field(min_length=1, max_length=200)]
Id = Annotated[str, Field(min_length=1, max_length=300)]
Line = Annotated[str, Field(max_length=500)]
Text = Annotated[str, Field(max_length=100_000)]
Lines = Annotated[list[Line], Field(max_length=200)]
Ids = Annotated[list[Id], Field(min_length=1, max_length=5000)]
Target = Literal["memory", "entry", "settings", "message"]
Scalar = str | int | float | bool | None
Row = TypeVar("Row")


class In(BaseModel):
    """Part of a request: an unknown field is a typing mistake, numbers are finite."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Out(BaseModel):
    """Part of an answer."""

    model_config = ConfigDict(frozen=True)


class Page(Out, Generic[Row]):
    """Some rows of a list; `total` counts all of them."""

    items: list[Row]
    total: int
    limit: int
    offset: int


class Fault(Out):
    """What went wrong, for people in their language and for programs by its code."""

    code: str
    message: str
    hint: str = ""
    where: str = Field("", description="the field, or file:line:column")
    all: list[str] = Field(default=[], description="every mistake, where there are several")


class Faulty(Out):
    """Every answer that is none."""

    error: Fault
    current: Any = Field(None, description="412: what stands there now")


class Done(Out):
    """What a change did."""

    changed: int
    txn: str | None = Field(None, description="what `undo` takes back")


class Why(Out):
    """One reason."""

    by: str = Field(description="strategy, part of the score, or gate")
    code: str
    values: dict[str, Scalar]
    text: str
    strength: float | None = Field(None, description="of a strategy's evidence; -1..1")


class Part(Out):
    """What one part added to a score."""

    name: str
    amount: float
    text: str


class ChangeOut(Out):
    """The smallest change that would have let something in; POST it to `apply` as it is."""

    target: Target
    field: str
    value: Scalar | list[str]
    id: str = Field("", description="target memory or entry: which")
    text: str = ""
