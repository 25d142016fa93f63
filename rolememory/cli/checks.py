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

from rolememory.cli import learning_checks
from rolememory.cli.embedding_status import look
from rolememory.cli.health_finding import FAULT, HealthFinding, Level
from rolememory.cli.words import Tongue, say
from rolememory.errors import NotWrittenError, RoleMemoryError
from rolememory.locales import Listed, translatable

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


def checks(home: Path, *, load_model: bool = False) -> Iterator[HealthFinding]:
    """Every finding, the parts first; stops early where there is no home."""
    yield _parts()
    home = home.expanduser()
    if not home.is_dir():
        remedy = say("make one with `rolememory init {home}`", home=home)
        yield HealthFinding(FAULT, "home", str(home), say("there is no home here"), remedy)
        return
    home = home.resolve()
    yield from _home(home)
    settings, found = _settings(home)
    yield from found
    yield _model(home, settings, load_model)
    if settings is not None:
        yield from learning_checks.learning(settings, ask=load_model)
        yield from learning_checks.serving(home, settings)
        yield from _watch(home, settings)
    yield from _templates(home)
    yield from _roles(home)


def _parts() -> HealthFinding:
    names = [f"{name} {found}" for name in ("rolememory", *PARTS) if (found := _version(name))]
    return HealthFinding("note", "parts", f"Python {sys.version.split()[0]}", ", ".join(names))


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _home(home: Path) -> Iterator[HealthFinding]:
    try:
        with NamedTemporaryFile(dir=home, prefix=".doctor-", suffix=".tmp"):
            yield HealthFinding("good", "home", str(home), say("can be read and written"))
    except OSError as error:
        told = error.strerror or str(error)
        remedy = say("check its rights; until then nothing is remembered")
        yield HealthFinding(
            FAULT,
            "home",
            str(home),
            say("cannot be written: {told}", told=told.lower(), told2=told),
            remedy,
        )
    if os.name == "posix" and _open_to_others(home):
        told = say("others on this machine may read what is remembered")
        yield HealthFinding("warning", "home", str(home), told, f"chmod -R go= {home}")
    free = shutil.disk_usage(home).free
    if free < LITTLE_ROOM:
        yield HealthFinding(
            "warning",
            "home",
            str(home),
            say("only {free} MB free", free=free // 10**6),
            say("make room"),
        )


def _open_to_others(home: Path) -> bool:
    """Whether a role's folder can be read by others; new ones cannot, those of older versions may."""
    from rolememory.storage.files.space import FileStorage

    folders = [home, *(home / name for name in FileStorage(home).roles())]
    allowed = [folder.stat().st_mode & 0o077 for folder in folders]
    return bool(allowed[0] and any(allowed[1:]))


def _settings(home: Path) -> "tuple[Settings | None, list[HealthFinding]]":
    """The settings, and every mistake in them at once."""
    from rolememory.errors import SettingsError
    from rolememory.storage.settings import FILE, load_settings

    try:
        loaded = load_settings(home)
    except SettingsError as error:
        return None, [
            HealthFinding(FAULT, "settings", "", one.text(Tongue.language))
            for one in error.all or (error,)
        ]
    changed = len(loaded.sources)
    what = (
        say("{changed} keys differ from their default", changed=changed)
        if changed
        else say("everything at its default")
    )
    notes = [
        HealthFinding("note", "settings", "", note.text(Tongue.language)) for note in loaded.notes
    ]
    return loaded.settings, [HealthFinding("good", "settings", str(home / FILE), what), *notes]


def _model(home: Path, settings: "Settings | None", load_model: bool) -> HealthFinding:
    meaning = look(home)
    if settings is None:
        return HealthFinding(
            "note",
            "model",
            "",
            say("not looked at until the settings can be read"),
        )
    if meaning.problem:
        return HealthFinding(FAULT, "model", "", meaning.text())
    if load_model and meaning.works:
        return _loaded(home, settings)
    level: Level = (
        "good"
        if meaning.works and (Tongue.language in meaning.languages or not meaning.languages)
        else "note"
        if meaning.works
        else "warning"
    )
    return HealthFinding("note" if meaning.source == "off" else level, "model", "", meaning.text())


def _loaded(home: Path, settings: "Settings") -> HealthFinding:
    from rolememory.text.embed.graph import graph_folder
    from rolememory.text.embed.loader import Loader, load

    loader = Loader(settings.embedding, load=partial(load, graph=graph_folder(home)))
    if loader.ready():
        languages = ", ".join(sorted(loader.background)) or "-"
        by = getattr(loader.get(), "runtime", "")
        return HealthFinding(
            "good",
            "model",
            "",
            say(
                "the model loads and answers, by {by}; languages: {languages}",
                by=by,
                languages=languages,
            ),
        )
    return HealthFinding(
        FAULT,
        "model",
        "",
        loader.reason,
        say("see `rolememory model list`"),
    )


def _watch(home: Path, settings: "Settings") -> Iterator[HealthFinding]:
    from rolememory.storage.files.watch import Watch

    with Watch(home, lambda _: None, settings.storage) as watching:
        mode, notes = watching.mode, list(watching.notes)
    modes = translatable(
        {
            "native": "edits are noticed at once",
            "polling": "edits are looked for every few seconds",
            "off": "edits are noticed at the next turn",
        }
    )
    yield HealthFinding(
        "good" if mode == "native" else "note",
        "watch",
        "",
        say(modes[mode]),
    )
    yield from (HealthFinding("warning", "watch", "", note) for note in notes)


def _templates(home: Path) -> Iterator[HealthFinding]:
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
            yield HealthFinding(
                FAULT,
                "template",
                "",
                note,
                say("until then the shipped one serves"),
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


def _roles(home: Path) -> Iterator[HealthFinding]:
    from rolememory.storage.home import HomeFolder

    folder = HomeFolder(home)
    roles = folder.roles()
    yield from (
        HealthFinding(FAULT, "role", "", problem.text(Tongue.language))
        for problem in folder.problems()
    )
    for role in roles:
        try:
            yield from _role(home, folder.folder(role.id), role)
        except RoleMemoryError as error:
            yield HealthFinding(FAULT, "role", role.name, error.text(Tongue.language))
    if not roles:
        remedy = say("make one with `rolememory open NAME --create`")
        yield HealthFinding("note", "role", str(home), say("no roles yet"), remedy)


def _role(home: Path, folder: Path, role: "Role") -> Iterator[HealthFinding]:
    from rolememory.recall.lexicons import Lexicons
    from rolememory.storage.files.space import FileSpace
    from rolememory.storage.ineffective_fields import still_ineffective
    from rolememory.storage.memories import RoleStore

    found = RoleStore(FileSpace(folder)).snapshot()
    wrong = False
    for problem in still_ineffective(found.problems, Lexicons(home / "lexicons").current()):
        wrong = True
        yield HealthFinding(
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
        yield HealthFinding(
            "good",
            "role",
            role.name,
            say("{count} memories, all readable", count=len(found.memories)),
        )


def _placed(folder: Path, text: str) -> str:
    """A problem with the whole path of its file, so that an editor can jump there."""
    return f"{folder}{os.sep}{text}" if not text.startswith(str(folder)) else text


def _role_settings(home: Path, folder: Path, role: "Role") -> Iterator[HealthFinding]:
    from rolememory.errors import SettingsError
    from rolememory.storage.settings import load_settings

    if not role.settings:
        return
    try:
        load_settings(home, None, role.settings, role_file=str(folder / "role.json"))
    except SettingsError as error:
        yield from (
            HealthFinding(FAULT, "role", role.name, one.text(Tongue.language))
            for one in error.all or (error,)
            if "role.json" in one.file
        )


def _learned(home: Path, folder: Path, role: "Role") -> Iterator[HealthFinding]:
    from rolememory.errors import SettingsError
    from rolememory.storage.settings import load_settings

    try:
        settings = load_settings(
            home, None, role.settings, role_file=str(folder / "role.json")
        ).settings
    except SettingsError:
        return  # told above
    yield from learning_checks.role(folder, role, settings)


def _card(folder: Path, role: "Role") -> Iterator[HealthFinding]:
    from rolememory.cards.base import load

    if not role.card:
        return
    remedy = say("bring it again with `rolememory card import FILE`")
    try:
        for problem in load(folder / Path(role.card).name).problems:
            yield HealthFinding("note", "role", f"{role.name}: {role.card}", problem)
    except RoleMemoryError as error:
        yield HealthFinding(FAULT, "role", role.name, error.text(Tongue.language), remedy)


def _books(home: Path, folder: Path, role: "Role") -> Iterator[HealthFinding]:
    from rolememory.recall.books import Books
    from rolememory.schema.settings import ScanSettings
    from rolememory.storage.files.space import FileSpace

    shared = home / "worldbooks"
    for name in role.worldbooks:
        if not (shared / name).exists():
            remedy = say("put it there, or take the name out of role.json")
            yield HealthFinding(
                FAULT,
                "worldbook",
                f"{role.name}: {shared / name}",
                say("no such worldbook"),
                remedy,
            )
    books = Books(FileSpace(folder), FileSpace(home))
    books.index([name for name in role.worldbooks if (shared / name).exists()], ScanSettings())
    for path, problem in books.problems.items():
        text = problem if problem.startswith(path) else f"{path}: {problem}"
        yield HealthFinding(
            "warning",
            "worldbook",
            role.name,
            text,
            say("its last good state, or the rest of it, serves"),
        )


def _leftovers(folder: Path, role: "Role") -> Iterator[HealthFinding]:
    from rolememory.storage.files import atomic

    if (folder / "journal" / "conflicts.jsonl").exists():
        what = say("changes that the file contradicted lie here")
        yield HealthFinding(
            "warning",
            "role",
            f"{role.name}: {folder / 'journal' / 'conflicts.jsonl'}",
            what,
            say("read it, copy what you need, delete it"),
        )
    old = [
        path.name
        for path in folder.glob(".*.tmp")
        if datetime.now(UTC).timestamp() - path.stat().st_mtime > 3600
    ]
    if old:
        yield HealthFinding(
            "note",
            "role",
            f"{role.name}: {folder}",
            say("leftovers of an interrupted write: {old}", old=Listed(old)),
            say("they may be deleted"),
        )
    try:
        with atomic.locked(folder, LOCK_WAIT_S):
            return
    except NotWrittenError as error:
        yield HealthFinding("warning", "role", role.name, error.text(Tongue.language))


def _backups(folder: Path, role: "Role", memories: int) -> Iterator[HealthFinding]:
    from rolememory.storage.files.backup import list_backups

    newest = next(iter(list_backups(folder)), None)
    command = (
        f'rolememory backup "{role.name}"' if " " in role.name else f"rolememory backup {role.name}"
    )
    if newest is None and memories:
        yield HealthFinding(
            "note",
            "role",
            role.name,
            say("no backup yet"),
            say("`{command}` makes one", command=command),
        )
    elif newest and newest.age(datetime.now(UTC)) > OLD_BACKUP:
        days = newest.age(datetime.now(UTC)).days
        yield HealthFinding(
            "note",
            "role",
            role.name,
            say("the newest backup is {days} days old", days=days),
            say("`{command}` makes another", command=command),
        )
