"""Relations of a role's memories for the map, and findings on them: themes, unused memories, memories without keys."""

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
    """A relation of two memories."""

    from_: str = Field(alias="from", serialization_alias="from")
    to: str
    kind: Literal["supersedes", "together", "alike"]
    """supersedes: the newer replaced the older; together: replies used both in one turn at least twice; alike: each is the nearest of the other"""


class MapOut(Out):
    """Similar and related memories."""

    by: Literal["meaning", "words"]
    """similarity by the embedding model, or without one by shared words"""
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
def memory_map(call: RoleCall, survey: Surveyed) -> MapOut:
    """Similar memories by theme, and relations between memories."""
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
    """A memory, in short."""

    id: str
    content: str
    type: str
    user: str | None
    keys: list[str]
    created: datetime | None
    locked: bool
    etag: str


class UnusedMemoryOut(Out):
    """A memory that was never in a prompt."""

    memory: Brief
    turns: int
    """turns since it was created"""
    why: Why
    keys: list[str]
    """suggested keys"""


class KeylessMemoryOut(Out):
    """A memory without keys."""

    memory: Brief
    keys: list[str]
    """suggested keys"""


class InsightOut(Out):
    """Findings on a role's memories, at most 50 of each kind."""

    by: Literal["meaning", "words"]
    looked: int
    """number of memories compared: current ones, at most the newest 6000"""
    themes: list[Theme]
    alone: int
    """number of memories without a theme"""
    quiet: list[UnusedMemoryOut]
    lacking: list[KeylessMemoryOut]


@routes.get("/insight")
def insights(survey: Surveyed) -> InsightOut:
    """Themes, unused memories, and memories without keys."""
    found = survey.insight

    def brief(memory_id: str) -> Brief:
        memory = survey.memories[memory_id]
        return Brief.from_value(memory, type=memory.type.value, etag=memory_tag(memory))

    quiet = [
        UnusedMemoryOut.from_value(one, memory=brief(one.id), why=why("quiet", one.because))
        for one in found.quiet
    ]
    return InsightOut.from_value(
        found,
        looked=len(survey.near.ids),
        quiet=quiet,
        lacking=[KeylessMemoryOut.from_value(one, memory=brief(one.id)) for one in found.lacking],
    )
