"""Identifies the role of a call, by signs in order of certainty; ambiguous ones are never guessed.

body, header, path, model suffix · nudge of a group · the frontend's own prompt · the card's description · names of the replies · the setting.
A real turn creates an unknown role that it names; start screens, model lists and summaries do not.

Only explicit hints and the frontend's prompt texts count, never chat messages: anybody
can write "Write Mira's next reply in a fictional chat between Mira and Tom" into a chat.
"""

import threading
import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rolememory.engine import Home, RoleMemory
from rolememory.errors import (
    AmbiguousNameError,
    InvalidValueError,
    RoleMemoryError,
    UnknownRoleError,
)
from rolememory.schema.role import Role
from rolememory.serve.app_state import AppState
from rolememory.serve.proxy.completion import names_of
from rolememory.serve.proxy.frontend_prompts import first_match, prompts
from rolememory.serve.proxy.hint import Hint
from rolememory.serve.proxy.transcript_parser import ParsedTranscript, SpeakerNames
from rolememory.storage.files.disk import signature
from rolememory.text.fold import fold_name

_TELLING = 60  # minimum characters of a description to identify a card


@dataclass(frozen=True, slots=True)
class IdentitySigns:
    """The signs of role and user in a call. Without `where`, the names are only the line prefixes of a transcript."""

    names: SpeakerNames
    where: str  # which sign named the character
    candidates: tuple[str, ...] = ()  # ids of roles whose card is in the request

    @property
    def char(self) -> str:
        """The character; "" if only named in a message's text."""
        return self.names.char if self.where else ""

    @property
    def doubtful(self) -> bool:
        """Whether a user is only named in a message's text, which is uncertain."""
        return bool(self.names.persona) and not self.names.user


def signs(talk: ParsedTranscript, hint: Hint, app_state: AppState, cards: "Cards") -> IdentitySigns:
    """Names and signs of a chat request, by the most certain source."""
    own = "\n".join(talk.around)
    found = first_match(prompts().prompt, own)
    persona = _group(found, "user") if found else ""
    members = hint.group or _members(own)
    user = hint.user or persona
    if hint.role or hint.role_uuid:
        claimed = claims(talk)
        return IdentitySigns(
            SpeakerNames(hint.role, user, members, persona or claimed.persona), hint.where
        )
    if nudge := first_match(prompts().nudge, "\n".join(talk.after) or own):
        return IdentitySigns(SpeakerNames(_group(nudge, "char"), user, members, persona), "nudge")
    if found and (char := _group(found, "char")) and char.casefold() not in prompts().nobody:
        return IdentitySigns(SpeakerNames(char, user, members, persona), "prompt")
    if known := cards.named_in(talk.around, app_state):
        names = SpeakerNames(known[0].name if len(known) == 1 else "", user, members, persona)
        return IdentitySigns(names, "card", tuple(role.id for role in known))
    if char := _named_replies(talk):
        return IdentitySigns(SpeakerNames(char, user, members, persona), "name")
    return IdentitySigns(replace(claims(talk), user=user, members=members), "")


def claims(talk: ParsedTranscript) -> SpeakerNames:
    """The speakers' names in a single-message transcript: used to split it into turns, not to identify anybody."""
    found = first_match(prompts().prompt, talk.spoken[0].content) if talk.one_message else None
    if found is None:
        return SpeakerNames()
    return SpeakerNames(_group(found, "char"), persona=_group(found, "user"))


def signs_of_completion(prompt: object, stop: object, hint: Hint) -> IdentitySigns:
    """As `signs`, for a text completion."""
    names = names_of(prompt, stop, hint.role)
    names = SpeakerNames(
        hint.role or names.char, hint.user or names.user, hint.group, persona=names.user
    )
    return IdentitySigns(names, hint.where or ("name" if names.char else ""))


def role_of(
    found: IdentitySigns, hint: Hint, app_state: AppState, *, may_create: bool
) -> tuple[RoleMemory | None, str]:
    """The role, and how it was found; None with "none" or "several" if not identified."""
    home = app_state.home
    if found.where == "card":
        alone = len(found.candidates) == 1
        return (home.role(found.candidates[0]), "card") if alone else (None, "several")
    wanted = hint.role_uuid or found.char
    if not wanted:
        default = app_state.settings.role
        return (home.role(default), "setting") if default else (None, "none")
    try:
        role = home.folder.find(wanted)
        return _of_this_card(role, hint, app_state, may_create), found.where
    except AmbiguousNameError:
        same = [
            role for role in _alike(home, wanted) if hint.avatar and _has_card(role, hint.avatar)
        ]
        return (home.role(same[0].id), found.where) if len(same) == 1 else (None, "several")
    except UnknownRoleError:
        creates = may_create and app_state.settings.create_roles and hint.role_uuid != wanted
        if not creates or wanted.casefold() in prompts().nobody:
            return None, "none"
        return _created(wanted, hint, app_state), found.where


def _alike(home: Home, name: str) -> list[Role]:
    """The roles that have a name."""
    wanted = fold_name(name)
    return [role for role in home.roles() if wanted in map(fold_name, role.names)]


def _created(name: str, hint: Hint, app_state: AppState) -> RoleMemory:
    """A new role, or the one that a concurrent call has created."""
    try:
        return app_state.home.create(name, aliases=(hint.avatar,) if hint.avatar else ())
    except InvalidValueError:
        return app_state.home.role(name)


def _of_this_card(
    role: Role, hint: Hint, app_state: AppState, may_create: bool
) -> RoleMemory | None:
    """The role, or if the frontend has another card of the same name, that card's own role."""
    avatars = [
        alias for alias in role.aliases if alias.lower().endswith((".png", ".charx", ".json"))
    ]
    if not hint.avatar or not avatars or _has_card(role, hint.avatar):
        return app_state.home.role(role.id)
    try:
        return app_state.home.role(hint.avatar)
    except AmbiguousNameError:
        return None
    except UnknownRoleError:
        if not may_create or not app_state.settings.create_roles:
            return None
        own = str(
            uuid.uuid5(uuid.UUID(role.id), hint.avatar)
        )  # deterministic: a concurrent call finds the role that the first created
        try:
            return app_state.home.create(role.name, id=own, aliases=(hint.avatar,))
        except InvalidValueError:
            return app_state.home.role(own)


def _has_card(role: Role, avatar: str) -> bool:
    return fold_name(avatar) in {fold_name(name) for name in (*role.aliases, role.card_from)}


class Cards:
    """Descriptions of known cards, to find them in requests. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seen: dict[
            Path, tuple[object, str, str]
        ] = {}  # file -> (signature, name, description)

    def named_in(self, texts: Sequence[str], app_state: AppState) -> list[Role]:
        """The roles whose description is in these texts: one, or several that share it."""
        there = fold_name("\n".join(texts))
        if len(there) < _TELLING:
            return []
        found = [
            role
            for role in app_state.home.roles()
            if role.card
            and self._tells(app_state.home.folder.folder(role.id) / role.card, role.name, there)
        ]
        return found or list(self._in_folder(there, app_state))

    def _in_folder(self, there: str, app_state: AppState) -> Iterator[Role]:
        """Roles of matching cards in the folder of the settings, created if needed."""
        folder = Path(app_state.settings.cards).expanduser() if app_state.settings.cards else None
        if folder is None or not folder.is_dir():
            return
        for path in sorted(folder.glob("*.png")):
            if self._tells(path, path.stem, there):
                name = self._seen[path][1]
                roles = [
                    role
                    for role in app_state.home.roles()
                    if _has_card(role, path.name) or fold_name(role.name) == fold_name(name)
                ]
                yield roles[0] if roles else app_state.home.create(name, aliases=(path.name,)).role
                return

    def _tells(self, path: Path, name: str, there: str) -> bool:
        description = self._description(path, name)
        return len(description) >= _TELLING and description in there

    def _description(self, path: Path, name: str) -> str:
        mark = signature(path)
        with self._lock:
            known = self._seen.get(path)
            if known is None or known[0] != mark:
                known = self._seen[path] = (mark, *_read(path, name))
            return known[2]


def _read(path: Path, name: str) -> tuple[str, str]:
    from rolememory.cards.base import load

    try:
        card = load(path).character()
    except (RoleMemoryError, OSError):
        return name, ""
    words = card.description
    for macro in ("{{char}}", "{{Char}}", "<BOT>"):
        words = words.replace(macro, card.name)
    return card.name or name, fold_name(words.partition("{{")[0])


def _group(found: object, name: str) -> str:
    groups = found.groupdict()  # type: ignore[attr-defined]
    return " ".join(str(groups.get(name) or "").split())[:120]


def _members(text: str) -> tuple[str, ...]:
    found = first_match(prompts().members, text)
    return (
        tuple(name.strip() for name in found["names"].split(",") if name.strip()) if found else ()
    )


def _named_replies(talk: ParsedTranscript) -> str:
    """The single name in the `name` fields of all replies, else "". Names within texts are not trusted."""
    replies = [message for message in talk.spoken if message.role == "assistant"]
    return _only(message.name or "" for message in replies) if len(replies) > 1 else ""


def _only(names: Iterable[str]) -> str:
    found = list(names)
    return (
        found[0].strip()
        if found
        and len(set(found)) == 1
        and 0 < len(found[0].strip()) <= 60
        and "\n" not in found[0]
        else ""
    )
