"""One layer of settings: a file, a preset, a role's or a call's overrides, translated to our keys."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from rolememory.errors import SettingsError
from rolememory.locales import LocalizedText
from rolememory.schema.aliases import ALIASES, Alias, base_url
from rolememory.schema.json_types import JsonMapping, JsonObject
from rolememory.storage.settings_tree import leaves, nullable, remedy_of_unknown, sections
from rolememory.storage.toml_places import Place, places
from rolememory.storage.value_messages import quoted, url_expected, variable_expected
from rolememory.text.late_pattern import late_pattern
from rolememory.upstream import place, translated

_HOME_ONLY = late_pattern(r"(embedding|storage)\..*|(.*\.)?(endpoint|api_key_env)|lengths\.counter")
_URL = late_pattern(r"serve\.upstream|(.*\.)?endpoint")
SHAREABLE = late_pattern(
    r"recall\.(mode|(high_)?relevance_threshold|max_items|max_per_type\..*|scan_depth|(exclude_)?tags|"
    r"first_round_empty|min_query_length|long_term_.*|near_duplicate|keep_margin|fusion)"
    r"|triggers\.(constant|keyword|semantic|dates|recency|emotional)\..*|triggers\.pattern\.(enabled|weight|activates)"
    r"|weigh\..*|inject\.(language|separate_by_type|show_dates|scene_dates)"
    r"|lore\.(rules|scan_depth|recursive|include_names|case_sensitive|match_whole_words|cjk_words|use_group_scoring|insertion_strategy)"
)  # allowed from strangers: which memories are recalled; not texts, placement, costs or learning
_VARIABLE = late_pattern(r"\$\{?([A-Za-z_]\w*)\}?|env:([A-Za-z_]\w*)", re.ASCII)
_UNSET = ("unset", "none", "null")


@dataclass
class Layer:
    """A source of settings: `name` is the file as shown to people, `text` its TOML, `under` the path inside a JSON file.

    `translate_layer` fills in its values by our keys.
    """

    name: str
    given: JsonMapping
    text: str = ""
    under: str = ""
    of_role: bool = False  # a role may not set paths of the home's models and files
    values: JsonObject = field(default_factory=dict)
    written: dict[str, str] = field(default_factory=dict)  # key -> name as written in the layer
    notes: list[LocalizedText] = field(default_factory=list)
    errors: list[SettingsError] = field(default_factory=list)

    @cached_property
    def _places(self) -> Mapping[str, Place]:
        return places(self.text)

    def error(
        self, written: str, problem: LocalizedText, remedy: LocalizedText | str = ""
    ) -> SettingsError:
        """An error for a key, as written in this layer."""
        line, column = self._places.get(written, (None, None))
        return SettingsError(
            self.name,
            problem,
            remedy=remedy,
            field=self.under + written,
            line=line,
            column=column,
        )

    def unknown(self, written: str) -> SettingsError:
        """The error for an unknown key."""
        return self.error(written, LocalizedText("unknown key"), remedy_of_unknown(written))

    def place(self, written: str) -> str:
        """The place of that key: file and line, or the layer's name."""
        line = self._places.get(written, (None, None))[0]
        return f"{self.name}:{line}" if line else self.name

    def take(self, key: str, value: Any, written: str) -> None:
        """Set a key; the value `unset` clears a nullable one."""
        unset = isinstance(value, str) and value.casefold() in _UNSET and nullable(key)
        self.values[key], self.written[key] = None if unset else value, written

    def note(self, written: str, told: LocalizedText) -> None:
        """Add a note on a value that was ignored or changed."""
        place = self.place(written)
        self.notes.append(
            LocalizedText("{place}: {written}: {told}", place=place, written=written, told=told)
        )

    def refuse(
        self, written: str, problem: LocalizedText, remedy: LocalizedText | str = ""
    ) -> None:
        """Add an error."""
        self.errors.append(self.error(written, problem, remedy))


def translate_layer(layer: Layer) -> Layer:
    """Translate the layer to our keys; the layer. Unknown keys are collected in `errors`, never guessed."""
    foreign: JsonObject = {}
    for path, value in _walk(layer.given, layer):
        if path in leaves():
            layer.take(path, value, path)
        else:
            foreign[path] = value
    _translate(foreign, layer)
    _refuse_keys(layer)
    if layer.of_role:
        _keep_home_only(layer)
    _read_urls(layer)
    return layer


def _refuse_keys(layer: Layer) -> None:
    """Report an API key given instead of the name of its environment variable (P20)."""
    for key, value in layer.values.items():
        if (
            key.endswith("api_key_env")
            and isinstance(value, str)
            and value
            and not value.isidentifier()
        ):
            layer.refuse(layer.written[key], *variable_expected(key))


def _read_urls(layer: Layer) -> None:
    """Reduce URLs of model servers to their base, and report what cannot be requested."""
    for key, value in layer.values.items():
        if not _URL.fullmatch(key) or not isinstance(value, str):
            continue
        url = value.strip()
        learns = key.startswith("learn.") and url == "upstream"  # the model behind the proxy
        if learns or not url or place(url)[0]:
            read = translated(url, "")[0] if key == "serve.upstream" else base_url(url)
            layer.values[key] = read
        else:
            layer.refuse(layer.written[key], *url_expected(layer.written[key], url))


def _walk(given: JsonMapping, layer: Layer, above: str = "") -> Iterator[tuple[str, Any]]:
    """Every known key, ours or foreign, with its value; unknown keys become errors."""
    for name, value in given.items():
        path = above + str(name)
        if path in leaves() or path in ALIASES:
            yield path, value
        elif path in sections() or any(alias.startswith(path + ".") for alias in ALIASES):
            if isinstance(value, Mapping):
                yield from _walk(value, layer, path + ".")
            else:
                layer.refuse(
                    path,
                    LocalizedText("expected a table, got {got}", got=quoted(value)),
                    LocalizedText("write {text}", text=f"[{path}]"),
                )
        else:
            layer.errors.append(layer.unknown(path))


def _translate(foreign: JsonMapping, layer: Layer) -> None:
    """Translate keys of other programs, in table order: strong rows, then weak ones, then implied keys."""
    rows = [row for row in ALIASES.values() if row.name in foreign]
    implied: dict[str, tuple[Any, str]] = {}
    for row in sorted(rows, key=lambda row: row.weak):
        for key, value in _read(row, foreign[row.name], layer).items():
            _claim(row, key, value, layer)
            implied.update({key: (value, row.name) for key, value in (row.implies or {}).items()})
    for key, (value, written) in implied.items():
        if key not in layer.values:
            layer.take(key, value, written)


def _read(row: Alias, value: Any, layer: Layer) -> JsonObject:
    """The row's values by our keys; empty if without effect."""
    if row.secret:
        return _secret(row, value, layer)
    if not row.keys:
        layer.note(row.name, LocalizedText("has no effect: {why}", why=row.why))
        return {}
    ours = row.reads(value) if row.reads else value
    if isinstance(ours, dict) and row.reads:
        return ours
    return {} if ours is None or ours == "" else dict.fromkeys(row.keys, ours)


def _secret(row: Alias, value: Any, layer: Layer) -> JsonObject:
    """The environment variable named in place of an API key; a key itself is not read (P20)."""
    named = _VARIABLE.fullmatch(str(value))
    if named:
        return {row.keys[0]: named.group(1) or named.group(2)}
    if value:
        variable = leaves()[row.keys[0]].default or leaves()["learn.api_key_env"].default
        layer.note(
            row.name,
            LocalizedText(
                "keys are not read from files; set the environment variable {name} and delete it here",
                name=variable,
            ),
        )
    return {}


def _claim(row: Alias, key: str, value: Any, layer: Layer) -> None:
    """Set a key unless set by our own name or an earlier row; of two switches, off wins."""
    if key not in layer.values or (
        value is False and layer.values[key] is True and layer.written[key] in ALIASES
    ):
        layer.take(key, value, row.name)
    elif layer.values[key] != value and not row.weak:
        layer.note(
            row.name, LocalizedText("not used: {other} says it already", other=layer.written[key])
        )


def _keep_home_only(layer: Layer) -> None:
    for key in [key for key in layer.values if _HOME_ONLY.fullmatch(key)]:
        layer.refuse(
            layer.written[key],
            LocalizedText("belongs to the home, not to one role"),
            LocalizedText("write it into rolememory.toml"),
        )
        del layer.values[key]
