"""What was changed, by whom, and the way back."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import Query

from rolememory.engine.changes import changes
from rolememory.serve.rest.dependencies import Paged, RoleCall, router
from rolememory.serve.rest.schemas import Id, In, Out, Page

routes = router("history", under="/roles/{role}")
MOST_LINES = 20_000  # of a journal that are looked through


class HistoryOut(Out):
    """One recorded change."""

    seq: int
    txn: str
    """what `undo` takes back"""
    at: datetime
    actor: str
    op: str
    id: str
    fields: dict[str, tuple[Any, Any]]
    """name -> (before, after)"""
    reason: str


class UndoIn(In):
    """Which change; without one the newest that can be taken back."""

    txn: Id | None = None


class UndoneMemory(Out):
    """What an undo did to one memory."""

    id: str
    did: str
    """added, removed or changed"""
    fields: dict[str, tuple[Any, Any]]


class UndoOut(Out):
    """What came, went and changed."""

    changed: list[UndoneMemory]
    txn: str | None
    """what takes the undoing back"""


@routes.get("/history")
def history(
    call: RoleCall, page: Paged, memory: Annotated[str | None, Query(max_length=300)] = None
) -> Page[HistoryOut]:
    """Every recorded change, newest first; of one memory or of all."""
    return page(call.role.history(memory, MOST_LINES), HistoryOut.from_value)


@routes.post("/undo")
def undo(call: RoleCall, given: UndoIn | None = None) -> UndoOut:
    """Take a change back, as far as nobody changed the same since."""
    with call.changing():
        before = dict(call.role.memories)
        call.role.undo(given.txn if given else None)
        rows = [UndoneMemory.from_value(one) for one in changes(before, call.role.memories)]
        return UndoOut(changed=rows, txn=call.newest_txn())
