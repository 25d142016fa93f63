"""Homes to try things in."""

from pathlib import Path

from rolememory.storage.home import HomeFolder


def home_with(tmp_path: Path, toml: str = "") -> Path:
    """A home folder with these settings."""
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    if toml:
        (home / "rolememory.toml").write_text(toml, "utf-8")
    return home


def folder_with(tmp_path: Path, *names: str) -> HomeFolder:
    """A home folder with roles of these names."""
    home = HomeFolder(home_with(tmp_path))
    for name in names:
        home.create(name)
    return home
