"""Imports personas: the user of each chat, and their descriptions, stored in the home's `personas.json`, which turns read."""

from collections import Counter
from collections.abc import Iterable

from rolememory.authoring.importer.ledger import Ledger, digest, state_of
from rolememory.authoring.importer.plan import PersonaPlan, Problems
from rolememory.cards.tavern.chat import TavernChatHead, TavernMessage
from rolememory.cards.tavern.settings import Persona, TavernSettings
from rolememory.engine import Home
from rolememory.schema.json_types import JsonObject
from rolememory.storage.json_document import JsonDocument
from rolememory.storage.personas import FILE, rows


def user_of(
    head: TavernChatHead, messages: Iterable[TavernMessage], settings: TavernSettings
) -> str | None:
    """The user of a chat: the most frequent name of the user's messages, else the persona of the chat, else the default.

    >>> user_of(TavernChatHead(user="Lin"), [TavernMessage(0, "user", "Hi.", name="林")], TavernSettings())
    '林'
    """
    names = Counter(one.name for one in messages if one.speaker == "user" and one.name)
    if names:
        return names.most_common(1)[0][0]
    locked = settings.personas.get(head.persona) or settings.personas.get(settings.default_persona)
    return head.user or (locked.name if locked else "") or settings.user or None


def persona_plans(
    home: Home, settings: TavernSettings, ledger: Ledger, problems: Problems
) -> tuple[PersonaPlan, ...]:
    """Every persona, and whether it exists here."""
    with problems.noted():
        standing = {
            str(row.get("avatar")): row for row in rows(JsonDocument(home.space, FILE).load())
        }
        return tuple(
            PersonaPlan(
                one,
                state_of(
                    _mark(standing[one.avatar]) if one.avatar in standing else None,
                    _mark(_row(one)),
                    ledger.of("persona", one.avatar).get("digest"),
                ),
            )
            for one in settings.personas.values()
        )
    return ()


def write_persona(home: Home, persona: Persona, ledger: Ledger) -> None:
    """Write the persona into the file; other rows and fields stay.

    Raises:
        FileError: the file cannot be read as it stands.
        NotWrittenError: the disk refused.
    """
    file = JsonDocument(home.space, FILE)
    there = rows(file.load())
    found = next((row for row in there if row.get("avatar") == persona.avatar), None)
    if found is None:
        there.append(_row(persona))
    else:
        found.update(_row(persona))
    file.save({**file.value, "personas": there})
    ledger.note("persona", persona.avatar, digest=_mark(_row(persona)))


def _row(persona: Persona) -> JsonObject:
    return {
        "name": persona.name, "title": persona.title, "description": persona.description, "avatar": persona.avatar, "worldbook": persona.book
    }  # fmt: skip


def _mark(row: JsonObject) -> str:
    fields = ("name", "title", "description", "avatar", "worldbook")
    return digest("\0".join(str(row.get(field, "")) for field in fields).encode("utf-8", "replace"))
