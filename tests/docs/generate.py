"""Writes the pages of docs/ that are made from the program: `python -m tests.docs.generate`; with --check it only compares.

cli.md from the help of the commands, settings.md from the settings tree, each in both languages.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import typer

from rolememory.cli.app import application
from rolememory.cli.command_line import OPTIONS
from rolememory.cli.help_pages import argument_row, option_row, usage
from rolememory.cli.language import ProcessLanguage
from rolememory.cli.output import say as told
from rolememory.schema.scene import Language
from rolememory.storage.settings_text import SettingRow, described, settings_table
from rolememory.storage.settings_tree import sections, type_name
from rolememory.storage.value_messages import literal
from tests.paths import ROOT

LANGUAGES: tuple[Language, ...] = ("en", "zh")
_OTHER = {"en": "zh", "zh": "en"}


def say(en: str, zh: str) -> str:
    """The wording of a page that is written here."""
    return zh if ProcessLanguage.language == "zh" else en


def pages() -> dict[Path, str]:
    """Every generated page as it should be."""
    makers: Mapping[str, Callable[[], Iterator[str]]] = {"cli.md": _cli, "settings.md": _settings}
    spoken = ProcessLanguage.language
    try:
        return {
            ROOT / "docs" / language / name: _page(language, maker)
            for language in LANGUAGES
            for name, maker in makers.items()
        }
    finally:
        ProcessLanguage.language = spoken


def _page(language: Language, maker: Callable[[], Iterator[str]]) -> str:
    ProcessLanguage.language = language
    return "\n".join(maker()) + "\n"


def _head(title: tuple[str, str], page: str, text: tuple[str, str]) -> Iterator[str]:
    other = _OTHER[ProcessLanguage.language]
    link = say(f"([中文](../zh/{page}))", f"（[English](../{other}/{page})）")
    yield from (f"# {say(*title)}", "", say(*text) + say(" ", "") + link, "")


# ── the command line ─────────────────────────────────────────────────────────────────────────────────────────────────


def _cli() -> Iterator[str]:
    yield from _head(
        ("The command line", "命令行"),
        "cli.md",
        (
            "`rolememory VERB ...`; `python -m rolememory` is the same. `rolememory VERB --help` shows the same text.",
            "`rolememory 命令 ……`，也可以写 `python -m rolememory`。`rolememory 命令 --help` 显示的就是这里的内容。",
        ),
    )
    yield from _table(
        (say("for every verb, anywhere on the line", "所有命令通用，写在哪里都行"), ""),
        [(name, told(text)) for name, text in OPTIONS],
    )
    yield from _table((say("exit code", "退出码"), say("meaning", "含义")), _codes())
    root = typer.main.get_command(application())
    context: Any = root.make_context("rolememory", [], resilient_parsing=True)
    panel = ""
    for name in root.list_commands(context):  # type: ignore[attr-defined]
        command = root.get_command(context, name)  # type: ignore[attr-defined]
        if told(command.rich_help_panel) != panel:
            panel = told(command.rich_help_panel)
            yield from (f"## {panel}", "")
        yield from _verb(command, context, name)


def _codes() -> list[tuple[str, str]]:
    return [
        ("0", say("done", "完成")),
        (
            "1",
            say(
                "it failed; one line on standard error says why",
                "没有做成；标准错误上有一行说明原因",
            ),
        ),
        ("2", say("the command line is wrong", "命令行写错了")),
        ("3", say("`doctor` found a fault", "`doctor` 发现了故障")),
        ("130", say("interrupted", "被中断")),
    ]


def _verb(command: Any, parent: Any, name: str) -> Iterator[str]:
    context = type(parent)(command, info_name=name, parent=parent)
    if hasattr(command, "list_commands"):
        for below in command.list_commands(context):
            yield from _verb(command.get_command(context, below), context, below)
        return
    yield from (f"### `{' '.join(usage(command, context))}`", "", told(command.help), "")
    parameters = [one for one in command.params if not getattr(one, "hidden", False)]
    rows = [argument_row(one) for one in parameters if one.param_type_name == "argument"]
    rows += [
        option_row(one)
        for one in parameters
        if one.param_type_name == "option" and one.name != "help"
    ]
    if rows:
        yield from _table((say("given", "写法"), say("meaning", "含义")), rows)


def _table(titles: tuple[str, str], rows: list[tuple[str, str]]) -> Iterator[str]:
    yield f"| {titles[0]} | {titles[1]} |"
    yield "|---|---|"
    yield from (f"| `{_cell(left)}` | {_cell(right)} |" for left, right in rows)
    yield ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


# ── settings ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def _settings() -> Iterator[str]:
    yield from _head(
        ("Settings", "设置"),
        "settings.md",
        (
            "Every setting of `rolememory.toml`. The file needs only what you change; a preset, the file and a role's own settings "
            "are layers, and later ones win. `rolememory settings` shows what differs from its default, and changes settings.",
            "`rolememory.toml` 的全部设置项。文件里只需写要改的；预设、文件、角色自己的设置依次叠加，后者优先。"
            "`rolememory settings` 可查看改过的项，也可以修改。",
        ),
    )
    rows = settings_table()
    for table in ("", *sections()):
        own = [row for row in rows if row.key.rpartition(".")[0] == table]
        if own:
            yield from _section(table, own)


def _section(table: str, rows: list[SettingRow]) -> Iterator[str]:
    if table:
        yield from (f"## [{table}]", "", described(table, ProcessLanguage.language), "")
    yield f"| {say('key', '设置项')} | {say('takes', '可取')} | {say('default', '默认')} | {say('what it does', '作用')} |"
    yield "|---|---|---|---|"
    for row in rows:
        key = row.key.rpartition(".")[2]
        yield f"| `{key}` | {_cell(type_name(row.key, ProcessLanguage.language))} | `{_cell(literal(row.default))}` | {_cell(row.about(ProcessLanguage.language))} |"
    yield ""


def main(arguments: list[str]) -> int:
    """Write the pages, or with --check tell which are not as they should be."""
    stale = []
    for path, text in pages().items():
        if not path.is_file() or path.read_text("utf-8") != text:
            stale.append(path)
            if "--check" not in arguments:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8", newline="\n")
    for path in stale:
        print(f"{'stale' if '--check' in arguments else 'written'}: {path.relative_to(ROOT)}")
    return int(bool(stale) and "--check" in arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
