"""What a caller is told when something goes wrong: one shape, their language, no trace, no path of this machine."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from rolememory import errors
from rolememory.schema.scene import Language
from rolememory.serve import refusal
from rolememory.serve.house import House
from rolememory.serve.rest.shapes import Fault, Faulty
from rolememory.shipped import shipped
from rolememory.storage.explain_invalid import explained

VERSION = "1"
VERSION_HEADER = "x-rolememory-api"
_log = logging.getLogger(__name__)

STATUSES: tuple[tuple[type[errors.RoleMemoryError], int, str], ...] = (  # the first that fits
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
    (errors.NotWrittenError, 503, "not_written"),
    (errors.ModelError, 502, "model"),
    (errors.RoleMemoryError, 422, "refused"),
)
_PLAIN: Mapping[int, tuple[str, str, str, str, str]] = {
    400: (
        "not_json",
        "the body is not JSON",
        "请求内容不是 JSON",
        "send an object as UTF-8 JSON",
        "请发送 UTF-8 的 JSON 对象",
    ),
    404: (
        "not_found",
        "there is nothing at this address",
        "这个地址没有内容",
        "see /api/openapi.json",
        "见 /api/openapi.json",
    ),
    405: (
        "method",
        "this address is not asked so",
        "这个地址不支持这种请求方法",
        "see /api/openapi.json",
        "见 /api/openapi.json",
    ),
    413: (
        "too_large",
        "the request is too large",
        "请求太大",
        "send less at once; see serve.max_body_mb, serve.max_messages and serve.max_characters",
        "请分次发送；见 serve.max_body_mb、serve.max_messages、serve.max_characters",
    ),
    500: (
        "fault",
        "something failed here; nothing is known to have changed",
        "这里出错了",
        "the server's log says what",
        "详见服务器日志",
    ),
    503: (
        "busy",
        "the disk or another program is in the way",
        "磁盘或其他程序占用了文件",
        "try again",
        "请再试一次",
    ),
}
_SIZES: Mapping[str, tuple[str, str]] = {
    "string_too_short": (
        "at least {min_length} characters are expected",
        "至少要有 {min_length} 个字符",
    ),
    "string_too_long": ("at most {max_length} characters are taken", "最多 {max_length} 个字符"),
    "too_short": ("at least {min_length} values are expected", "至少要有 {min_length} 个值"),
    "too_long": ("at most {max_length} values are taken", "最多 {max_length} 个值"),
    "list_type": ("expected a list", "应为列表"),
    "dict_type": ("expected an object", "应为对象"),
    "datetime_type": (
        "expected a time like 2024-05-01T18:30:00Z",
        "应为时间，例如 2024-05-01T18:30:00Z",
    ),
    "datetime_parsing": (
        "expected a time like 2024-05-01T18:30:00Z",
        "应为时间，例如 2024-05-01T18:30:00Z",
    ),
    "datetime_from_date_parsing": (
        "expected a time like 2024-05-01T18:30:00Z",
        "应为时间，例如 2024-05-01T18:30:00Z",
    ),
    "model_attributes_type": (
        "expected an object; is the body sent as application/json?",
        "应为对象；请求是否以 application/json 发送？",
    ),
}
_MISSING = ("a value is missing", "缺少这个值", "write it", "请填写")
_UNKNOWN = (
    "no such field",
    "没有这个字段",
    "remove it, or see /api/openapi.json",
    "请删掉，或查看 /api/openapi.json",
)


class Stale(Exception):  # noqa: N818  # an answer, not a fault
    """What the caller changed is no longer what they saw."""

    def __init__(self, current: Any) -> None:
        super().__init__("stale")
        self.current = current


def language_of(request: Request, house: House) -> Language:
    """The language of the caller, else the house's."""
    return refusal.language_of(request.headers, house.language)


def told(error: Exception, house: House, language: Language) -> Response:
    """The answer that tells of this error."""
    if isinstance(error, Stale):
        return _stale(error, language)
    if isinstance(error, errors.RoleMemoryError):
        return _ours(error, house, language)
    if isinstance(error, RequestValidationError):
        return _misshapen(error.errors(), language)
    if isinstance(error, HTTPException):
        return plain(error.status_code, language)
    if isinstance(error, OSError):
        _log.warning("a request met the disk: %s", error)
        return plain(503, language)
    _log.error("a request failed", exc_info=error)
    return plain(500, language)


def plain(status: int, language: Language) -> Response:
    """An answer known by its status alone."""
    code, en, zh, hint, zh_hint = _PLAIN.get(status, _PLAIN[400])
    return answer(
        status, Fault(code=code, message=_in(language, en, zh), hint=_in(language, hint, zh_hint))
    )


def fault(
    status: int,
    code: str,
    en: str,
    zh: str,
    hint: tuple[str, str],
    language: Language,
    where: str = "",
) -> Response:
    """An answer of an endpoint's own."""
    return answer(
        status,
        Fault(code=code, message=_in(language, en, zh), hint=_in(language, *hint), where=where),
    )


def answer(status: int, error: Fault, current: Any = None) -> Response:
    """The error as it goes out."""
    whole = Faulty(error=error, current=current)
    return JSONResponse(
        whole.model_dump(mode="json", exclude_defaults=True),
        status,
        {VERSION_HEADER: VERSION, "cache-control": "no-store"},
    )


def _ours(error: errors.RoleMemoryError, house: House, language: Language) -> Response:
    status, code = next(
        (status, code) for kind, status, code in STATUSES if isinstance(error, kind)
    )
    message, hint = parted(private(error.text(language), house))
    return answer(
        status,
        Fault(
            code=code,
            message=message,
            hint=hint,
            where=private(_where(error), house),
            all=_all(error, house, language),
        ),
    )


def _where(error: Exception) -> str:
    if not isinstance(error, errors.FileError):
        return ""
    place = ":".join(
        str(part) for part in (error.file, error.line, error.column) if part is not None
    )
    return f"{place}: {error.field}" if error.field else place


def _all(error: Exception, house: House, language: Language) -> list[str]:
    return (
        [private(one.text(language), house) for one in error.all]
        if isinstance(error, errors.SettingsError)
        else []
    )


def private(text: str, house: House) -> str:
    """A text without the places of this machine, and without halves of characters."""
    for root in (str(house.home.path), str(shipped())):
        text = text.replace(f"{root}/", "").replace(f"{root}\\", "").replace(root, ".")
    return clean(text)


def clean(text: str) -> str:
    r"""A text that can be sent.

    >>> clean("a\udc80")
    'a?'
    """
    return text.encode("utf-8", "replace").decode("utf-8")


def parted(text: str) -> tuple[str, str]:
    """What is wrong, and what to do instead.

    >>> parted("no role named 'x' (known: y); did you mean 'y'?")
    ("no role named 'x' (known: y)", "did you mean 'y'?")
    """
    for stop in ("; ", "；"):
        message, found, hint = text.rpartition(stop)
        if found:
            return message, hint
    return text, ""


def _misshapen(rows: Sequence[Mapping[str, Any]], language: Language) -> Response:
    told_rows = [_mistake(row, language) for row in rows[:50]]
    message, hint, where = told_rows[0]
    status, code = (400, "not_json") if rows[0]["type"] == "json_invalid" else (422, "request")
    everything = [f"{place}: {said}" for said, _, place in told_rows] if len(told_rows) > 1 else []
    return answer(status, Fault(code=code, message=message, hint=hint, where=where, all=everything))


def _mistake(row: Mapping[str, Any], language: Language) -> tuple[str, str, str]:
    """What is wrong with one field, what to write, and where it stands."""
    where = clean(".".join(str(part) for part in row["loc"]))[:200]
    if row["type"] == "json_invalid":
        place = row["loc"][-1]
        en, zh = (
            f"the body is not JSON (at character {place})",
            f"请求内容不是 JSON（第 {place} 个字符处）",
        )
        return (
            _in(language, en, zh),
            _in(language, "send UTF-8 JSON", "请发送 UTF-8 的 JSON"),
            where,
        )
    if row["type"] in ("missing", "extra_forbidden"):
        en, zh, hint, zh_hint = _MISSING if row["type"] == "missing" else _UNKNOWN
        return _in(language, en, zh), _in(language, hint, zh_hint), where
    if known := _SIZES.get(row["type"]):
        return *parted(
            _in(language, *known).format_map(
                {"min_length": "", "max_length": "", **(row.get("ctx") or {})}
            )
        ), where
    message, hint = parted(clean(explained({**row, "loc": ()}).text(language)))
    return message.removeprefix(": "), hint, where


def _stale(error: Stale, language: Language) -> Response:
    said = Fault(
        code="stale",
        message=_in(language, "it was changed since you saw it", "你看到之后，它已被改动"),
        hint=_in(language, "look at `current`, then change it again", "请看 `current`，再重新修改"),
    )
    return answer(412, said, error.current)


def _in(language: Language, en: str, zh: str) -> str:
    return zh if language == "zh" else en


def joined(values: Iterable[str], language: Language) -> str:
    """A list in words."""
    return ("、" if language == "zh" else ", ").join(values)
