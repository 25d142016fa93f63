"""Locates parts of a SillyTavern folder, and installs and removes our extension. Nothing else is changed."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import yaml

from rolememory.errors import InvalidValueError
from rolememory.locales import Listed, LocalizedText
from rolememory.schema.json_types import JsonMapping, object_of
from rolememory.shipped import shipped

NAME = "rolememory"
USUAL_USER = "default-user"
USUAL_PORT = 8000
FOR_ALL = Path("public", "scripts", "extensions", "third-party")


def extension() -> Path:
    """The shipped extension."""
    return shipped("examples", "integrations", "sillytavern")


def hint() -> str:
    """The body parameters for setups without the extension. Block scalars: quotes or colons in names break anything else."""
    return (extension() / "hint.yaml").read_text(encoding="utf-8")


def place(tavern: Path, user: str | None, *, everybody: bool = False) -> Path:
    """The folder of the extension, whether it exists or not.

    Raises:
        InvalidValueError: no SillyTavern here, or its user is ambiguous.
    """
    if not (tavern / "data").is_dir() and not (tavern / "public" / "scripts").is_dir():
        raise InvalidValueError(
            "{tavern}: is no SillyTavern folder (it has neither data nor public); name the folder that server.js stands in",
            tavern=tavern,
        )
    if everybody:
        return tavern / FOR_ALL / NAME
    return tavern / "data" / _user(tavern, user) / "extensions" / NAME


def _user(tavern: Path, wanted: str | None) -> str:
    known = users(tavern)
    if wanted in known:
        return str(wanted)
    if wanted is not None:
        raise InvalidValueError(
            "no user {wanted!r} in {folder} (there are: {known})",
            wanted=wanted,
            folder=tavern / "data",
            known=Listed(known or [LocalizedText("none")]),
        )
    if USUAL_USER in known or not known:
        return USUAL_USER
    if len(known) == 1:
        return known[0]
    raise InvalidValueError(
        "{tavern} has several users ({known}); name one with --user, or take --all-users",
        tavern=tavern / "data",
        known=Listed(known),
    )


def users(tavern: Path) -> list[str]:
    """The names of user folders; those with a leading underscore are the program's own."""
    return sorted(path.name for path in (tavern / "data").glob("[!_]*/"))


def put(target: Path) -> None:
    """Install the extension, replacing an older one.

    Raises:
        InvalidValueError: something else is there, or a checkout that SillyTavern updates.
    """
    _check_ours(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh, old = (target.with_name(f".{NAME}-{name}") for name in ("new", "old"))
    for one in (fresh, old):
        shutil.rmtree(one, ignore_errors=True)
    shutil.copytree(extension(), fresh)
    if target.exists():
        target.rename(old)
    fresh.rename(target)
    shutil.rmtree(old, ignore_errors=True)


def take_out(target: Path) -> bool:
    """Remove the extension; false if there is none.

    Raises:
        InvalidValueError: something else is there.
    """
    if not target.exists():
        return False
    _check_ours(target)
    shutil.rmtree(target)
    return True


def _check_ours(target: Path) -> None:
    if not target.exists() and not target.is_symlink():
        return
    if (
        target.is_symlink()
        or (target / ".git").exists()
        or _mapping(target / "manifest.json").get("display_name") != NAME
    ):
        raise InvalidValueError(
            "{target}: something else stands there (a link, a git checkout or another extension); move it away first",
            target=target,
        )


def _mapping(path: Path) -> JsonMapping:
    """The content of a YAML or JSON file; empty if unreadable."""
    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError):
        return {}
    return object_of(found)


def addresses(tavern: Path) -> Iterator[str]:
    """The origins of its page in a local browser, by its config.yaml."""
    config = _mapping(tavern / "config.yaml")
    scheme = "https" if object_of(config.get("ssl")).get("enabled") is True else "http"
    port = config.get("port")
    number = port if isinstance(port, int) and 0 < port < 65536 else USUAL_PORT
    for host in ("127.0.0.1", "localhost"):
        yield f"{scheme}://{host}:{number}"
