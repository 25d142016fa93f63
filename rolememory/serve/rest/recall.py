"""One turn: what is recalled, why, what would change it, and what is kept of it afterwards."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from typing import TypeVar

from fastapi import Depends, HTTPException, Request
from pydantic import Field

from rolememory.engine.inputs import coerce_messages
from rolememory.recall.turn import Turn
from rolememory.schema.json_types import JsonObject
from rolememory.schema.message import Message, plain_text
from rolememory.serve.app_state import AppState, TurnNote
from rolememory.serve.keys import Caller
from rolememory.serve.proxy.group import missed
from rolememory.serve.proxy.streaming import hung_up
from rolememory.serve.rest.dependencies import RoleCall, router
from rolememory.serve.rest.reasons import (
    ItemOut,
    LoreItem,
    LoreRefused,
    RowOut,
    closed_by,
    items_of,
    lore_items,
    lore_refusals,
    refusal_out,
    row_out,
)
from rolememory.serve.rest.schemas import Id, Line, Name, Out, Translated
from rolememory.serve.rest.turn_schemas import (
    AttendanceIn,
    BudgetIn,
    GenerationIn,
    MessageIn,
    MessageOut,
    ObservedOut,
    ObserveIn,
    PositionOut,
    RecallIn,
    RecallOut,
    TurnRequest,
)
from rolememory.text.cancellation import set_cancel_check

routes = router("turn", under="/roles/{role}")
MOST_ASLEEP = 100
Given = TypeVar("Given", "RecallIn", "ObserveIn", "SearchIn")


class ExplainIn(TurnRequest):
    """A turn that is not counted, and what to explain."""

    ids: list[Id] = Field([], max_length=500)
    """memories to explain"""
    all: bool = False
    """explain every memory, at most 2000"""
    remedies: bool = True
    """find the smallest change that would include each; costs some turns per memory"""
    asleep: bool = False
    """also explain lorebook entries that were not activated, at most 100"""


class LorePass(Out):
    """One pass over the entries."""

    phase: str
    candidates: list[str]
    admitted: list[str]


class LoreExplained(Out):
    """The activation of lorebook entries."""

    budget: int
    """tokens"""
    used: int
    overflowed: bool
    rolls: int
    passes: list[LorePass]
    awake: list[LoreItem]
    refused: list[LoreRefused]


class BudgetOut(Out):
    """What the block cost."""

    unit: str
    limit: int
    characters: int
    tokens: int


class ExplainOut(Out):
    """The explanation of a turn."""

    text: str
    items: list[ItemOut]
    """memories in the prompt, with the evidence of every strategy"""
    rows: list[RowOut]
    """the memories asked about, else those that were found and left out"""
    lore: LoreExplained | None
    budget: BudgetOut
    closed: str | None
    intent: str
    meaning: str
    notes: list[Translated]
    ms: float


class SearchIn(AttendanceIn):
    """A query to the ranker."""

    query: str = Field(min_length=1, max_length=10_000)
    limit: int = Field(10, ge=1, le=200)
    user: Name | None = None
    chat: Line | None = None
    """limits the result to the story of this chat; by default all stories"""


class SearchOut(Out):
    """What was found, best first."""

    items: list[ItemOut]
    meaning: str


async def _waiting(request: Request) -> AsyncIterator[None]:
    """While the answer is made: who hangs up lets go of the work."""
    gone = asyncio.ensure_future(hung_up(request))
    set_cancel_check(gone.done)
    try:
        yield
    finally:
        gone.cancel()


WAITING = [Depends(_waiting)]


@routes.post("/recall", dependencies=WAITING)
def recall(call: RoleCall, given: RecallIn) -> RecallOut:
    """What the character remembers on this turn. Counts the turn (timers, what was injected) unless `dry_run`."""
    given = _of_caller(given, call.caller)
    turn, ms = _turn(call, given, given.dry_run)
    if not given.dry_run:
        call.app_state.note(_note(call, given, turn, ms))
    rules = call.role.settings.inject
    return RecallOut.from_value(
        turn,
        position=PositionOut.from_value(rules, role=rules.depth_role),
        items=items_of(turn.recalled),
        near=items_of(turn.near),
        lore=lore_items(turn.lore),
        messages=_messages(turn) if given.with_messages else None,
        characters=len(turn.text),
        tokens=turn.stats.total_tokens,
        closed=closed_by(turn),
        notes=turn.trace.notes,
        meaning=turn.trace.embedder,
        ms=ms,
    )


@routes.post("/explain", dependencies=WAITING)
def explain(call: RoleCall, given: ExplainIn) -> ExplainOut:
    """Why each memory is in the prompt or is not, and the smallest change that would include it. Never counts the turn."""
    turn, ms = _turn(call, given, dry_run=True)
    budget = call.role.settings.budget
    wanted = given.budget or BudgetIn()
    limit = wanted.max_total_length
    return ExplainOut.from_value(
        turn,
        items=items_of(turn.recalled),
        rows=_rows(call, turn, given),
        lore=_lore(call, turn, given),
        budget=BudgetOut(
            unit=wanted.unit or budget.unit,
            limit=budget.max_total_length if limit is None else limit,
            characters=len(turn.text),
            tokens=turn.stats.total_tokens,
        ),
        closed=closed_by(turn),
        meaning=turn.trace.embedder,
        notes=turn.trace.notes,
        ms=ms,
    )


@routes.post("/observe")
def observe(call: RoleCall, given: ObserveIn) -> ObservedOut:
    """Store what was said. It is durable when the response arrives; learning follows in the background."""
    given = _of_caller(given, call.caller)
    reply = raw_message(given.reply) if isinstance(given.reply, MessageIn) else given.reply
    _check_extent(call.app_state, given)
    messages = coerce_messages([raw_message(one) for one in given.messages])
    if given.members and (count := _missed(call, given, messages)):
        call.role.observe(messages[:count], kind=given.kind, away=True, **_place(given))
    seen = call.role.observe(messages, reply, kind=given.kind, title=given.title, **_place(given))
    if seen.entered or seen.returned or seen.left:
        call.tell("chat", chat=seen.chat, entered=len(seen.entered), left=len(seen.left))
    return ObservedOut.from_value(seen, learned=call.role.learned(given.wait_s))


def _missed(call: RoleCall, given: ObserveIn, messages: Sequence[Message]) -> int:
    """The number of leading messages that the others of the group observed while this role was absent."""
    group = given.members or ()
    return missed(call.home, call.role, messages, chat=given.chat, user=given.user, group=group)


@routes.post("/search", dependencies=WAITING)
def search(call: RoleCall, given: SearchIn) -> SearchOut:
    """The memories nearest to a query: the ranker of `recall` with its thresholds off. Words that must stand in a text: `memories?q=`."""
    given = _of_caller(given, call.caller)
    found = call.role.search(**dict(given))
    return SearchOut(items=items_of(found), meaning=call.home.loader.state)


def _of_caller(given: Given, caller: Caller | None) -> Given:
    """What is asked, as the key of a service lets it be asked: who speaks, who reads along and in which chat is not for a body to say."""
    if caller is None:
        return given
    told: JsonObject = {"user": caller.user, "present": [caller.user]}
    if not isinstance(given, SearchIn):
        told["messages"] = [one.model_copy(update={"owner": None}) for one in given.messages]
    if isinstance(reply := getattr(given, "reply", None), MessageIn):
        told["reply"] = reply.model_copy(update={"owner": None})
    if given.chat:
        told["chat"] = caller.chat(given.chat)
    return given.model_copy(update=told)


def raw_message(message: MessageIn) -> JsonObject:
    """A message as the engine reads frontends."""
    return message.model_dump(exclude_unset=True)


def _turn(call: RoleCall, given: TurnRequest, dry_run: bool) -> tuple[Turn, float]:
    """The turn and the milliseconds it took."""
    began = time.perf_counter()
    settings = call.app_state.settings
    _check_extent(call.app_state, given)
    turn = call.role.recall(
        [raw_message(one) for one in given.messages],
        character=given.character,
        dry_run=dry_run,
        unseen=given.unseen,
        lore=settings.lorebook == "ours" if given.lore is None else given.lore,
        settings=given.budget.settings() if given.budget else None,
        generation=(given.generation or GenerationIn()).generation(given.kind),
        **_place(given),
    )
    return turn, round(1000 * (time.perf_counter() - began), 2)


def _place(given: TurnRequest | ObserveIn) -> JsonObject:
    """In which chat it is said, when, by whom, and who is there."""
    names = ("chat", "now", "user", "present", "members")
    return {name: getattr(given, name) for name in names}


def _check_extent(app_state: AppState, given: TurnRequest | ObserveIn) -> None:
    """Bounded before any work. Raises: HTTPException."""
    settings = app_state.settings
    characters = sum(len(plain_text(one.content)) for one in given.messages)
    if isinstance(given, TurnRequest) and given.character:
        characters += len(str(given.character))
    if len(given.messages) > settings.max_messages or characters > settings.max_characters:
        raise HTTPException(413)


def _note(call: RoleCall, given: RecallIn, turn: Turn, ms: float) -> TurnNote:
    block = "\n\n".join(filter(None, (turn.persona, turn.story, turn.scene, turn.text)))
    role = call.role.id
    name = call.role.role.name
    recalled = len(turn.recalled)
    characters = len(block)
    return TurnNote(
        role, name, given.chat, given.kind, recalled, characters, ms, given.user, turn=turn
    )


def _messages(turn: Turn) -> list[MessageOut]:
    dumped = (message.model_dump(mode="json", exclude_none=True) for message in turn.messages)
    return list(map(MessageOut.model_validate, dumped))


def _rows(call: RoleCall, turn: Turn, given: ExplainIn) -> list[RowOut]:
    if not given.remedies and not given.ids:
        return list(map(refusal_out, turn.left_out()))
    ids = _asked(call, turn, given)
    if not ids:
        return []
    asked = set(ids)
    chosen = {one.memory.id for one in turn.recalled}
    rows = turn.explain(*ids, language=call.language).rows
    return [row_out(row) for row in rows if row.id in asked or (row.id not in chosen and row.gate)]


def _asked(call: RoleCall, turn: Turn, given: ExplainIn) -> Sequence[str]:
    if given.all:
        return list(call.role.memories)[:2000]
    return given.ids or [one.entry_id for one in turn.left_out()][:50]


def _lore(call: RoleCall, turn: Turn, given: ExplainIn) -> LoreExplained | None:
    lore = turn.lore
    if lore is None:
        return None
    entries = call.role.parts.lore.entries()
    awake = {one.id for one in lore.awake}
    asleep = [one for one in entries if one not in awake and one not in lore.refused]
    ids = [*lore.refused, *(asleep[:MOST_ASLEEP] if given.asleep else ())]
    return LoreExplained.from_value(
        lore,
        passes=[LorePass.from_value(one, phase=one.turn.phase.value) for one in lore.passes],
        awake=lore_items(lore),
        refused=list(lore_refusals(lore, ids, entries)),
    )
