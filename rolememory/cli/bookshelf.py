"""Where a book of the command line is: a file, a book of the home or of a role, or one that is shipped; and the rows it is shown in."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rolememory.cli.context import MOST_BYTES, check_home, home_path, read_text
from rolememory.cli.options import argument, option
from rolememory.cli.output import out
from rolememory.cli.words import Tongue, say
from rolememory.errors import FileError, InvalidValueError, RoleMemoryError, UnknownNameError
from rolememory.locales import translatable

if TYPE_CHECKING:
    from rolememory.authoring.books import BookFile
    from rolememory.authoring.scan import Fired, ScanReport, Silent
    from rolememory.schema.lorebook import LoreEntry
    from rolememory.schema.message import Message
    from rolememory.schema.settings import ScanSettings

FOUND_FAULTS = 3

BookName = Annotated[
    str,
    argument("BOOK", "a lorebook: a file, or the name of one in the home"),
]
BookNames = Annotated[
    list[str],
    argument("BOOK...", "lorebooks: files, or names of some in the home"),
]
Watch = Annotated[
    bool,
    option("--watch -w", "again at every change of the files, until Ctrl-C"),
]

KINDS = (".json", ".png", ".charx")
_SOURCES = translatable({
    "description": "the description", "personality": "the personality", "scenario": "the scenario",
    "persona": "the persona", "depth_prompt": "the depth prompt", "creator_notes": "the notes",
    "note": "the author's note", "recursion": "an entry's text",
})  # fmt: skip


def book_path(name: str) -> Path:
    """The file that is meant.

    Raises:
        UnknownNameError: there is none of that name anywhere.
    """
    path = Path(name).expanduser()
    if path.is_file():
        return path
    known = {
        **{found.stem: found for found in _shipped()},
        **{found.stem: found for found in _at_home(home_path())},
    }
    for found in known.values():
        if name in (found.name, found.stem):
            return found
    raise UnknownNameError("worldbook", name, known, remedy="give the path of its file")


def book_or_role(name: str) -> Path:
    """The file of a book, or of the only book that the role of this name has.

    Raises:
        UnknownNameError: neither a book nor a role is called so.
        InvalidValueError: the role has no book, or several.
    """
    try:
        return book_path(name)
    except UnknownNameError as error:
        found = _of_role(name)
        if found is None:
            raise error from None
    if len(found) == 1:
        return found[0]
    listed = ", ".join(path.stem for path in found) or say("none")
    raise InvalidValueError(
        "{name} has {count} books ({listed}); name the one you mean",
        name=name,
        count=len(found),
        listed=listed,
    )


def _of_role(name: str) -> list[Path] | None:
    from rolememory.storage.home import HomeFolder

    try:
        check_home()
        folder = HomeFolder(home_path())
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
    from rolememory.authoring.books import read_book_file

    try:
        if path.stat().st_size > MOST_BYTES:
            raise FileError(
                path, "larger than {limit} MB", remedy="split it", limit=MOST_BYTES // 2**20
            )
        return read_book_file(path.read_bytes(), str(path))
    except OSError as error:
        told = error.strerror or str(error)
        raise FileError(
            path, "cannot be read: {told}", remedy="check path and rights", told=told
        ) from error


def chat_of(file: str | None, message: str | None, user: str | None) -> "list[Message]":
    """The messages of a chat file in any form, plain text too, and one more."""
    from rolememory.authoring.dialogue import read_dialogue
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

    home = home_path().expanduser()
    lore = (
        load_settings(home).settings.lore
        if (home / "rolememory.toml").is_file()
        else ScanSettings()
    )
    return lore.model_copy(update={"rules": rules_named(rules).name}) if rules else lore


def again(once: Callable[[], None], paths: list[Path], watch: bool) -> None:
    """Do it now, and with --watch at every change; what is wrong meanwhile is told, and the next change waited for."""
    if not watch:
        once()
        return
    from rolememory.authoring.poll_files import changes

    following = changes(paths)
    _bravely(once)
    for _ in following:
        out.line(f"── {', '.join(path.name for path in paths)}", "bold")
        _bravely(once)


def _bravely(once: Callable[[], None]) -> None:
    try:
        once()
    except RoleMemoryError as error:
        out.warn(error.text(Tongue.language))


# ── a scan ──


def fired_columns() -> dict[str, str]:
    """Of the entries that came in."""
    return {
        "pass": say("pass"),
        "title": say("entry"),
        "reason": say("why"),
        "target": say("goes to"),
        "tokens": "tokens",
    }


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
            "'{match}', who says message {message}", match=place.match, message=place.message
        )
    if place.in_message:
        at = place.offset + 1
        return say(
            "'{match}' in message {message}, character {at}: {quote}",
            match=place.match,
            message=place.message,
            at=at,
            quote=place.quote,
        )
    if one.woken_by:
        return say(
            "'{match}' in the text of '{woken_by}'", match=place.match, woken_by=one.woken_by
        )
    where = say(_SOURCES.get(place.source, place.source))
    return say("'{match}' in {where}: {quote}", match=place.match, where=where, quote=place.quote)


def silent_columns() -> dict[str, str]:
    """Of the entries that did not."""
    return {"title": say("entry"), "gate": say("gate"), "reason": say("why not")}


def silent_row(one: "Silent") -> dict[str, Any]:
    """A row of them."""
    from rolememory.schema.wording import word_gate

    remedy = one.refusal.remedy
    return {
        "id": one.id, "uid": one.uid, "title": one.title, "gate": one.refusal.gate,
        "reason": word_gate(one.refusal, Tongue.language),
        "remedy": remedy and {"target": remedy.target, "field": remedy.field, "value": remedy.value},
    }  # fmt: skip


def report_json(report: "ScanReport", names: Sequence[str], rules: str) -> dict[str, Any]:
    """A scan for scripts."""
    return {
        "books": list(names), "rules": rules, "messages": report.messages, "passes": report.passes, "rolls": report.rolls,
        "budget": report.budget, "used": report.used, "overflowed": report.overflowed,
        "fired": [fired_row(one) for one in report.fired], "silent": [silent_row(one) for one in report.silent], "quiet": report.quiet,
        "notes": list(report.notes),
    }  # fmt: skip


# ── a book ──


def entry_columns() -> dict[str, str]:
    """Of a book's entries."""
    return {
        "uid": "uid",
        "title": say("entry"),
        "keys": say("keys"),
        "marks": say("marks"),
        "target": say("goes to"),
        "order": say("order"),
        "tokens": "tokens",
    }


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
    told = [say(name, msgctxt="mark") for name, given in flags.items() if given]
    shown = {say(name, msgctxt="mark"): value for name, value in values.items()}
    return told + [f"{name} {value}" for name, value in shown.items() if value not in (None, "", 0)]


translatable(
    (
        "off",
        "constant",
        "meaning",
        "no-recursion-in",
        "no-recursion-out",
        "free",
        "filter",
        "sticky",
        "cooldown",
        "delay",
        "group",
        "scan_depth",
        "probability",
        "level",
        "and_any",
        "and_all",
        "not_any",
        "not_all",
    ),
    "mark",
)


def entry_rows(file: "BookFile") -> list[dict[str, Any]]:
    """Every entry of a book."""
    from rolememory.authoring.books import title
    from rolememory.authoring.lint.subject import Subject
    from rolememory.authoring.scan import target

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


def lint_columns(several: bool) -> dict[str, str]:
    """Of faults."""
    return {
        **({"book": say("book")} if several else {}),
        "level": say("level"),
        "title": say("entry"),
        "field": say("field"),
        "why": say("what is wrong"),
        "write": say("what to write"),
    }


LEVELS = translatable(("error", "warning", "note"))


def lint_rows(path: Path, findings: Any, form: str) -> Iterator[dict[str, Any]]:
    """Faults of a book as rows."""
    from rolememory.authoring.lint import words
    from rolememory.authoring.lint.finding import written

    for one in findings:
        level = words.severity(one).value
        yield {
            "book": path.name, "severity": level, "level": say(level), "code": one.code, "uid": one.entry, "title": one.title,
            "field": written(one.field, form), "why": words.why(one, Tongue.language), "write": words.write(one, Tongue.language),
            "values": dict(one.values),
        }  # fmt: skip


def counted(rows: list[dict[str, Any]], hidden: int) -> str:
    """How many faults of which level."""
    counts = {level: sum(row["severity"] == level for row in rows) for level in LEVELS}
    more = say(" (--all shows the notes)") if hidden else ""
    if not rows:
        return say("nothing to complain of")
    return say(
        "{levels}{more}",
        levels=", ".join(many(counts[level], level) for level in LEVELS),
        more=more,
        error=counts["error"],
        warning=counts["warning"],
        note=counts["note"],
    )


def many(count: int, thing: str, ending: str = "s") -> str:
    """A count with its noun, in English."""
    return f"{count} {thing}{'' if count == 1 else ending}"
