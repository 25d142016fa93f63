"""The history of changes, and undo."""

from typing import Annotated

from fastapi import Query

from rolememory.engine.changes import MemoryChange
from rolememory.serve.rest.dependencies import Paged, RoleCall, router
from rolememory.serve.rest.schemas import Id, In, Out, Page
from rolememory.storage.memories import HistoryLine

routes = router("history", under="/roles/{role}")
MOST_LINES = 20_000  # of a journal that are looked through


class UndoIn(In):
    """The change to undo; by default the newest one."""

    txn: Id | None = None


class UndoOut(Out):
    """The memories that were added, removed or changed."""

    changed: list[MemoryChange]
    txn: str | None
    """undoes this"""


@routes.get("/history")
def history(
    call: RoleCall, page: Paged, memory: Annotated[str | None, Query(max_length=300)] = None
) -> Page[HistoryLine]:
    """Every recorded change, newest first; of one memory or of all."""
    return page(call.role.history(memory, MOST_LINES))


@routes.post("/undo")
def undo(call: RoleCall, given: UndoIn | None = None) -> UndoOut:
    """Undo a change, except for fields that were changed since."""
    with call.changing():
        rows = call.role.undo(given.txn if given else None)
        return UndoOut(changed=rows, txn=call.newest_txn({one.id for one in rows}, "undo"))
