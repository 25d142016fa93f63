"""A request as memory sees it: what kind of call, whose turn, what was said."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from rolememory.serve.house import House
from rolememory.serve.proxy.call import TEACHES, Call
from rolememory.serve.proxy.hint import hint_of, plain_model
from rolememory.serve.proxy.inject import HINT, Body, unmarked, without_hint
from rolememory.serve.proxy.kinds import Habits, kind_of
from rolememory.serve.proxy.talk import Names, Tails, Talk, in_lines, spoken, taken_apart
from rolememory.serve.proxy.who import Cards, role_of, signs
from rolememory.serve.proxy.wording import wording


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

    def read(self, raw: Body, headers: Mapping[str, str], path_role: str | None, *, prompt: bool = False) -> Call:
        """What the call means; `prompt`: a text completion."""
        hint = hint_of(raw, headers, path_role)
        body = unmarked(plain_model(without_hint(raw) if HINT in raw else raw))
        text = _plain(body.get("prompt")) if prompt else ""
        talk = taken_apart(body)
        found = signs(talk, hint, self._house, self._cards, text)
        if prompt and not found.names.user:
            found = replace(found, names=replace(found.names, user=_stopped_at(body.get("stop"))))
        with self._lock:
            known = self._known.setdefault(found.names.char or ",".join(found.candidates), Acquaintance())
            kind = kind_of(body, talk, hint, found.names, known.habits)
            talk = _prompted(text, found.names) if prompt else spoken(talk, found.names)
            said = known.tails.without(talk.spoken)
            if kind == "normal":
                known.habits.keep(body, talk)
        real = kind in TEACHES and any(message.role == "user" for message in said)
        role, why = role_of(found, hint, self._house, may_create=real)
        if role is None and real:
            self._house.puzzled(why, tuple(found.names.members or ((found.names.char,) if found.names.char else ())))
        partial = said[-1].content if kind == "continue" and said and said[-1].role == "assistant" else ""
        return Call(
            kind,
            body,
            said,
            partial,
            role,
            why,
            hint.user or found.names.user or None,
            hint.chat,
        )


def _plain(prompt: object) -> str:
    r"""A prompt without the marks of an instruct template.

    >>> _plain("<|im_start|>user\nLin: Hello<|im_end|>\n<|im_start|>assistant\nAsha:").split("\n")
    ['', '', 'Lin: Hello', '', '', '', 'Asha:']
    """
    return wording().markers.sub("\n", prompt) if isinstance(prompt, str) else ""


def _stopped_at(stop: object) -> str:
    r"""The user's name, where a text completion is told to stop.

    >>> _stopped_at(["\nTraveller:", "</s>"])
    'Traveller'
    """
    for one in stop if isinstance(stop, list) else [stop]:
        if isinstance(one, str) and one.startswith("\n") and one.rstrip().endswith((":", "：")) and len(one) <= 64:
            return one.strip()[:-1].strip()
    return ""


def _prompted(text: str, names: Names) -> Talk:
    return in_lines(text, names) if names.char else Talk((), (text,) if text else ())
