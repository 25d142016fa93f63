"""The two steps of a turn: recall before the model is called, observe afterwards. Run on threads."""

import logging
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass

from rolememory.engine import RoleMemory
from rolememory.errors import GivenUpError, RoleMemoryError
from rolememory.inject.place import Placement
from rolememory.recall.turn import Turn, lore_placements
from rolememory.schema.learning import Observed
from rolememory.schema.message import Message
from rolememory.serve.app_state import AppState, TurnNote
from rolememory.serve.proxy.group import as_told_by, missed, others, roles_named
from rolememory.serve.proxy.proxy_call import ProxyCall

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Remembered:
    """The result of recall for a request; empty if nothing was recalled."""

    parts: tuple[Placement, ...] = ()  # texts with positions; lore only if we inject lorebooks
    turn: Turn | None = None
    note: TurnNote | None = None  # for the log, once the turn has used it


def remember(app_state: AppState, call: ProxyCall) -> Remembered:
    """Recall for this call. Never raises: a turn goes on without memory."""
    if not call.remembers or call.role is None:
        return Remembered()
    began = time.perf_counter()
    try:
        with call.role.parts.context.live_turn():
            turn = call.role.recall(
                call.spoken,
                chat=call.chat,
                user=call.user or "",
                present=call.present,
                members=call.members,
                lore=app_state.settings.lorebook == "ours",
                generation="normal" if call.kind == "task" else call.kind,
            )
    except GivenUpError:
        return Remembered()
    except (RoleMemoryError, OSError) as error:
        _log.warning("%s: no memory on this turn: %s", call.role.id, error)
        return Remembered()
    note = TurnNote(
        call.role.id,
        call.role.role.name,
        call.chat,
        call.kind,
        len(turn.recalled),
        sum(len(one.text) for one in turn.parts),
        1000 * (time.perf_counter() - began),
        call.user,
        turn=turn,
    )
    return Remembered((*_lore(turn, call), *turn.parts), turn, note)


def learn(app_state: AppState, call: ProxyCall, reply: str | None, *, large: bool = False) -> None:
    """Observe the turn. `reply` None: it is incomplete, so only the messages before it are observed. Never raises.

    `large`: a long chat, for which turns of the same role do not wait.
    """
    if not call.teaches or call.role is None or not app_state.settings.memory:
        return
    messages = _with_reply(call, reply)
    for member in roles_named(app_state.home, call.members or ()):
        if member.id != call.role.id:
            _heard(app_state, call, member, as_told_by(call.role, messages), large=large)
    _heard(app_state, call, call.role, messages, large=large)


def _with_reply(call: ProxyCall, reply: str | None) -> list[Message]:
    """The messages with the reply last, joined with a partial reply that it continues."""
    messages = list(call.spoken)
    if call.partial and messages and messages[-1].role == "assistant":
        messages.pop()
    whole = f"{call.partial}{reply or ''}"
    speaker = _speaker(call)
    if speaker:  # frontends send it back with one prefix, whether or not the model wrote it
        whole = re.sub(rf"\A\s*{re.escape(speaker)} ?[:：]\s*", "", whole)
    if whole.strip():
        messages.append(Message.assistant(whole, name=speaker))
    return messages


def _heard(
    app_state: AppState,
    call: ProxyCall,
    role_memory: RoleMemory,
    messages: Sequence[Message],
    *,
    large: bool,
) -> None:
    """Observe the turn for one of the roles present."""
    group = None if call.group is None else others(role_memory, (*call.group, call.name))
    kind = "normal" if call.kind == "task" else call.kind
    speaking = (call.role.id,) if call.role else ()

    def observe(told: Sequence[Message], *, away: bool = False) -> Observed:
        return role_memory.observe(
            told,
            chat=call.chat,
            user=call.user or "",
            present=call.present,
            members=group,
            kind=kind,
            away=away,
            requested=call.requested,
            title=call.title or None,
        )

    try:
        with role_memory.parts.context.catching_up() if large else nullcontext():
            if count := missed(
                app_state.home,
                role_memory,
                messages,
                chat=call.chat,
                user=call.user,
                group=(*(call.group or ()), *speaking),
            ):
                observe(messages[:count], away=True)
            seen = observe(messages)
    except (RoleMemoryError, OSError) as error:
        _log.warning("%s: this turn was not kept: %s", role_memory.id, error)
        return
    if seen.entered or seen.returned or seen.left:
        app_state.bus.tell(
            "chat", role_memory.id, chat=seen.chat, entered=len(seen.entered), left=len(seen.left)
        )


def _speaker(call: ProxyCall) -> str | None:
    """The speaker's name for replies of a group, else None."""
    named = any(message.name for message in call.spoken if message.role == "assistant")
    return call.role.role.name if call.role and (named or call.members) else None


def _lore(turn: Turn, call: ProxyCall) -> Iterator[Placement]:
    """Lore texts that are not in the request already, at the positions of their entries."""
    if turn.lore is not None:
        said = (one for one in call.body.get("messages", ()) if isinstance(one, dict))
        there = " ".join(str(message.get("content") or "") for message in said)
        yield from lore_placements(turn.lore.placement.without(there))
