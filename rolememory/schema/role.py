"""Who a memory belongs to: role.json, and the card texts a turn may read."""

from pydantic import BaseModel, Field

from rolememory.schema.json_types import JsonObject
from rolememory.schema.value_class import value_class


class Association(BaseModel, frozen=True, extra="allow"):
    """Another role whose memories may be heard here; both sides' files must name each other."""

    role: str
    factor: float = Field(default=0.5, ge=0.0, le=1.0)


class Role(BaseModel, frozen=True, extra="allow"):
    """role.json: who the role is. Unknown fields are kept."""

    id: str  # canonical lower-case UUID, the folder's name
    name: str
    aliases: tuple[str, ...] = ()
    card: str | None = None  # file name inside the role's folder
    card_from: str = ""  # what that file was called before it was imported: character filters of lorebooks compare it
    worldbooks: tuple[str, ...] = ()  # shared books linked by file name
    associates: tuple[Association, ...] = ()
    settings: JsonObject = {}  # overrides of rolememory.toml

    @property
    def names(self) -> tuple[str, ...]:
        """All it goes by: its name, then the others."""
        return (self.name, *self.aliases)


@value_class
class Character:
    """The card texts of one turn, macros not yet expanded; also what the prompt is built around."""

    name: str = ""
    user: str = "User"
    description: str = ""
    personality: str = ""
    scenario: str = ""
    persona: str = ""  # the user's description
    depth_prompt: str = ""
    creator_notes: str = ""
    file: str = ""  # file name without extension, what character filters compare
    tags: tuple[str, ...] = ()
    system_prompt: str = ""
    post_history: str = ""
    mes_example: str = ""
    first_mes: str = ""
    alternate_greetings: tuple[str, ...] = ()
    version: str = ""
