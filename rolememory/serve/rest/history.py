"""What was changed, by whom, and the way back."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import Query, Request, Response
from pydantic import Field

from rolememory.engine.changes import changes
from rolememory.serve.rest.dependencies import Alone, AppStateDep, Paged, RoleDep, page, router
from rolememory.serve.rest.memories import newest_txn, told
from rolememory.serve.rest.schemas import Id, In, Out, Page
from rolememory.storage.memories import HistoryLine

past = router("history", under="/roles/{role}")
MOST_LINES = 20_000  # of a journal that are looked through


class HistoryOut(Out):
    """One recorded change."""

    seq: int
    txn: str = Field(description="what `undo` takes back")
    at: datetime
    actor: str
    op: str
    id: str
    fields: dict[str, tuple[Any, Any]] = Field(description="name -> (before, after)")
    reason: str


class UndoIn(In):
    """Which change; without one the newest that can be taken back."""

    txn: Id | None = None


class UndoneMemory(Out):
    """What an undo did to one memory."""

    id: str
    did: str = Field(description="added, removed or changed")
    fields: dict[str, tuple[Any, Any]]


class UndoOut(Out):
    """What came, went and changed."""

    changed: list[UndoneMemory]
    txn: str | None = Field(description="what takes the undoing back")


@past.get("/history")
def history(
    request: Request,
    response: Response,
    role_memory: RoleDep,
    paging: Paged,
    memory: Annotated[str | None, Query(max_length=300)] = None,
) -> Page[HistoryOut]:
    """Every recorded change, newest first; of one memory or of all."""
    return page(request, response, paging, role_memory.history(memory, MOST_LINES), _shown)


@past.post("/undo")
def undo(
    app_state: AppStateDep, role_memory: RoleDep, alone: Alone, given: UndoIn | None = None
) -> UndoOut:
    """Take a change back, as far as nobody changed the same since."""
    with alone.through(f"memory {role_memory.id}"):
        before = dict(role_memory.memories)
        role_memory.undo(given.txn if given else None)
        after = role_memory.memories
        txn = newest_txn(role_memory)
    told(app_state, role_memory)
    rows = [
        UndoneMemory(
            id=one.id,
            did=one.did,
            fields={name: (was, now) for name, (was, now) in one.fields.items()},
        )
        for one in changes(before, after)
    ]
    return UndoOut(changed=rows, txn=txn)


def _shown(line: HistoryLine) -> HistoryOut:
    return HistoryOut(
        seq=line.seq,
        txn=line.txn,
        at=line.at,
        actor=line.actor,
        op=line.op,
        id=line.id,
        fields=dict(line.fields),
        reason=line.reason,
    )
