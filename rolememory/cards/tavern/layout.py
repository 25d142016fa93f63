"""The layout of a data folder, and which paths may refer to it."""

from pathlib import Path

from rolememory.cards.tavern import files
from rolememory.errors import FileError
from rolememory.locales import translatable
from rolememory.schema.value_class import value_class

_PARTS = ("characters", "chats", "group chats", "groups", "worlds", "User Avatars", "backups")


@value_class
class DataFolder:
    """The folder of one user of SillyTavern, or a folder of chats only."""

    path: Path
    only: str = ""  # only one character, by the name of its folder of chats
    bare: bool = False  # only that folder of chats exists

    @property
    def name(self) -> str:
        """The user's name: `default-user`, ..."""
        return self.path.name

    @property
    def characters(self) -> Path:
        """Cards as images."""
        return self.path / "characters"

    @property
    def worlds(self) -> Path:
        """Lorebooks."""
        return self.path / "worlds"

    @property
    def groups(self) -> Path:
        """Who is in which group."""
        return self.path / "groups"

    @property
    def group_chats(self) -> Path:
        """Chats of groups."""
        return self.path / "group chats"

    @property
    def settings(self) -> Path:
        """The user's settings, personas among them."""
        return self.path / "settings.json"

    def chat_folders(self) -> list[Path]:
        """The selected folders of chats, one per character.

        Raises:
            FileError: they cannot be listed.
        """
        if self.bare:
            return [self.path]
        found = files.folders(self.path / "chats")
        return [folder for folder in found if folder.name == self.only] if self.only else found


def data_folders(path: Path) -> list[DataFolder]:
    """The user folders that `path` refers to: the program's folder, `data`, `data/<user>`, a part of that, or one character's chats.

    Raises:
        FileError: none.
    """
    path = Path(path).expanduser().absolute()
    if not path.is_dir():
        what = translatable("is a file" if path.exists() else "there is no such folder")
        raise FileError(path, what, remedy="name SillyTavern's folder, or data/<user> in it")
    found = [DataFolder(path)] if _is_user(path) else _below(path) or _around(path)
    if not found:
        raise FileError(
            path,
            "is no data folder of SillyTavern: there are neither characters nor chats",
            remedy="name SillyTavern's folder, or data/<user> in it",
        )
    return found


def _below(path: Path) -> list[DataFolder]:
    """The users in `data`, in the folder itself, or in `public`, the only user before 1.12."""
    for place in (path / "data", path):
        if users := [
            DataFolder(folder)
            for folder in files.folders(place)
            if not folder.name.startswith("_") and _is_user(folder)
        ]:
            return [user for user in users if user.name != "public"] or users
    return []


def _around(path: Path) -> list[DataFolder]:
    """The user who owns this part; a character's folder of chats selects that character only."""
    if path.name in _PARTS and _is_user(path.parent):
        return [DataFolder(path.parent)]
    if path.parent.name == "chats" and _is_user(path.parent.parent):
        return [DataFolder(path.parent.parent, only=path.name)]
    return [DataFolder(path, only=path.name, bare=True)] if files.listed(path, ".jsonl") else []


def _is_user(path: Path) -> bool:
    """Whether this is a user folder: characters or chats, and at least one other part."""
    if not ((path / "characters").is_dir() or (path / "chats").is_dir()):
        return False
    return (path / "settings.json").is_file() or sum((path / part).is_dir() for part in _PARTS) > 1
