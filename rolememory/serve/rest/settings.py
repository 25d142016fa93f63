"""Settings: every key with what it does, where it comes from and its default; changing them in their commented file; presets."""

import re
import tomllib
from pathlib import Path
from typing import Annotated, Any

from fastapi import Query
from pydantic import Field

from rolememory.errors import UnknownNameError
from rolememory.serve.rest.dependencies import HomeCall, IfMatch, router, tag
from rolememory.serve.rest.schemas import In, Line, Name, Out, Said
from rolememory.shipped import shipped
from rolememory.storage.settings import FILE
from rolememory.storage.settings_text import set_values, settings_table
from rolememory.storage.settings_tree import dotted, leaves, value_at

routes = router("settings", under="/settings")


class SettingOut(Out):
    """One key."""

    key: str
    type: str
    """what may be written there"""
    default: Any
    value: Any
    """as it holds now"""
    source: Said
    """file:line, "overrides" of this process, or "" = the default"""
    about: str
    """in the caller's language"""
    en: str
    zh: str


class SettingsOut(Out):
    """The whole table."""

    items: list[SettingOut]
    preset: str
    problem: Said
    """why the file cannot be read; until it is mended the last good settings hold"""
    notes: list[Said]
    etag: str


class SettingsPatch(In):
    """Keys and values; null takes a key out of the file, so that its default holds again."""

    values: dict[Line, Any] = Field(min_length=1, max_length=200)


class PresetOut(Out):
    """A whole tree of settings that lies under the file. Choose it by setting `preset`."""

    name: str
    about: list[str]
    """the words at the head of its file, English and Chinese"""
    values: dict[str, Any]
    """what differs from the defaults, by dotted key"""
    chosen: bool
    own: bool
    """of this home, not shipped"""


class PresetsOut(Out):
    """All that are there."""

    items: list[PresetOut]


@routes.get("")
def table(
    call: HomeCall,
    role: Annotated[Name | None, Query(description="with this role's own on top")] = None,
    prefix: Annotated[str, Query(max_length=100, description="only keys that begin so")] = "",
) -> SettingsOut:
    """Every key in the order of the tree."""
    return call.tagged(_shown(call, role, prefix))


@routes.patch("")
def change(call: HomeCall, given: SettingsPatch, if_match: IfMatch) -> SettingsOut:
    """Write keys into rolememory.toml, in their places, comments kept. All are checked before the first is written."""
    with call.alone("settings"):
        if_match.check(lambda: _shown(call))
        for key in given.values:
            if key not in leaves():
                raise UnknownNameError("setting", key, leaves())
        set_values(call.home.path, given.values)
    call.bus.tell("settings")
    return table(call)


@routes.get("/presets")
def presets(call: HomeCall) -> PresetsOut:
    """Whole trees to choose from."""
    folders = ((call.home.path / "presets", True), (shipped("worldbook_rules", "presets"), False))
    chosen, found = call.home.settings.preset, dict[str, PresetOut]()
    for folder, own in folders:
        for path in sorted(folder.glob("*.toml")) if folder.is_dir() else ():
            found.setdefault(path.stem, _preset(path, own, chosen))
    return PresetsOut(items=list(found.values()))


def _shown(call: HomeCall, role: str | None = None, prefix: str = "") -> SettingsOut:
    """The table as it goes out; its ETag is of the file as it stands."""
    loaded, problem = call.home.context.loaded(call.home.role(role).role if role else None)
    tree, file = loaded.settings.model_dump(mode="json"), call.home.path / FILE
    rows = [
        SettingOut.from_value(
            row,
            value=value_at(tree, row.key),
            source=loaded.sources.get(row.key, ""),
            about=row.about(call.language),
            en=row.about(),
            zh=row.about("zh"),
        )
        for row in settings_table()
        if row.key.startswith(prefix)
    ]
    return SettingsOut.from_value(
        loaded,
        items=rows,
        preset=loaded.settings.preset,
        problem=problem or "",
        etag=tag(file.read_bytes().hex() if file.is_file() else ""),
    )


def _preset(path: Path, own: bool, chosen: str) -> PresetOut:
    text = path.read_text("utf-8", "replace")
    head = re.match(r"(?:#[^\n]*\n)*", text)
    about = [line.removeprefix("#").strip() for line in (head[0] if head else "").splitlines()]
    try:
        values = dict(dotted(tomllib.loads(text)))
    except tomllib.TOMLDecodeError as error:
        about, values = [f"{path.name}: {error}"], {}
    return PresetOut(
        name=path.stem,
        about=list(filter(None, about)),
        values=values,
        chosen=path.stem == chosen,
        own=own,
    )
