"""What was changed, by whom, and the way back."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import Query, Request, Response
from pydantic import Field

from rolememory.serve.rest.asking import Alone, Mind, Paged, TheHouse, page, router
from rolememory.serve.rest.memories import newest_txn, told
from rolememory.serve.rest.shapes import Id, In, Out, Page
from rolememory.storage.codec import difference
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


class Difference(Out):
    """What an undo did to one memory."""

    id: str
    did: str = Field(description="added, removed or changed")
    fields: dict[str, tuple[Any, Any]]


class UndoOut(Out):
    """What came, went and changed."""

    changed: list[Difference]
    txn: str | None = Field(description="what takes the undoing back")


@past.get("/history")
def history(
    request: Request,
    response: Response,
    mind: Mind,
    paging: Paged,
    memory: Annotated[str | None, Query(max_length=300)] = None,
) -> Page[HistoryOut]:
    """Every recorded change, newest first; of one memory or of all."""
    return page(request, response, paging, mind.history(memory, MOST_LINES), _shown)


@past.post("/undo")
def undo(house: TheHouse, mind: Mind, alone: Alone, given: UndoIn | None = None) -> UndoOut:
    """Take a change back, as far as nobody changed the same since."""
    with alone.through(f"memory {mind.id}"):
        before = dict(mind.memories)
        mind.undo(given.txn if given else None)
        after = mind.memories
        txn = newest_txn(mind)
    told(house, mind)
    rows = [Difference(id=one, did="added", fields={}) for one in after if one not in before]
    rows += [Difference(id=one, did="removed", fields={}) for one in before if one not in after]
    for name, memory in after.items():
        if (
            name in before
            and before[name] is not memory
            and (fields := difference(before[name], memory))
        ):
            rows.append(
                Difference(
                    id=name,
                    did="changed",
                    fields={field: (pair[0], pair[1]) for field, pair in fields.items()},
                )
            )
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
