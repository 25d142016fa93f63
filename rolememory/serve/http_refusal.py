"""Error responses for denied requests and unknown paths, in one format and the client's language."""

import re
from collections.abc import Mapping
from typing import Any

import orjson

from rolememory.locales import LocalizedText, languages, translatable, translated
from rolememory.schema.scene import Language

UPSTREAM = (
    "/v1/",
    "/r/",
)  # used by OpenAI clients, which show the `message` of an error


class HttpRefusal(Exception):  # noqa: N818  # an answer, not a fault
    """A refused request: status, code, message and hint."""

    def __init__(self, status: int, code: str, message: str, hint: str, **values: Any) -> None:
        self.status = status
        self.code = code
        self.message = LocalizedText(message, **values)
        self.hint = LocalizedText(hint)
        super().__init__(str(self.message))

    def body(self, language: Language, path: str = "") -> bytes:
        """The response body, in the format that clients of the path can show.

        >>> HttpRefusal(429, "busy", "too many headers", "try again").body("zh", "/api/roles").decode()
        '{"error":{"code":"busy","message":"请求头太多","hint":"请再试一次"}}'
        """
        message = self.message.text(language)
        hint = self.hint.text(language)
        error = {"code": self.code, "message": message, "hint": hint}
        if proxied(path):  # OpenAI's format, with the hint in the message
            joint = translated("; ", language)
            error |= {"message": f"rolememory: {message}{joint}{hint}", "type": "rolememory"}
        return orjson.dumps({"error": error})


_RANGE = re.compile(r"([a-z]+)(?:-[a-z0-9]+)*(?:\s*;\s*q=([01](?:\.\d*)?))?\s*(?:,|$)")
"""A language of `Accept-Language`, and its weight. Source: RFC 9110, 12.5.4."""
_DESCRIBED = translatable(
    "the API URL of a frontend ends in /v1; REST is described at /api/openapi.json"
)
REFUSALS: Mapping[int, HttpRefusal] = {
    one.status: one
    for one in (
        HttpRefusal(400, "not_json", "the body is not JSON", "send an object as UTF-8 JSON"),
        HttpRefusal(404, "not_found", "there is nothing at this address", _DESCRIBED),
        HttpRefusal(
            405,
            "method",
            "this address does not take this method",
            "the header Allow names those it takes; REST is described at /api/openapi.json",
        ),
        HttpRefusal(
            412,
            "stale",
            "it was changed since you saw it",
            "look at it as it is now, then change it again",
        ),
        HttpRefusal(
            413,
            "too_large",
            "the request is too large",
            "send less at once; see serve.max_body_mb, serve.max_messages and serve.max_characters",
        ),
        HttpRefusal(
            500,
            "fault",
            "something failed here; nothing is known to have changed",
            "the server's log says what",
        ),
        HttpRefusal(503, "busy", "the disk or another program is in the way", "try again"),
    )
}
"""Messages by status."""


def proxied(path: str) -> bool:
    """Whether the path is proxied to the upstream, and so used by OpenAI clients."""
    return path.startswith(UPSTREAM) or path == "/v1"


def language_of(headers: Mapping[str, str], app_state: str) -> Language:
    """The client's language: the first supported one of `Accept-Language`, else the server's.

    >>> language_of({"accept-language": "fr, zh-TW;q=0.9"}, "en"), language_of({}, "zh")
    ('zh', 'zh')
    """
    for wanted in preferred(headers.get("accept-language", "")):
        if wanted in languages():
            return wanted
    return app_state


def preferred(header: str) -> list[str]:
    """The languages of an `Accept-Language` header, most preferred first.

    >>> preferred("en;q=0.5, zh-CN, fr;q=0")
    ['zh', 'en']
    """
    found = ((name, float(share or 1.0)) for name, share in _RANGE.findall(header[:500].lower()))
    wanted = [one for one in found if one[1] > 0]
    return [name for name, _ in sorted(wanted, key=lambda one: -one[1])]
