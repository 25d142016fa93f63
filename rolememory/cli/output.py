"""The output of the command line: colour tables on a terminal, JSON on request, never an encoding error."""

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from math import isfinite
from shlex import quote
from typing import TYPE_CHECKING, Any, TextIO

from rolememory.cli.language import ProcessLanguage
from rolememory.errors import InvalidValueError
from rolememory.locales import Localized, translatable, translated
from rolememory.schema.json_types import JsonMapping, JsonObject
from rolememory.text.width import cells, padded

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from rolememory.schema.evidence import Reason

Row = JsonObject
"""A row of a table, or an object of JSON."""
Progress = Callable[[int, int], None]
"""Gets (done, all)."""


# The layout of columns by name, in every table on a terminal.
_SHARES = {  # share of the width, for text that may wrap
    "content": 3, "what": 3, "about": 3, "title": 1, "keys": 1, "why": 1, "reason": 1, "marks": 1, "roles": 1,
    "write": 1, "was": 1, "value": 1, "kept": 1, "begins": 1, "takes": 1, "aliases": 1,
}  # fmt: skip
_TITLES = translatable({
    "title": "entry", "reason": "why", "target": "goes to", "write": "what to write", "kept": "kept in", "where": "in", "at": "when",
    "actor": "by", "op": "did", "txn": "for `undo`", "window": "tokens", "names": "also called", "latest": "last", "branch_of": "branch of",
    "source": "from", "of": "forked from", "merged": "knows also", "other": "other fields", "file": "file to edit", "by_type": "by type",
    "by_source": "by source", "by_user": "by user", "on_disk": "on disk", "last_backup": "last backup",
})  # fmt: skip
_TITLES |= {name: name for name in translatable((
    "about", "added", "aliases", "archived", "assets", "begins", "book", "chats", "content", "dims", "extensions", "field", "files", "folder", "format", "gate",
    "greetings", "keys", "languages", "level", "licence", "marks", "memories", "messages", "name", "nickname", "order", "pass", "problems", "removed",
    "rights", "role", "roles", "score", "size", "state", "story", "summaries", "tags", "takes", "turns", "type", "unchanged", "user", "value", "vectors",
    "weight", "what", "why", "worldbooks", "written",
))}  # fmt: skip
_STYLES = {"id": "cyan", "name": "cyan", "title": "cyan", "key": "cyan", "level": "yellow"}


def say(template: str, /, *, msgctxt: str = "", **values: object) -> str:
    """A message in the person's language."""
    return translated(template, ProcessLanguage.language, msgctxt, **values)


def worded(text: str | Localized) -> str:
    """A text, or a localized object (an error, a note), in the person's language."""
    return text.text(ProcessLanguage.language) if isinstance(text, Localized) else text


def told_reason(because: "Reason") -> str:
    """A reason in the person's language."""
    from rolememory.schema.wording import word

    return word(because, ProcessLanguage.language)


def steady(stream: TextIO) -> None:
    """Replace characters that a console cannot show (GBK, ASCII), and never raise."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")


class Output:
    """The output of a verb. `as_json`: one JSON value on standard output and nothing else there."""

    as_json = False

    def begin(self, as_json: bool = False) -> None:
        """Prepare for a command line."""
        self.as_json = as_json
        steady(sys.stdout)
        steady(sys.stderr)

    @property
    def is_terminal(self) -> bool:
        """Whether standard output is a terminal."""
        return sys.stdout.isatty()

    @property
    def asks(self) -> bool:
        """Whether a person can answer questions."""
        return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()

    def data(self, value: Any) -> None:
        """Print the result as JSON; characters missing in the encoding are escaped, so that nothing is lost."""
        write(json_text(value, sys.stdout.encoding or "utf-8") + "\n")

    def json(self, value: Any) -> bool:
        """Print JSON if requested; whether it was."""
        if self.as_json:
            self.data(value)
        return self.as_json

    def say(self, template: str, /, style: str = "", **values: Any) -> None:
        """Print a message in the person's language; with --json on standard error."""
        self.line(say(template, **values), style)

    def line(self, text: str = "", style: str = "") -> None:
        """Print a line as is; with --json on standard error."""
        self._print(text, style, error=self.as_json)

    def result(self, value: Any, *lines: str) -> None:
        """Print the result: JSON with --json, else these lines."""
        if not self.json(value):
            for text in lines:
                self.line(text)

    def told(self, template: str, /, **values: Any) -> None:
        """Print the result: these values with --json, else a sentence with them."""
        self.result(values, say(template, **values))

    def warn(self, *texts: str | Localized) -> None:
        """Print warnings on standard error."""
        for text in texts:
            self._print(worded(text), "yellow", error=True)

    def note(self, text: str) -> None:
        """Print a remark on standard error."""
        self._print(text, "dim", error=True)

    def raw(self, text: str) -> None:
        """Print raw text; on a terminal without control characters."""
        text = printable(text) if self.is_terminal else text
        write(text if text.endswith("\n") else text + "\n")

    def table(self, rows: Sequence[JsonMapping], columns: str, /, **titles: str) -> None:
        """Rows by these columns: boxed on a terminal with titles (`titles`, else the usual ones), tab-separated in a pipe."""
        if self.is_terminal:
            self._boxed(rows, _titled(columns, titles))
        else:
            for row in rows:
                told = (one_line(printable(shown(row.get(key)))) for key in columns.split())
                write("\t".join(told) + "\n")

    def _boxed(self, rows: Sequence[JsonMapping], columns: Mapping[str, str]) -> None:
        """A table, or if too wide for the terminal each row separately."""
        console = self.console()
        told = {key: columns[key] for key in columns if any(shown(row.get(key)) for row in rows)}
        if _width(rows, told) <= console.width:
            console.print(_table(rows, told))
            return
        for row in rows:
            self.pairs((title, row.get(key)) for key, title in told.items() if shown(row.get(key)))
            self.line()

    def listing(
        self,
        value: Sequence[Any],
        columns: str,
        empty: str = "",
        rows: Sequence[JsonMapping] | None = None,
        /,
        **titles: str,
    ) -> None:
        """A list: JSON with --json, else `rows` (or the values) as a table; if empty, `empty` on standard error."""
        if self.json(value):
            return
        if value:
            self.table(value if rows is None else rows, columns, **titles)
        elif empty:
            self.warn(empty)

    def record(self, row: JsonMapping, columns: str, /, **titles: str) -> None:
        """These columns of a row, one per line with titles."""
        named = _titled(columns, titles).items()
        self.pairs((title, row[key]) for key, title in named if row[key])

    def pairs(self, rows: Iterable[tuple[str, Any]]) -> None:
        """Names and values, one per line; a value with several lines is below its name."""
        told = [(name, shown(value)) for name, value in rows]
        wide = max((cells(name) for name, _ in told), default=0)
        for name, value in told:
            self.line(f"{padded(name, wide)}  {value}".rstrip())

    @contextmanager
    def progress(self, label: str, total: int | None = None) -> Iterator[Progress]:
        """A progress bar on a terminal; nothing in a pipe."""
        if not sys.stderr.isatty():
            yield lambda done, all_: None
            return
        from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bars

        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            TimeElapsedColumn(),
        )
        with Bars(*columns, console=self.console(error=True), transient=True) as bars:
            task = bars.add_task(label, total=total)
            yield lambda done, all_: bars.update(task, completed=done, total=all_ or None)

    def sure(self, question: str, yes: bool) -> bool:
        """Whether an irreversible action is confirmed, by --yes or at the terminal; says so if it is not.

        Raises:
            InvalidValueError: nobody can answer.
        """
        if not (yes or self.asks):
            raise InvalidValueError(
                "{question} nobody is here to be asked; add --yes",
                question=question,
            )
        sure = yes or self.ask(question)
        if not sure:
            self.say("nothing was removed")
        return sure

    def ask(self, question: str) -> bool:
        """Whether the person at the terminal says yes."""
        return self.answer(f"{question} [y/N] ") in ("y", "yes", "是", "好")

    def answer(self, question: str) -> str:
        """The person's answer at the terminal, in lower case."""
        self._print(question, "", error=True, end="")
        return sys.stdin.readline().strip().casefold()

    def console(self, error: bool = False) -> "Console":
        """A rich console on standard output, or on standard error."""
        from rich.console import Console

        return Console(stderr=error, highlight=False)

    def _print(self, text: str, style: str, error: bool, end: str = "\n") -> None:
        text = printable(text)
        stream = sys.stderr if error else sys.stdout
        if style and stream.isatty():
            self.console(error).print(text, style=style, markup=False, soft_wrap=True, end=end)
        else:
            write(text + end, stream)
        stream.flush()


_PLAIN = re.compile(r"\w[\w.,:@%+=/-]*|/[\w.,:@%+=/-]+")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
out = Output()


def write(text: str, stream: TextIO | None = None) -> None:
    """Write to a console that may lack characters, including lone surrogates."""
    stream = stream or sys.stdout
    try:
        stream.write(text)
    except UnicodeEncodeError:
        stream.write(text.encode("utf-8", "replace").decode())


def _titled(columns: str, titles: Mapping[str, str]) -> Mapping[str, str]:
    """The columns with their titles: `titles`, else the usual ones."""
    usual = {key: say(_TITLES[key]) if key in _TITLES else key for key in columns.split()}
    return {**usual, **titles}


_SHARE = 6  # minimum cells of each wrapping column
_BETWEEN = 3  # cells between columns


def _width(rows: Sequence[JsonMapping], columns: Mapping[str, str]) -> int:
    """The minimum width of a table in cells: values are not truncated, wrapping columns wrap.

    >>> _width([{"id": "a-long-one", "content": "x" * 30}], {"id": "id", "content": "content"})
    36
    """
    widths = (
        _SHARE * _SHARES[key]
        if key in _SHARES
        else max(cells(title), *(cells(shown(row.get(key))) for row in rows))
        for key, title in columns.items()
    )
    return sum(widths) + _BETWEEN * len(columns) + 2


def _table(rows: Sequence[JsonMapping], columns: Mapping[str, str]) -> "Table":
    """A table; numbers are right-aligned."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    folded = not _SHARES.keys().isdisjoint(columns)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=folded)
    for key, title in columns.items():
        share = _SHARES.get(key)
        numbers = all(isinstance(row.get(key), int | float) for row in rows)
        table.add_column(
            title,
            justify="right" if numbers else "left",
            no_wrap=share is None,
            overflow="fold",
            ratio=share,
            style=_STYLES.get(key),
        )
    for row in rows:
        table.add_row(*(Text(printable(shown(row.get(key)))) for key in columns))
    return table


def shown(value: Any) -> str:
    """A value as a cell: lists joined, times to the minute, None empty.

    >>> shown(("a", "b")), shown(None), shown(0.30000001), shown(True)
    ('a, b', '', '0.3', 'yes')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return say("yes") if value else say("no")
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M")
    if isinstance(value, float):
        return f"{value:.3g}"
    if isinstance(value, list | tuple):
        return say(", ", msgctxt="list").join(str(one) for one in value)
    return str(value)


def one_line(text: str) -> str:
    """A text without line breaks and tabs."""
    return " ".join(text.split())


def pasted(name: str) -> str:
    """A name as it goes into a command to copy: quoted where a shell would take it apart.

    >>> pasted("米拉"), pasted("Old Tom")
    ('米拉', "'Old Tom'")
    """
    return name if _PLAIN.fullmatch(name) else quote(name)


def printable(text: str) -> str:
    r"""A text safe for terminals: no control codes, no bidirectional overrides.

    >>> printable("a\x1b[31mb") == "a\ufffd[31mb"
    True
    """
    return _CONTROLS.sub("\ufffd", text)


def json_text(value: Any, encoding: str = "utf-8") -> str:
    r"""A value as indented JSON that this encoding can hold.

    >>> json_text(["米拉"], "ascii")
    '[\n  "\\u7c73\\u62c9"\n]'
    """
    import json

    tree = plain(value)
    text = json.dumps(tree, ensure_ascii=False, indent=2, default=str, allow_nan=False)
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return json.dumps(tree, ensure_ascii=True, indent=2, default=str, allow_nan=False)
    return text


def plain(value: Any) -> Any:
    """A value as plain JSON: models by non-default fields, tuples as lists, times in ISO.

    >>> plain({"at": datetime(2024, 5, 1), "ids": ("a",), "score": float("nan")})
    {'at': '2024-05-01T00:00:00', 'ids': ['a'], 'score': None}
    """
    if hasattr(value, "model_dump"):
        return plain(value.model_dump(mode="json", exclude_defaults=True))
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(one) for one in value]
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, float) and not isfinite(value):
        return None
    return worded(value) if isinstance(value, Localized) else value


def picked(value: Any, names: str) -> Row:
    """Some attributes of a value, as a dict.

    >>> picked(datetime(2024, 5, 1), "year month")
    {'year': 2024, 'month': 5}
    """
    return {name: getattr(value, name) for name in names.split()}
