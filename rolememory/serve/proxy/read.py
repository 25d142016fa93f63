"""A request as memory sees it: what kind of call, whose turn, what was said."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from rolememory.errors import UnknownRoleError
from rolememory.serve.house import House
from rolememory.serve.keys import Caller
from rolememory.serve.proxy.call import TEACHES, Call
from rolememory.serve.proxy.completion import plain
from rolememory.serve.proxy.hint import Hint, hint_of, plain_model
from rolememory.serve.proxy.inject import HINT, Body, unmarked, without_hint
from rolememory.serve.proxy.kinds import Habits, kind_of
from rolememory.serve.proxy.talk import Names, Tails, Talk, in_lines, spoken, taken_apart
from rolememory.serve.proxy.who import Cards, Signs, role_of, signs, signs_of_completion
from rolememory.storage.home import fold_name


def extent(raw: Body) -> tuple[int, int]:
    """How many messages a request holds, and how many characters their texts have; a text completion is one. Cost: O(messages).

    >>> extent({"messages": [{"content": "Hi."}, {"content": [{"text": "Ho"}, {"type": "image_url"}]}, None]})
    (3, 5)
    """
    messages = raw.get("messages") if "messages" in raw else [{"content": raw.get("prompt")}]
    rows = messages if isinstance(messages, list) else []
    return len(rows), sum(_length(one.get("content")) for one in rows if isinstance(one, dict))


def _length(content: object) -> int:
    if isinstance(content, str):
        return len(content)
    parts = content if isinstance(content, list) else []
    texts = (one.get("text") if isinstance(one, dict) else one for one in parts)
    return sum(len(one) for one in texts if isinstance(one, str))


@dataclass(slots=True)
class Acquaintance:
    """What calls of one role have shown: how its frontend words things."""

    habits: Habits = field(default_factory=Habits)
    tails: Tails = field(default_factory=Tails)


class Reader:
    """Reads calls, and grows acquainted with the frontends that make them. Thread-safe."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._cards = Cards()
        self._known: dict[tuple[str, str, str], Acquaintance] = {}
        self._lock = threading.Lock()

    def read(
        self,
        raw: Body,
        headers: Mapping[str, str],
        path_role: str | None,
        *,
        prompt: bool = False,
        caller: Caller | None = None,
    ) -> Call:
        """What the call means; `prompt`: a text completion; `caller`: who asks a service, who alone says whose turn it is."""
        hint = hint_of(raw, headers, path_role)
        hint = _of_caller(hint, caller, self._house) if caller else hint
        body = unmarked(plain_model(without_hint(raw) if HINT in raw else raw))
        stop = body.get("stop")
        talk = taken_apart(body)
        found = (
            signs_of_completion(body.get("prompt"), stop, hint)
            if prompt
            else signs(talk, hint, self._house, self._cards)
        )
        if caller:
            found = _said_by_key(found, hint)
        about = (caller.name, caller.user) if caller else ("", "")
        with self._lock:
            name = found.char or ",".join(found.candidates)
            known = self._known.setdefault((*about, name), Acquaintance())
            kind = kind_of(body, talk, hint, found.names, known.habits)
            talk = (
                _prompted(plain(body.get("prompt")), found.names)
                if prompt
                else spoken(talk, found.names, hint.owners)
            )
            said = known.tails.without(talk.spoken)
            if kind == "normal":
                known.habits.keep(body, talk)
        real = kind in TEACHES and any(message.role == "user" for message in said)
        role, why = (
            role_of(found, hint, self._house, may_create=real and not caller)
            if hint.role_uuid or not caller
            else (None, "none")
        )
        if caller:
            said = tuple(one.model_copy(update={"owner": None}) for one in said)
            real = real and caller.may("write")
        if real and (role is None or found.doubtful):
            named = found.names.members or ((found.char,) if found.char else ())
            self._house.puzzled(why if role is None else "user", named)
        partial = (
            said[-1].content if kind == "continue" and said and said[-1].role == "assistant" else ""
        )
        char, members = fold_name(found.char), found.names.members
        return Call(
            kind,
            body,
            said,
            partial,
            role,
            why,
            user=found.names.user or None,
            present=hint.present,
            group=tuple(one for one in members if fold_name(one) != char) if members else None,
            chat=hint.chat,
            doubtful=found.doubtful or not (caller is None or caller.may("write")),
        )


def _of_caller(hint: Hint, caller: Caller, house: House) -> Hint:
    """What a call says of itself, as the key of a service lets it: the role if it is one of the key's, the user whatever is said."""
    told = Hint(
        user=caller.user,
        present=(caller.user,),
        chat=caller.chat(hint.chat),
        kind=hint.kind,
        task=hint.task,
        where="key",
    )
    try:
        mind = caller.role(house.home, hint.role_uuid or hint.role)
    except UnknownRoleError:
        return told
    return replace(told, role=mind.role.name, role_uuid=mind.id)


def _said_by_key(found: Signs, hint: Hint) -> Signs:
    """The signs without what the texts of a request say of roles and users; only how they call their voices is left."""
    names = Names(hint.role, hint.user, persona=found.names.persona)
    return Signs(names, "key" if hint.role else "")


def _prompted(text: str, names: Names) -> Talk:
    return in_lines(text, names) if names.char else Talk((), (text,) if text else ())
