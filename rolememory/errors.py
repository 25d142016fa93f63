"""Everything this package raises on purpose.

    RoleMemoryError
    ├─ UnknownNameError (LookupError)      a name that nothing answers to
    │  ├─ UnknownTriggerError
    │  ├─ UnknownRoleError
    │  ├─ UnknownMemoryError
    │  └─ UnknownChatError
    ├─ AmbiguousNameError (LookupError)    a name that two things answer to
    ├─ FileError (ValueError)              a file of the author's that cannot be read as it stands
    │  ├─ SettingsError                    rolememory.toml, a preset, role.json overrides
    │  └─ TemplateError                    a template that does not compile or render
    ├─ InvalidValueError (ValueError)      an argument or a field out of bounds
    │  ├─ PatternError                     a regex key that is invalid or too expensive
    │  └─ UnsafePathError                  an id or a path that would leave the home folder
    ├─ NotWrittenError (OSError)           a write that was not acknowledged; nothing changed
    │  └─ ReadOnlyRoleError                writes refused while the role's file is broken
    ├─ RegistrationError (ValueError)      two parts want one name
    └─ ModelError (RuntimeError)           a model that cannot be loaded or asked
       └─ ModelAnswerError                 a language model that answered, but nothing that can be used

Messages name the place, quote the value and offer the way out: one line, lower case, no full stop.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Self

from rolememory.locales import Listed, Localized, LocalizedText, localized, translatable, translated


class RoleMemoryError(Exception, Localized):
    """Everything this package raises on purpose. The message is an English template with named values.

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
    """A name that nothing answers to.

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
    """The first of the names in a row."""
    if not known:
        return LocalizedText("none")
    return LocalizedText("{names}, ...", names=Listed(known[:12])) if known[12:] else Listed(known)


class _OneKindError(UnknownNameError):
    kind: str
    remedy = ""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        super().__init__(self.kind, name, known, self.remedy)


class UnknownTriggerError(_OneKindError):
    """A trigger was named that nobody registered.

    >>> str(UnknownTriggerError("recencie", ["keyword", "recency"]))
    "no trigger named 'recencie' (registered: keyword, recency); did you mean 'recency'?"
    """

    kind = "trigger"
    kind_of_list = "registered"


class UnknownRoleError(_OneKindError):
    """No role answers to this UUID, name or alias."""

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
    """Two things answer to one name; say which by its id."""


class FileError(RoleMemoryError, ValueError):
    r"""A file of the author's that cannot be read as it stands.

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
        msgctxt: str = "",
        **values: object,
    ) -> None:
        self.file, self.field, self.line, self.column = str(file), field, line, column
        self.problem = localized(problem, msgctxt, **values)
        self.remedy = localized(remedy, "", **values)
        super().__init__(self._told("en"))

    @classmethod
    def unreadable(cls, file: Path | str, error: OSError | ValueError) -> Self:
        """The error for a file that the system does not let us read."""
        return cls(
            file,
            translatable("cannot be read: {reason}"),
            remedy="check path, rights and disk",
            reason=getattr(error, "strerror", None) or error,
        )

    @property
    def place(self) -> str:
        """File, line and column."""
        given = (self.file, self.line, self.column)
        return ":".join(str(part) for part in given if part is not None)

    def text(self, language: str = "en") -> str:
        """The message in that language, as far as it is known.

        >>> FileError("a.toml", "unknown key", remedy="delete it", field="x", line=3).text("zh")
        'a.toml:3：x：没有这个设置项；请删掉'
        """
        return self._told(language)

    def _told(self, language: str) -> str:
        problem, remedy = self.problem.text(language), self.remedy.text(language)
        parts = (part for part in (self.place, self.field, problem) if part)
        told = Listed(parts, ": ").text(language)
        return told + (translated("; ", language) + remedy if remedy else "")


class SettingsError(FileError):
    """A settings file, preset or override with a key or value that is not known; `all` holds every mistake found."""

    all: "tuple[SettingsError, ...]" = ()  # empty when raised for one mistake alone

    @classmethod
    def together(cls, found: "Sequence[SettingsError]") -> "SettingsError":
        """One error for several mistakes: the message tells the first and how many more there are.

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
        """The message in that language; of several mistakes the first, and how many more there are."""
        more = len(self.all) - 1
        told = super().text(language)
        if more < 1:
            return told
        s = "s" if more > 1 else ""
        return told + translated(" (and {more} more mistake{s})", language, more=more, s=s)


class TemplateError(FileError):
    """A template that does not compile, does not render, or wants more than it may."""


class InvalidValueError(RoleMemoryError, ValueError):
    """An argument or a field out of bounds; the message says which bounds."""


class PatternError(InvalidValueError):
    """A regex key that is invalid, or too expensive to run."""


class UnsafePathError(InvalidValueError):
    """An id or a path that would lead out of the home folder."""


class ClosedError(RoleMemoryError, RuntimeError):
    """A home, or a role of one, that was closed was asked something."""


class GivenUpError(RoleMemoryError):
    """Work that nobody waits for any more, such as the turn of a request whose line was closed."""


class NotWrittenError(RoleMemoryError, OSError):
    """A write that was not acknowledged; what was there before is still there."""


class NoFolderError(InvalidValueError):
    """Something that is done to files was asked of a home that has none."""


class BusyError(NotWrittenError):
    """Somebody else, on another thread or in another process, holds the lock."""


class ReadOnlyRoleError(NotWrittenError):
    """Writes are refused while the role's file cannot be read; the last good set still answers."""


class RegistrationError(RoleMemoryError, ValueError):
    """Two parts want one name."""


class ModelError(RoleMemoryError, RuntimeError):
    """A model that cannot be loaded or asked."""


class DirectionError(ModelError):
    """A model that gave a vector that points nowhere: NaN, infinite or all zero."""


class ModelAnswerError(ModelError):
    """A language model that answered, even when asked again, nothing that can be used."""


def closest(name: str, known: Iterable[str]) -> str | None:
    """The known name a person most likely meant, or None.

    >>> closest("recencie", ["keyword", "recency"])
    'recency'
    """
    from rapidfuzz import process  # imported here: errors are rare, start-up is not

    near = process.extractOne(name, list(known), processor=str.casefold, score_cutoff=70)
    return str(near[0]) if near else None


def misspelt(name: str, known: Iterable[str], most: int = 9) -> str | None:
    """The known name that this is a slip of the keyboard for, or None: one letter in four wrong, swapped or missing, and `most`.

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
