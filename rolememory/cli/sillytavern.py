"""Where things are in a SillyTavern folder, and our extension put in and taken out of it. Nothing else there is touched."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import yaml

from rolememory.errors import InvalidValueError
from rolememory.locales import Listed, LocalizedText
from rolememory.schema.json_types import JsonMapping
from rolememory.shipped import shipped

NAME = "rolememory"
USUAL_USER = "default-user"
USUAL_PORT = 8000
FOR_ALL = Path("public", "scripts", "extensions", "third-party")


def extension() -> Path:
    """The extension as it ships."""
    return shipped("examples", "integrations", "sillytavern")


def hint() -> str:
    """The body parameters for people who want no extension. Block scalars: a quote or a colon in a name breaks anything else."""
    return (extension() / "hint.yaml").read_text(encoding="utf-8")


def place(tavern: Path, user: str | None, *, everybody: bool = False) -> Path:
    """The folder that the extension has in there, whether it stands yet or not.

    Raises:
        InvalidValueError: no SillyTavern here, or its user cannot be told.
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
    """The names of those who have a folder there; folders with an underscore before are the program's own."""
    return sorted(path.name for path in (tavern / "data").glob("[!_]*/"))


def put(target: Path) -> None:
    """Copy the extension there, in place of an older one of ours.

    Raises:
        InvalidValueError: something else stands there, or a checkout that SillyTavern itself keeps up to date.
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
    """Remove the extension; false when there is none.

    Raises:
        InvalidValueError: something else stands there.
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
    """What a file of YAML or JSON holds; nothing where it cannot be read."""
    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError):
        return {}
    return found if isinstance(found, dict) else {}


def addresses(tavern: Path) -> Iterator[str]:
    """The origins of its page in a browser on this machine, as its config.yaml has them."""
    config = _mapping(tavern / "config.yaml")
    ssl = config.get("ssl")
    scheme = "https" if isinstance(ssl, dict) and ssl.get("enabled") is True else "http"
    port = config.get("port")
    number = port if isinstance(port, int) and 0 < port < 65536 else USUAL_PORT
    for host in ("127.0.0.1", "localhost"):
        yield f"{scheme}://{host}:{number}"
