"""Roles: role.json, and the card texts of a turn."""

from pydantic import BaseModel, Field

from rolememory.schema.json_types import JsonObject
from rolememory.schema.value_class import value_class


class Association(BaseModel, frozen=True, extra="allow"):
    """Another role whose memories are shared here; both files must name each other."""

    role: str
    factor: float = Field(default=0.5, ge=0.0, le=1.0)


MAX_ALIASES = 50  # with each, a name is taken from other roles


class Role(BaseModel, frozen=True, extra="allow"):
    """role.json: who the role is. Unknown fields are kept."""

    id: str  # canonical lower-case UUID, the folder's name
    name: str
    aliases: tuple[str, ...] = ()
    card: str | None = None  # file name inside the role's folder
    card_from: str = ""  # its file name before the import, for character filters of lorebooks
    worldbooks: tuple[str, ...] = ()  # shared books linked by file name
    associates: tuple[Association, ...] = ()
    settings: JsonObject = {}  # overrides of rolememory.toml

    @property
    def names(self) -> tuple[str, ...]:
        """Its name, then its aliases."""
        return (self.name, *self.aliases)


@value_class
class Character:
    """The card texts of one turn, macros not yet expanded."""

    name: str = ""
    user: str = "User"
    description: str = ""
    personality: str = ""
    scenario: str = ""
    persona: str = ""  # the user's description
    depth_prompt: str = ""
    creator_notes: str = ""
    file: str = ""  # file name without extension, for character filters
    tags: tuple[str, ...] = ()
    system_prompt: str = ""
    post_history: str = ""
    mes_example: str = ""
    first_mes: str = ""
    alternate_greetings: tuple[str, ...] = ()
    version: str = ""
