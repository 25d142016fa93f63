"""Error responses: one format, the description in the caller's language, without tracebacks and local paths."""

import logging
from collections.abc import Sequence
from typing import Any

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from rolememory import errors
from rolememory.locales import translated
from rolememory.schema.explain_invalid import explained
from rolememory.schema.json_types import JsonMapping
from rolememory.serve.http_refusal import REFUSALS
from rolememory.serve.rest.json_response import RestResponse
from rolememory.serve.rest.reader import reader
from rolememory.serve.rest.schemas import Fault, Faulty

VERSION = "1"
VERSION_HEADER = "x-rolememory-api"
_log = logging.getLogger(__name__)

STATUSES: tuple[tuple[type[errors.RoleMemoryError], int, str], ...] = (  # the first match counts
    (errors.UnknownRoleError, 404, "unknown_role"),
    (errors.UnknownMemoryError, 404, "unknown_memory"),
    (errors.UnknownChatError, 404, "unknown_chat"),
    (errors.UnknownNameError, 404, "unknown_name"),
    (errors.AmbiguousNameError, 409, "ambiguous"),
    (errors.SettingsError, 422, "settings"),
    (errors.FileError, 422, "file"),
    (errors.UnsafePathError, 422, "unsafe_path"),
    (errors.PatternError, 422, "pattern"),
    (errors.InvalidValueError, 422, "invalid"),
    (errors.ReadOnlyRoleError, 409, "read_only"),
    (errors.DeletedRoleError, 404, "unknown_role"),
    (errors.NotWrittenError, 503, "not_written"),
    (errors.ModelError, 502, "model"),
    (errors.RoleMemoryError, 422, "refused"),
)


class Stale(Exception):  # noqa: N818  # an answer, not a fault
    """The resource was modified since the caller read it."""

    def __init__(self, current: Any) -> None:
        super().__init__("stale")
        self.current = current  # an answer of REST


def error_response(error: Exception) -> Response:
    """The response of an exception."""
    if isinstance(error, Stale):
        return status_response(412, error.current.model_dump(mode="json"))
    if isinstance(error, errors.RoleMemoryError):
        return _known_error(error)
    if isinstance(error, RequestValidationError):
        return _invalid_request(error.errors())
    if isinstance(error, HTTPException):
        return status_response(error.status_code)
    if isinstance(error, OSError):
        _log.warning("a request met the disk: %s", error)
        return status_response(503)
    _log.error("a request failed", exc_info=error)
    return status_response(500)


def status_response(status: int, current: Any = None) -> Response:
    """The response of a status."""
    why = REFUSALS.get(status, REFUSALS[400])
    message, hint = map(reader().say, (why.message, why.hint))
    return answer(status, Fault(code=why.code, message=message, hint=hint), current)


def answer(status: int, error: Fault, current: Any = None) -> Response:
    """The response of a `Fault`."""
    whole = Faulty(error=error, current=current)
    return RestResponse(
        whole.model_dump(mode="json", exclude_defaults=True),
        status,
        {VERSION_HEADER: VERSION, "cache-control": "no-store"},
    )


def _known_error(error: errors.RoleMemoryError) -> Response:
    say = reader().say
    where = ""
    mistakes = list[str]()
    if isinstance(error, errors.FileError):
        where = say(": ".join(filter(None, (error.place, error.field))))
    if isinstance(error, errors.SettingsError):
        mistakes = list(map(say, error.all))
    message, hint = parted(say(error))
    status, code = next(
        (status, code) for kind, status, code in STATUSES if isinstance(error, kind)
    )
    fault = Fault(code=code, message=message, hint=hint, where=where, all=mistakes)
    return answer(status, fault)


def parted(text: str) -> tuple[str, str]:
    """A message split into problem and hint.

    >>> parted("no role named 'x' (known: y); did you mean 'y'?")
    ("no role named 'x' (known: y)", "did you mean 'y'?")
    """
    for stop in ("; ", "；"):
        message, found, hint = text.rpartition(stop)
        if found:
            return message, hint
    return text, ""


def _invalid_request(rows: Sequence[JsonMapping]) -> Response:
    faults = [_invalid_field(row) for row in rows[:50]]
    message, hint, where = faults[0]
    status, code = (400, "not_json") if rows[0]["type"] == "json_invalid" else (422, "request")
    everything = [f"{place}: {said}" for said, _, place in faults] if len(faults) > 1 else []
    return answer(status, Fault(code=code, message=message, hint=hint, where=where, all=everything))


def _invalid_field(row: JsonMapping) -> tuple[str, str, str]:
    """The problem, hint and place of an invalid field."""
    language = reader().language
    where = ".".join(str(part) for part in row["loc"])[:200]
    if row["type"] == "json_invalid":
        place = row["loc"][-1]
        told = translated("the body is not JSON (at character {place})", language, place=place)
        return told, translated("send UTF-8 JSON", language), where
    problem = explained({**row, "loc": ()})
    hint = problem.cure.text(language)
    if row["loc"] == ("body",):
        hint = translated("send an object as application/json", language)
    return problem.message.text(language), hint, where
