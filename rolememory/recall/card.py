"""The character card of a role, following its file; the default for lore scanning and names in the block."""

from dataclasses import replace
from pathlib import PurePath

from rolememory.errors import RoleMemoryError
from rolememory.schema.role import Character, Role
from rolememory.storage.look import Watched, this_look, watching
from rolememory.storage.people import Same, alone
from rolememory.storage.personas import Personas
from rolememory.storage.port import Blob, Revision, Space


class RoleCard:
    """Holds the newest card. A broken file keeps its last good texts and is reported in `problem`. Not thread-safe."""

    def __init__(self, role: Space, home: Space, same: Same = alone) -> None:
        self._role, self._same = role, same
        self._seen: tuple[str, Revision | None] | None = None
        self._texts: Character | None = None
        self._look: object = None
        self._personas = Personas(home)
        self._told: tuple[str, str | None, Character] | None = None  # to whom what was told last
        self.problem = ""

    def character(self, role: Role, user: str | None = None) -> Character:
        """The texts of the card that role.json names, else only the role's name, and the user's persona.

        Cost: two stats when nothing changed.
        """
        look, told = this_look().files, self._told
        if told is None or look is not self._look or told[:2] != (role.id, user):
            texts = self._current(role.card) if role.card else None
            persona = self._personas.about(user, self._same)
            found = replace(_of_turn(role, texts, user or "User"), persona=persona)
            same = told is not None and told[2] == found
            told = self._told = (role.id, user, told[2] if same and told else found)
            self._look = look
        return told[2]

    def watched(self, role: Role) -> Watched:
        """The card that role.json names, and the personas."""
        card = self._file(role.card or "")
        return {**(watching(card) if card else {}), **self._personas.watched}

    def texts(self, role: Role) -> list[str]:
        """The texts of the card about the character and its world: nothing of them has to be learned."""
        own = self.character(role)
        return [
            text
            for text in (own.description, own.personality, own.scenario, own.depth_prompt)
            if text
        ]

    def _file(self, name: str) -> Blob | None:
        if "/" in name or not name.strip(". "):  # a name, not a way out of the folder
            return None
        return self._role.blob(name)

    def _current(self, name: str) -> Character | None:
        kept = self._file(name)
        if kept is None:
            return None
        seen = (name, kept.mark())
        if seen != self._seen:
            if self._seen is None or self._seen[0] != name:
                self._texts = None
            self._seen = seen
            self._read(kept)
        return self._texts

    def _read(self, kept: Blob) -> None:
        from rolememory.cards.base import load  # only roles with a card need it

        try:
            self._texts = load(kept.read(), kept.place).character()
            self.problem = ""
        except (RoleMemoryError, OSError) as error:
            self.problem = str(error)


def _of_turn(role: Role, texts: Character | None, user: str) -> Character:
    """The texts with the names of one turn, and the file's name as filters know it."""
    if texts is None:
        return Character(name=role.name, user=user)
    return replace(
        texts,
        name=texts.name or role.name,
        user=user,
        file=PurePath(role.card_from).stem or texts.file,
    )
