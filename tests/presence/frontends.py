"""How frontends put a chat into a request. Each gives what it knows: its chat, who is in it, whose turn it is."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from tests.serve.proxy import requests

ROLES = ("Mira", "Rafi", "明月", "素心")
COUSIN = {"Vesna": "Mira"}  # hears what the other remembers
SHOWN = 7  # of the newest messages
Sent = tuple[dict[str, Any], str, Mapping[str, str]]  # body, path, headers
CHAT, NONE = "/v1/chat/completions", dict[str, str]()


@dataclass(frozen=True)
class Turn:
    """One call: the newest messages of a chat, who speaks and who is to answer."""

    chat: str
    user: str
    role: str
    users: Sequence[str]
    roles: Sequence[str]
    lines: Sequence[tuple[str, str]]  # who says it, what is said
    kind: str = "normal"

    @property
    def said(self) -> list[tuple[str, str]]:
        """The lines by voice."""
        return [
            ("assistant" if who in (*ROLES, *COUSIN) else "user", said) for who, said in self.lines
        ]

    @property
    def hint(self) -> dict[str, Any]:
        """What SillyTavern's macros fill in."""
        names = {"role": self.role, "user": self.user, "group": ", ".join(self.roles)}
        return {**names, "chat": self.chat, "type": self.kind}


def card(role: str) -> str:
    """The description on a character's card."""
    return (
        f"{role} keeps the old house by the sea and likes guests. {role}守着海边的老屋，喜欢客人。"
    )


def tavern(turn: Turn) -> Sent:
    """SillyTavern with the pasted parameters."""
    return _tavern(turn, hint=turn.hint), CHAT, NONE


def bare(turn: Turn) -> Sent:
    """SillyTavern as it is: no parameters, no id of the chat."""
    return _tavern(turn), CHAT, NONE


def strict(turn: Turn) -> Sent:
    """Neighbouring messages joined, the user first."""
    return requests.strict(_tavern(turn, hint=turn.hint, post="")), CHAT, NONE


def single(turn: Turn) -> Sent:
    """Everything in one message."""
    return requests.single(_tavern(turn, hint=turn.hint), turn.role, turn.user), CHAT, NONE


def completion(turn: Turn) -> Sent:
    """A text completion."""
    body = requests.as_prompt(turn.said, char=turn.role, user=turn.user, card=card(turn.role))
    return {**body, "stream": False}, "/v1/completions", NONE


def open_webui(turn: Turn) -> Sent:
    """A connection of Open WebUI for one character, with its headers."""
    named = {"x-openwebui-user-name": quote(turn.user), "x-openwebui-chat-id": quote(turn.chat)}
    return _messages(turn), f"/r/{quote(turn.role)}{CHAT}", named


def plain(turn: Turn) -> Sent:
    """An OpenAI client that writes the character behind the model and gives its user."""
    return {**_messages(turn), "model": f"llama@{turn.role}", "user": turn.user}, CHAT, NONE


def nameless(turn: Turn) -> Sent:
    """An OpenAI client that says nothing of its user."""
    return _messages(turn), f"/r/{quote(turn.role)}{CHAT}", {"x-rolememory-chat": quote(turn.chat)}


def risu(turn: Turn) -> Sent:
    """RisuAI through a gate that tells the user: the character is known by the card's description."""
    return _tavern(turn, main=None), CHAT, {"x-rolememory-user": quote(turn.user)}


def passers_by(turn: Turn) -> Sent:
    """A bot that knows the ids of those who speak, and of nobody else."""
    said = [(voice, text, who if voice == "assistant" else f"{who}~")
            for (who, _), (voice, text) in zip(turn.lines, turn.said, strict=True)]  # fmt: skip
    messages = [{"role": voice, "name": name, "content": text} for voice, text, name in said]
    owners = {name: name[:-1] for voice, _, name in said if voice == "user"}
    hint = {**turn.hint, "owners": owners}
    del hint["group"]
    return {"messages": messages, "rolememory": hint}, CHAT, NONE


def channel(turn: Turn) -> Sent:
    """A bot for several people and characters, which says who reads along."""
    body, *way = passers_by(turn)
    hint = {**body["rolememory"], "present": [*turn.users], "group": [*turn.roles]}
    return {**body, "rolememory": hint}, *way


def group(turn: Turn) -> Sent:
    """A group of SillyTavern."""
    body, *way = bare_group(turn)
    return {**body, "rolememory": turn.hint}, *way


def bare_group(turn: Turn) -> Sent:
    """The same without parameters: nobody says who is muted."""
    said = [(voice, f"{who}: {text}" if voice == "assistant" else text)
            for (who, _), (voice, text) in zip(turn.lines, turn.said, strict=True)]  # fmt: skip
    body = _tavern(turn, said, post=f"[Write the next reply only as {turn.role}.]")
    begin = f"[Start a new group chat. Group members: {', '.join(turn.roles)}]"
    body["messages"][2]["content"] = begin
    return body, CHAT, NONE


def _tavern(turn: Turn, said: Any = None, **more: Any) -> dict[str, Any]:
    names = {"char": turn.role, "user": turn.user, "card": card(turn.role)}
    return requests.request(said or turn.said, **names, **more)


def _messages(turn: Turn) -> dict[str, Any]:
    said = [("system", card(turn.role)), *turn.said]
    return {"model": "llama", "messages": [{"role": one, "content": text} for one, text in said]}


Frontend = Callable[[Turn], Sent]
ONE_TO_ONE = (tavern, bare, strict, single, completion, open_webui, plain, risu)
