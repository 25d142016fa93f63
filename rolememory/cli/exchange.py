"""export, import: a role as one JSON document; complete installations of other programs (`cli.import_sillytavern`)."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rolememory.cli.context import open_home, open_role
from rolememory.cli.files import read_text
from rolememory.cli.options import DryRun, RoleName, Text, Yes, argument, option
from rolememory.cli.output import json_text, out, picked, say, worded
from rolememory.errors import InvalidValueError
from rolememory.locales import LocalizedText

if TYPE_CHECKING:
    from rolememory.storage.exchange import Imported


def export(
    role: RoleName, card: Annotated[bool, option("--card/--no-card", "with its card")] = True
) -> None:
    """JSON with --json and without."""
    with open_role(role) as role_memory:
        out.data(role_memory.export(card=card))


def import_file(
    file: Annotated[
        str,
        argument(
            "[FILE|-|sillytavern]", "the file; - or nothing reads standard input; or the program"
        ),
    ] = "-",
    folder: Annotated[
        Text,
        argument("[FOLDER]", "of the program: its folder, data/<user>, or one character's chats"),
    ] = None,
    role: Annotated[
        Text, option("--role ROLE", "into this role; not given: the one named in the file")
    ] = None,
    keep: Annotated[
        bool,
        option("--keep", "where both differ, keep the existing memory; otherwise it is replaced"),
    ] = False,
    dry_run: DryRun = False,
    profile: Annotated[Text, option("--profile USER", "of several users this one")] = None,
    hidden: Annotated[
        bool, option("--hidden", "include messages that were hidden from the model")
    ] = False,
    again: Annotated[
        bool, option("--again", "read every chat again, including unchanged ones")
    ] = False,
    yes: Yes = False,
    stories: Annotated[
        Text,
        option(
            "--stories HOW",
            "one or each: whether the chats of a role share one story, or each is a separate one",
        ),
    ] = None,
) -> None:
    """Merge by id, all or none; of a program, chat by chat: stopped anywhere, the same command goes on."""
    from rolememory.storage.exchange import FORMAT

    if folder is not None:
        from rolememory.cli.import_sillytavern import bring

        bring(
            file, folder, role=role, profile=profile, hidden=hidden, again=again,
            dry_run=dry_run, yes=yes, stories=stories,
        )  # fmt: skip
        return
    if file == "sillytavern" and not Path(file).exists():
        raise InvalidValueError("say where it is: `import sillytavern FOLDER`")
    document = _document(file)
    if role is None and not (isinstance(document, dict) and document.get("format") == FORMAT):
        raise InvalidValueError(
            "{file}: these are memories without a role; say into which with --role ROLE", file=file
        )
    with open_home(make=not dry_run) as home:
        try:
            done = home.bring(
                document, into=role, prefer="ours" if keep else "theirs", dry_run=dry_run
            )
        except InvalidValueError as error:
            raise InvalidValueError("{file}: {error}", file=file, error=error) from error
    _tell(done, dry_run)


def _document(file: str) -> Any:
    """Parse JSON of a file or of standard input; errors have positions.

    Raises:
        InvalidValueError: empty, or not JSON.
    """
    import json

    from rolememory.storage.memory_file import BrokenFileError, read

    if file == "-" and sys.stdin.isatty():
        raise InvalidValueError("name a file, or pipe one in: `import < backup.json`")
    text = read_text(file)
    if file == "-" and not text.strip():
        raise InvalidValueError(
            "nothing came on standard input: name a FILE, or pipe one in: `import < backup.json`"
        )
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        try:
            read(text.encode("utf-8", "surrogatepass"), file=file)
        except BrokenFileError as broken:
            problem = broken.problems[0]
            raise InvalidValueError(LocalizedText("{problem}", problem=problem)) from error
        raise InvalidValueError(
            "{file}: not JSON: {error}; export it again", file=file, error=error
        ) from error


def _tell(done: "Imported", dry_run: bool) -> None:
    row = {
        **picked(done.role, "name"),
        **picked(done, "made added changed kept unchanged files files_kept fields"),
        "role": done.role.id,
        "problems": list(map(worded, done.problems)),
        "dry_run": dry_run,
        "left_out": {name: worded(why) for name, why in done.left_out.items()},
        "memories": done.memories if dry_run else {},
    }
    if out.json(row):
        return
    head = say("would bring into") if dry_run else say("brought into")
    out.line(f"{head} {done.role.name}" + (say(" (new)") if done.made else ""), "bold")
    told = {name: _some(row[name]) for name in ("added", "changed", "kept", "files", "files_kept")}
    changed = say("changed to theirs")
    kept = say("ours kept")
    columns = "added changed kept files files_kept unchanged"
    files_kept = say("files kept")
    out.record(row | told, columns, changed=changed, kept=kept, files_kept=files_kept)
    if dry_run:
        _tell_fields(done)
    out.warn(*(f"{name}{say(': ')}{why}" for name, why in row["left_out"].items()))
    out.warn(*row["problems"])


def _tell_fields(done: "Imported") -> None:
    """Every field to import, one per line."""
    from rolememory.storage.settings_tree import dotted

    rows = [
        {"where": where, "field": name, "value": json_text(value)}
        for where, fields in {"role.json": done.fields, **done.memories}.items()
        for name, value in dotted(fields)
    ]
    out.table(rows, "where field value")


def _some(ids: Sequence[str]) -> str:
    more = ", ..." if len(ids) > 5 else ""
    return f"{len(ids)}  {', '.join(ids[:5])}{more}" if ids else ""
