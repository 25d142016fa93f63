"""What `doctor` looks at: one finding per thing, good or bad. Looks only; mends nothing."""

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Literal

from rolememory.cards.base import load
from rolememory.cli.embedding_status import look
from rolememory.cli.learning_status import (
    ConfiguredServer,
    learns_by,
    servers,
    standing,
)
from rolememory.cli.words import ProcessLanguage, say, worded
from rolememory.errors import NotWrittenError, RoleMemoryError, SettingsError, TemplateError
from rolememory.inject.environment import Templates
from rolememory.inject.render import Style
from rolememory.locales import Localized, translatable
from rolememory.recall.books import Books
from rolememory.recall.cleaners import list_problems
from rolememory.recall.lexicons import Lexicons
from rolememory.schema.memory import Memory
from rolememory.schema.role import Role
from rolememory.schema.scene import Language
from rolememory.schema.settings import InjectSettings, ScanSettings, Settings
from rolememory.serve.token import NAME as TOKEN
from rolememory.serve.token import VARIABLE
from rolememory.storage.files import atomic
from rolememory.storage.files.backup import list_backups
from rolememory.storage.files.space import FileSpace, FileStorage
from rolememory.storage.home import HomeFolder
from rolememory.storage.ineffective_fields import still_ineffective
from rolememory.storage.memories import RoleStore
from rolememory.storage.problem import Problem
from rolememory.storage.settings import FILE, load_settings
from rolememory.text.embed import loader
from rolememory.text.embed.graph import graph_folder

PARTS = "numpy pydantic orjson jinja2 regex rapidfuzz watchdog filelock sentence-transformers torch"
LITTLE_ROOM = 100 * 10**6  # bytes
OLD_BACKUP = timedelta(days=7)
LOCK_WAIT_S = 0.2
_SERVERS = translatable({"learning": "the model that learns", "replies": "the model that replies"})
_MEANWHILE = translatable(
    {
        "learning": "nothing is lost: what is to be learned waits",
        "replies": "until then the frontend shows this error",
    }
)
MANY_WAIT = 50  # drafts that wait for a person: more than one looks through in an evening

Level = Literal["good", "note", "warning", "fault"]


@dataclass(frozen=True, slots=True)
class HealthFinding:
    """How one thing stands: where, what, and what to do about it."""

    level: Level
    about: str  # home, settings, model, learning, server, serve, role, chats, review, worldbook, template, parts
    where: str
    what: str
    remedy: str = ""

    def text(self) -> str:
        """One line."""
        told = say(": ").join(part for part in (self.where, self.what) if part)
        return told + (say("; ") + self.remedy if self.remedy else "")


Findings = Iterator[HealthFinding]


def finding(
    level: Level, about: str, what: str | Localized, where: str = "", remedy: str = ""
) -> HealthFinding:
    """A finding in the person's language."""
    return HealthFinding(level, about, where, worded(what), remedy)


good, note = partial(finding, "good"), partial(finding, "note")
warning, fault = partial(finding, "warning"), partial(finding, "fault")


def _command(verb: str, name: str) -> str:
    """A command line for a role, to copy."""
    return f'rolememory {verb} "{name}"' if " " in name else f"rolememory {verb} {name}"


def checks(home: Path, *, load_model: bool = False) -> Findings:
    """Every finding, the parts first; stops early where there is no home."""
    yield _parts()
    home = home.expanduser()
    if not home.is_dir():
        remedy = say("make one with `rolememory init {home}`", home=home)
        yield fault("home", say("there is no home here"), str(home), remedy=remedy)
        return
    home = home.resolve()
    yield from _home(home)
    settings, found = _settings(home)
    yield from found
    yield _model(home, settings, load_model)
    if settings is not None:
        yield from _learning(settings, ask=load_model)
        yield from _serving(home, settings)
        wrong = list_problems(FileSpace(home), settings.clean)
        yield from (fault("home", one) for one in wrong)
    yield from _templates(home)
    yield from _roles(home)


def _parts() -> HealthFinding:
    names = [
        f"{name} {found}" for name in ("rolememory", *PARTS.split()) if (found := _version(name))
    ]
    return note("parts", ", ".join(names), f"Python {sys.version.split()[0]}")


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _home(home: Path) -> Findings:
    try:
        with NamedTemporaryFile(dir=home, prefix=".doctor-", suffix=".tmp"):
            yield good("home", say("can be read and written"), str(home))
    except OSError as error:
        told = error.strerror or str(error)
        remedy = say("check its rights; until then nothing is remembered")
        yield fault(
            "home",
            say("cannot be written: {told}", told=told.lower(), told2=told),
            str(home),
            remedy=remedy,
        )
    if os.name == "posix" and _open_to_others(home):
        told = say("others on this machine may read what is remembered")
        yield warning("home", told, str(home), remedy=f"chmod -R go= {home}")
    free = shutil.disk_usage(home).free
    if free < LITTLE_ROOM:
        yield warning(
            "home",
            say("only {free} MB free", free=free // 10**6),
            str(home),
            remedy=say("make room"),
        )


def _open_to_others(home: Path) -> bool:
    """Whether a role's folder can be read by others; new ones cannot, those of older versions may."""
    folders = [home, *(home / name for name in FileStorage(home).roles())]
    allowed = [folder.stat().st_mode & 0o077 for folder in folders]
    return bool(allowed[0] and any(allowed[1:]))


def _settings(home: Path) -> tuple[Settings | None, list[HealthFinding]]:
    """The settings, and every mistake in them at once."""
    try:
        loaded = load_settings(home)
    except SettingsError as error:
        return None, [fault("settings", one) for one in error.all or (error,)]
    changed = say("{changed} keys differ from their default", changed=len(loaded.sources))
    what = changed if loaded.sources else say("everything at its default")
    notes = [note("settings", one) for one in loaded.notes]
    return loaded.settings, [good("settings", what, str(home / FILE)), *notes]


def _model(home: Path, settings: Settings | None, load_model: bool) -> HealthFinding:
    if settings is None:
        return note("model", say("not looked at until the settings can be read"))
    meaning = look(home)
    if meaning.problem:
        return fault("model", meaning.text())
    if load_model and meaning.works:
        return _loaded(home, settings)
    if meaning.source != "off" and not meaning.works:
        return warning("model", meaning.text())
    known = meaning.works and meaning.knows(ProcessLanguage.language)
    return finding("good" if known else "note", "model", meaning.text())


def _loaded(home: Path, settings: Settings) -> HealthFinding:

    model = loader.Loader(settings.embedding, load=partial(loader.load, graph=graph_folder(home)))
    if not model.ready():
        return fault("model", model.reason, remedy=say("see `rolememory model list`"))
    told = say(
        "the model loads and answers, by {by}; languages: {languages}",
        by=getattr(model.get(), "runtime", ""),
        languages=", ".join(sorted(model.background)) or "-",
    )
    return good("model", told)


def _templates(home: Path) -> Findings:

    folder = home / "templates"
    for file in sorted(folder.glob("*/*.jinja")):
        kind, name = file.parent.name, file.name.split(".")[0]
        language: Language = "zh" if ".zh." in file.name else "en"
        try:
            notes = Templates(folder).choose(kind, name, language).notes or _rendered(
                folder, kind, name, language
            )
        except TemplateError as error:
            notes = (worded(error),)
        yield from (
            fault("template", one, remedy=say("until then the shipped one serves")) for one in notes
        )


def _rendered(folder: Path, kind: str, name: str, language: Language) -> tuple[str, ...]:
    """What is wrong with a template that compiles, found out by saying a memory with it."""
    if kind != "inject":
        return ()
    settings = InjectSettings(template=name, language=language)
    style = Style(Templates(folder), settings, language=language)
    style.block([Memory(id="sample", content="A sample.", tags=("sample",))])
    return style.notes


def _roles(home: Path) -> Findings:

    folder = HomeFolder(home)
    roles = folder.roles()
    yield from (fault("role", problem) for problem in folder.problems())
    for role in roles:
        try:
            yield from _role(home, folder.folder(role.id), role)
        except RoleMemoryError as error:
            yield fault("role", error, role.name)
    if not roles:
        remedy = say("make one with `rolememory open NAME --create`")
        yield note("role", say("no roles yet"), str(home), remedy=remedy)


def _role(home: Path, folder: Path, role: Role) -> Findings:

    found = RoleStore(FileSpace(folder)).snapshot()
    wrong = False
    for one in (
        *_problems(home, folder, role, found.problems),
        *_settings_and_learning(home, folder, role),
        *_card(folder, role),
        *_books(home, folder, role),
        *_leftovers(folder, role),
        *_backups(folder, role, len(found.memories)),
    ):
        wrong = wrong or one.level in ("warning", "fault")
        yield one
    if not wrong:
        count = len(found.memories)
        yield good("role", say("{count} memories, all readable", count=count), role.name)


def _problems(home: Path, folder: Path, role: Role, problems: Sequence[Problem]) -> Findings:
    """What is wrong in memory.json, with the whole path of the file, so that an editor can jump there."""
    for problem in still_ineffective(problems, Lexicons(home / "lexicons").current()):
        text = worded(problem)
        placed = text if text.startswith(str(folder)) else f"{folder}{os.sep}{text}"
        level: Level = "fault" if problem.blocks or problem.drops else "warning"
        yield finding(level, "role", placed, role.name)


def _settings_and_learning(home: Path, folder: Path, role: Role) -> Findings:

    try:
        loaded = load_settings(home, None, role.settings, role_file=str(folder / "role.json"))
    except SettingsError as error:
        own = (one for one in error.all or (error,) if "role.json" in one.file)
        yield from (fault("role", one, role.name) for one in own)
        return
    yield from _role_learning(folder, role, loaded.settings)


def _card(folder: Path, role: Role) -> Findings:

    if not role.card:
        return
    remedy = say("bring it again with `rolememory card import FILE`")
    try:
        for problem in load(folder / Path(role.card).name).problems:
            yield note("role", problem, f"{role.name}: {role.card}")
    except RoleMemoryError as error:
        yield fault("role", error, role.name, remedy=remedy)


def _books(home: Path, folder: Path, role: Role) -> Findings:

    shared = home / "worldbooks"
    for name in role.worldbooks:
        if not (shared / name).exists():
            remedy = say("put it there, or take the name out of role.json")
            yield fault(
                "worldbook",
                say("no such worldbook"),
                f"{role.name}: {shared / name}",
                remedy=remedy,
            )
    books = Books(FileSpace(folder), FileSpace(home))
    books.index([name for name in role.worldbooks if (shared / name).exists()], ScanSettings())
    for path, problem in books.problems.items():
        text = problem if problem.startswith(path) else f"{path}: {problem}"
        yield warning(
            "worldbook",
            text,
            role.name,
            remedy=say("its last good state, or the rest of it, serves"),
        )


def _leftovers(folder: Path, role: Role) -> Findings:

    if (folder / "journal" / "conflicts.jsonl").exists():
        what = say("changes that the file contradicted lie here")
        yield warning(
            "role",
            what,
            f"{role.name}: {folder / 'journal' / 'conflicts.jsonl'}",
            remedy=say("read it, copy what you need, delete it"),
        )
    try:
        with atomic.locked(folder, LOCK_WAIT_S):
            return
    except NotWrittenError as error:
        yield warning("role", error, role.name)


def _backups(folder: Path, role: Role, memories: int) -> Findings:

    newest = next(iter(list_backups(folder)), None)
    make = _command("backup", role.name)
    if newest is None and memories:
        remedy = say("`{command}` makes one", command=make)
        yield note("role", say("no backup yet"), role.name, remedy)
    elif newest and newest.age(datetime.now(UTC)) > OLD_BACKUP:
        what = say("the newest backup is {days} days old", days=newest.age(datetime.now(UTC)).days)
        remedy = say("`{command}` makes another", command=make)
        yield note("role", what, role.name, remedy)


def _learning(settings: Settings, *, ask: bool) -> Findings:
    """Who learns, and the servers that are asked."""
    by = learns_by(settings)
    told = say(by, msgctxt="learning")
    yield finding(
        "note" if by == "off" else "good",
        "learning",
        say("memories are learned by: {told}", told=told),
    )
    endpoint, model = settings.learn.endpoint, settings.learn.model
    if endpoint == "upstream" and not settings.serve.upstream:
        what = say('learn.endpoint is "upstream", and no model is set behind the proxy')
        yield warning("learning", what, remedy=say("set serve.upstream"))
    elif by == "commands" and bool(endpoint) != bool(model) and settings.learn.extractor != "rules":
        named = "learn.endpoint" if endpoint else "learn.model"
        other = "learn.model" if endpoint else "learn.endpoint"
        what = say(
            "{named} is set and {other} is not, so no model learns", named=named, other=other
        )
        yield warning("learning", what, remedy=say("set {other}", other=other))
    yield from (_server(one) for one in servers(settings, ask=ask))


def _server(one: ConfiguredServer) -> HealthFinding:
    what = say(_SERVERS[one.what])
    key = (
        say("key from {key_env}", key_env=one.key_env)
        if one.has_key
        else say("no key in {key_env}", key_env=one.key_env)
    )
    where = say("{what}, {url}", what=what, url=one.url)
    if one.state == "failed":
        return warning("server", one.reason, where, remedy=say(_MEANWHILE[one.what]))
    state = say("answers") if one.state == "ready" else say("not asked; --wait asks it")
    return finding(
        "good" if one.state == "ready" else "note",
        "server",
        say("{state}, {key}", state=state, key=key),
        where,
    )


def _role_learning(folder: Path, role: Role, settings: Settings) -> Findings:
    """How learning stands in one role, and what is wrong with its chats."""
    try:
        found = standing(FileSpace(folder), settings)
    except (RoleMemoryError, OSError) as error:
        what = error if isinstance(error, RoleMemoryError) else str(error)
        yield warning("chats", what, role.name)
        return
    yield from (warning("chats", problem, f"{role.name}: {folder}") for problem in found.problems)
    if found.waiting:
        what = say("{waiting} pending review", waiting=found.waiting)
        level: Level = "warning" if found.waiting > MANY_WAIT else "note"
        yield finding(level, "review", what, role.name, f"`{_command('review', role.name)}`")
    if found.unread:
        what = say("chats not learned from yet: {unread}", unread=found.unread)
        yield note("learning", what, role.name, remedy=say("it goes on with the next turn"))
    if found.queued:
        what = say("{queued} exchanges wait for the model", queued=found.queued)
        yield note("learning", what, role.name)
    yield from (note("learning", one, role.name) for one in found.notes)


def _serving(home: Path, settings: Settings) -> Findings:
    """Whether `serve` can do its work as it is set."""
    rules = settings.serve
    if find_spec("fastapi") is None or find_spec("uvicorn") is None:
        what = say("the server is not installed")
        yield note("serve", what, "", 'pip install "rolememory[serve]"')
        return
    if not rules.upstream:
        remedy = say("set serve.upstream, or start with --upstream URL")
        yield note("serve", say("no model is set behind the proxy"), remedy=remedy)
    yield _token(home)
    if rules.host not in ("127.0.0.1", "localhost", "::1"):
        what = say("listens on {host}: other machines may ask, with the token", host=rules.host)
        yield note("serve", what)
    if rules.role:
        yield from _default_role(home, rules.role)
    if rules.cards and not Path(rules.cards).expanduser().is_dir():
        what = say("serve.cards: no folder {cards}", cards=rules.cards)
        yield warning("serve", what, remedy=say("roles are known by name alone"))


def _token(home: Path) -> HealthFinding:

    token = home / TOKEN
    if os.environ.get(VARIABLE, "").strip():
        return good("serve", say("the token comes from {variable}", variable=VARIABLE))
    if not token.is_file():
        return note("serve", say("no token yet; the first start makes one"))
    if os.name == "posix" and token.stat().st_mode & 0o077:
        what = say("others on this machine may read the token")
        return warning("serve", what, str(token), remedy=f"chmod 600 {token}")
    return good("serve", say("the token is there"), str(token))


def _default_role(home: Path, name: str) -> Findings:

    try:
        HomeFolder(home).find(name)
    except RoleMemoryError as error:
        remedy = say("put another name into serve.role, or none")
        yield fault("serve", error, "serve.role", remedy=remedy)
