"""All verbs, in the order of the help page: name, function, and help text.

Functions are imported when their verb is run, so that the command starts quickly.
"""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple

import typer

from rolememory.cli.help_pages import HelpPage, page
from rolememory.locales import translatable

GROUPS: Mapping[str, str] = translatable({
    "role": "roles as a whole: delete, restore",
    "story": "stories: which chats share what was said, and their chapters",
    "users": "people and their names",
    "keys": "keys of a service: list, add, remove",
    "integrate": "frontends: install what they need, or remove it",
    "model": "embedding models: list, fetch, export",
    "card": "character cards: show, lint, import, export, convert",
    "book": "lorebooks: scan, lint, test, import, export",
})  # fmt: skip


class Verb(NamedTuple):
    """A verb of the table; `model list` is the verb `list` of the group `model`."""

    words: str
    function: str  # with its module
    help: str


PANELS: Mapping[str, Sequence[Verb]] = {
    translatable("Begin"): (
        Verb("init", "roles.init",
            "create a home folder for roles, with settings to edit"),
        Verb("demo", "demo.demo",
            "a demonstration: three characters, what they recall and why"),
        Verb("roles", "roles.roles", "list the roles"),
        Verb("open", "roles.open_role",
            "show a role's files and contents, or create it"),
        Verb("chat", "chat.chat",
            "talk with a role here, through any OpenAI-compatible server"),
    ),
    translatable("Memories"): (
        Verb("list", "memories.list_memories", "list what a role remembers"),
        Verb("search", "memories.search", "search what a role remembers, best first"),
        Verb("add", "writing.add", "add a memory"),
        Verb("edit", "writing.edit", "change fields of a memory"),
        Verb("weight", "writing.weight", "set how strongly a memory is remembered"),
        Verb("delete", "writing.delete", "delete memories; `undo` brings them back"),
    ),
    translatable("Ask"): (
        Verb("recall", "turns.recall",
            "what a role recalls for this message: the text for the prompt"),
        Verb("explain", "turns.explain",
            "why each memory is in the prompt or not, and what would include it"),
    ),
    translatable("Learn"): (
        Verb("observe", "observing.observe", "let a role observe a chat and learn from it"),
        Verb("review", "observing.review", "pending review: accept or reject it"),
        Verb("infer", "observing.infer",
            "draw conclusions from several memories with the configured model"),
        Verb("sessions", "sessions.sessions",
            "the chats of a role, or the messages of one"),
        Verb("story list", "stories.stories", "the stories of a role"),
        Verb("story begin", "stories.begin",
            "start a story, empty or forked from another"),
        Verb("story merge", "stories.merge",
            "make what was said in one story known in another"),
        Verb("story default", "stories.living",
            "whether chats share one story, or each is a separate one"),
        Verb("story chapters", "stories.chapters", "the chapters of a role's stories"),
        Verb("story chapter", "stories.chapter",
            "end a chapter of a chat here, and write it"),
        Verb("story retell", "stories.retell", "let the model write chapters again"),
        Verb("users list", "people.users", "known people with their names"),
        Verb("users link", "people.link", "link several names to one person"),
        Verb("users unlink", "people.unlink", "make a name a separate person again"),
    ),
    translatable("Keep"): (
        Verb("forget", "sessions.forget",
            "remove everything of one person: memories, chats, history, backups"),
        Verb("history", "upkeep.history",
            "what was changed, when and by whom, newest first"),
        Verb("undo", "upkeep.undo",
            "undo the newest change; run it again for the one before"),
        Verb("clean", "upkeep.clean",
            "archive what expired, lost its weight or exceeds a limit; never deletes"),
        Verb("backup", "upkeep.backup",
            "make a backup of a role, checked after it is made"),
        Verb("restore", "upkeep.restore",
            "restore a backup; the current state is backed up first"),
        Verb("role delete", "roles.delete",
            "delete a role with everything in it; `role restore` brings it back"),
        Verb("role restore", "roles.restore", "bring back a deleted role as it was"),
        Verb("export", "exchange.export",
            "write a role as JSON to standard output: `export Mira > mira.json`"),
        Verb("import", "exchange.import_file",
            "bring in what `export` wrote, a memory.json, or a list of memories; or an entire SillyTavern installation: `import sillytavern FOLDER`"),
    ),
    translatable("Books and cards"): (
        Verb("book scan", "book.scan",
            "which entries these messages activate: by which key, where, at what cost"),
        Verb("book lint", "book.lint",
            "every problem of a book, with a suggested fix"),
        Verb("book show", "book.show", "the entries of a book"),
        Verb("book test", "book.try_book",
            "test a book against the expectations in NAME.test.toml beside it"),
        Verb("book new", "book_moves.new",
            "create a book, with its expectations beside it"),
        Verb("book import", "book_moves.bring", "give a role a book, as it is"),
        Verb("book export", "book_moves.export",
            "write a book in another format; reports what it cannot hold"),
        Verb("card show", "card.show", "what a character card holds"),
        Verb("card lint", "card.lint", "what is wrong with a card and its book"),
        Verb("card import", "card.bring",
            "create a role from a card, or update its role"),
        Verb("card export", "card.export", "a role's card with its books in it"),
        Verb("card convert", "card.convert_card",
            "a card in another format; reports what that cannot hold"),
    ),
    translatable("Tune and check"): (
        Verb("settings", "settings.settings",
            "show the settings and where they come from, or set one"),
        Verb("model list", "models.model_list",
            "recommended embedding models, their languages and sizes, and the one in use"),
        Verb("model fetch", "models.model_fetch",
            "fetch a model, check it, and use it in this home"),
        Verb("model export", "models.model_export",
            "export the current model to ONNX, which starts and answers faster"),
        Verb("stats", "health.stats",
            "figures: memories by type and source, sizes, vectors, backups"),
        Verb("doctor", "health.doctor",
            "check everything; exit code 3 if something is broken"),
    ),
    translatable("Frontends"): (
        Verb("serve", "serve.serve",
            "run the proxy between frontend and model, with REST, MCP and the web page"),
        Verb("keys list", "keys.listed", "the keys of a service"),
        Verb("keys add", "keys.add", "create a key for `serve --service`"),
        Verb("keys remove", "keys.remove", "remove a key"),
        Verb("integrate sillytavern", "integrate.integrate_sillytavern",
            "put the extension into a SillyTavern folder"),
        Verb("mcp", "mcp.mcp",
            "give agents and editors the memories as tools (MCP over stdio)"),
    ),
}  # fmt: skip


class VerbGroup(typer.core.TyperGroup):
    """A group of verbs: all, or those of one group."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names, in the order of the table."""
        return list(_below(ctx))

    def rows(self, ctx: Any) -> list[tuple[str, str, str]]:
        """(panel, name, help) of each verb or group, for help pages; imports nothing."""
        return [
            (panel, name, GROUPS[name] if grouped else verb.help)
            for name, (panel, verb, grouped) in _below(ctx).items()
        ]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The verb or group of this name, None where there is none."""
        if (found := _below(ctx).get(cmd_name)) is None:
            return None
        panel, verb, grouped = found
        if grouped:
            return VerbGroup(name=cmd_name, help=GROUPS[cmd_name], rich_help_panel=panel)
        return _command(cmd_name, panel, verb)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the page."""
        formatter.write(page(self, ctx))


def _below(ctx: Any) -> Mapping[str, tuple[str, Verb, bool]]:
    """By name: the panel, the verb, or the first one of a group, and whether it is a group."""
    group = f"{ctx.info_name} " if ctx.parent else ""
    found: dict[str, tuple[str, Verb, bool]] = {}
    for panel, verbs in PANELS.items():
        for verb in verbs:
            name, _, below = verb.words.removeprefix(group).partition(" ")
            if verb.words.startswith(group):
                found.setdefault(name, (panel, verb, bool(below)))
    return found


def _command(name: str, panel: str, verb: Verb) -> Any:
    module, _, called = verb.function.partition(".")
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(name, cls=HelpPage, help=verb.help, rich_help_panel=panel)(
        getattr(import_module(f"rolememory.cli.{module}"), called)
    )
    return typer.main.get_command(app)
