"""The relevant part of settings.json: personas, and linked lorebooks."""

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

from rolememory.cards.tavern import files
from rolememory.cards.tavern.files import texts_of
from rolememory.schema.json_types import JsonMapping, object_of, objects_of, text_of
from rolememory.schema.value_class import value_class


@value_class
class Persona:
    """A persona of the user."""

    avatar: str
    name: str
    description: str = ""
    title: str = ""
    book: str = ""  # linked lorebook


@value_class
class TavernSettings:
    """The content of settings.json; empty if missing."""

    user: str = ""  # last user
    personas: Mapping[str, Persona] = field(default_factory=dict)  # by avatar
    default_persona: str = ""
    global_books: tuple[str, ...] = ()  # active in every chat
    more_books: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict
    )  # besides the card's own, by avatar file without ending

    def persona_named(self, name: str) -> Persona | None:
        """The persona of this name; of several the default one, else the first."""
        found = [one for one in self.personas.values() if one.name == name]
        return next(
            (one for one in found if one.avatar == self.default_persona),
            found[0] if found else None,
        )


def read_settings(path: Path) -> TavernSettings:
    """The settings of a user; empty if the file is missing.

    Raises:
        FileError: unreadable, too large, or no object.
    """
    if not path.exists():
        return TavernSettings()
    raw = files.read_object(path, files.SETTINGS)
    power = object_of(raw.get("power_user"))
    lore = _lore(raw)
    return TavernSettings(
        user=text_of(raw.get("username")).strip(),
        personas={persona.avatar: persona for persona in _personas(power)},
        default_persona=text_of(power.get("default_persona")),
        global_books=texts_of(lore.get("globalSelect")),
        more_books=_more_books(lore),
    )


def _lore(raw: JsonMapping) -> JsonMapping:
    """The selected lorebooks: in `world_info_settings`, in old files at the top level."""
    return object_of(object_of(raw.get("world_info_settings")).get("world_info")) or object_of(
        raw.get("world_info")
    )


def _personas(power: JsonMapping) -> list[Persona]:
    described = object_of(power.get("persona_descriptions"))
    found = []
    for avatar, name in object_of(power.get("personas")).items():
        about = object_of(described.get(avatar))
        if shown := text_of(name).strip():
            texts = (
                text_of(about.get(field)).strip() for field in ("description", "title", "lorebook")
            )
            found.append(Persona(avatar, shown, *texts))
    return found


def _more_books(lore: JsonMapping) -> dict[str, tuple[str, ...]]:
    return {
        name: texts_of(row.get("extraBooks"))
        for row in objects_of(lore.get("charLore"))
        if (name := text_of(row.get("name")))
    }
