"""Parses requests: the kind of call, its role and user, the chat messages."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from rolememory.engine import RoleMemory
from rolememory.errors import UnknownRoleError
from rolememory.schema.json_types import list_of, objects_of, without
from rolememory.schema.message import Message
from rolememory.serve.app_state import AppState
from rolememory.serve.keys import Caller
from rolememory.serve.proxy.completion import plain
from rolememory.serve.proxy.hint import Hint, hint_of, plain_model
from rolememory.serve.proxy.identify import (
    Cards,
    IdentitySigns,
    role_of,
    signs,
    signs_of_completion,
)
from rolememory.serve.proxy.inject import HINT, Body, unmarked
from rolememory.serve.proxy.kinds import Habits, kind_of
from rolememory.serve.proxy.proxy_call import TEACHES, Kind, ProxyCall
from rolememory.serve.proxy.transcript_parser import (
    ParsedTranscript,
    RecurringTails,
    SpeakerNames,
    in_lines,
    may_name_others,
    parse_request,
    spoken,
)
from rolememory.text.fold import fold_name


def extent(raw: Body) -> tuple[int, int]:
    """The number of messages in a request, and of characters in their texts; a text completion is one. Cost: O(messages).

    >>> extent({"messages": [{"content": "Hi."}, {"content": [{"text": "Ho"}, {"type": "image_url"}]}, None]})
    (3, 5)
    """
    messages = raw.get("messages") if "messages" in raw else [{"content": raw.get("prompt")}]
    rows = objects_of(messages)
    return len(list_of(messages)), sum(_length(one.get("content")) for one in rows)


def _length(content: object) -> int:
    if isinstance(content, str):
        return len(content)
    texts = (one.get("text") if isinstance(one, dict) else one for one in list_of(content))
    return sum(len(one) for one in texts if isinstance(one, str))


@dataclass(slots=True)
class FrontendProfile:
    """The prompt format of a role's frontend, learned from its calls."""

    habits: Habits = field(default_factory=Habits)
    tails: RecurringTails = field(default_factory=RecurringTails)


class RequestReader:
    """Parses calls, and learns the formats of frontends. Thread-safe."""

    def __init__(self, app_state: AppState) -> None:
        self._app_state = app_state
        self._cards = Cards()
        self._known: dict[tuple[str, str, str], FrontendProfile] = {}
        self._lock = threading.Lock()
        app_state.peers.on("profile", self._take)

    def _take(self, key: tuple[str, str, str], profile: FrontendProfile) -> None:
        """Take over the profile of a frontend from another process."""
        with self._lock:
            self._known[key] = profile

    def read(
        self,
        raw: Body,
        headers: Mapping[str, str],
        path_role: str | None,
        *,
        prompt: bool = False,
        caller: Caller | None = None,
    ) -> ProxyCall:
        """The parsed call; `prompt`: a text completion; `caller`: of a service, which alone determines role and user."""
        hint = hint_of(raw, headers, path_role)
        hint = _of_caller(hint, caller, self._app_state) if caller else hint
        body = unmarked(plain_model(without(raw, HINT) if HINT in raw else raw))
        whole = parse_request(body)
        found = self._signs(body, whole, hint, prompt=prompt)
        found = _said_by_key(found, hint) if caller else found
        role, why = self._role(found, hint, caller, may_create=False)
        if role and not caller and (prompt or may_name_others(whole, found.names)):
            found = _beside_others(found, role)
        kind, said = self._heard(body, whole, found, hint, caller, prompt=prompt)
        may_write = caller is None or caller.may("write")
        real = kind in TEACHES and any(message.role == "user" for message in said)
        if real and role is None:
            role, why = self._role(found, hint, caller, may_create=True)
        if real and may_write and (role is None or found.doubtful):
            named = found.names.members or ((found.char,) if found.char else ())
            self._app_state.report_unidentified(why if role is None else "user", named)
        goes_on = kind == "continue" and said and said[-1].role == "assistant"
        return ProxyCall(
            kind,
            body,
            said,
            said[-1].content if goes_on else "",
            role,
            why,
            user=found.names.user or None,
            present=hint.present,
            group=_others(found),
            chat=hint.chat,
            title=hint.title,
            doubtful=found.doubtful or not may_write,
        )

    def _signs(
        self, body: Body, talk: ParsedTranscript, hint: Hint, *, prompt: bool
    ) -> IdentitySigns:
        """The signs of role and user in the call."""
        if prompt:
            return signs_of_completion(body.get("prompt"), body.get("stop"), hint)
        return signs(talk, hint, self._app_state, self._cards)

    def _heard(
        self,
        body: Body,
        whole: ParsedTranscript,
        found: IdentitySigns,
        hint: Hint,
        caller: Caller | None,
        *,
        prompt: bool,
    ) -> tuple[Kind, tuple[Message, ...]]:
        """The kind of the call and its chat messages, using its frontend's profile."""
        about = (caller.name, caller.user) if caller else ("", "")
        with self._lock:
            name = found.char or ",".join(found.candidates)
            key = (*about, name)
            known = self._known.setdefault(key, FrontendProfile())
            kind = kind_of(body, whole, hint, found.names, known.habits)
            talk = (
                _prompted(plain(body.get("prompt")), found.names)
                if prompt
                else spoken(whole, found.names, hint.owners)
            )
            said = known.tails.without(talk.spoken)
            if kind == "normal":
                known.habits.keep(body, talk)
            self._app_state.peers.tell("profile", key, known)
        if caller:  # with a key, only the key determines the user
            said = tuple(one.model_copy(update={"owner": None}) for one in said)
        return kind, said

    def _role(
        self, found: IdentitySigns, hint: Hint, caller: Caller | None, *, may_create: bool
    ) -> tuple[RoleMemory | None, str]:
        """The role of the call; with a key it must be named, never inferred."""
        if caller and not hint.role_uuid:
            return None, "none"
        return role_of(found, hint, self._app_state, may_create=may_create and not caller)


def _beside_others(found: IdentitySigns, role: RoleMemory) -> IdentitySigns:
    """The signs with the other users whom the role knows, if the call's is known."""
    names = found.names
    mine = {*names.users, *names.chars}
    others = tuple(one for one in role.chats.users() if one and one not in mine)
    return replace(found, names=replace(names, others=others)) if names.user else found


def _others(found: IdentitySigns) -> tuple[str, ...] | None:
    """The other characters of a group; None if there is no group."""
    char = fold_name(found.char)
    members = found.names.members
    return tuple(one for one in members if fold_name(one) != char) if members else None


def _of_caller(hint: Hint, caller: Caller, app_state: AppState) -> Hint:
    """The hint restricted by a service's key: the role only if the key allows it, the user always that of the key."""
    told = Hint(
        user=caller.user,
        present=(caller.user,),
        chat=caller.chat(hint.chat),
        kind=hint.kind,
        task=hint.task,
        where="key",
    )
    try:
        role_memory = caller.role(app_state.home, hint.role_uuid or hint.role)
    except UnknownRoleError:
        return told
    return replace(told, role=role_memory.role.name, role_uuid=role_memory.id)


def _said_by_key(found: IdentitySigns, hint: Hint) -> IdentitySigns:
    """The signs without roles and users from the texts of a request; only the names of speakers are kept."""
    names = SpeakerNames(hint.role, hint.user, persona=found.names.persona)
    return IdentitySigns(names, "key" if hint.role else "")


def _prompted(text: str, names: SpeakerNames) -> ParsedTranscript:
    return in_lines(text, names) if names.char else ParsedTranscript((), (text,) if text else ())
