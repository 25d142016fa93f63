"""Where a book of the command line is: a file, a book of the home or of a role, or one that is shipped; and the rows it is shown in."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rolememory.cli.desk import MOST_BYTES, Desk, desk, read_text
from rolememory.cli.options import argument, option
from rolememory.cli.out import Column
from rolememory.cli.words import Tongue, say
from rolememory.errors import FileError, InvalidValueError, RoleMemoryError, UnknownNameError

if TYPE_CHECKING:
    from rolememory.author.books import BookFile
    from rolememory.author.scan import Fired, Report, Silent
    from rolememory.schema.lorebook import LoreEntry
    from rolememory.schema.message import Message
    from rolememory.schema.settings import ScanSettings

FOUND_FAULTS = 3

BookName = Annotated[
    str,
    argument(
        "BOOK",
        "a lorebook: a file, or the name of one in the home",
        "世界书：文件路径，或记忆库里的书名",
    ),
]
BookNames = Annotated[
    list[str],
    argument(
        "BOOK...",
        "lorebooks: files, or names of some in the home",
        "世界书：文件路径，或记忆库里的书名",
    ),
]
Watch = Annotated[
    bool,
    option(
        "--watch -w",
        "again at every change of the files, until Ctrl-C",
        "文件一有改动就重来，按 Ctrl-C 结束",
    ),
]

KINDS = (".json", ".png", ".charx")
_SOURCES = {
    "description": ("the description", "角色描述"), "personality": ("the personality", "性格"), "scenario": ("the scenario", "场景"),
    "persona": ("the persona", "用户设定"), "depth_prompt": ("the depth prompt", "深度提示"), "creator_notes": ("the notes", "作者备注"),
    "note": ("the author's note", "作者注释"), "recursion": ("an entry's text", "其他条目的正文"),
}  # fmt: skip


def book_path(here: Desk, name: str) -> Path:
    """The file that is meant.

    Raises:
        UnknownNameError: there is none of that name anywhere.
    """
    path = Path(name).expanduser()
    if path.is_file():
        return path
    known = {
        **{found.stem: found for found in _shipped()},
        **{found.stem: found for found in _at_home(here.path)},
    }
    for found in known.values():
        if name in (found.name, found.stem):
            return found
    raise UnknownNameError(
        "worldbook", name, known, remedy="give the path of its file", zh_remedy="请写出文件路径"
    )


def book_or_role(here: Desk, name: str) -> Path:
    """The file of a book, or of the only book that the role of this name has.

    Raises:
        UnknownNameError: neither a book nor a role is called so.
        InvalidValueError: the role has no book, or several.
    """
    try:
        return book_path(here, name)
    except UnknownNameError as error:
        found = _of_role(here, name)
        if found is None:
            raise error from None
    if len(found) == 1:
        return found[0]
    listed = ", ".join(path.stem for path in found) or say("none", "没有")
    raise InvalidValueError(
        f"{name} has {len(found)} books ({listed}); name the one you mean",
        zh=f"{name} 有 {len(found)} 本世界书（{listed}）；请写明是哪一本",
    )


def _of_role(here: Desk, name: str) -> list[Path] | None:
    from rolememory.storage.home import HomeFolder

    try:
        here.check_home()
        folder = HomeFolder(here.path)
        role_id = folder.find(name).id
    except (UnknownNameError, InvalidValueError):
        return None
    return [
        path
        for path in sorted((folder.folder(role_id) / "worldbooks").glob("*"))
        if path.suffix in KINDS
    ]


def _at_home(home: Path) -> Iterator[Path]:
    for pattern in ("*/worldbooks/*", "worldbooks/*"):
        yield from (
            path for path in sorted(home.expanduser().glob(pattern)) if path.suffix in KINDS
        )


def _shipped() -> Iterator[Path]:
    from rolememory.shipped import shipped

    yield from sorted(shipped("worldbook_rules", "worldbooks").glob("*.json"))


def read_file(path: Path) -> "BookFile":
    """The book in a file.

    Raises:
        FileError: unreadable, or no book.
    """
    from rolememory.author.books import read_book_file

    try:
        if path.stat().st_size > MOST_BYTES:
            raise FileError(
                path,
                f"larger than {MOST_BYTES // 2**20} MB",
                remedy="split it",
                zh=("文件太大", "请拆分"),
            )
        return read_book_file(path.read_bytes(), str(path))
    except OSError as error:
        told = error.strerror or str(error)
        raise FileError(
            path,
            f"cannot be read: {told}",
            remedy="check path and rights",
            zh=(f"读不出来：{told}", "请检查路径和权限"),
        ) from error


def chat_of(file: str | None, message: str | None, user: str | None) -> "list[Message]":
    """The messages of a chat file in any form, plain text too, and one more."""
    from rolememory.author.dialogue import read_dialogue
    from rolememory.cli.chats import chat_messages
    from rolememory.schema.message import Message

    told: list[Message] = []
    if file:
        text = read_text(file)
        told = (
            chat_messages(text, file)
            if text.lstrip()[:1] in ("[", "{")
            else read_dialogue(text, user)
        )
    said = read_text("-").strip() if message == "-" else message
    return [*told, *((Message.user(said),) if said else ())]


def settings_of(rules: str | None) -> "ScanSettings":
    """How the home scans, where there is one, else the defaults; under these rules, if they are named.

    Raises:
        UnknownNameError: no such rules.
        SettingsError: the home's settings cannot be read.
    """
    from rolememory.recall.lore.rules import rules_named
    from rolememory.schema.settings import ScanSettings
    from rolememory.storage.settings import load_settings

    home = desk().path.expanduser()
    lore = (
        load_settings(home).settings.lore
        if (home / "rolememory.toml").is_file()
        else ScanSettings()
    )
    return lore.model_copy(update={"rules": rules_named(rules).name}) if rules else lore


def again(here: Desk, once: Callable[[], None], paths: list[Path], watch: bool) -> None:
    """Do it now, and with --watch at every change; what is wrong meanwhile is told, and the next change waited for."""
    if not watch:
        once()
        return
    from rolememory.author.follow import changes

    following = changes(paths)
    _bravely(here, once)
    for _ in following:
        here.out.say(f"── {', '.join(path.name for path in paths)}", "bold")
        _bravely(here, once)


def _bravely(here: Desk, once: Callable[[], None]) -> None:
    try:
        once()
    except RoleMemoryError as error:
        here.out.warn(error.text(Tongue.language))


# ── a scan ──


def fired_columns() -> list[Column]:
    """Of the entries that came in."""
    return [
        Column("pass", say("pass", "轮次"), right=True),
        Column("title", say("entry", "条目"), style="cyan", fold=1),
        Column("reason", say("why", "缘由"), fold=1),
        Column("target", say("goes to", "位置")),
        Column("tokens", "tokens", right=True),
    ]


def fired_row(one: "Fired") -> dict[str, Any]:
    """A row of them."""
    place = one.place
    return {
        "id": one.id, "uid": one.uid, "title": one.title, "pass": one.in_pass, "phase": one.phase, "why": one.why.code,
        "reason": reason(one), "key": one.why.get("key") or None, "woken_by": one.woken_by or None, "tokens": one.tokens,
        "target": one.target,
        "place": place and {
            "source": place.source, "message": place.message, "offset": place.offset, "match": place.match, "quote": place.quote,
        },
    }  # fmt: skip


def reason(one: "Fired") -> str:
    """Why it came in, with the place of its key."""
    from rolememory.schema.wording import word

    place = one.place
    if place is None:
        return word(one.why, Tongue.language)
    if place.in_message and place.offset < 0:
        return say(
            f"'{place.match}', who says message {place.message}",
            f"第{place.message}条消息的说话人“{place.match}”",
        )
    if place.in_message:
        at = place.offset + 1
        return say(
            f"'{place.match}' in message {place.message}, character {at}: {place.quote}",
            f"第{place.message}条消息第{at}字“{place.match}”：{place.quote}",
        )
    if one.woken_by:
        return say(
            f"'{place.match}' in the text of '{one.woken_by}'",
            f"“{one.woken_by}”正文里的“{place.match}”",
        )
    where = say(*_SOURCES.get(place.source, (place.source, place.source)))
    return say(
        f"'{place.match}' in {where}: {place.quote}", f"{where}里的“{place.match}”：{place.quote}"
    )


def silent_columns() -> list[Column]:
    """Of the entries that did not."""
    return [
        Column("title", say("entry", "条目"), style="cyan", fold=1),
        Column("gate", say("gate", "关卡")),
        Column("reason", say("why not", "原因"), fold=1),
    ]


def silent_row(one: "Silent") -> dict[str, Any]:
    """A row of them."""
    from rolememory.schema.wording import word_gate

    remedy = one.refusal.remedy
    return {
        "id": one.id, "uid": one.uid, "title": one.title, "gate": one.refusal.gate,
        "reason": word_gate(one.refusal, Tongue.language),
        "remedy": remedy and {"target": remedy.target, "field": remedy.field, "value": remedy.value},
    }  # fmt: skip


def report_json(report: "Report", names: Sequence[str], rules: str) -> dict[str, Any]:
    """A scan for scripts."""
    return {
        "books": list(names), "rules": rules, "messages": report.messages, "passes": report.passes, "rolls": report.rolls,
        "budget": report.budget, "used": report.used, "overflowed": report.overflowed,
        "fired": [fired_row(one) for one in report.fired], "silent": [silent_row(one) for one in report.silent], "quiet": report.quiet,
        "notes": list(report.notes),
    }  # fmt: skip


# ── a book ──


def entry_columns() -> list[Column]:
    """Of a book's entries."""
    return [
        Column("uid", "uid", right=True),
        Column("title", say("entry", "条目"), style="cyan", fold=1),
        Column("keys", say("keys", "关键词"), fold=1),
        Column("marks", say("marks", "标记"), fold=1),
        Column("target", say("goes to", "位置")),
        Column("order", say("order", "次序"), right=True),
        Column("tokens", "tokens", right=True),
    ]


def marks(entry: "LoreEntry") -> list[str]:
    """What is unusual about an entry, in short."""
    flags = {
        "off": not entry.enabled, "constant": entry.constant, "meaning": entry.by_meaning, "no-recursion-in": entry.exclude_recursion,
        "no-recursion-out": entry.prevent_recursion, "free": entry.ignore_budget, "filter": entry.character_filter is not None,
    }  # fmt: skip
    values: dict[str, object] = {
        name: getattr(entry, name)
        for name in ("sticky", "cooldown", "delay", "group", "scan_depth")
    }
    if entry.use_probability and entry.probability != 100:
        values["probability"] = entry.probability
    if entry.delay_until_recursion:
        values["level"] = entry.delay_until_recursion
    if entry.secondary_keys and entry.selective:
        values[entry.selective_logic.value] = "|".join(entry.secondary_keys)
    told = [
        _MARKS_ZH.get(name, name) if Tongue.language == "zh" else name
        for name, given in flags.items()
        if given
    ]
    shown = {
        (_MARKS_ZH.get(name, name) if Tongue.language == "zh" else name): value
        for name, value in values.items()
    }
    return told + [f"{name} {value}" for name, value in shown.items() if value not in (None, "", 0)]


_MARKS_ZH = {
    "off": "关闭", "constant": "常驻", "meaning": "语义", "no-recursion-in": "不被递归", "no-recursion-out": "不引发递归", "free": "不计预算",
    "filter": "限角色", "sticky": "持续", "cooldown": "冷却", "delay": "延后", "group": "组", "scan_depth": "扫描深度", "probability": "概率",
    "level": "递归层", "and_any": "并含其一", "and_all": "并含全部", "not_any": "均不含", "not_all": "不全含",
}  # fmt: skip


def entry_rows(file: "BookFile") -> list[dict[str, Any]]:
    """Every entry of a book."""
    from rolememory.author.books import title
    from rolememory.author.lint.subject import Subject
    from rolememory.author.scan import target

    subject = Subject.of(file)
    return [
        {
            "uid": lore.entry.id, "title": title(lore.entry), "keys": list(lore.entry.keys), "secondary_keys": list(lore.entry.secondary_keys),
            "marks": marks(lore.entry), "target": target(lore, subject.rules), "order": lore.entry.insertion_order,
            "tokens": subject.costs[lore.entry.id], "content": lore.entry.content,
        }
        for lore in subject.entries
    ]  # fmt: skip


# ── faults ──


def lint_columns(several: bool) -> list[Column]:
    """Of faults."""
    return [
        *([Column("book", say("book", "世界书"))] if several else []),
        Column("level", say("level", "级别"), style="yellow"),
        Column("title", say("entry", "条目"), style="cyan", fold=1),
        Column("field", say("field", "字段")),
        Column("why", say("what is wrong", "问题"), fold=1),
        Column("write", say("what to write", "怎么写"), fold=1),
    ]


LEVELS = {"error": ("error", "错误"), "warning": ("warning", "注意"), "note": ("note", "提示")}


def lint_rows(path: Path, findings: Any, form: str) -> Iterator[dict[str, Any]]:
    """Faults of a book as rows."""
    from rolememory.author.lint import words
    from rolememory.author.lint.finding import written

    for one in findings:
        level = words.severity(one).value
        yield {
            "book": path.name, "severity": level, "level": say(*LEVELS[level]), "code": one.code, "uid": one.entry, "title": one.title,
            "field": written(one.field, form), "why": words.why(one, Tongue.language), "write": words.write(one, Tongue.language),
            "values": dict(one.values),
        }  # fmt: skip


def counted(rows: list[dict[str, Any]], hidden: int) -> str:
    """How many faults of which level."""
    counts = {level: sum(row["severity"] == level for row in rows) for level in LEVELS}
    more = say(" (--all shows the notes)", "（--all 可列出提示）") if hidden else ""
    if not rows:
        return say("nothing to complain of", "没有问题")
    return say(
        ", ".join(many(counts[level], level) for level in LEVELS) + more,
        f"错误 {counts['error']}，注意 {counts['warning']}，提示 {counts['note']}{more}",
    )


def many(count: int, thing: str, ending: str = "s") -> str:
    """A count with its noun, in English."""
    return f"{count} {thing}{'' if count == 1 else ending}"
