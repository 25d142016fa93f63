"""The checks of `doctor`: one finding each, good or bad. Read-only."""

import os
import shutil
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Literal

from rolememory.cards.base import load
from rolememory.cli.context import check_home, home_path, open_home
from rolememory.cli.embedding_status import look_at
from rolememory.cli.language import ProcessLanguage
from rolememory.cli.learning_status import learns_by, servers, trouble_with
from rolememory.cli.output import pasted, say, worded
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
from rolememory.recall.own_rules import list_problems
from rolememory.schema.memory import Memory
from rolememory.schema.scene import Language
from rolememory.schema.settings import InjectSettings, Settings
from rolememory.schema.value_class import value_class
from rolememory.serve.token import NAME as TOKEN
from rolememory.serve.token import VARIABLE
from rolememory.storage import role_file
from rolememory.storage.files import atomic
from rolememory.storage.files.backup import list_backups
from rolememory.storage.files.space import FileSpace, FileStorage
from rolememory.storage.ineffective_fields import still_ineffective
from rolememory.storage.settings import FILE, load_settings
from rolememory.text.embed import loader
from rolememory.text.embed.graph import graph_folder
from rolememory.upstream import asks_itself, shown, translated

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
MANY_WAIT = 50  # drafts pending review: more than one reviews in an evening

Level = Literal["good", "note", "warning", "fault"]


@value_class
class HealthFinding:
    """A finding: the place, the state, and what to do about it."""

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
    level: Level,
    about: str,
    what: str | Localized,
    where: str = "",
    remedy: str = "",
    **values: Any,
) -> HealthFinding:
    """A finding in the person's language; `values` fill both its text and its remedy."""
    told = worded(what) if isinstance(what, Localized) else say(what, **values)
    return HealthFinding(level, about, where, told, say(remedy, **values))


good = partial(finding, "good")
note = partial(finding, "note")
warning = partial(finding, "warning")
fault = partial(finding, "fault")


def _command(verb: str, name: str) -> str:
    """A command line for a role, to copy."""
    return f"rolememory {verb} {pasted(name)}"


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
        yield note("settings", "the rest is looked at once the settings can be read")
        return
    yield from _chosen_templates(home / "templates", settings)
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
    place = str(home)
    try:
        with NamedTemporaryFile(dir=home, prefix=".doctor-", suffix=".tmp"):
            yield good("home", "can be read and written", place)
    except OSError as error:
        reason = error.strerror or str(error)
        yield fault(
            "home",
            "cannot be written: {told}",
            place,
            remedy="check its rights; until then nothing is remembered",
            told=reason.lower(),
            told2=reason,
        )
    if os.name == "posix" and _open_to_others(home):
        yield warning(
            "home",
            "others on this machine may read what is remembered",
            place,
            f"chmod -R go= {home}",
        )
    if (free := shutil.disk_usage(home).free) < LITTLE_ROOM:
        left = free // 10**6
        yield warning("home", "only {free} MB free", place, remedy="make room", free=left)


def _open_to_others(home: Path) -> bool:
    """Whether others can read a role's folder; possible for folders of older versions."""
    folders = [home, *(home / name for name in FileStorage(home).roles())]
    allowed = [folder.stat().st_mode & 0o077 for folder in folders]
    return bool(allowed[0] and any(allowed[1:]))


def _settings(home: Path) -> tuple[Settings | None, list[HealthFinding]]:
    """The settings, and all errors in them."""
    try:
        loaded = load_settings(home)
    except SettingsError as error:
        return None, [fault("settings", one) for one in error.all or (error,)]
    count = len(loaded.sources)
    found = good(
        "settings",
        "{changed} {changed:key differs|keys differ} from {changed:its|their} default"
        if count
        else "everything at its default",
        str(home / FILE),
        changed=count,
    )
    return loaded.settings, [found, *(note("settings", one) for one in loaded.notes)]


def _model(home: Path, settings: Settings, load_model: bool) -> HealthFinding:
    meaning = look_at(settings.embedding, home)
    if load_model and meaning.works:
        return _loaded(home, settings)
    known = meaning.works and meaning.knows(ProcessLanguage.language)
    level: Level = "good" if known else "note"
    if not meaning.works and meaning.source != "off":
        level = "fault" if meaning.problem else "warning"
    return finding(level, "model", meaning.text())


def _loaded(home: Path, settings: Settings) -> HealthFinding:
    model = loader.Loader(settings.embedding, load=partial(loader.load, graph=graph_folder(home)))
    if not model.ready():
        return fault("model", model.reason, remedy="see `rolememory model list`")
    return good(
        "model",
        "the model loads and answers, by {by}; languages: {languages}",
        by=getattr(model.get(), "runtime", ""),
        languages=", ".join(sorted(model.background)) or "-",
    )


def _templates(home: Path) -> Findings:
    folder = home / "templates"
    for file in sorted(folder.glob("*/*.jinja")):
        kind = file.parent.name
        name = file.name.split(".")[0]
        language: Language = "zh" if ".zh." in file.name else "en"
        for one in _template_notes(folder, kind, name, language):
            yield fault("template", one, remedy="until then the shipped one serves")


def _chosen_templates(folder: Path, settings: Settings) -> Findings:
    """Templates that the settings name or write out, and that do not exist or do not work."""
    learn = settings.learn
    steps = (learn.decision, learn.summary, learn.extraction, learn.inference, learn.summarize)
    named = [("learn", one.template) for one in steps if one.template]
    if settings.inject.template != "auto":
        named.append(("inject", settings.inject.template))
    for kind, name in named:
        for one in _template_notes(folder, kind, name, "en"):
            file = str(folder.parent / FILE)
            yield fault("settings", one, file, remedy="until then the shipped one serves")


def _template_notes(folder: Path, kind: str, name: str, language: Language) -> tuple[str, ...]:
    """Errors of a template, found by choosing and rendering it."""
    try:
        notes = Templates(folder).choose(kind, name, language).notes
        return notes or _rendered(folder, kind, name, language)
    except TemplateError as error:
        return (worded(error),)


def _rendered(folder: Path, kind: str, name: str, language: Language) -> tuple[str, ...]:
    """Errors of a template that compiles, found by rendering a memory."""
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
        yield note(
            "role",
            "no roles yet",
            str(home.path),
            remedy="make one with `rolememory open NAME --create`",
        )


def _role(role: RoleMemory) -> Findings:
    found = [
        one
        for look in (_problems, _behind, _card, _books, _associates, _leftovers, _backups)
        for one in look(role)
    ]
    yield from found
    if not any(one.level in ("warning", "fault") for one in found):
        count = len(role.store.snapshot().memories)
        yield good("role", "memories {count}, all readable", role.role.name, count=count)


def _problems(role: RoleMemory) -> Findings:
    """Errors in memory.json and in chats, with full paths, so that an editor can jump there; and in role.json."""
    context = role.parts.context.home
    folder = role.folder
    for problem in still_ineffective(role.store.snapshot().problems, context.lexicon()):
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
    """What is waiting to be learned."""
    name = role.role.name
    behind = role.learner.worker.status(ProcessLanguage.language)
    if waiting := len(role.waiting()):
        level: Level = "warning" if waiting > MANY_WAIT else "note"
        review = f"`{_command('review', name)}`"
        yield finding(level, "review", "{waiting} pending review", name, review, waiting=waiting)
    if unread := len(role.learner.unread()):
        yield note(
            "learning",
            "chats not learned from yet: {unread}",
            name,
            remedy="it goes on with the next turn",
            unread=unread,
        )
    if queued := sum(behind["queue"].values()):
        yield note(
            "learning",
            "{queued} {queued:exchange waits|exchanges wait} for the model",
            name,
            queued=queued,
        )
    yield from (
        note("learning", one, name) for one in (behind["last_error"], *behind["notes"]) if one
    )


def _card(role: RoleMemory) -> Findings:
    name = role.role.name
    card = role.role.card
    if not card:
        return
    try:
        for problem in load(role.folder / Path(card).name).problems:
            yield note("role", problem, f"{name}: {card}")
    except RoleMemoryError as error:
        yield fault("role", error, name, remedy="bring it again with `rolememory card import FILE`")


def _books(role: RoleMemory) -> Findings:
    name = role.role.name
    shared = role.folder.parent / "worldbooks"
    missing = [book for book in role.role.worldbooks if not (shared / book).exists()]
    for book in missing:
        yield fault(
            "worldbook",
            "no such worldbook",
            f"{name}: {shared / book}",
            remedy="put it there, or take the name out of role.json",
        )
    for path, problems in role.parts.lore.book_problems().items():
        for problem in problems if path not in missing else ():
            yield warning(
                "worldbook", problem, name, remedy="its last good state, or the rest of it, serves"
            )


def _associates(role: RoleMemory) -> Findings:
    """Associates that are not there, such as deleted ones."""
    folder = role.parts.context.home.folder
    for one in role.role.associates:
        try:
            folder.find(one.role)
        except RoleMemoryError as error:
            where = f"{role.role.name}: {role.folder / role_file.NAME}"
            remedy = "restore that role, or take it out of `associates`"
            yield warning("role", error, where, remedy=remedy)


def _leftovers(role: RoleMemory) -> Findings:
    conflicts = role.folder / "journal" / "conflicts.jsonl"
    if conflicts.exists():
        yield warning(
            "role",
            "changes that the file contradicted lie here",
            f"{role.role.name}: {conflicts}",
            remedy="read it, copy what you need, delete it",
        )
    try:
        with atomic.locked(role.folder, LOCK_WAIT_S):
            return
    except NotWrittenError as error:
        yield warning("role", error, role.role.name)


def _backups(role: RoleMemory) -> Findings:
    name = role.role.name
    command = _command("backup", name)
    newest = next(iter(list_backups(role.folder)), None)
    if newest is None and role.store.snapshot().memories:
        yield note("role", "no backup yet", name, remedy="`{command}` makes one", command=command)
    elif newest and (age := newest.age(datetime.now(UTC))) > OLD_BACKUP:
        yield note(
            "role",
            "the newest backup is {days} {days:day|days} old",
            name,
            remedy="`{command}` makes another",
            days=age.days,
            command=command,
        )


def _learning(settings: Settings, *, ask: bool) -> Findings:
    """What learns, and the servers it uses."""
    by = learns_by(settings)
    level: Level = "note" if by == "off" else "good"
    told = say(by, msgctxt="learning")
    yield finding(level, "learning", "memories are learned by: {told}", told=told)
    endpoint = settings.learn.endpoint
    model = settings.learn.model
    if endpoint == "upstream" and not settings.serve.upstream:
        yield warning(
            "learning",
            'learn.endpoint is "upstream", and no model is set behind the proxy',
            remedy="set serve.upstream",
        )
    elif by == "commands" and bool(endpoint) != bool(model) and settings.learn.extractor != "rules":
        named = "learn.endpoint"
        other = "learn.model"
        named, other = (named, other) if endpoint else (other, named)
        yield warning(
            "learning",
            "{named} is set and {other} is not, so no model learns",
            remedy="set {other}",
            named=named,
            other=other,
        )
    yield from (_server(*one, ask=ask) for one in servers(settings))


def _server(what: str, base: str, key_env: str, *, ask: bool) -> HealthFinding:
    """A model server; if `ask`, whether it responds."""
    url, _ = translated(base, "")
    where = say("{what}, {url}", what=say(_SERVERS[what]), url=shown(url))
    if ask and (reason := trouble_with(url, key_env)):
        return warning("server", reason, where, _MEANWHILE[what])
    has_key = bool(os.environ.get(key_env, "").strip())
    key = say("key from {key_env}" if has_key else "no key in {key_env}", key_env=key_env)
    state = say("answers") if ask else say("not asked; --wait asks it")
    level: Level = "good" if ask else "note"
    return finding(level, "server", "{state}, {key}", where, state=state, key=key)


def _serving(home: Home) -> Findings:
    """Whether `serve` can work with these settings."""
    rules = home.settings.serve
    if find_spec("fastapi") is None or find_spec("uvicorn") is None:
        yield note("serve", "the server is not installed", "", 'pip install "rolememory[serve]"')
        return
    if not rules.upstream:
        yield note(
            "serve",
            "no model is set behind the proxy",
            remedy="set serve.upstream, or start with --upstream URL",
        )
    elif asks_itself(rules.upstream, rules.host, rules.port):
        yield warning(
            "serve",
            "serve.upstream is this server itself",
            remedy="set the model's own address there",
        )
    yield _token(home.path)
    if rules.host not in ("127.0.0.1", "localhost", "::1"):
        yield note(
            "serve", "listens on {host}: other machines may ask, with the token", host=rules.host
        )
    if rules.role:
        yield from _default_role(home, rules.role)
    if rules.cards and not Path(rules.cards).expanduser().is_dir():
        yield warning(
            "serve",
            "serve.cards: no folder {cards}",
            remedy="roles are known by name alone",
            cards=rules.cards,
        )


def _token(home: Path) -> HealthFinding:
    token = home / TOKEN
    if os.environ.get(VARIABLE, "").strip():
        return good("serve", "the token comes from {variable}", variable=VARIABLE)
    if not token.is_file():
        return note("serve", "no token yet; the first start makes one")
    if os.name == "posix" and token.stat().st_mode & 0o077:
        return warning(
            "serve", "others on this machine may read the token", str(token), f"chmod 600 {token}"
        )
    return good("serve", "the token is there", str(token))


def _default_role(home: Home, name: str) -> Findings:
    try:
        home.folder.find(name)
    except RoleMemoryError as error:
        yield fault(
            "serve", error, "serve.role", remedy="put another name into serve.role, or none"
        )
