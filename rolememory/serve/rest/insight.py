"""The garden's map: a place for every memory, near in meaning near by, and what has to do with what; and what stands out in a role's memory."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import islice
from threading import Lock
from typing import Annotated, Literal

from fastapi import Depends
from pydantic import Field

from rolememory.authoring.insight import Insight
from rolememory.authoring.survey import Survey, SurveyedMemories
from rolememory.authoring.themes import alike
from rolememory.engine import RoleMemory
from rolememory.schema.memory import Memory
from rolememory.schema.scene import Language
from rolememory.serve.rest.dependencies import IF_NONE_MATCH, RoleCall, Shown, kept, router, tag
from rolememory.serve.rest.memory_schemas import memory_tag
from rolememory.serve.rest.reasons import why
from rolememory.serve.rest.schemas import Out, Why

routes = router("insight", under="/roles/{role}")
MOST_EDGES = 2000  # of each kind


class Point(Out):
    """The place of a memory."""

    id: str
    x: float
    """-1..1"""
    y: float
    """-1..1"""
    theme: int | None
    """which of `themes`; null = none"""


class ThemeOut(Out):
    """Memories that have to do with one another, nearest to its heart first."""

    name: list[str]
    """its most telling words, as they are written in the memories"""
    ids: list[str]


class MapEdge(Out):
    """What joins two memories."""

    from_: str = Field(alias="from", serialization_alias="from")
    to: str
    kind: Literal["supersedes", "together", "alike"]
    """supersedes: the newer replaced the older; together: replies used both in the same turn, twice or more; alike: each other's nearest"""


class MapOut(Out):
    """The map. Two answers with the same `revision` are the same."""

    revision: str
    by: Literal["meaning", "words"]
    """what nearness is by: the embedding model, or shared words where there is none"""
    points: list[Point]
    """every memory that is not archived"""
    themes: list[ThemeOut]
    edges: list[MapEdge]


class Surveys:
    """Of every role that was asked for."""

    def __init__(self) -> None:
        self._known: dict[str, Survey] = {}
        self._lock = Lock()

    def of(self, role_memory: RoleMemory) -> Survey:
        """The survey of this role; a role that was opened again has a new one."""
        with self._lock:
            known = self._known.get(role_memory.id)
            if known is None or known.role_memory is not role_memory:
                known = self._known[role_memory.id] = Survey(role_memory)
            return known


def _survey(call: RoleCall, surveys: Annotated[Surveys, kept(Surveys)]) -> Survey:
    return surveys.of(call.role)


Surveyed = Annotated[Survey, Depends(_survey)]


@routes.get("/map", dependencies=[IF_NONE_MATCH])
def map_of(call: RoleCall, survey: Surveyed) -> MapOut:
    """Where every memory stands. The same memories have the same places; one more moves no other."""
    ground, spots, themes = survey.map()
    of = {one: number for number, theme in enumerate(themes) for one in theme.ids}
    found = MapOut(
        revision="",
        by=ground.like.by,
        points=[
            Point(id=one, x=spots[one][0], y=spots[one][1], theme=of.get(one))
            for one in ground.memories
        ],
        themes=list(map(ThemeOut.from_value, themes)),
        edges=list(_edges(call.role, ground)),
    )
    return _revised(call, found)


def _revised(call: RoleCall, found: Shown) -> Shown:
    """The answer with what tells it from another one."""
    etag = tag(found)
    return call.tagged(found.model_copy(update={"revision": etag.strip('"')}), etag)


def _edges(role: RoleMemory, ground: SurveyedMemories) -> Iterator[MapEdge]:
    here = ground.memories
    pairs_of = {
        "supersedes": ((memory.id, old) for memory in here.values() for old in memory.supersedes),
        "together": role.parts.maintenance.used_together(),
        "alike": alike(ground.near),
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
    """Everything that stands out, at most 50 of each kind. Two answers with the same `revision` are the same."""

    revision: str
    by: Literal["meaning", "words"]
    looked: int
    """memories that were compared: those that count, at most the newest 6000"""
    themes: list[ThemeOut]
    alone: int
    """how many belong to no theme"""
    quiet: list[QuietOut]
    lacking: list[LackingOut]


@routes.get("/insight", dependencies=[IF_NONE_MATCH])
def insight_of(call: RoleCall, survey: Surveyed) -> InsightOut:
    """Themes, what never came up, which keys are missing."""
    ground, found = survey.insight()
    shown = _shown(ground.memories, found, len(ground.near.ids), call.language)
    return _revised(call, shown)


def _shown(
    memories: Mapping[str, Memory], found: Insight, looked: int, language: Language
) -> InsightOut:
    def brief(memory_id: str) -> Brief:
        memory = memories[memory_id]
        return Brief.from_value(memory, type=memory.type.value, etag=memory_tag(memory))

    quiet = [
        QuietOut.from_value(one, memory=brief(one.id), why=why("quiet", one.because, language))
        for one in found.quiet
    ]
    return InsightOut.from_value(
        found,
        revision="",
        looked=looked,
        quiet=quiet,
        lacking=[LackingOut.from_value(one, memory=brief(one.id)) for one in found.lacking],
    )
