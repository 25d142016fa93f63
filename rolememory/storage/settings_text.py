"""The commented rolememory.toml with every key, description and default, and editing single values in it."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

from rolememory.errors import SettingsError
from rolememory.locales import translatable, translated
from rolememory.schema.described import descriptions
from rolememory.schema.json_types import JsonMapping
from rolememory.schema.scene import Language
from rolememory.schema.settings import ServeSettings, Settings
from rolememory.schema.value_class import value_class
from rolememory.storage.files.space import space_of
from rolememory.storage.port import Space, rewrite
from rolememory.storage.settings import FILE, load_settings, over, read_text, undotted
from rolememory.storage.settings_layers import Layer
from rolememory.storage.settings_tree import default, leaves, sections, type_name
from rolememory.storage.value_messages import literal
from rolememory.upstream import asks_itself

_ADDRESS = ("serve.upstream", "serve.host", "serve.port")
_HEAD = translatable(
    "Settings of rolememory. Each line shows a default: remove its # and change it.\n"
    "The file is read again while the program runs."
)


@value_class
class SettingRow:
    """One key, as shown in docs and on pages."""

    key: str
    type: str
    default: Any  # as in TOML; None = unset

    def about(self, language: Language = "en") -> str:
        """Its description."""
        return described(self.key, language)


def described(key: str, language: Language = "en") -> str:
    """The description of a key or table; a catalogue may translate it per key (msgctxt) or for all with the same text."""
    english = _description(key)
    own = translated(english, language, key)
    return own if own != english else translated(english, language, "setting")


def _description(key: str) -> str:
    if key in leaves():
        section, _, name = key.rpartition(".")
        return descriptions(sections().get(section, Settings)).get(name, "")
    return (sections()[key].__doc__ or "").split("\n")[0]


def settings_table() -> list[SettingRow]:
    """Every key in the order of the tree."""
    return [SettingRow(key, type_name(key), default(key)) for key in leaves()]


def commented(language: Language) -> str:
    """The file as `rolememory init` writes it: every key explained, none set."""
    lines = [f"# {line}" for line in translated(_HEAD, language).split("\n")]
    for table in ("", *sections()):
        lines += ["", f"# {described(table, language)}", f"[{table}]"] if table else [""]
        for key in (one for one in leaves() if one.rpartition(".")[0] == table):
            lines += [
                f"# {described(key, language)} ({type_name(key, language)})",
                f"#{key.rpartition('.')[2]} = {literal(default(key))}",
            ]
    return "\n".join(lines) + "\n"


def unknown_key(key: str) -> SettingsError:
    """The error for a key that does not exist, wherever it was asked for."""
    return Layer(FILE, {}).unknown(key)


def set_value(home: Space | Path | str, key: str, value: Any) -> None:
    """Write one value into rolememory.toml, as `set_values` does."""
    set_values(home, {key: value})


def set_values(home: Space | Path | str, values: JsonMapping, port: int = 0) -> None:
    """Write values into rolememory.toml in place, keeping comments and order; the file is created if missing.

    None removes a key, so that its default or the preset's applies. Nothing is written unless the result would load.
    `port`: where a server of this home listens now, if it is known.

    Raises:
        SettingsError: an unknown key or an invalid value; names only the key.
    """
    for key in values:
        if key not in leaves():
            raise unknown_key(key)
    space = space_of(home)
    file = space.document(FILE)
    try:
        given = {key: value for key, value in values.items() if value is not None}
        found = load_settings(home, given).settings.serve
    except SettingsError as error:
        raise SettingsError.together([_at_key(one) for one in error.all or (error,)]) from error
    if any(key in given for key in _ADDRESS):
        refuse_own_address(found, 0 if "serve.port" in given else port)
    text = read_text(file) if file.mark() else ""
    for key, value in values.items():
        text = with_value(text, key, value)
    rewrite(space, FILE, text.encode())


def refuse_own_address(serve: ServeSettings, port: int = 0) -> None:
    """Raises: SettingsError, if the upstream is the server of these settings itself, listening at this port or at theirs."""
    if asks_itself(serve.upstream, serve.host, port or serve.port):
        raise SettingsError(
            "serve.upstream",
            "that is the address of this server itself",
            remedy="set the model's own address there",
        )


def _at_key(error: SettingsError) -> SettingsError:
    """The error with only its key as place."""
    if error.file != "overrides":
        return error
    return SettingsError(error.field, error.problem, remedy=error.remedy)


def with_value(text: str, key: str, value: Any) -> str:
    r"""The text of a settings file with one key set, or with None removed.

    >>> print(with_value('[recall]\n# how many\n#max_items = "unset"\nmode = "inject" # mine\n', "recall.max_items", 3), end="")
    [recall]
    # how many
    max_items = 3
    mode = "inject" # mine
    """
    plain = json.loads(json.dumps(value))
    if plain is not None:
        in_place = _uncommented(text, key, plain)
        if in_place is not None:
            return in_place
    return _edited(text, key, plain)


def _uncommented(text: str, key: str, value: Any) -> str | None:
    """The text with the commented line of the key replaced; None without one, or if the result would differ."""
    wanted = over(tomllib.loads(text), undotted({key: value}))
    table, _, name = key.rpartition(".")
    header = "[" + table + "]"
    lines, here = text.split("\n"), ""
    for number, line in enumerate(lines):
        here = line.strip() if line.startswith("[") else here
        if here == (header if table else "") and re.match(rf"#{name} *=", line):
            lines[number] = f"{name} = {literal(value)}"
            fresh = "\n".join(lines)
            return fresh if _says(fresh, wanted) else None
    return None


def _says(text: str, wanted: JsonMapping) -> bool:
    try:
        return tomllib.loads(text) == wanted
    except tomllib.TOMLDecodeError:
        return False


def _edited(text: str, key: str, value: Any) -> str:
    """The text with the key set or removed by tomlkit, which keeps comments."""
    import tomlkit  # imported here: start-up does not write settings
    from tomlkit.items import InlineTable

    document = tomlkit.parse(text)
    table: Any = document
    *path, name = key.split(".")
    for part in path:
        if part not in table:
            if value is None:
                return text
            table[part] = (
                tomlkit.inline_table() if isinstance(table, InlineTable) else tomlkit.table()
            )
        table = table[part]
    if value is None:
        table.pop(name, None)
    else:
        table[name] = value
    return tomlkit.dumps(document)
