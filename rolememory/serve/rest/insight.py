"""What stands out in a role's memory."""

from collections.abc import Mapping
from datetime import datetime
from typing import Literal

from fastapi import Response
from pydantic import Field

from rolememory.authoring.insight import Insight
from rolememory.schema.memory import Memory
from rolememory.serve.rest.dependencies import (
    IfNoneMatch,
    LanguageDep,
    RoleDep,
    fresh,
    router,
    tag,
)
from rolememory.serve.rest.error_responses import clean
from rolememory.serve.rest.map import ThemeOut
from rolememory.serve.rest.memory_schemas import memory_tag
from rolememory.serve.rest.reasons import why
from rolememory.serve.rest.schemas import Out, Why
from rolememory.serve.rest.surveys import Surveyed

insights = router("insight", under="/roles/{role}/insight")


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
    turns: int = Field(description="so many turns went by")
    why: Why
    keys: list[str] = Field(description="that it could have beside its own")


class LackingOut(Out):
    """A memory without keys."""

    memory: Brief
    keys: list[str] = Field(description="that its text offers")


class InsightOut(Out):
    """Everything that stands out, at most 50 of each kind. Two answers with the same `revision` are the same."""

    revision: str
    by: Literal["meaning", "words"]
    looked: int = Field(
        description="memories that were compared: those that count, at most the newest 6000"
    )
    themes: list[ThemeOut]
    alone: int = Field(description="how many belong to no theme")
    quiet: list[QuietOut]
    lacking: list[LackingOut]


@insights.get("", response_model=InsightOut)
def insight_of(
    response: Response,
    role_memory: RoleDep,
    survey: Surveyed,
    language: LanguageDep,
    if_none_match: IfNoneMatch = None,
) -> InsightOut | Response:
    """Themes, what never came up, which keys are missing."""
    ground, found = survey.insight()
    shown = _shown(ground.memories, found, language).model_copy(
        update={"looked": len(ground.near.ids)}
    )
    etag = tag(shown)
    response.headers["etag"] = etag
    return fresh(if_none_match, etag) or shown.model_copy(update={"revision": etag.strip('"')})


def _shown(memories: Mapping[str, Memory], found: Insight, language: LanguageDep) -> InsightOut:
    def brief(memory_id: str) -> Brief:
        return _brief(memories[memory_id])

    return InsightOut(
        revision="",
        by="meaning" if found.by == "meaning" else "words",
        looked=0,
        themes=[
            ThemeOut(
                name=[clean(word) for word in theme.name], ids=[clean(one) for one in theme.ids]
            )
            for theme in found.themes
        ],
        alone=found.alone,
        quiet=[
            QuietOut(
                memory=brief(one.id),
                turns=one.turns,
                why=why("quiet", one.because, language),
                keys=list(map(clean, one.keys)),
            )
            for one in found.quiet
        ],
        lacking=[
            LackingOut(memory=brief(one.id), keys=list(map(clean, one.keys)))
            for one in found.lacking
        ],
    )


def _brief(memory: Memory) -> Brief:
    return Brief(
        id=clean(memory.id),
        content=clean(memory.content),
        type=memory.type.value,
        user=memory.user,
        keys=list(map(clean, memory.keys)),
        created=memory.created,
        locked=memory.locked,
        etag=memory_tag(memory),
    )
