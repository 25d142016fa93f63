"""Drafts pending review."""

from datetime import datetime
from typing import Annotated

from fastapi import Query

from rolememory.serve.rest.dependencies import Paged, RoleCall, router
from rolememory.serve.rest.memories import MemoriesView
from rolememory.serve.rest.memory_schemas import EvidenceOut, MemoryFieldsIn, MemoryOut
from rolememory.serve.rest.reasons import why
from rolememory.serve.rest.schemas import Done, Id, Ids, In, Out, Page, Why
from rolememory.storage.review import Waiting

routes = router("review", under="/roles/{role}/review")
MENDED = {"type", "source", "created", "evidence"}  # what a mended draft keeps of its own


class WaitingOut(Out):
    """A draft that is pending review, or was refused."""

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
    reason: Why
    """why it is pending, or was refused"""
    against: list[str]
    """ids of memories that it would replace, or that say the same"""
    at: datetime | None
    """when it was learned, in the story"""


class AcceptIn(In):
    """The draft to accept, unchanged or edited."""

    id: Id
    fields: MemoryFieldsIn | None = None


class RejectIn(In):
    """The drafts to reject."""

    ids: Ids


@routes.get("")
def list_waiting(
    call: RoleCall,
    page: Paged,
    refused: Annotated[
        bool, Query(description="recently refused drafts instead, newest first")
    ] = False,
) -> Page[WaitingOut]:
    """Drafts pending review, oldest first; or refused ones, with the reason."""
    rows = call.role.refused()[::-1] if refused else call.role.waiting()
    return page(rows, waiting_out)


@routes.post("/accept")
def accept(call: RoleCall, given: AcceptIn) -> MemoryOut:
    """Accept a pending or refused draft as a memory. It supersedes the memories in `against`."""
    told = given.fields.named() if given.fields else {}
    mended = {
        name: value for name, value in told.items() if name not in MENDED and value is not None
    }
    with call.changing():
        made = call.role.accept(given.id, **mended)
    return MemoriesView.of(call.role).shown(made)


@routes.post("/reject")
def reject(call: RoleCall, given: RejectIn) -> Done:
    """Reject drafts for good: they are not learned again."""
    ids = dict.fromkeys(given.ids)
    with call.changing():
        call.role.reject(*ids)
    return Done(changed=len(ids))


def waiting_out(one: Waiting) -> WaitingOut:
    """A draft as it goes out."""
    return WaitingOut.from_value(
        one.draft,
        id=one.id,
        found_by=why("learn", one.draft.because),
        reason=why("review", one.reason),
        against=[name for name in str(one.reason.get("of")).split(", ") if name],
        at=one.at,
    )
