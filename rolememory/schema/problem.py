"""Problems of files as values: place, code, values; worded in the reader's language where shown."""

from dataclasses import replace
from typing import Any

from rolememory.errors import FileError
from rolememory.locales import Localized, LocalizedText, localized, translatable
from rolememory.schema.value_class import value_class

Values = tuple[tuple[str, Any], ...]

#: code -> (what, remedy) per language; the names in braces are the problem's values
_WORDS = translatable(
    {
        "not_utf8": ("this is not UTF-8 text ({found})", "save the file as UTF-8"),
        "empty_file": (
            "the file is empty",
            "write {} for a role without memories, or restore a backup",
        ),
        "too_large": (
            "the file is {size} MB, the limit is {limit} MB",
            "raise storage.max_file_mb or archive memories",
        ),
        "too_deep": ("nested deeper than {limit} levels", "flatten it"),
        "missing_file": (
            "the file is gone; the last good set answers",
            "nothing to do: the next save writes it again",
        ),
        "unreadable": ("the file cannot be read: {reason}", "check the disk and the file's rights"),
        "not_json": ("{reason}", "mend it here, or restore a backup"),
        "fullwidth": ("full-width {name} {found}", "write {wanted}"),
        "fullwidth_quote": ("full-width quotes {found}", 'write plain quotes: "..."'),
        "single_quote": ("single quotes around a text", 'write double quotes: "..."'),
        "unquoted": ("a text without quotes: {found}", 'write "{found}"'),
        "inner_quotes": (
            "quotes inside a text: {found}",
            'write \\" for each of them: {wanted}',
        ),
        "merge_marker": (
            "a marker of a merge that was not finished: {found}",
            "keep one of the two versions, and remove the lines <<<<<<<, ======= and >>>>>>>",
        ),
        "trailing_comma": ("a comma before {found}", "remove the comma"),
        "missing_comma": ("a comma is missing before {found}", "write , after the value before it"),
        "missing_colon": ("a colon is missing after the name {found}", "write : after it"),
        "missing_value": ("a value is missing before {found}", "write a value, or remove the name"),
        "extra_comma": ("two commas in a row", "remove one"),
        "comment": ("a comment", 'JSON has none: remove it, or keep it as a field such as "note"'),
        "non_finite": ("{found} is not a JSON number", "write a number, or null"),
        "python_word": ("{found} is not JSON", "write {wanted}"),
        "unclosed_text": (
            "a text that begins here is never closed",
            'write " at its end; a line break inside is written \\n',
        ),
        "unclosed": ("{found} that opens here is never closed", "write {wanted} where it ends"),
        "mismatched": (
            "{found} closes what {opened} in line {opened_line} opened",
            "write {wanted}",
        ),
        "stray_close": ("{found} closes nothing", "remove it"),
        "trailing_text": (
            "something follows after the end: {found}",
            "remove it, or move it inside",
        ),
        "bad_escape": ("\\{found} is no escape in JSON", "write \\\\{found} for a backslash"),
        "half_character": (
            "half of a character: {found}",
            "write the whole character, or remove it",
        ),
        "bad_number": (
            "{found} is not a JSON number",
            "write it as text in quotes, or as a plain number",
        ),
        "stray": ("unexpected {found}", "remove it"),
        "duplicate_key": (
            "{found} is written twice; the memories of both are read, of anything else the last one counts",
            "keep one; the original stays as a copy when the file is next saved",
        ),
        "wrong_top": (
            "expected an object with episodic, semantic, traits, goals, got {found}",
            'write {{"episodic": [...]}}',
        ),
        "not_a_list": ("expected a list of memories, got {found}", "write [...]"),
        "not_an_entry": (
            "expected a memory (an object, or a text), got {found}",
            'write {{"content": "..."}}',
        ),
        "no_content": ("a memory without content", 'write "content": "..."'),
        "duplicate_id": (
            "the id {found} is taken by another memory; this one is called {given}",
            "give it an id of its own, or none",
        ),
        "unknown_section": (
            "{found} is no part of this file; it is kept, and what stands in it is not read",
            "call it {wanted}",
        ),
        "unknown_field": (
            "{found} is no field of a memory; it is kept, and has no effect",
            "did you mean {wanted}?",
        ),
        "bad_pattern": (
            "no pattern that can be searched: {reason}",
            "until then it counts as plain text",
        ),
        "unknown_emotion": (
            "{found} is no emotion that is known; it has no effect",
            "write {wanted}, or add the word to lexicons/ of the home",
        ),
        "later_version": (
            "the file is of version {found}, and {known} is the latest that is known; it is read as that, and nothing is removed",
            "update rolememory, or write {known}",
        ),
        "wrong_type": ("expected {wanted}, got {found}", "write {example}"),
        "out_of_range": ("{found} is out of bounds ({bounds})", "write a number within them"),
        "unknown_choice": ("{found} is none of {choices}", "write one of them"),
        "too_short": (
            "at least {bound} {bound:character is|characters are} expected",
            "write more",
        ),
        "too_long": ("at most {bound} characters are taken", "shorten it"),
        "too_few": ("at least {bound} values are expected", "add more"),
        "too_many": ("at most {bound} values are taken", "leave some out"),
        "missing": ("a value is missing", "write it"),
        "extra": ("no such field", "remove it, or check how it is spelled"),
        "bad_moment": (
            "{found} is not a time",
            "write one like 2024-05-01T18:30:00Z or 2024-05-01",
        ),
        "invalid": ("{reason}", "correct the value"),
        "bad_line": (
            "a damaged line; it was skipped",
            "nothing to do: it was never acknowledged, or a copy of the file has it",
        ),
        "conflict": (
            "the file and a change disagree; the file stands",
            "see journal/conflicts.jsonl",
        ),
        "conflict_copy": (
            "the file was replaced as a whole; what it lacks is kept in {copy}",
            "copy back what you miss",
        ),
        "not_folded": (
            "changes could not be written into the file: {reason}",
            "they are safe in the journal and will be written later",
        ),
    },
    "problem",
)


@value_class
class Problem(Localized):
    """One problem: its place, what is wrong, and what to write instead."""

    code: str
    file: str = ""
    line: int | None = None
    column: int | None = None
    field: str = ""  # path in the file, e.g. episodic[3].keys
    values: Values = ()
    blocks: bool = False  # nothing is written to the role until it is fixed
    drops: bool = False  # a memory is left out because of it

    @classmethod
    def of(
        cls,
        code: str,
        file: str = "",
        line: int | None = None,
        column: int | None = None,
        *,
        field: str = "",
        blocks: bool = False,
        drops: bool = False,
        **values: object,
    ) -> "Problem":
        """A problem with the values of its message."""
        return cls(code, file, line, column, field, tuple(values.items()), blocks, drops)

    def at(self, file: str, line: int | None = None, column: int | None = None) -> "Problem":
        """A copy with file, line and column; what is not given stays."""
        return replace(self, file=file, line=line or self.line, column=column or self.column)

    def inside(self, field: str) -> "Problem":
        """A copy with `field` prepended to its path.

        >>> Problem("no_content", field="keys[0]").inside("episodic[3]").field
        'episodic[3].keys[0]'
        """
        joint = "" if not self.field or self.field.startswith("[") else "."
        return replace(self, field=f"{field}{joint}{self.field}")

    @property
    def place(self) -> str:
        """File, line and column, as compilers write them."""
        return self.error().place

    def __str__(self) -> str:
        return self.text()

    def text(self, language: str = "en") -> str:
        """The whole message on one line.

        >>> comma = Problem("fullwidth", "memory.json", 12, 30, values=(("name", LocalizedText("comma")), ("found", "，"), ("wanted", ",")))
        >>> comma.text()
        'memory.json:12:30: full-width comma ，; write ,'
        >>> comma.text("zh")
        'memory.json:12:30：全角逗号 ，；请改成 ,'
        """
        return self.error().text(language)

    def error(self) -> FileError:
        """The problem as an exception."""
        return FileError(
            self.file,
            self.message,
            remedy=self.cure,
            field=self.field,
            line=self.line,
            column=self.column,
        )

    @property
    def message(self) -> LocalizedText:
        """What is wrong, not yet translated."""
        return localized(_WORDS[self.code][0], "problem", **dict(self.values))

    @property
    def cure(self) -> LocalizedText:
        """What to write or do instead, not yet translated."""
        return localized(_WORDS[self.code][1], "problem", **dict(self.values))


def quoted(value: object, limit: int = 60) -> str:
    """A value for a message: its JSON, cut to `limit` characters.

    >>> quoted("storm"), quoted(None), quoted(["a"] * 40, 12)
    ('"storm"', 'null', '["a", "a"...')
    """
    import json

    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        text = type(value).__name__
    return text if len(text) <= limit else text[: limit - 3] + "..."
