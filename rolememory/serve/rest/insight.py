"""What stands out in a role's memory."""

from collections.abc import Mapping
from datetime import datetime
from typing import Literal

from rolememory.authoring.insight import Insight
from rolememory.schema.memory import Memory
from rolememory.schema.scene import Language
from rolememory.serve.rest.dependencies import IF_NONE_MATCH, RoleCall, router, tag
from rolememory.serve.rest.map import Surveyed, ThemeOut
from rolememory.serve.rest.memory_schemas import memory_tag
from rolememory.serve.rest.reasons import why
from rolememory.serve.rest.schemas import Out, Why

routes = router("insight", under="/roles/{role}/insight")


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


@routes.get("", dependencies=[IF_NONE_MATCH])
def insight_of(call: RoleCall, survey: Surveyed) -> InsightOut:
    """Themes, what never came up, which keys are missing."""
    ground, found = survey.insight()
    shown = _shown(ground.memories, found, len(ground.near.ids), call.language)
    etag = tag(shown)
    return call.tagged(shown.model_copy(update={"revision": etag.strip('"')}), etag)


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
