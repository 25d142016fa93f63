"""Error responses: one format, in the caller's language, without tracebacks and local paths."""

import logging
from collections.abc import Sequence
from typing import Any

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from rolememory import errors
from rolememory.locales import translated
from rolememory.schema.json_types import JsonMapping
from rolememory.schema.scene import Language
from rolememory.serve import http_refusal
from rolememory.serve.app_state import AppState
from rolememory.serve.rest.json_response import RestResponse
from rolememory.serve.rest.schemas import Fault, Faulty
from rolememory.shipped import shipped
from rolememory.storage.explain_invalid import explained

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


def language_of(request: Request, app_state: AppState) -> Language:
    """The language of the caller, else the server's."""
    return http_refusal.language_of(request.headers, app_state.language)


def told(error: Exception, app_state: AppState, language: Language) -> Response:
    """The response of an exception."""
    if isinstance(error, Stale):
        return plain(412, language, error.current.model_dump(mode="json"))
    if isinstance(error, errors.RoleMemoryError):
        return _ours(error, app_state, language)
    if isinstance(error, RequestValidationError):
        return _misshapen(error.errors(), language)
    if isinstance(error, HTTPException):
        return plain(error.status_code, language)
    if isinstance(error, OSError):
        _log.warning("a request met the disk: %s", error)
        return plain(503, language)
    _log.error("a request failed", exc_info=error)
    return plain(500, language)


def plain(status: int, language: Language, current: Any = None) -> Response:
    """The response of a status."""
    why = http_refusal.REFUSALS.get(status, http_refusal.REFUSALS[400])
    message, hint = why.message.text(language), why.hint.text(language)
    return answer(status, Fault(code=why.code, message=message, hint=hint), current)


def answer(status: int, error: Fault, current: Any = None) -> Response:
    """The response of a `Fault`."""
    whole = Faulty(error=error, current=current)
    return RestResponse(
        whole.model_dump(mode="json", exclude_defaults=True),
        status,
        {VERSION_HEADER: VERSION, "cache-control": "no-store"},
    )


def _ours(error: errors.RoleMemoryError, app_state: AppState, language: Language) -> Response:
    status, code = next(
        (status, code) for kind, status, code in STATUSES if isinstance(error, kind)
    )
    message, hint = parted(private(error.text(language), app_state))
    return answer(
        status,
        Fault(
            code=code,
            message=message,
            hint=hint,
            where=private(_where(error), app_state),
            all=_all(error, app_state, language),
        ),
    )


def _where(error: Exception) -> str:
    if not isinstance(error, errors.FileError):
        return ""
    return f"{error.place}: {error.field}" if error.field else error.place


def _all(error: Exception, app_state: AppState, language: Language) -> list[str]:
    return (
        [private(one.text(language), app_state) for one in error.all]
        if isinstance(error, errors.SettingsError)
        else []
    )


def private(text: str, app_state: AppState) -> str:
    """A text without local paths."""
    for root in (str(app_state.home.path), str(shipped())):
        text = text.replace(f"{root}/", "").replace(f"{root}\\", "").replace(root, ".")
    return text


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


def _misshapen(rows: Sequence[JsonMapping], language: Language) -> Response:
    told_rows = [_mistake(row, language) for row in rows[:50]]
    message, hint, where = told_rows[0]
    status, code = (400, "not_json") if rows[0]["type"] == "json_invalid" else (422, "request")
    everything = [f"{place}: {said}" for said, _, place in told_rows] if len(told_rows) > 1 else []
    return answer(status, Fault(code=code, message=message, hint=hint, where=where, all=everything))


def _mistake(row: JsonMapping, language: Language) -> tuple[str, str, str]:
    """The problem, hint and place of an invalid field."""
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
