"""A request as memory sees it: what kind of call, whose turn, what was said."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

from rolememory.serve.house import House
from rolememory.serve.proxy.call import TEACHES, Call
from rolememory.serve.proxy.completion import plain
from rolememory.serve.proxy.hint import hint_of, plain_model
from rolememory.serve.proxy.inject import HINT, Body, unmarked, without_hint
from rolememory.serve.proxy.kinds import Habits, kind_of
from rolememory.serve.proxy.talk import Names, Tails, Talk, in_lines, spoken, taken_apart
from rolememory.serve.proxy.who import Cards, role_of, signs, signs_of_completion
from rolememory.storage.home import fold_name


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
        self._known: dict[str, Acquaintance] = {}
        self._lock = threading.Lock()

    def read(
        self, raw: Body, headers: Mapping[str, str], path_role: str | None, *, prompt: bool = False
    ) -> Call:
        """What the call means; `prompt`: a text completion."""
        hint = hint_of(raw, headers, path_role)
        body = unmarked(plain_model(without_hint(raw) if HINT in raw else raw))
        stop = body.get("stop")
        talk = taken_apart(body)
        found = (
            signs_of_completion(body.get("prompt"), stop, hint)
            if prompt
            else signs(talk, hint, self._house, self._cards)
        )
        with self._lock:
            known = self._known.setdefault(found.char or ",".join(found.candidates), Acquaintance())
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
        role, why = role_of(found, hint, self._house, may_create=real)
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
            doubtful=found.doubtful,
        )


def _prompted(text: str, names: Names) -> Talk:
    return in_lines(text, names) if names.char else Talk((), (text,) if text else ())
