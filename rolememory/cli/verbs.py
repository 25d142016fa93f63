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
    "story": "stories: which chats know of one another",
    "users": "people: who is known, under which names",
    "keys": "keys of a service: who may ask",
    "integrate": "frontends: what they need of us put in and taken out",
    "model": "models of meaning: which there are, fetching one, making it quick",
    "card": "character cards: in, out, and from one format into another",
    "book": "lorebooks: what fires, what is wrong, what is expected",
})  # fmt: skip

# panel -> (verb, module.function, help); `model list` is the verb `list` of the group `model`
PANELS: Mapping[str, Sequence[tuple[str, str, str]]] = {
    translatable("Begin"): (
        ("init", "init.init",
            translatable("make a home for roles: a folder with settings to edit")),
        ("demo", "demo.demo",
            translatable("see it at work: three characters, what they recall and why")),
        ("roles", "roles.roles", translatable("list the roles")),
        ("open", "roles.open_role",
            translatable("show where a role lives and what it holds; make it, or edit its memories")),
        ("chat", "chat.chat",
            translatable("talk with a role here, through any OpenAI-compatible server")),
    ),
    translatable("Memories"): (
        ("list", "memories.list_memories", translatable("list what a role remembers")),
        ("search", "memories.search", translatable("search what a role remembers, best first")),
        ("add", "writing.add", translatable("write a memory")),
        ("edit", "writing.edit",
            translatable("change a memory: field=value ..., or in your editor")),
        ("weight", "writing.weight", translatable("set how strongly a memory is held")),
        ("delete", "writing.delete", translatable("delete memories; `undo` brings them back")),
    ),
    translatable("Ask"): (
        ("recall", "turns.recall",
            translatable("what a role remembers at this message: the words for the prompt")),
        ("explain", "turns.explain",
            translatable("why each memory is in the prompt or not, and what would let it in")),
    ),
    translatable("Learn"): (
        ("observe", "observing.observe", translatable("let a role learn from a chat")),
        ("review", "observing.review", translatable("pending review: accept, mend or reject it")),
        ("infer", "observing.infer",
            translatable("draw conclusions from several memories, with the model that is set")),
        ("sessions", "sessions.sessions",
            translatable("the chats of a role, or the messages of one")),
        ("story list", "stories.stories", translatable("the stories of a role")),
        ("story begin", "stories.begin",
            translatable("a new story, empty or forked from another")),
        ("story merge", "stories.merge",
            translatable("let a story know what was told in another")),
        ("story default", "stories.living",
            translatable("whether chats share one life, or each is a story of its own")),
        ("story chapters", "stories.chapters", translatable("the chapters of a role's stories")),
        ("story chapter", "stories.chapter",
            translatable("end a chapter of a chat here and write it")),
        ("story retell", "stories.retell", translatable("let the model tell chapters again")),
        ("users list", "people.users", translatable("who is known, and under which names")),
        ("users link", "people.link", translatable("let several names be one person")),
        ("users unlink", "people.unlink", translatable("let a name be a person of its own")),
    ),
    translatable("Keep"): (
        ("forget", "sessions.forget",
            translatable("remove everything of one person: memories, chats, history, backups")),
        ("history", "history.history",
            translatable("what was changed, when and by whom, newest first")),
        ("undo", "history.undo",
            translatable("take the newest change back; `undo` again takes back the one before")),
        ("clean", "upkeep.clean",
            translatable("archive what expired, wore out or outgrew its limit; never deletes")),
        ("backup", "upkeep.backup",
            translatable("make a backup of a role, checked after it is made")),
        ("restore", "upkeep.restore",
            translatable("put a backup back; what stands now is backed up first")),
        ("export", "exchange.export",
            translatable("write a role as JSON to standard output: `export Mira > mira.json`")),
        ("import", "exchange.import_file",
            translatable("bring in what `export` wrote, a memory.json, or a list of memories; or an entire SillyTavern installation: `import sillytavern FOLDER`")),
    ),
    translatable("Books and cards"): (
        ("book scan", "book.scan",
            translatable("what fires at these messages: by which key, where, at what cost")),
        ("book lint", "book.lint",
            translatable("everything that is wrong with a book, and what to write instead")),
        ("book show", "book.show", translatable("the entries of a book")),
        ("book test", "book_trial.try_book",
            translatable("does the book do what NAME.test.toml beside it expects; failures say why")),
        ("book new", "book_moves.new",
            translatable("begin a book, with its expectations beside it")),
        ("book import", "book_moves.bring", translatable("give a role a book, as it is")),
        ("book export", "book_moves.export",
            translatable("write a book in another format; what it cannot hold is told")),
        ("card show", "card.show", translatable("what a character card holds")),
        ("card lint", "card.lint", translatable("what is wrong with a card and its book")),
        ("card import", "card_moves.bring",
            translatable("make a role of a card, or bring its role up to date")),
        ("card export", "card_moves.export", translatable("a role's card with its books in it")),
        ("card convert", "card_moves.convert_card",
            translatable("a card in another format; what that cannot hold is told")),
    ),
    translatable("Tune and check"): (
        ("settings", "settings.settings",
            translatable("show the settings and where they come from, or set one")),
        ("model list", "models.model_list",
            translatable("the models we recommend, what they know and cost, and the one in use")),
        ("model fetch", "models.model_fetch",
            translatable("fetch a model, check it, and use it in this home")),
        ("model export", "model_export.model_export",
            translatable("export the current model to ONNX, which starts and answers sooner")),
        ("watch", "watch.watch", translatable("show what changes, live, until Ctrl-C")),
        ("stats", "health.stats",
            translatable("figures: memories by type and source, sizes, vectors, backups")),
        ("doctor", "health.doctor",
            translatable("check everything; exit code 3 when something is broken")),
        ("bench", "bench.bench", translatable("measure quality and speed on data sets")),
    ),
    translatable("Frontends"): (
        ("serve", "serve.serve",
            translatable("stand between frontend and model: the character remembers")),
        ("keys list", "keys.listed", translatable("the keys of a service")),
        ("keys add", "keys.add", translatable("make a key for `serve --service`")),
        ("keys remove", "keys.remove", translatable("take a key away")),
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
