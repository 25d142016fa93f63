"""Settings: every key with its description, origin and default; changes in the commented file; presets."""

import re
import tomllib
from pathlib import Path
from typing import Annotated, Any

from fastapi import Query
from pydantic import Field

from rolememory.errors import FileError, UnknownNameError
from rolememory.serve.rest.dependencies import HomeCall, IfMatch, router, tag
from rolememory.serve.rest.reader import reader
from rolememory.serve.rest.schemas import In, Line, Name, Out, Translated
from rolememory.shipped import shipped
from rolememory.storage.settings import FILE
from rolememory.storage.settings_text import set_values, settings_table
from rolememory.storage.settings_tree import dotted, leaves, value_at
from rolememory.text.toml_diagnostics import invalid_toml

routes = router("settings", under="/settings")


class SettingOut(Out):
    """A setting."""

    key: str
    type: str
    """the type of its values"""
    default: Any
    value: Any
    """the current value"""
    source: Translated
    """file:line, "overrides" of this process, or "" = the default"""
    about: str
    """the description in the caller's language"""
    en: str
    zh: str


class SettingsOut(Out):
    """The whole table."""

    items: list[SettingOut]
    preset: str
    problem: Translated
    """why the file cannot be read; the last valid settings apply until it is corrected"""
    notes: list[Translated]
    etag: str


class SettingsPatch(In):
    """Keys and values; null removes a key, which restores its default."""

    values: dict[Line, Any] = Field(min_length=1, max_length=200)


class PresetOut(Out):
    """A preset: settings that apply unless the file sets them. Choose it with the setting `preset`."""

    name: str
    about: list[str]
    """the comment at the top of its file, in English and Chinese"""
    values: dict[str, Any]
    """what differs from the defaults, by dotted key"""
    chosen: bool
    own: bool
    """defined in this home, not shipped"""


class PresetsOut(Out):
    """The available presets."""

    items: list[PresetOut]


@routes.get("")
def list_settings(
    call: HomeCall,
    role: Annotated[Name | None, Query(description="including the overrides of this role")] = None,
    prefix: Annotated[str, Query(max_length=100, description="only keys with this prefix")] = "",
) -> SettingsOut:
    """All settings, in the order of the tree."""
    return call.tagged(_shown(call, role, prefix))


@routes.patch("")
def change_settings(call: HomeCall, given: SettingsPatch, if_match: IfMatch) -> SettingsOut:
    """Change settings in rolememory.toml; comments stay. All values are checked before the first is written."""
    with call.alone("settings"):
        if_match.check(lambda: _shown(call))
        for key in given.values:
            if key not in leaves():
                raise UnknownNameError("setting", key, leaves())
        _, port = call.request.scope.get("server") or ("", 0)
        set_values(call.home.path, given.values, port or 0)
    call.bus.tell("settings")
    return list_settings(call)


@routes.get("/presets")
def list_presets(call: HomeCall) -> PresetsOut:
    """The presets to choose from."""
    folders = ((call.home.path / "presets", True), (shipped("worldbook_rules", "presets"), False))
    chosen = call.home.settings.preset
    found = dict[str, PresetOut]()
    for folder, own in folders:
        for path in sorted(folder.glob("*.toml")) if folder.is_dir() else ():
            found.setdefault(path.stem, _preset(path, own, chosen))
    return PresetsOut(items=list(found.values()))


def _shown(call: HomeCall, role: str | None = None, prefix: str = "") -> SettingsOut:
    """The table as it goes out; its ETag is of the file as it stands."""
    loaded, problem = call.home.context.loaded(call.home.role(role).role if role else None)
    tree = loaded.settings.model_dump(mode="json")
    file = call.home.path / FILE
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
        told = invalid_toml(text, error, path.name, "", FileError)
        about = [told.text(reader().language)]
        values = {}
    return PresetOut(
        name=path.stem,
        about=list(filter(None, about)),
        values=values,
        chosen=path.stem == chosen,
        own=own,
    )
