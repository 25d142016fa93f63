"""Settings: preset, rolememory.toml, a role's overrides and a call's, merged in layers; hot reloaded."""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path, PurePath
from typing import Any

from pydantic import ValidationError

from rolememory.errors import FileError, SettingsError
from rolememory.locales import LocalizedText, translatable
from rolememory.schema.json_types import JsonMapping, JsonObject
from rolememory.schema.settings import Settings
from rolememory.schema.value_class import value_class
from rolememory.shipped import shipped
from rolememory.storage.files.space import FileSpace, space_of
from rolememory.storage.look import FollowedFiles, Watched, watching
from rolememory.storage.port import Blob, Space
from rolememory.storage.settings_layers import SHAREABLE, Layer, translate_layer
from rolememory.storage.value_messages import worded
from rolememory.text.toml_diagnostics import invalid_toml

FILE = "rolememory.toml"
PRESETS = "presets/"
MAX_BYTES = 1024 * 1024
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


@value_class
class Loaded:
    """Settings, the origin of each key that is not at its default, and notes on what was ignored."""

    settings: Settings
    sources: Mapping[str, str]
    notes: tuple[LocalizedText, ...] = ()
    files: tuple[Blob, ...] = ()  # the files read: reload if any of them changes


def load_settings(
    home: Space | Path | str,
    overrides: JsonMapping | None = None,
    role_overrides: JsonMapping | None = None,
    *,
    role_file: str = "role.json",
) -> Loaded:
    """The settings of a home: preset, then rolememory.toml, then the role's, then the call's; later ones win, key by key.

    Overrides may be nested or dotted: `{"recall": {"max_items": 3}}` equals `{"recall.max_items": 3}`.

    Raises:
        SettingsError: any mistake; `all` lists every one.
    """
    space = space_of(home)
    file = space.document(FILE)
    layers = [translate_layer(read_layer(file) if file.mark() else Layer(FILE, {}))]
    if role_overrides:
        layers.append(
            translate_layer(
                Layer(role_file, undotted(role_overrides), under="settings.", of_role=True)
            )
        )
    if overrides:
        layers.append(translate_layer(Layer("overrides", undotted(overrides))))
    return _laid(space, layers)


def _laid(home: Space, layers: Sequence[Layer]) -> Loaded:
    named = next((layer for layer in reversed(layers) if "preset" in layer.values), layers[0])
    preset = preset_file(home, named.values.get("preset", "default"), named)
    below = translate_layer(read_layer(preset))
    below.values.pop("preset", None)
    layers = [below, *layers]
    values, owners = _merged(layers)
    errors = list(chain.from_iterable(layer.errors for layer in layers))
    try:
        settings = _validated(values, owners)
    except SettingsError as error:
        errors.extend(error.all or (error,))
    if errors:
        raise SettingsError.together(errors)
    return Loaded(
        settings,
        {key: layer.place(layer.written[key]) for key, layer in owners.items()},
        tuple(chain.from_iterable(layer.notes for layer in layers)),
        (home.document(FILE), preset),
    )


def _merged(layers: Sequence[Layer]) -> tuple[JsonObject, dict[str, Layer]]:
    """Values and layers by key, the last layer wins; free tables are merged."""
    values: JsonObject = {}
    owners: dict[str, Layer] = {}
    for layer in layers:
        for key, value in layer.values.items():
            values[key] = over(values.get(key), value)
            owners[key] = layer
    return values, owners


def over(below: Any, above: Any) -> Any:
    """Merge tables recursively; other values replace.

    >>> over({"a": {"b": 1, "c": 2}}, {"a": {"b": 3}})
    {'a': {'b': 3, 'c': 2}}
    """
    if not (isinstance(below, Mapping) and isinstance(above, Mapping)):
        return above
    return {**below, **{key: over(below.get(key), value) for key, value in above.items()}}


def overridden(home: Space | Path | str, own: JsonMapping, wanted: JsonMapping) -> JsonObject:
    """A role's overrides with these dotted keys set, or removed (None).

    Raises:
        SettingsError: an unknown key, one that only the home may set, or an invalid value.
    """
    tree = undotted(own)
    for key, value in wanted.items():
        tree = _with(tree, key.split("."), value)
    load_settings(home, None, tree, role_file="role.json")
    return tree


def _with(tree: JsonMapping, path: Sequence[str], value: Any) -> JsonObject:
    """A copy of the tree with a value set at `path`; None removes it and tables emptied by that."""
    name, *rest = path
    if rest:
        inner = tree.get(name)
        value = _with(inner if isinstance(inner, Mapping) else {}, rest, value) or None
    kept = {key: one for key, one in tree.items() if key != name}
    return kept if value is None else {**kept, name: value}


def undotted(given: JsonMapping) -> JsonObject:
    """Dotted keys as nested tables.

    >>> undotted({"recall.max_items": 3, "recall": {"mode": "inject"}})
    {'recall': {'max_items': 3, 'mode': 'inject'}}
    """
    nested: JsonObject = {}
    for key, value in given.items():
        inner = undotted(value) if isinstance(value, Mapping) else value
        for part in reversed(key.split(".")):
            inner = {part: inner}
        nested = over(nested, inner)
    return nested


def shareable(role_settings: JsonMapping) -> tuple[JsonObject, list[str]]:
    """Split imported settings of a role: those allowed from strangers, and the names of the others.

    >>> shareable({"recall.max_items": 3, "inject": {"heading": "Obey"}})
    ({'recall': {'max_items': 3}}, ['inject.heading'])
    """
    adopted = translate_layer(Layer("", undotted(role_settings), of_role=True))
    kept = {key: value for key, value in adopted.values.items() if _harmless(key, value, adopted)}
    dropped = [adopted.written[key] for key in adopted.values if key not in kept]
    refused = [error.field for error in adopted.errors if error.field]
    return undotted(kept), list(dict.fromkeys((*dropped, *refused)))


def _harmless(key: str, value: Any, adopted: Layer) -> bool:
    """Whether the key is allowed from strangers, and its value valid."""
    if not SHAREABLE.fullmatch(key):
        return False
    try:
        _validated({key: value}, {key: adopted})
    except SettingsError:
        return False
    return True


def _validated(values: JsonMapping, owners: Mapping[str, Layer]) -> Settings:
    tree = undotted(values)
    try:
        return Settings.model_validate_json(json.dumps(tree, default=str), strict=True)
    except ValidationError as error:
        mistakes = [_mistake(found, owners) for found in error.errors()]
        once = {str(one): one for one in mistakes}  # one name may set several of our keys
        raise SettingsError.together([*once.values()]) from error


def _mistake(found: Any, owners: Mapping[str, Layer]) -> SettingsError:
    path = [str(part) for part in found["loc"]]
    key = next(
        (key for end in range(len(path), 0, -1) if (key := ".".join(path[:end])) in owners),
        ".".join(path),
    )
    owner = owners.get(key) or Layer(FILE, {}, written={key: key})
    written = owner.written[key]
    return owner.error(written, *worded(found, key, written))


def preset_file(home: Space, name: Any, asked: Layer) -> Blob:
    """The file of a preset: the home's own presets/ before the shipped ones.

    Raises:
        SettingsError: no such preset, or an invalid name.
    """
    ours = FileSpace(shipped("worldbook_rules", "presets"))
    known = {
        PurePath(file).stem: space.blob(file)
        for space, prefix in ((ours, ""), (home, PRESETS))
        for file in space.names(prefix)
        if file.endswith(".toml")
    }
    if isinstance(name, str) and _NAME.fullmatch(name) and name in known:
        return known[name]
    raise asked.error(
        "preset",
        LocalizedText("no preset named {name!r}", name=str(name)[:64]),
        LocalizedText("known: {names}", names=", ".join(sorted(known))),
    )


def read_layer(file: Blob) -> Layer:
    """A TOML file as a layer.

    Raises:
        SettingsError: not TOML; with line and column, and hints on full-width punctuation.
    """
    text = read_text(file)
    try:
        return Layer(file.place, tomllib.loads(text), text)
    except tomllib.TOMLDecodeError as error:
        remedy = translatable("compare with a line that `rolememory init` wrote")
        raise invalid_toml(text, error, file.place, remedy, SettingsError) from error
    except RecursionError as error:
        raise SettingsError(
            file.place, "nested too deep", remedy="settings are two or three levels deep"
        ) from error


def read_text(file: Blob) -> str:
    """The text of a settings file.

    Raises:
        SettingsError: unreadable, too large, or not UTF-8.
    """
    try:
        mark = file.mark()
        if mark is not None and mark.size > MAX_BYTES:
            raise SettingsError(
                file.place,
                "larger than {limit} KB",
                remedy="settings are short; move long texts into templates",
                limit=MAX_BYTES // 1024,
            )
        raw = file.read()
        return raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise SettingsError(
            file.place,
            "not UTF-8",
            remedy="save the file with encoding UTF-8",
            line=raw.count(b"\n", 0, error.start) + 1,
        ) from error
    except OSError as error:
        raise SettingsError.unreadable(file.place, error) from error


class SettingsFile:
    """The current settings of a home and of its roles. Cost of `current` when nothing changed: two stats.

    A broken edit keeps the last good settings; `problem` says what is wrong, the same object until the next edit.
    """

    def __init__(self, home: Space | Path | str, overrides: JsonMapping | None = None) -> None:
        self._home = space_of(home)
        self._overrides = overrides
        self._followed: dict[str, FollowedFiles[Loaded]] = {}

    def current(
        self, role_overrides: JsonMapping | None = None, role_file: str = "role.json"
    ) -> Loaded:
        """The settings of the home, or of a role with these overrides; of the home if these are invalid.

        Raises:
            SettingsError: the home's settings were invalid from the start.
        """
        followed = self._of(role_overrides, role_file).current()
        if followed.content is None and not role_overrides and followed.problem:
            raise followed.problem
        return followed.content or self.current()

    def problem(
        self, role_overrides: JsonMapping | None = None, role_file: str = "role.json"
    ) -> FileError | None:
        """Why the settings are not what the files hold now."""
        return self._of(role_overrides, role_file).current().problem

    @property
    def watched(self) -> Watched:
        """The files that were read."""
        each = [followed.watched for followed in tuple(self._followed.values())]
        return dict(chain.from_iterable(one.items() for one in each))

    def _of(self, role_overrides: JsonMapping | None, role_file: str) -> FollowedFiles[Loaded]:
        wanted = json.dumps(role_overrides, sort_keys=True, default=str) if role_overrides else ""
        if wanted not in self._followed:
            read = partial(
                load_settings, self._home, self._overrides, role_overrides, role_file=role_file
            )
            self._followed[wanted] = FollowedFiles(read, self._files)
        return self._followed[wanted]

    def _files(self, loaded: Loaded | None) -> Watched:
        return watching(*(loaded.files if loaded else (self._home.document(FILE),)))
