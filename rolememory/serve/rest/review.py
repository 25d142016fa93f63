"""What was learned and waits for a person's word."""

from datetime import datetime
from typing import Annotated

from fastapi import Query, Request, Response
from pydantic import Field

from rolememory.serve.rest.dependencies import (
    Alone,
    AppStateDep,
    LanguageDep,
    Paged,
    RoleDep,
    page,
    router,
)
from rolememory.serve.rest.error_responses import clean
from rolememory.serve.rest.memories import MemoriesView, told
from rolememory.serve.rest.memory_schemas import EvidenceOut, MemoryFieldsIn, MemoryOut
from rolememory.serve.rest.reasons import why
from rolememory.serve.rest.schemas import Done, Id, Ids, In, Out, Page, Why
from rolememory.storage.review import Waiting

review = router("review", under="/roles/{role}/review")
MENDED = {"type", "source", "created", "evidence"}  # what a mended draft keeps of its own


class WaitingOut(Out):
    """A draft that waits, or was refused."""

    id: str
    content: str
    type: str
    subject: str | None
    user: str | None
    keys: list[str]
    tags: list[str]
    confidence: float
    evidence: list[EvidenceOut]
    found_by: Why
    reason: Why = Field(description="why it waits, or was refused")
    against: list[str] = Field(description="ids of memories that it would replace, or that say it")
    at: datetime | None = Field(description="since when, in the story")


class AcceptIn(In):
    """What becomes a memory, as it is or mended."""

    id: Id
    fields: MemoryFieldsIn | None = None


class RejectIn(In):
    """What is sent away for good."""

    ids: Annotated[Ids, Field()]


@review.get("")
def list_waiting(
    request: Request,
    response: Response,
    role_memory: RoleDep,
    paging: Paged,
    language: LanguageDep,
    refused: Annotated[
        bool, Query(description="what was refused lately instead, newest first")
    ] = False,
) -> Page[WaitingOut]:
    """What waits, oldest first; or what was refused, with the reason."""
    rows = role_memory.refused()[::-1] if refused else role_memory.waiting()
    return page(request, response, paging, rows, lambda one: waiting_out(one, language))


@review.post("/accept")
def accept(
    app_state: AppStateDep, role_memory: RoleDep, alone: Alone, given: AcceptIn
) -> MemoryOut:
    """Let a draft that waits or was refused become a memory; what it would replace gives way to it."""
    mended = {
        name: value
        for name, value in (given.fields.told() if given.fields else {}).items()
        if name not in MENDED and value is not None
    }
    with alone.through(f"memory {role_memory.id}"):
        made = role_memory.accept(given.id, **mended)
    told(app_state, role_memory)
    return MemoriesView.of(role_memory).shown(made)


@review.post("/reject")
def reject(app_state: AppStateDep, role_memory: RoleDep, alone: Alone, given: RejectIn) -> Done:
    """Send drafts away for good: they are not learned again."""
    with alone.through(f"memory {role_memory.id}"):
        role_memory.reject(*dict.fromkeys(given.ids))
    told(app_state, role_memory)
    return Done(changed=len(set(given.ids)))


def waiting_out(one: Waiting, language: LanguageDep) -> WaitingOut:
    """A draft as it goes out."""
    draft = one.draft
    return WaitingOut(
        id=clean(one.id),
        content=clean(draft.content),
        type=draft.type.value,
        subject=draft.subject,
        user=draft.user,
        keys=list(draft.keys),
        tags=list(draft.tags),
        confidence=draft.confidence,
        evidence=[
            EvidenceOut(
                chat=each.chat, version=each.version, quote=each.quote, answers=each.answers
            )
            for each in draft.evidence
        ],
        found_by=why("learn", draft.because, language),
        reason=why("review", one.reason, language),
        against=[name for name in str(one.reason.get("of")).split(", ") if name],
        at=one.at,
    )
