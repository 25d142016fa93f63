"""What has to do with what among a role's memories, for the garden's map; and what stands out among them."""

from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from typing import Annotated, Literal

from fastapi import Depends
from pydantic import Field

from rolememory.authoring.survey import Survey, survey
from rolememory.authoring.themes import Theme, alike
from rolememory.engine import RoleMemory
from rolememory.serve.rest.dependencies import RoleCall, kept, router
from rolememory.serve.rest.memory_schemas import memory_tag
from rolememory.serve.rest.reasons import why
from rolememory.serve.rest.schemas import Out, Why

routes = router("insight", under="/roles/{role}")
MOST_EDGES = 2000  # of each kind


class MapEdge(Out):
    """What joins two memories."""

    from_: str = Field(alias="from", serialization_alias="from")
    to: str
    kind: Literal["supersedes", "together", "alike"]
    """supersedes: the newer replaced the older; together: replies used both in the same turn, twice or more; alike: each other's nearest"""


class MapOut(Out):
    """The map."""

    by: Literal["meaning", "words"]
    """what nearness is by: the embedding model, or shared words where there is none"""
    themes: list[Theme]
    edges: list[MapEdge]


class Surveys(dict[str, Survey]):
    """The newest of every role that was asked for."""


def _survey(call: RoleCall, surveys: Annotated[Surveys, kept(Surveys)]) -> Survey:
    """The survey of the role; who asks while somebody looks waits for what they find."""
    with call.alone(f"survey {call.role.id}"):
        found = surveys[call.role.id] = survey(call.role, surveys.get(call.role.id))
        return found


Surveyed = Annotated[Survey, Depends(_survey)]


@routes.get("/map")
def map_of(call: RoleCall, survey: Surveyed) -> MapOut:
    """Which memories belong together, and what joins them."""
    return MapOut.from_value(survey.insight, edges=list(_edges(call.role, survey)))


def _edges(role: RoleMemory, survey: Survey) -> Iterator[MapEdge]:
    here = survey.memories
    pairs_of = {
        "supersedes": ((memory.id, old) for memory in here.values() for old in memory.supersedes),
        "together": role.usage.uses.pairs(),
        "alike": alike(survey.near),
    }
    for kind, pairs in pairs_of.items():
        drawn = (pair for pair in pairs if pair[0] != pair[1] and here.keys() >= {*pair})
        for one, other in islice(drawn, MOST_EDGES):
            yield MapEdge.model_validate({"from": one, "to": other, "kind": kind})


class Brief(Out):
    """A memory, as far as it is needed to decide about it."""

    id: str
    content: str
    type: str
    user: str | None
    keys: list[str]
    created: datetime | None
    locked: bool
    etag: str


class QuietOut(Out):
    """A memory that was in no prompt."""

    memory: Brief
    turns: int
    """so many turns went by"""
    why: Why
    keys: list[str]
    """that it could have beside its own"""


class LackingOut(Out):
    """A memory without keys."""

    memory: Brief
    keys: list[str]
    """that its text offers"""


class InsightOut(Out):
    """Everything that stands out, at most 50 of each kind."""

    by: Literal["meaning", "words"]
    looked: int
    """memories that were compared: those that count, at most the newest 6000"""
    themes: list[Theme]
    alone: int
    """how many belong to no theme"""
    quiet: list[QuietOut]
    lacking: list[LackingOut]


@routes.get("/insight")
def insight_of(survey: Surveyed) -> InsightOut:
    """Themes, what never came up, which keys are missing."""
    found = survey.insight

    def brief(memory_id: str) -> Brief:
        memory = survey.memories[memory_id]
        return Brief.from_value(memory, type=memory.type.value, etag=memory_tag(memory))

    quiet = [
        QuietOut.from_value(one, memory=brief(one.id), why=why("quiet", one.because))
        for one in found.quiet
    ]
    return InsightOut.from_value(
        found,
        looked=len(survey.near.ids),
        quiet=quiet,
        lacking=[LackingOut.from_value(one, memory=brief(one.id)) for one in found.lacking],
    )
