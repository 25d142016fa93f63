"""What `doctor` looks at: one finding per thing, good or bad. Looks only; mends nothing."""

import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Literal

from rolememory.cards.base import load
from rolememory.cli.context import check_home, home_path, open_home
from rolememory.cli.embedding_status import look_at
from rolememory.cli.learning_status import learns_by, servers, trouble_with
from rolememory.cli.words import ProcessLanguage, say, worded
from rolememory.engine import Home, RoleMemory
from rolememory.errors import (
    InvalidValueError,
    NotWrittenError,
    RoleMemoryError,
    SettingsError,
    TemplateError,
)
from rolememory.inject.environment import Templates
from rolememory.inject.render import Style
from rolememory.locales import Localized, translatable
from rolememory.recall.cleaners import list_problems
from rolememory.schema.memory import Memory
from rolememory.schema.scene import Language
from rolememory.schema.settings import InjectSettings, Settings
from rolememory.serve.token import NAME as TOKEN
from rolememory.serve.token import VARIABLE
from rolememory.storage.files import atomic
from rolememory.storage.files.backup import list_backups
from rolememory.storage.files.space import FileSpace, FileStorage
from rolememory.storage.ineffective_fields import still_ineffective
from rolememory.storage.settings import FILE, load_settings
from rolememory.text.embed import loader
from rolememory.text.embed.graph import graph_folder
from rolememory.upstream import shown, translated

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


def checks(*, load_model: bool = False) -> Findings:
    """Every finding, the parts first; stops early where there is no home."""
    yield _parts()
    try:
        check_home()
    except InvalidValueError as error:
        yield fault("home", error)
        return
    home = home_path().expanduser().resolve()
    yield from _home(home)
    settings, found = _settings(home)
    yield from found
    yield from _templates(home)
    if settings is None:
        yield note("settings", say("the rest is looked at once the settings can be read"))
        return
    yield _model(home, settings, load_model)
    yield from _learning(settings, ask=load_model)
    yield from (fault("home", one) for one in list_problems(FileSpace(home), settings.clean))
    with open_home() as opened:
        opened.hand_over(lambda role_id, seen: None)  # nothing is learned here
        yield from _serving(opened)
        yield from _roles(opened)


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


def _model(home: Path, settings: Settings, load_model: bool) -> HealthFinding:
    meaning = look_at(settings.embedding, home)
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


def _roles(home: Home) -> Findings:
    roles = home.roles()
    yield from (fault("role", problem) for problem in home.folder.problems())
    for role in roles:
        try:
            yield from _role(home.role(role.id))
        except RoleMemoryError as error:
            yield fault("role", error, role.name)
    if not roles:
        remedy = say("make one with `rolememory open NAME --create`")
        yield note("role", say("no roles yet"), str(home.path), remedy=remedy)


def _role(role: RoleMemory) -> Findings:
    found = [
        one
        for look in (_problems, _behind, _card, _books, _leftovers, _backups)
        for one in look(role)
    ]
    yield from found
    if not any(one.level in ("warning", "fault") for one in found):
        count = len(role.store.snapshot().memories)
        yield good("role", say("{count} memories, all readable", count=count), role.role.name)


def _problems(role: RoleMemory) -> Findings:
    """What is wrong in memory.json and in chats, with the whole path of the file, so that an editor can jump there; and in role.json."""
    context, folder = role.parts.context.home, role.folder
    for problem in still_ineffective(role.store.snapshot().problems, context.lexicons.current()):
        text = worded(problem)
        placed = text if text.startswith(str(folder)) else f"{folder}{os.sep}{text}"
        level: Level = "fault" if problem.blocks or problem.drops else "warning"
        yield finding(level, "role", placed, role.role.name)
    for mistake in context.mistakes_of(role.role):
        if "role.json" in mistake.file:
            yield fault("role", mistake, role.role.name)
    for problem in role.chats.problems:
        yield warning("chats", problem, f"{role.role.name}: {folder}")


def _behind(role: RoleMemory) -> Findings:
    """What waits to be learned."""
    name, behind = role.role.name, role.learner.behind.status(ProcessLanguage.language)
    if waiting := len(role.waiting()):
        what = say("{waiting} pending review", waiting=waiting)
        level: Level = "warning" if waiting > MANY_WAIT else "note"
        yield finding(level, "review", what, name, f"`{_command('review', name)}`")
    if unread := len(role.learner.unread()):
        what = say("chats not learned from yet: {unread}", unread=unread)
        yield note("learning", what, name, remedy=say("it goes on with the next turn"))
    if queued := sum(behind["queue"].values()):
        what = say("{queued} exchanges wait for the model", queued=queued)
        yield note("learning", what, name)
    yield from (
        note("learning", one, name) for one in (behind["last_error"], *behind["notes"]) if one
    )


def _card(role: RoleMemory) -> Findings:
    name, card = role.role.name, role.role.card
    if not card:
        return
    try:
        for problem in load(role.folder / Path(card).name).problems:
            yield note("role", problem, f"{name}: {card}")
    except RoleMemoryError as error:
        remedy = say("bring it again with `rolememory card import FILE`")
        yield fault("role", error, name, remedy=remedy)


def _books(role: RoleMemory) -> Findings:
    name, shared = role.role.name, role.folder.parent / "worldbooks"
    for book in role.role.worldbooks:
        if not (shared / book).exists():
            remedy = say("put it there, or take the name out of role.json")
            yield fault(
                "worldbook", say("no such worldbook"), f"{name}: {shared / book}", remedy=remedy
            )
    for path, problem in role.parts.lore.book_problems().items():
        if not (path in role.role.worldbooks and not (shared / path).exists()):
            text = problem if problem.startswith(path) else f"{path}: {problem}"
            remedy = say("its last good state, or the rest of it, serves")
            yield warning("worldbook", text, name, remedy=remedy)


def _leftovers(role: RoleMemory) -> Findings:
    conflicts = role.folder / "journal" / "conflicts.jsonl"
    if conflicts.exists():
        what = say("changes that the file contradicted lie here")
        remedy = say("read it, copy what you need, delete it")
        yield warning("role", what, f"{role.role.name}: {conflicts}", remedy=remedy)
    try:
        with atomic.locked(role.folder, LOCK_WAIT_S):
            return
    except NotWrittenError as error:
        yield warning("role", error, role.role.name)


def _backups(role: RoleMemory) -> Findings:
    name = role.role.name
    make, newest = _command("backup", name), next(iter(list_backups(role.folder)), None)
    if newest is None and role.store.snapshot().memories:
        remedy = say("`{command}` makes one", command=make)
        yield note("role", say("no backup yet"), name, remedy)
    elif newest and (age := newest.age(datetime.now(UTC))) > OLD_BACKUP:
        what = say("the newest backup is {days} days old", days=age.days)
        yield note("role", what, name, say("`{command}` makes another", command=make))


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
    yield from (_server(*one, ask=ask) for one in servers(settings))


def _server(what: str, base: str, key_env: str, *, ask: bool) -> HealthFinding:
    """A server; asked, where it may be, whether it is there."""
    url, _ = translated(base, "")
    where = say("{what}, {url}", what=say(_SERVERS[what]), url=shown(url))
    if ask and (reason := trouble_with(url, key_env)):
        return warning("server", reason, where, remedy=say(_MEANWHILE[what]))
    has_key = bool(os.environ.get(key_env, "").strip())
    key = say("key from {key_env}" if has_key else "no key in {key_env}", key_env=key_env)
    state = say("answers") if ask else say("not asked; --wait asks it")
    told = say("{state}, {key}", state=state, key=key)
    return finding("good" if ask else "note", "server", told, where)


def _serving(home: Home) -> Findings:
    """Whether `serve` can do its work as it is set."""
    rules = home.settings.serve
    if find_spec("fastapi") is None or find_spec("uvicorn") is None:
        what = say("the server is not installed")
        yield note("serve", what, "", 'pip install "rolememory[serve]"')
        return
    if not rules.upstream:
        remedy = say("set serve.upstream, or start with --upstream URL")
        yield note("serve", say("no model is set behind the proxy"), remedy=remedy)
    yield _token(home.path)
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


def _default_role(home: Home, name: str) -> Findings:
    try:
        home.folder.find(name)
    except RoleMemoryError as error:
        remedy = say("put another name into serve.role, or none")
        yield fault("serve", error, "serve.role", remedy=remedy)
