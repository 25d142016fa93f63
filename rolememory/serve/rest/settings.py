"""Settings: every key with what it does, where it comes from and its default; changing them in their commented file; presets."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from fastapi import Query, Request, Response
from pydantic import Field

from rolememory.errors import SettingsError, UnknownNameError
from rolememory.serve.app_state import AppState
from rolememory.serve.rest.dependencies import (
    Alone,
    AppStateDep,
    IfMatch,
    IfNoneMatch,
    LanguageDep,
    fresh,
    router,
    seen,
    tag,
)
from rolememory.serve.rest.error_responses import clean, private
from rolememory.serve.rest.nesting import shallow
from rolememory.serve.rest.schemas import In, Line, Name, Out
from rolememory.shipped import shipped
from rolememory.storage.settings import FILE, load_settings
from rolememory.storage.settings_text import SettingRow, set_value, settings_table
from rolememory.storage.settings_tree import leaves

settings = router("settings", under="/settings")


class SettingOut(Out):
    """One key."""

    key: str
    type: str = Field(description="what may be written there")
    default: Any
    value: Any = Field(description="as it holds now")
    source: str = Field(description='file:line, "overrides" of this process, or "" = the default')
    about: str = Field(description="in the caller's language")
    en: str
    zh: str


class SettingsOut(Out):
    """The whole table."""

    items: list[SettingOut]
    preset: str
    problem: str = Field(
        description="why the file cannot be read; until it is mended the last good settings hold"
    )
    notes: list[str]
    etag: str


class SettingsPatch(In):
    """Keys and values; null takes a key out of the file, so that its default holds again."""

    values: Annotated[dict[Line, Any], Field(min_length=1, max_length=200)]


class PresetOut(Out):
    """A whole tree of settings that lies under the file. Choose it by setting `preset`."""

    name: str
    about: list[str] = Field(description="the words at the head of its file, English and Chinese")
    values: dict[str, Any] = Field(description="what differs from the defaults, by dotted key")
    chosen: bool
    own: bool = Field(description="of this home, not shipped")


class PresetsOut(Out):
    """All that are there."""

    items: list[PresetOut]


@settings.get("", response_model=SettingsOut)
def table(
    response: Response,
    app_state: AppStateDep,
    language: LanguageDep,
    role: Annotated[Name | None, Query(description="with this role's own on top")] = None,
    prefix: Annotated[str, Query(max_length=100, description="only keys that begin so")] = "",
    if_none_match: IfNoneMatch = None,
) -> SettingsOut | Response:
    """Every key in the order of the tree."""
    shown = shown_settings(app_state, language, role, prefix)
    response.headers["etag"] = shown.etag
    return fresh(if_none_match, shown.etag) or shown


@settings.patch("")
def change(
    response: Response,
    app_state: AppStateDep,
    language: LanguageDep,
    alone: Alone,
    given: SettingsPatch,
    if_match: IfMatch = None,
) -> SettingsOut:
    """Write keys into rolememory.toml, in their places, comments kept. All are checked before the first is written."""
    shallow(given.values)
    with alone.through("settings"):
        seen(
            if_match,
            file_tag(app_state),
            lambda: shown_settings(app_state, language).model_dump(mode="json"),
        )
        _check(app_state, given.values)
        for key, value in given.values.items():
            set_value(app_state.home.path, key, value)
    app_state.bus.tell("settings")
    shown = shown_settings(app_state, language)
    response.headers["etag"] = shown.etag
    return shown


@settings.get("/presets")
def presets(request: Request, app_state: AppStateDep) -> PresetsOut:
    """Whole trees to choose from."""
    folders = (
        (app_state.home.path / "presets", True),
        (shipped("worldbook_rules", "presets"), False),
    )
    found: dict[str, PresetOut] = {}
    for folder, own in folders:
        for path in sorted(folder.glob("*.toml")) if folder.is_dir() else ():
            found.setdefault(path.stem, _preset(path, own, app_state.home.settings.preset))
    return PresetsOut(items=list(found.values()))


def shown_settings(
    app_state: AppState, language: str, role: str | None = None, prefix: str = ""
) -> SettingsOut:
    """The table as it goes out."""
    loaded, problem = app_state.home.context.loaded(
        app_state.home.role(role).role if role else None
    )
    given = loaded.settings.model_dump(mode="json")
    rows = [row for row in settings_table() if row.key.startswith(prefix)]
    return SettingsOut(
        items=[_shown(row, given, loaded.sources, app_state, language) for row in rows],
        preset=loaded.settings.preset,
        problem=private(problem.text(language), app_state) if problem else "",
        notes=[private(note.text(language), app_state) for note in loaded.notes],
        etag=file_tag(app_state),
    )


def file_tag(app_state: AppState) -> str:
    """The ETag of the settings: of their file as it stands."""
    file = app_state.home.path / FILE
    return tag(file.read_bytes().hex() if file.is_file() else "")


def _shown(
    row: SettingRow,
    given: Mapping[str, Any],
    sources: Mapping[str, str],
    app_state: AppState,
    language: str,
) -> SettingOut:
    value: Any = given
    for part in row.key.split("."):
        value = value[part]
    return SettingOut(
        key=row.key,
        type=row.type,
        default=row.default,
        value=value,
        source=private(sources.get(row.key, ""), app_state),
        about=row.about(language),
        en=row.about(),
        zh=row.about("zh"),
    )


def _check(app_state: AppState, values: Mapping[str, Any]) -> None:
    """Whether all of them together would load. Raises: SettingsError, UnknownNameError."""
    for key in values:
        if key not in leaves():
            raise UnknownNameError("setting", key, leaves())
    try:
        load_settings(
            app_state.home.path, {key: value for key, value in values.items() if value is not None}
        )
    except SettingsError as error:
        raise SettingsError.together([_at_key(one) for one in error.all or (error,)]) from error


def _at_key(error: SettingsError) -> SettingsError:
    """A mistake in what was sent, told by its key alone."""
    if error.file != "overrides":
        return error
    return SettingsError(error.field, error.problem, remedy=error.remedy)


def _preset(path: Path, own: bool, chosen: str) -> PresetOut:
    text = path.read_text("utf-8", "replace")
    head = re.match(r"(?:#[^\n]*\n)*", text)
    about = [line.removeprefix("#").strip() for line in (head[0] if head else "").splitlines()]
    try:
        values = dict(_flat(tomllib.loads(text)))
    except tomllib.TOMLDecodeError as error:
        about, values = [clean(f"{path.name}: {error}")], {}
    return PresetOut(
        name=path.stem,
        about=[line for line in about if line],
        values=values,
        chosen=path.stem == chosen,
        own=own,
    )


def _flat(tree: Mapping[str, Any], above: str = "") -> "list[tuple[str, Any]]":
    """Tables as dotted keys."""
    found: list[tuple[str, Any]] = []
    for name, value in tree.items():
        found += (
            _flat(value, f"{above}{name}.")
            if isinstance(value, Mapping)
            else [(above + name, value)]
        )
    return found
