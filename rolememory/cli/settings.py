"""settings: shows every key with description and source; sets one."""

from typing import Annotated, Any

from rolememory.cli.context import check_home, home_path
from rolememory.cli.fields import split
from rolememory.cli.language import ProcessLanguage
from rolememory.cli.options import Text, argument, option
from rolememory.cli.output import out, picked, say
from rolememory.errors import InvalidValueError


def settings(
    key: Annotated[Text, argument("[KEY]", "one setting, or a table of them, e.g. recall")] = None,
    value: Annotated[Text, argument("[VALUE]", "its new value; lists with commas")] = None,
    unset: Annotated[bool, option("--unset", "back to its default")] = False,
    everything: Annotated[
        bool, option("--all", "every key, not only what differs from its default")
    ] = False,
) -> None:
    """Without a key: what is not at its default."""
    from rolememory.storage.settings_tree import type_name

    check_home()
    key, value = _parted(key, value)
    if value is not None and unset:
        raise InvalidValueError("a value and --unset; give one of them")
    if key is not None and (value is not None or unset):
        _set(key, None if unset else value)
        return
    rows = _rows(key, everything)
    language = ProcessLanguage.language
    shown = [
        row | {"value": row["shown"], "takes": type_name(row["key"], language)} for row in rows
    ]
    empty = say("everything at its default; --all shows every key")
    titles = {"key": say("key", msgctxt="setting"), "about": say("what it does")}
    out.listing(rows, "key value source takes about", empty, shown, **titles)


def _parted(key: str | None, value: str | None) -> tuple[str | None, str | None]:
    """A key and its value, also where both were written as KEY=VALUE."""
    name, sign, said = (key or "").partition("=")
    return (name.strip(), said.strip()) if value is None and sign and name.strip() else (key, value)


def _rows(key: str | None, everything: bool) -> list[dict[str, Any]]:
    from rolememory.storage.settings import load_settings
    from rolememory.storage.settings_text import settings_table, unknown_key
    from rolememory.storage.settings_tree import value_at
    from rolememory.storage.value_messages import literal

    loaded = load_settings(home_path())
    table = settings_table()
    wanted = [row for row in table if key in (None, row.key) or row.key.startswith(f"{key}.")]
    if not wanted:
        raise unknown_key(str(key))
    tree = loaded.settings.model_dump(mode="json")
    values = {row.key: value_at(tree, row.key) for row in wanted}
    return [
        picked(row, "key default type")
        | {"value": values[row.key], "shown": literal(values[row.key])}
        | {"source": loaded.sources.get(row.key, say("default"))}
        | {"about": row.about(ProcessLanguage.language)}
        for row in wanted
        if key is not None or everything or row.key in loaded.sources
    ]


def _set(key: str, text: str | None) -> None:
    from rolememory.storage.settings_text import set_value
    from rolememory.storage.settings_tree import leaves, nullable, type_name
    from rolememory.storage.value_messages import literal

    if text == "unset" and key in leaves() and not nullable(key):
        text = None
    value = None if text is None else _value(text, type_name(key) if key in leaves() else "")
    set_value(home_path(), key, value)
    told = (
        f"{key} = {literal(value)}"
        if value is not None
        else say("{key}: back to its default", key=key)
    )
    out.result({"key": key, "value": value}, told)


def _value(text: str, kind: str) -> Any:
    """Parse a value: TOML, with optional quotes.

    >>> _value("0.3", "number"), _value("true", "true | false"), _value("inject", "text"), _value("a, b", "list of texts"), _value("3", "text")
    (0.3, True, 'inject', ['a', 'b'], '3')
    """
    import tomllib

    if kind == "text":
        return text
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return split(text) if kind.startswith("list") else text
