"""The exceptions of this package.

RoleMemoryError
    ├─ UnknownNameError (LookupError)      an unknown name
    │  ├─ UnknownTriggerError
    │  ├─ UnknownRoleError
    │  ├─ UnknownMemoryError
    │  └─ UnknownChatError
    ├─ AmbiguousNameError (LookupError)    a name that two things have
    ├─ FileError (ValueError)              an author's file that cannot be read
    │  ├─ SettingsError                    rolememory.toml, a preset, role.json overrides
    │  └─ TemplateError                    a template that does not compile or render
    ├─ InvalidValueError (ValueError)      an argument or a field out of bounds
    │  ├─ PatternError                     a regex key that is invalid or too expensive
    │  └─ UnsafePathError                  an id or a path that would leave the home folder
    ├─ NotWrittenError (OSError)           a failed write; nothing changed
    │  ├─ ReadOnlyRoleError                writes refused while the role's file is broken
    │  └─ DeletedRoleError                 a write to a role that was deleted
    ├─ RegistrationError (ValueError)      two registrations of one name
    └─ ModelError (RuntimeError)           a model that cannot be loaded or called
       └─ ModelAnswerError                 a language model's answer that cannot be used

Messages name the place, quote the value and suggest a fix: one line, lower case, no full stop.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Self

from rolememory.locales import Listed, Localized, LocalizedText, localized, translatable, translated


class RoleMemoryError(Exception, Localized):
    """The base of this package's exceptions. The message is an English template with named values.

    >>> InvalidValueError("{name!r}: there is a key of this name; choose another", name="a").text("zh")
    '“a”：已有同名的密钥；请换一个名字'
    """

    def __init__(
        self,
        message: "str | LocalizedText" = "",
        *args: object,
        msgctxt: str = "",
        **values: object,
    ) -> None:
        self.message = localized(message, msgctxt, **values)
        super().__init__(self.message.text(), *args)

    def text(self, language: str = "en") -> str:
        """The message in that language, as far as it is known."""
        return self.message.text(language)


_KINDS = translatable(
    ("role", "memory", "chat", "story", "trigger", "model", "field", "setting", "preset"), "kind"
)


class UnknownNameError(RoleMemoryError, LookupError):
    """An unknown name.

    >>> str(UnknownNameError("role", "mria", ["mira", "asha"]))
    "no role named 'mria' (known: asha, mira); did you mean 'mira'?"
    """

    kind_of_list = "known"

    def __init__(self, kind: str, name: str, known: Iterable[str], remedy: str = "") -> None:
        self.name = name
        self.known = sorted(known)
        near = closest(name, self.known)
        hint = LocalizedText("; did you mean {near!r}?", near=near) if near else _after(remedy)
        super().__init__(
            translatable("no {kind} named {name!r} ({list}: {known}){hint}"),
            kind=LocalizedText(kind, msgctxt="kind"),
            name=name,
            list=self.kind_of_list,
            known=_some(self.known),
            hint=hint,
        )


def _after(remedy: str) -> LocalizedText:
    return (
        LocalizedText("; {remedy}", remedy=LocalizedText(remedy)) if remedy else LocalizedText("")
    )


def _some(known: Sequence[str]) -> Localized:
    """The first of the names, as a list for a message."""
    if not known:
        return LocalizedText("none")
    return LocalizedText("{names}, ...", names=Listed(known[:12])) if known[12:] else Listed(known)


class _OneKindError(UnknownNameError):
    kind: str
    remedy = ""

    def __init__(self, name: str, known: Iterable[str], remedy: str = "") -> None:
        super().__init__(self.kind, name, known, remedy or self.remedy)


class UnknownTriggerError(_OneKindError):
    """No trigger of this name is registered.

    >>> str(UnknownTriggerError("recencie", ["keyword", "recency"]))
    "no trigger named 'recencie' (registered: keyword, recency); did you mean 'recency'?"
    """

    kind = "trigger"
    kind_of_list = "registered"


class UnknownRoleError(_OneKindError):
    """No role has this UUID, name or alias."""

    kind = "role"
    remedy = translatable("make one with `rolememory open NAME --create`")


class UnknownMemoryError(_OneKindError):
    """The role has no memory with this id."""

    kind = "memory"


class UnknownChatError(_OneKindError):
    """The role has no chat with this id.

    >>> str(UnknownChatError("harbor", ["harbour", "inn"]))
    "no chat named 'harbor' (known: harbour, inn); did you mean 'harbour'?"
    """

    kind = "chat"


class AmbiguousNameError(RoleMemoryError, LookupError):
    """Several things have this name; use the id."""


class FileError(RoleMemoryError, ValueError):
    r"""An author's file that cannot be read.

    >>> str(FileError("harbor.json", "expected a list of strings, got 'storm'", remedy='write ["storm"]', line=3, column=7))
    'harbor.json:3:7: expected a list of strings, got \'storm\'; write ["storm"]'
    """

    def __init__(
        self,
        file: Path | str,
        problem: str | LocalizedText,
        *,
        remedy: str | LocalizedText = "",
        field: str = "",
        line: int | None = None,
        column: int | None = None,
        **values: object,
    ) -> None:
        self.file, self.field, self.line, self.column = str(file), field, line, column
        self.problem = localized(problem, "", **values)
        self.remedy = localized(remedy, "", **values)
        super().__init__(self.text())

    @classmethod
    def unreadable(cls, file: Path | str, error: OSError | ValueError) -> Self:
        """The error for a file that the operating system cannot read."""
        return cls(
            file,
            translatable("cannot be read: {reason}"),
            remedy="check path, rights and disk",
            reason=getattr(error, "strerror", None) or error,
        )

    @property
    def place(self) -> str:
        """File, line and column, as compilers write them."""
        given = (self.file, self.line, self.column)
        return ":".join(str(part) for part in given if part not in (None, ""))

    def text(self, language: str = "en") -> str:
        """The message in that language, as far as it is known.

        >>> FileError("a.toml", "unknown key", remedy="check the path", field="x", line=3).text("zh")
        'a.toml:3：x：没有这个设置项；请检查路径'
        """
        problem, remedy = self.problem.text(language), self.remedy.text(language)
        parts = (part for part in (self.place, self.field, problem) if part)
        told = Listed(parts, ": ").text(language)
        return told + (translated("; ", language) + remedy if remedy else "")


class SettingsError(FileError):
    """An unknown key or value in a settings file, preset or override; `all` holds every mistake found."""

    all: "tuple[SettingsError, ...]" = ()  # empty for a single mistake

    @classmethod
    def together(cls, found: "Sequence[SettingsError]") -> "SettingsError":
        """One error for several mistakes: the message has the first and the number of others.

        >>> two = [SettingsError("a.toml", "unknown key 'x'", line=1), SettingsError("a.toml", "unknown key 'y'", line=2)]
        >>> str(SettingsError.together(two))
        "a.toml:1: unknown key 'x' (and 1 more mistake)"
        """
        first = found[0]
        error = cls(
            first.file,
            first.problem,
            remedy=first.remedy,
            field=first.field,
            line=first.line,
            column=first.column,
        )
        error.all = tuple(found)
        error.args = (error.text(),)
        return error

    def text(self, language: str = "en") -> str:
        """The message in that language: the first mistake, and the number of others."""
        more = len(self.all) - 1
        told = super().text(language)
        if more < 1:
            return told
        return told + translated(" (and {more} more {more:mistake|mistakes})", language, more=more)


class TemplateError(FileError):
    """A template that does not compile, does not render, or exceeds its limits."""


class InvalidValueError(RoleMemoryError, ValueError):
    """An argument or a field out of bounds; the message says which bounds."""


class PatternError(InvalidValueError):
    """A regex key that is invalid, or too expensive to run."""

    @property
    def reason(self) -> Localized:
        """The message without the key."""
        reason = self.message.values.get("reason")
        return reason if isinstance(reason, Localized) else self


class UnsafePathError(InvalidValueError):
    """An id or a path that would leave the home folder."""


class ClosedError(RoleMemoryError, RuntimeError):
    """A call on a closed home, or a role of one."""


class GivenUpError(RoleMemoryError):
    """Cancelled work, such as the turn of a request whose connection was closed."""


class NotWrittenError(RoleMemoryError, OSError):
    """A failed write; the previous content is intact."""


class NoFolderError(InvalidValueError):
    """A file operation on a home without files."""


class BusyError(NotWrittenError):
    """Another thread or process holds the lock."""


class ReadOnlyRoleError(NotWrittenError):
    """Writes are refused while the role's file cannot be read; recall uses the last good version."""


class DeletedRoleError(NotWrittenError):
    """A write to a role that was deleted, perhaps by another process."""

    def __init__(self, place: str | Path) -> None:
        super().__init__(
            translatable(
                "{place}: this role was deleted, so nothing was written; `rolememory roles` lists the others"
            ),
            place=place,
        )


class RegistrationError(RoleMemoryError, ValueError):
    """Two registrations of one name."""


class ModelError(RoleMemoryError, RuntimeError):
    """A model that cannot be loaded or called."""


class DirectionError(ModelError):
    """A model returned an unusable vector: NaN, infinite or all zero."""


class ModelAnswerError(ModelError):
    """A language model's answer that cannot be used, even after a retry."""


def closest(name: str, known: Iterable[str]) -> str | None:
    """The known name that was most likely meant, or None.

    >>> closest("recencie", ["keyword", "recency"])
    'recency'
    >>> closest("a", ["language"]), closest("Mi", ["Asha", "Mira"]), closest("harbor", ["a", "inn"])
    (None, 'Mira', None)
    """
    if len(name) < 3:  # such a name stands inside many others
        begun = [one for one in known if one.casefold().startswith(name.casefold())]
        return begun[0] if len(begun) == 1 else None
    from rapidfuzz import process  # imported here: errors are rare, start-up is not

    long = [one for one in known if 2 * len(one) >= len(name)]  # a short one stands in many others
    near = process.extractOne(name, long, processor=str.casefold, score_cutoff=70)
    return str(near[0]) if near else None


def misspelt(name: str, known: Iterable[str], most: int = 9) -> str | None:
    """The known name of which this is a typo, or None: at most one letter in four wrong, swapped or missing, and at most `most`.

    >>> misspelt("kyes", ["keys"]), misspelt("Keys", ["keys"]), misspelt("comment", ["content"])
    ('keys', 'keys', None)
    >>> misspelt("createdBy", ["createdAt"]), misspelt("createdBy", ["createdAt"], most=1)
    ('createdAt', None)
    """
    from rapidfuzz.distance import OSA

    slips = {
        one: OSA.distance(name.casefold(), one) for one in known if min(len(name), len(one)) > 3
    }
    near = min(slips, key=lambda one: slips[one], default=None)
    return near if near is not None and slips[near] <= min(len(name) // 4, most) else None
