"""settings.json as far as it concerns a life: who the user is, and which lorebooks go with whom."""

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

from rolememory.cards.json_read import object_of, objects_of
from rolememory.cards.tavern import files
from rolememory.cards.tavern.files import text_of, texts_of
from rolememory.schema.json_types import JsonMapping
from rolememory.schema.value_class import value_class


@value_class
class Persona:
    """A persona of the user."""

    avatar: str
    name: str
    description: str = ""
    title: str = ""
    book: str = ""  # lorebook that goes with it


@value_class
class TavernSettings:
    """What settings.json says. Empty when there is none."""

    user: str = ""  # who the user was last
    personas: Mapping[str, Persona] = field(default_factory=dict)  # by avatar
    default_persona: str = ""
    global_books: tuple[str, ...] = ()  # switched on for every chat
    more_books: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict
    )  # beside the card's own, by avatar file without ending

    def persona_named(self, name: str) -> Persona | None:
        """The persona of this name; of several the one that is the default, else the first."""
        found = [one for one in self.personas.values() if one.name == name]
        return next(
            (one for one in found if one.avatar == self.default_persona),
            found[0] if found else None,
        )


def read_settings(path: Path) -> TavernSettings:
    """The settings of a user; those of a folder without the file are empty.

    Raises:
        FileError: unreadable, too large, or no object.
    """
    if not path.exists():
        return TavernSettings()
    raw = files.read_object(path, files.SETTINGS)
    power, lore = object_of(raw.get("power_user")), _lore(raw)
    return TavernSettings(
        user=text_of(raw.get("username")).strip(),
        personas={persona.avatar: persona for persona in _personas(power)},
        default_persona=text_of(power.get("default_persona")),
        global_books=texts_of(lore.get("globalSelect")),
        more_books=_more_books(lore),
    )


def _lore(raw: JsonMapping) -> JsonMapping:
    """Where lorebooks are chosen: in `world_info_settings`, in old files at the top."""
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
