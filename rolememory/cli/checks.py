"""What `doctor` looks at: one finding per thing, good or bad. Looks only; mends nothing."""

import os
import shutil
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING

from rolememory.cli import checks_behind
from rolememory.cli.finding import FAULT, Finding, Level
from rolememory.cli.meaning import look
from rolememory.cli.words import Tongue, say
from rolememory.errors import NotWrittenError, RoleMemoryError

if TYPE_CHECKING:
    from rolememory.schema.role import Role
    from rolememory.schema.scene import Language
    from rolememory.schema.settings import Settings

PARTS = (
    "numpy",
    "pydantic",
    "orjson",
    "jinja2",
    "regex",
    "rapidfuzz",
    "watchdog",
    "filelock",
    "sentence-transformers",
    "torch",
)
LITTLE_ROOM = 100 * 10**6  # bytes
OLD_BACKUP = timedelta(days=7)
LOCK_WAIT_S = 0.2


def checks(home: Path, *, load_model: bool = False) -> Iterator[Finding]:
    """Every finding, the parts first; stops early where there is no home."""
    yield _parts()
    home = home.expanduser()
    if not home.is_dir():
        remedy = say(
            f"make one with `rolememory init {home}`", f"可用 `rolememory init {home}` 新建"
        )
        yield Finding(
            FAULT, "home", str(home), say("there is no home here", "这里还没有记忆库"), remedy
        )
        return
    home = home.resolve()
    yield from _home(home)
    settings, found = _settings(home)
    yield from found
    yield _model(home, settings, load_model)
    if settings is not None:
        yield from checks_behind.learning(settings, ask=load_model)
        yield from checks_behind.serving(home, settings)
        yield from _watch(home, settings)
    yield from _templates(home)
    yield from _roles(home)


def _parts() -> Finding:
    names = [f"{name} {found}" for name in ("rolememory", *PARTS) if (found := _version(name))]
    return Finding("note", "parts", f"Python {sys.version.split()[0]}", ", ".join(names))


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _home(home: Path) -> Iterator[Finding]:
    try:
        with NamedTemporaryFile(dir=home, prefix=".doctor-", suffix=".tmp"):
            yield Finding("good", "home", str(home), say("can be read and written", "可读可写"))
    except OSError as error:
        told = error.strerror or str(error)
        remedy = say(
            "check its rights; until then nothing is remembered", "请检查权限；在此之前什么也记不住"
        )
        yield Finding(
            FAULT,
            "home",
            str(home),
            say(f"cannot be written: {told.lower()}", f"无法写入：{told}"),
            remedy,
        )
    if os.name == "posix" and _open_to_others(home):
        told = say(
            "others on this machine may read what is remembered", "本机的其他用户也能读到这些记忆"
        )
        yield Finding("warning", "home", str(home), told, f"chmod -R go= {home}")
    free = shutil.disk_usage(home).free
    if free < LITTLE_ROOM:
        yield Finding(
            "warning",
            "home",
            str(home),
            say(f"only {free // 10**6} MB free", f"只剩 {free // 10**6} MB 空间"),
            say("make room", "请腾出空间"),
        )


def _open_to_others(home: Path) -> bool:
    """Whether a role's folder can be read by others; new ones cannot, those of older versions may."""
    from rolememory.storage.files.space import FileStorage

    folders = [home, *(home / name for name in FileStorage(home).roles())]
    allowed = [folder.stat().st_mode & 0o077 for folder in folders]
    return bool(allowed[0] and any(allowed[1:]))


def _settings(home: Path) -> "tuple[Settings | None, list[Finding]]":
    """The settings, and every mistake in them at once."""
    from rolememory.errors import SettingsError
    from rolememory.storage.settings import FILE, load_settings

    try:
        loaded = load_settings(home)
    except SettingsError as error:
        return None, [
            Finding(FAULT, "settings", "", one.text(Tongue.language))
            for one in error.all or (error,)
        ]
    changed = len(loaded.sources)
    what = (
        say(f"{changed} keys differ from their default", f"{changed} 项与默认值不同")
        if changed
        else say("everything at its default", "全部为默认值")
    )
    notes = [Finding("note", "settings", "", note.text(Tongue.language)) for note in loaded.notes]
    return loaded.settings, [Finding("good", "settings", str(home / FILE), what), *notes]


def _model(home: Path, settings: "Settings | None", load_model: bool) -> Finding:
    meaning = look(home)
    if settings is None:
        return Finding(
            "note",
            "model",
            "",
            say("not looked at until the settings can be read", "设置读不出来，暂不检查模型"),
        )
    if meaning.problem:
        return Finding(FAULT, "model", "", meaning.text())
    if load_model and meaning.works:
        return _loaded(home, settings)
    level: Level = (
        "good"
        if meaning.works and (Tongue.language in meaning.languages or not meaning.languages)
        else "note"
        if meaning.works
        else "warning"
    )
    return Finding("note" if meaning.source == "off" else level, "model", "", meaning.text())


def _loaded(home: Path, settings: "Settings") -> Finding:
    from rolememory.text.embed.graph import graph_folder
    from rolememory.text.embed.ladder import Loader, load

    loader = Loader(settings.embedding, load=partial(load, graph=graph_folder(home)))
    if loader.ready():
        languages = ", ".join(sorted(loader.background)) or "-"
        by = getattr(loader.get(), "runtime", "")
        return Finding(
            "good",
            "model",
            "",
            say(
                f"the model loads and answers, by {by}; languages: {languages}",
                f"模型能加载并应答（{by}）；语言：{languages}",
            ),
        )
    return Finding(
        FAULT,
        "model",
        "",
        loader.reason,
        say("see `rolememory model list`", "见 `rolememory model list`"),
    )


def _watch(home: Path, settings: "Settings") -> Iterator[Finding]:
    from rolememory.storage.files.watch import Watch

    with Watch(home, lambda _: None, settings.storage) as watching:
        mode, notes = watching.mode, list(watching.notes)
    modes = {
        "native": ("edits are noticed at once", "改动会立刻被发现"),
        "polling": ("edits are looked for every few seconds", "每隔几秒查看一次改动"),
    }
    yield Finding(
        "good" if mode == "native" else "note",
        "watch",
        "",
        say(*modes.get(mode, ("edits are noticed at the next turn", "下一轮对话时发现改动"))),
    )
    yield from (Finding("warning", "watch", "", note) for note in notes)


def _templates(home: Path) -> Iterator[Finding]:
    from rolememory.errors import TemplateError
    from rolememory.inject.environment import Templates

    folder = home / "templates"
    for file in sorted(folder.glob("*/*.jinja")):
        kind, name = file.parent.name, file.name.split(".")[0]
        language: Language = "zh" if ".zh." in file.name else "en"
        try:
            notes = Templates(folder).choose(kind, name, language).notes or _rendered(
                folder, kind, name, language
            )
        except TemplateError as error:
            notes = (error.text(Tongue.language),)
        for note in notes:
            yield Finding(
                FAULT,
                "template",
                "",
                note,
                say("until then the shipped one serves", "在此之前使用自带的模板"),
            )


def _rendered(folder: Path, kind: str, name: str, language: "Language") -> tuple[str, ...]:
    """What is wrong with a template that compiles, found out by saying a memory with it."""
    from rolememory.inject.environment import Templates
    from rolememory.inject.render import Style
    from rolememory.schema.memory import Memory
    from rolememory.schema.settings import InjectSettings

    if kind != "inject":
        return ()
    settings = InjectSettings(template=name, language=language)
    style = Style(Templates(folder), settings, language=language)
    style.block([Memory(id="sample", content="A sample.", tags=("sample",))])
    return style.notes


def _roles(home: Path) -> Iterator[Finding]:
    from rolememory.storage.home import HomeFolder

    folder = HomeFolder(home)
    roles = folder.roles()
    yield from (
        Finding(FAULT, "role", "", problem.text(Tongue.language)) for problem in folder.problems()
    )
    for role in roles:
        try:
            yield from _role(home, folder.folder(role.id), role)
        except RoleMemoryError as error:
            yield Finding(FAULT, "role", role.name, error.text(Tongue.language))
    if not roles:
        remedy = say(
            "make one with `rolememory open NAME --create`",
            "可用 `rolememory open 名字 --create` 新建",
        )
        yield Finding("note", "role", str(home), say("no roles yet", "还没有角色"), remedy)


def _role(home: Path, folder: Path, role: "Role") -> Iterator[Finding]:
    from rolememory.recall.lexicons import Lexicons
    from rolememory.storage.files.space import FileSpace
    from rolememory.storage.memories import RoleStore
    from rolememory.storage.oddities import still_odd

    found = RoleStore(FileSpace(folder)).snapshot()
    wrong = False
    for problem in still_odd(found.problems, Lexicons(home / "lexicons").current()):
        wrong = True
        yield Finding(
            FAULT if problem.blocks or problem.drops else "warning",
            "role",
            role.name,
            _placed(folder, problem.text(Tongue.language)),
        )
    for finding in (
        *_role_settings(home, folder, role),
        *_learned(home, folder, role),
        *_card(folder, role),
        *_books(home, folder, role),
        *_leftovers(folder, role),
        *_backups(folder, role, len(found.memories)),
    ):
        wrong = wrong or finding.level in ("warning", FAULT)
        yield finding
    if not wrong:
        yield Finding(
            "good",
            "role",
            role.name,
            say(
                f"{len(found.memories)} memories, all readable",
                f"{len(found.memories)} 条记忆，都能读出",
            ),
        )


def _placed(folder: Path, text: str) -> str:
    """A problem with the whole path of its file, so that an editor can jump there."""
    return f"{folder}{os.sep}{text}" if not text.startswith(str(folder)) else text


def _role_settings(home: Path, folder: Path, role: "Role") -> Iterator[Finding]:
    from rolememory.errors import SettingsError
    from rolememory.storage.settings import load_settings

    if not role.settings:
        return
    try:
        load_settings(home, None, role.settings, role_file=str(folder / "role.json"))
    except SettingsError as error:
        yield from (
            Finding(FAULT, "role", role.name, one.text(Tongue.language))
            for one in error.all or (error,)
            if "role.json" in one.file
        )


def _learned(home: Path, folder: Path, role: "Role") -> Iterator[Finding]:
    from rolememory.errors import SettingsError
    from rolememory.storage.settings import load_settings

    try:
        settings = load_settings(
            home, None, role.settings, role_file=str(folder / "role.json")
        ).settings
    except SettingsError:
        return  # told above
    yield from checks_behind.role(folder, role, settings)


def _card(folder: Path, role: "Role") -> Iterator[Finding]:
    from rolememory.cards.base import load

    if not role.card:
        return
    remedy = say(
        "bring it again with `rolememory card import FILE`",
        "可用 `rolememory card import 文件` 重新导入",
    )
    try:
        for problem in load(folder / Path(role.card).name).problems:
            yield Finding("note", "role", f"{role.name}: {role.card}", problem)
    except RoleMemoryError as error:
        yield Finding(FAULT, "role", role.name, error.text(Tongue.language), remedy)


def _books(home: Path, folder: Path, role: "Role") -> Iterator[Finding]:
    from rolememory.recall.books import Books
    from rolememory.schema.settings import ScanSettings
    from rolememory.storage.files.space import FileSpace

    shared = home / "worldbooks"
    for name in role.worldbooks:
        if not (shared / name).exists():
            remedy = say(
                "put it there, or take the name out of role.json",
                "请放入该文件，或从 role.json 里去掉这个名字",
            )
            yield Finding(
                FAULT,
                "worldbook",
                f"{role.name}: {shared / name}",
                say("no such worldbook", "没有这本世界书"),
                remedy,
            )
    books = Books(FileSpace(folder), FileSpace(home))
    books.index([name for name in role.worldbooks if (shared / name).exists()], ScanSettings())
    for path, problem in books.problems.items():
        text = problem if problem.startswith(path) else f"{path}: {problem}"
        yield Finding(
            "warning",
            "worldbook",
            role.name,
            text,
            say("its last good state, or the rest of it, serves", "暂用它完好的部分"),
        )


def _leftovers(folder: Path, role: "Role") -> Iterator[Finding]:
    from rolememory.storage.files import atomic

    if (folder / "journal" / "conflicts.jsonl").exists():
        what = say("changes that the file contradicted lie here", "这里存着与文件不一致的改动")
        yield Finding(
            "warning",
            "role",
            f"{role.name}: {folder / 'journal' / 'conflicts.jsonl'}",
            what,
            say("read it, copy what you need, delete it", "看一看，抄回需要的，然后删掉"),
        )
    old = [
        path.name
        for path in folder.glob(".*.tmp")
        if datetime.now(UTC).timestamp() - path.stat().st_mtime > 3600
    ]
    if old:
        yield Finding(
            "note",
            "role",
            f"{role.name}: {folder}",
            say(
                f"leftovers of an interrupted write: {', '.join(old)}",
                f"中断的写入留下的文件：{'、'.join(old)}",
            ),
            say("they may be deleted", "可以删掉"),
        )
    try:
        with atomic.locked(folder, LOCK_WAIT_S):
            return
    except NotWrittenError as error:
        yield Finding("warning", "role", role.name, error.text(Tongue.language))


def _backups(folder: Path, role: "Role", memories: int) -> Iterator[Finding]:
    from rolememory.storage.files.backup import list_backups

    newest = next(iter(list_backups(folder)), None)
    command = (
        f'rolememory backup "{role.name}"' if " " in role.name else f"rolememory backup {role.name}"
    )
    if newest is None and memories:
        yield Finding(
            "note",
            "role",
            role.name,
            say("no backup yet", "还没有备份"),
            say(f"`{command}` makes one", f"可用 `{command}` 备份"),
        )
    elif newest and newest.age(datetime.now(UTC)) > OLD_BACKUP:
        days = newest.age(datetime.now(UTC)).days
        yield Finding(
            "note",
            "role",
            role.name,
            say(f"the newest backup is {days} days old", f"最近的备份是 {days} 天前的"),
            say(f"`{command}` makes another", f"可用 `{command}` 再备份"),
        )
