"""import sillytavern: characters, lorebooks, personas, chats, and summaries of memory extensions."""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson
import typer

from rolememory.authoring.importer.ledger import ledger_of
from rolememory.authoring.importer.plan import ImportPlan, ImportSettings
from rolememory.authoring.importer.planning import make_plan
from rolememory.authoring.importer.run import ImportedItem, ImportRun
from rolememory.cards.tavern.layout import DataFolder, data_folders
from rolememory.chats.stories import Living
from rolememory.cli.context import open_home
from rolememory.cli.output import Row, out, picked, say, worded, write
from rolememory.cli.upkeep import size
from rolememory.errors import InvalidValueError, UnknownNameError
from rolememory.locales import translatable

PROGRAM = "sillytavern"
DEFAULT_USER = "default-user"
FAILED = 1

_STATES = translatable({
    "new": "new", "changed": "changed", "same": "here already", "kept": "edited here, stays", "failed": "not brought",
})  # fmt: skip


def bring(
    program: str,
    folder: str,
    *,
    role: str | None,
    profile: str | None,
    hidden: bool,
    again: bool,
    dry_run: bool,
    yes: bool,
    stories: str | None,
) -> None:
    """Show the plan, then import unless `dry_run`.

    Raises:
        UnknownNameError: an unknown program.
        FileError: not its folder.
    """
    if program.casefold() != PROGRAM:
        raise UnknownNameError("program", program, [PROGRAM])
    source = _chosen(data_folders(Path(folder)), profile)
    with open_home() as home, ledger_of(home.space, source.path, write=not dry_run) as ledger:
        role_id = home.folder.find(role).id if role else ""
        wishes = ImportSettings(role_id, hidden, again)
        with out.progress(say("looking at what there is")) as tell:
            plan = make_plan(home, source, ledger, wishes, tell)
        if stories not in (None, "one", "each"):
            raise InvalidValueError(
                "--stories: expected one or each, got {stories!r}", stories=stories
            )
        if dry_run:
            _show_dry(plan)
            return
        _show(plan)
        if plan.is_empty or yes or out.as_json or not out.asks or out.ask(say("bring it?")):
            lives = _stories(plan, stories, yes)
            _carry(ImportRun(home, plan, ledger, hidden=hidden, stories=lives), lives)


def _stories(plan: ImportPlan, wanted: str | None, yes: bool) -> Mapping[str, Living]:
    """For each role with many chats whether they share a story: as given, as answered, else each its own."""
    found: dict[str, Living] = {}
    for avatar, count in plan.many.items():
        name = plan.roles[avatar].name
        found[avatar] = "one" if wanted == "one" else "each"
        if wanted or out.as_json:
            continue
        if out.asks and not yes:
            found[avatar] = _lives(name, count)
        else:
            out.note(
                say(
                    "{name}: each of {count} chats is a story of its own, nothing of one is recalled in another; --stories one: they share one life",
                    name=name,
                    count=count,
                )
            )
    return found


def _lives(name: str, count: int) -> Living:
    """The person's answer; empty means the default."""
    question = say(
        "{name} has {count} chats. Is each a story of its own (each), or do they share one life (one)? [each] ",
        name=name,
        count=count,
    )
    return "one" if out.answer(question) in ("one", "1", "一", "共用") else "each"


def _chosen(users: Sequence[DataFolder], wanted: str | None) -> DataFolder:
    """The selected user: the one named, the only one, else the default one.

    Raises:
        UnknownNameError: no such user.
    """
    if wanted is None and len(users) == 1:
        return users[0]
    named = {user.name: user for user in users}
    name = wanted or DEFAULT_USER
    if name not in named:
        raise UnknownNameError("user", name, named, remedy="say which with --profile")
    if wanted is None:
        others = ", ".join(one for one in named if one != name)
        told = {"default_user": name, "others": others}
        out.note(say("using the user {default_user}; --profile names another: {others}", **told))
    return named[name]


# ── showing ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _show(plan: ImportPlan) -> None:
    if not out.as_json:
        out.line(str(plan.source.path), "bold")
        out.pairs(_sums(plan))
        out.warn(*plan.problems)


def _sums(plan: ImportPlan) -> Iterator[tuple[str, str]]:
    """The number of items of each kind, by state."""
    titles = {
        "characters": say("characters"),
        "lorebooks": say("lorebooks"),
        "personas": say("personas"),
        "chats": say("chats", msgctxt="import"),
    }
    for kind, states in plan.states.items():
        counts = [
            say("{count} {state}", count=states.count(one), state=say(word))
            for one, word in _STATES.items()
            if one in states
        ]
        if counts:
            yield titles[kind], say(", ").join(counts)
    if plan.size_due:
        yield say("to read"), size(plan.size_due)


def _show_dry(plan: ImportPlan) -> None:
    """Show the plan; chats are not read."""
    chats = [
        {"chat": chat.key, **picked(chat, "name folder state"), "size": chat.stamp.size}
        for chat in plan.due
    ]
    if out.json({**_values(plan, (), dry_run=True), "chats": chats}):
        return
    _show(plan)
    if chats:
        out.line()
        shown = [
            row | {"size": size(row["size"]), "state": say(_STATES[row["state"]])} for row in chats
        ]
        out.table(shown, "name folder size state", name=say("chat"))
    out.say("nothing was changed")


def _values(plan: ImportPlan, done: Sequence[ImportedItem], **more: Any) -> Row:
    """The plan for scripts, with results: the ids of new roles, each chat, and failures."""
    roles = {one.key: picked(one, "state role") for one in done if one.kind == "role"}
    failed = [problem for one in done if one.kind != "chat" for problem in one.problems]
    return {
        "source": str(plan.source.path),
        "roles": [
            picked(one, "avatar name state role") | roles.get(one.avatar, {})
            for one in plan.roles.values()
        ],
        "worldbooks": [
            picked(one, "name state entries") | {"file": one.file} for one in plan.worlds.values()
        ],
        "personas": [
            picked(one.persona, "name avatar") | {"state": one.state} for one in plan.personas
        ],
        **more,
        "chats": [_chat_row(one) for one in done if one.kind == "chat"],
        "problems": list(map(worded, [*plan.problems, *failed])),
    }


def _chat_row(one: ImportedItem) -> Row:
    row = picked(one, "name state roles user messages hidden summaries learned")
    return row | {"chat": one.key, "size": one.size, "problems": list(map(worded, one.problems))}


def _tell_hidden(chats: Iterable[ImportedItem]) -> None:
    if hidden := sum(one.hidden for one in chats):
        out.note(
            say("{hidden} hidden messages are left out; --hidden brings them too", hidden=hidden)
        )


# ── bringing ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def _carry(steps: ImportRun, stories: Mapping[str, Living]) -> None:
    plan = steps.plan
    done: list[ImportedItem] = []
    read = 0
    try:
        with out.progress(say("bringing the chats"), plan.size_due) as tell:
            for one in steps.run():
                done.append(one)
                read += one.size
                tell(read, plan.size_due)
                _tell_one(one)
    except KeyboardInterrupt:
        # the current chat is stored; it is learned when the import continues
        out.warn(
            say(
                "stopping: {here_now} of {due} chats are imported, the same command continues; Ctrl-C again stops at once, nothing is lost",
                here_now=sum(one.kind == "chat" for one in done),
                due=len(plan.due),
            )
        )
        raise
    _tell_all(plan, done, stories)
    if any(one.state == "failed" for one in done):
        raise typer.Exit(FAILED)


def _tell_one(one: ImportedItem) -> None:
    """One line of JSON per chat on standard error, for scripts; people have the progress bar."""
    if out.as_json and one.kind == "chat":
        write(orjson.dumps(_chat_row(one)).decode() + "\n", sys.stderr)
        sys.stderr.flush()


def _tell_all(
    plan: ImportPlan, done: Sequence[ImportedItem], stories: Mapping[str, Living]
) -> None:
    if out.json(_values(plan, done, dry_run=False, stories=stories)):
        return
    chats = [one for one in done if one.kind == "chat"]
    out.warn(*(problem for one in done for problem in one.problems))
    if not chats and plan.is_empty:
        out.say("everything is here already")
        return
    out.say(
        "brought: chats {count}, messages {messages}, learned memories {learned}, summaries {summaries}",
        style="bold",
        count=len(chats),
        messages=sum(one.messages for one in chats),
        learned=sum(one.learned for one in chats),
        summaries=sum(one.summaries for one in chats),
    )
    _tell_hidden(chats)
