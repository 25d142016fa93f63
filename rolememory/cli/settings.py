"""settings: every key, what it is, where it comes from; and setting one."""

from typing import Annotated, Any

from rolememory.cli.context import CommandContext, desk
from rolememory.cli.fields import split
from rolememory.cli.options import argument, option
from rolememory.cli.output import TableColumn
from rolememory.cli.words import Tongue, say
from rolememory.errors import InvalidValueError, SettingsError, UnknownNameError


def settings(
    key: Annotated[
        str | None,
        argument("[KEY]", "one setting, or a table of them, e.g. recall"),
    ] = None,
    value: Annotated[
        str | None,
        argument("[VALUE]", "its new value; lists with commas"),
    ] = None,
    unset: Annotated[bool, option("--unset", "back to its default")] = False,
    everything: Annotated[
        bool,
        option("--all", "every key, not only what differs from its default"),
    ] = False,
) -> None:
    """Without a key: what is not at its default."""
    here = desk()
    here.check_home()
    if value is not None and unset:
        raise InvalidValueError("a value and --unset; give one of them")
    if key is not None and (value is not None or unset):
        _set(here, key, None if unset else value)
        return
    rows = _rows(here, key, everything)
    if here.out.as_json:
        here.out.data(rows)
    elif rows:
        here.out.table(rows, _columns())
    else:
        here.out.say(say("everything at its default; --all shows every key"))


def _columns() -> list[TableColumn]:
    return [
        TableColumn("key", say("key", msgctxt="setting"), style="cyan"),
        TableColumn("shown", say("value"), fold=1),
        TableColumn("source", say("from")),
        TableColumn("type", say("takes"), fold=1),
        TableColumn("about", say("what it does"), fold=3),
    ]


def _rows(here: CommandContext, key: str | None, everything: bool) -> list[dict[str, Any]]:
    from rolememory.storage.settings import load_settings
    from rolememory.storage.settings_text import settings_table

    loaded = load_settings(here.path)
    table = settings_table()
    wanted = [
        row for row in table if key is None or row.key == key or row.key.startswith(f"{key}.")
    ]
    if not wanted:
        raise UnknownNameError(
            "setting",
            str(key),
            [row.key for row in table],
            remedy="see `rolememory settings --all`",
        )
    given = loaded.settings.model_dump(mode="json")
    rows = []
    for row in wanted:
        now: Any = given
        for part in row.key.split("."):
            now = now[part]
        if key is not None or everything or row.key in loaded.sources:
            source = loaded.sources.get(row.key, say("default"))
            rows.append(
                {
                    "key": row.key,
                    "value": now,
                    "shown": _shown(now),
                    "default": row.default,
                    "type": row.type,
                    "source": source,
                    "about": row.about(Tongue.language),
                }
            )
    return rows


def _shown(value: Any) -> str:
    from rolememory.storage.value_messages import literal

    return literal(value)


def _set(here: CommandContext, key: str, text: str | None) -> None:
    from rolememory.storage.settings_text import set_value
    from rolememory.storage.settings_tree import type_name

    value = None if text is None else _value(text, type_name(key) if _is_key(key) else "")
    try:
        set_value(here.path, key, value)
    except SettingsError as error:
        if error.file != "overrides":
            raise
        raise SettingsError(key, error.problem, remedy=error.remedy) from error
    if here.out.as_json:
        here.out.data({"key": key, "value": value})
    elif value is None:
        here.out.say(say("{key}: back to its default", key=key))
    else:
        here.out.say(f"{key} = {_shown(value)}")


def _is_key(key: str) -> bool:
    from rolememory.storage.settings_tree import leaves

    return key in leaves()


def _value(text: str, kind: str) -> Any:
    """What a person means by a value: as TOML has it, quotes not needed.

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
