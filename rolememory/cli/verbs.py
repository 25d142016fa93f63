"""All verbs, in the order of the help page: what each is called, the function behind it, and what its help says.

A function is imported when its verb is run: the command starts as quickly as that verb allows.
"""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import typer

from rolememory.cli.help_pages import HelpGroup, HelpPage
from rolememory.locales import translatable

GROUPS: Mapping[str, str] = translatable({
    "story": "stories: which chats share what was said, and their chapters",
    "users": "people and their names",
    "keys": "keys of a service: list, add, remove",
    "integrate": "frontends: install what they need, or remove it",
    "model": "embedding models: list, fetch, export",
    "card": "character cards: show, check, import, export, convert",
    "book": "lorebooks: scan, check, test, import, export",
})  # fmt: skip

# panel -> (verb, module.function, help); `model list` is the verb `list` of the group `model`
PANELS: Mapping[str, Sequence[tuple[str, str, str]]] = {
    translatable("Begin"): (
        ("init", "init.init",
            translatable("create a home folder for roles, with settings to edit")),
        ("demo", "demo.demo",
            translatable("a demonstration: three characters, what they recall and why")),
        ("roles", "roles.roles", translatable("list the roles")),
        ("open", "roles.open_role",
            translatable("show a role's files and contents; create it, or edit its memories")),
        ("chat", "chat.chat",
            translatable("talk with a role here, through any OpenAI-compatible server")),
    ),
    translatable("Memories"): (
        ("list", "memories.list_memories", translatable("list what a role remembers")),
        ("search", "memories.search", translatable("search what a role remembers, best first")),
        ("add", "writing.add", translatable("add a memory")),
        ("edit", "writing.edit",
            translatable("change a memory: field=value ..., or in your editor")),
        ("weight", "writing.weight", translatable("set how strongly a memory is remembered")),
        ("delete", "writing.delete", translatable("delete memories; `undo` brings them back")),
    ),
    translatable("Ask"): (
        ("recall", "turns.recall",
            translatable("what a role recalls for this message: the text for the prompt")),
        ("explain", "turns.explain",
            translatable("why each memory is in the prompt or not, and what would include it")),
    ),
    translatable("Learn"): (
        ("observe", "observing.observe", translatable("let a role observe a chat and learn from it")),
        ("review", "observing.review", translatable("pending review: accept, edit or reject it")),
        ("infer", "observing.infer",
            translatable("draw conclusions from several memories with the configured model")),
        ("sessions", "sessions.sessions",
            translatable("the chats of a role, or the messages of one")),
        ("story list", "stories.stories", translatable("the stories of a role")),
        ("story begin", "stories.begin",
            translatable("start a story, empty or forked from another")),
        ("story merge", "stories.merge",
            translatable("make what was said in one story known in another")),
        ("story default", "stories.living",
            translatable("whether chats share one story, or each is a separate one")),
        ("story chapters", "stories.chapters", translatable("the chapters of a role's stories")),
        ("story chapter", "stories.chapter",
            translatable("end a chapter of a chat here, and write it")),
        ("story retell", "stories.retell", translatable("let the model write chapters again")),
        ("users list", "people.users", translatable("known people with their names")),
        ("users link", "people.link", translatable("link several names to one person")),
        ("users unlink", "people.unlink", translatable("make a name a separate person again")),
    ),
    translatable("Keep"): (
        ("forget", "sessions.forget",
            translatable("remove everything of one person: memories, chats, history, backups")),
        ("history", "history.history",
            translatable("what was changed, when and by whom, newest first")),
        ("undo", "history.undo",
            translatable("undo the newest change; run it again for the one before")),
        ("clean", "upkeep.clean",
            translatable("archive what expired, lost its weight or exceeds a limit; never deletes")),
        ("backup", "upkeep.backup",
            translatable("make a backup of a role, checked after it is made")),
        ("restore", "upkeep.restore",
            translatable("restore a backup; the current state is backed up first")),
        ("export", "exchange.export",
            translatable("write a role as JSON to standard output: `export Mira > mira.json`")),
        ("import", "exchange.import_file",
            translatable("bring in what `export` wrote, a memory.json, or a list of memories; or an entire SillyTavern installation: `import sillytavern FOLDER`")),
    ),
    translatable("Books and cards"): (
        ("book scan", "book.scan",
            translatable("which entries these messages activate: by which key, where, at what cost")),
        ("book lint", "book.lint",
            translatable("every problem of a book, with a suggested fix")),
        ("book show", "book.show", translatable("the entries of a book")),
        ("book test", "book_trial.try_book",
            translatable("test a book against the expectations in NAME.test.toml beside it")),
        ("book new", "book_moves.new",
            translatable("create a book, with its expectations beside it")),
        ("book import", "book_moves.bring", translatable("give a role a book, as it is")),
        ("book export", "book_moves.export",
            translatable("write a book in another format; reports what it cannot hold")),
        ("card show", "card.show", translatable("what a character card holds")),
        ("card lint", "card.lint", translatable("what is wrong with a card and its book")),
        ("card import", "card_moves.bring",
            translatable("create a role from a card, or update its role")),
        ("card export", "card_moves.export", translatable("a role's card with its books in it")),
        ("card convert", "card_moves.convert_card",
            translatable("a card in another format; reports what that cannot hold")),
    ),
    translatable("Tune and check"): (
        ("settings", "settings.settings",
            translatable("show the settings and where they come from, or set one")),
        ("model list", "models.model_list",
            translatable("recommended embedding models, their languages and sizes, and the one in use")),
        ("model fetch", "models.model_fetch",
            translatable("fetch a model, check it, and use it in this home")),
        ("model export", "models.model_export",
            translatable("export the current model to ONNX, which starts and answers faster")),
        ("watch", "watch.watch", translatable("show what changes, live, until Ctrl-C")),
        ("stats", "health.stats",
            translatable("figures: memories by type and source, sizes, vectors, backups")),
        ("doctor", "health.doctor",
            translatable("check everything; exit code 3 if something is broken")),
        ("bench", "bench.bench", translatable("measure quality and speed on data sets")),
    ),
    translatable("Frontends"): (
        ("serve", "serve.serve",
            translatable("run the proxy between frontend and model, with REST, MCP and the web page")),
        ("keys list", "keys.listed", translatable("the keys of a service")),
        ("keys add", "keys.add", translatable("create a key for `serve --service`")),
        ("keys remove", "keys.remove", translatable("remove a key")),
        ("integrate sillytavern", "integrate.integrate_sillytavern",
            translatable("put the extension into a SillyTavern folder")),
        ("mcp", "mcp.mcp",
            translatable("give agents and editors the memories as tools (MCP over stdio)")),
    ),
}  # fmt: skip


class VerbGroup(HelpGroup):
    """Verbs of the table: all of them, or those of one group."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names, in the order of the table."""
        return [name for _, name, _ in self.rows(ctx)]

    def rows(self, ctx: Any) -> list[tuple[str, str, str]]:
        """(panel, name, help) of each verb or group, for help pages; nothing is imported for it."""
        group = _group_of(ctx)
        found: dict[str, tuple[str, str, str]] = {}
        for panel, verbs in PANELS.items():
            for words, _, text in verbs:
                name, _, below = words.removeprefix(group).partition(" ")
                if words.startswith(group):
                    found.setdefault(name, (panel, name, GROUPS[name] if below else text))
        return list(found.values())

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The verb or group of this name, None where there is none."""
        words = _group_of(ctx) + cmd_name
        for panel, verbs in PANELS.items():
            for verb, function, text in verbs:
                if verb == words:
                    return _command(cmd_name, panel, function, text)
                if verb.startswith(f"{words} "):
                    return VerbGroup(name=cmd_name, help=GROUPS[words], rich_help_panel=panel)
        return None


def _group_of(ctx: Any) -> str:
    """The words before a verb: `"model "` within the group `model`, else nothing."""
    return f"{ctx.info_name} " if ctx.parent else ""


def _command(name: str, panel: str, function: str, text: str) -> Any:
    module, _, called = function.partition(".")
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(name, cls=HelpPage, help=text, rich_help_panel=panel)(
        getattr(import_module(f"rolememory.cli.{module}"), called)
    )
    return typer.main.get_command(app)
