"""The access guard: checks Host, Origin, token, sizes and times before a request is processed.

| request from          | reading          | writing                                             |
| a program here        | free             | free (it could open the files as well)               |
| a page of our own     | free             | its cookie, which only a page of ours is ever given  |
| an allowed page       | token            | token (none for the proxy: frontends have no field for it) |
| any other page        | refused          | refused                                             |
| another machine       | token            | token                                               |
| through a proxy       | token            | token                                               |

In a service (`AccessRules.caller`) no client is local: a request has the rights of its key, and paths without an assigned right need
"admin". Forwarded headers are trusted from the proxies that the settings name, and refused from others.

A page is a client that sends `Origin` or `Sec-Fetch-Site`. A foreign name in `Host` is always refused: pages reach local
servers so by DNS rebinding. Sources: the incidents listed under section 2 of the project's reliability notes.
"""

import asyncio
import ipaddress
import re
from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping, MutableMapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import unquote, urlsplit

from rolememory.locales import translatable
from rolememory.serve.admission import Admission
from rolememory.serve.body import BODY_S, PACKED, Body, Unpacked, too_large
from rolememory.serve.http_refusal import HttpRefusal, language_of, proxied
from rolememory.serve.keys import Caller
from rolememory.serve.token import same

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

MOST_HEADERS, HEADER_BYTES = 200, 64 * 1024
_DRAIN_S = 1.0
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; "
        "manifest-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
_FORWARDED = frozenset(
    b"forwarded via x-real-ip x-client-ip x-cluster-client-ip x-original-host cf-connecting-ip true-client-ip "
    b"fastly-client-ip x-proxyuser-ip x-envoy-external-address".split()
)  # added by proxies, as is every `x-forwarded-*`
_READING = frozenset({"GET", "HEAD"})
_FIELDS = re.compile(r"[\w!#$%&'*+.^`|~-]+(?:[ \t]*,[ \t]*[\w!#$%&'*+.^`|~-]+)*", re.ASCII)
_LOCAL_NAMES = frozenset({"localhost", "localhost.localdomain"})
_JSON = ("application/json", "application/x-ndjson")
_SEND_TOKEN = translatable(
    "send `Authorization: Bearer TOKEN`; it is in the home folder, in .token"
)
_SEND_KEY = translatable("send `Authorization: Bearer KEY`; `rolememory keys add` makes one")
CALLER = "rolememory.caller"  # in a scope: the caller of a service
BODY = "rolememory.body"  # in a scope: the `Body`
CLOSE = "rolememory.close"  # in a scope: closes the connection during the response
_TURNS = "(?:/r/[^/]+)?/v1/(?:(?:chat/)?completions|messages|responses)"
_ROUTE_RIGHTS = tuple(
    (verb, re.compile(pattern), right)
    for verb, pattern, right in (
        ("POST", _TURNS, "read"),
        ("GET", "(?:/r/[^/]+)?/v1/models(?:/[^/]+)?", "read"),
        ("POST", "/api/roles/[^/]+/(?:recall|search)", "read"),
        ("POST", "/api/roles/[^/]+/observe", "write"),
        ("POST", "/mcp", "read"),  # its tools check the right to write themselves
    )
)
_UPLOADS = ("application/octet-stream", "image/png", "application/zip")


_STOPPING = HttpRefusal(
    503, "stopping", "this server is being stopped", "send it again once it is back"
)


@dataclass(frozen=True, slots=True)
class AccessRules:
    """Rules of the guard; read for each request, so that settings apply at once."""

    token: str
    hosts: frozenset[str] = frozenset()  # additional host names, lower case, without port
    origins: frozenset[str] = frozenset()  # allowed pages
    max_body: int = 32 * 2**20  # bytes
    open_to_others: bool = False  # listens off loopback
    turn_s: float = 2.0  # timeout of a large proxy call in the queue; it then passes without memory
    language: str = "en"  # default language
    caller: Callable[[str], Caller | None] | None = None  # of a service: the caller with this key
    proxies: tuple[str, ...] = ()  # of a service: addresses and networks of trusted proxies


class AccessGuard:
    """ASGI middleware: enforces `AccessRules`, and adds security headers to responses of the page and REST."""

    def __init__(
        self, app: App, rules: Callable[[], AccessRules], admission: Admission | None = None
    ) -> None:
        self._app, self._rules = app, rules
        self._admission = admission or Admission()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        rules, headers = self._rules(), _headers(scope)
        answer = _GuardedResponse(send, scope, rules, headers)
        try:
            _check_headers(scope)
            _check_framing(headers)
            _check_path(scope)
            page = admitted(scope, headers, rules)
        except HttpRefusal as refusal:
            await _drain(headers, receive)
            await answer.refuse(refusal)
            return
        if scope["method"] == "OPTIONS" and page == "allowed":
            await _preflight(headers, send)
            return
        passes, expected = proxied(scope["path"]), int(headers.get("content-length") or 0) or None
        if _packed(headers) and (not passes or re.fullmatch(_TURNS + "/?", scope["path"])):
            receive, expected = Unpacked(receive).receive, None
            scope["headers"] = [one for one in scope["headers"] if one[0] != b"content-encoding"]
        body = scope[BODY] = Body(
            receive,
            rules.max_body,
            answer.refuse,
            admission=self._admission,
            expected=expected,
            turn_s=rules.turn_s if passes else BODY_S,
            may_pass=passes,
            asker=_asker(scope, headers),
        )
        try:
            await self._app(scope, body.receive, answer.send)
        except asyncio.CancelledError:  # the server is shutting down, and its grace period is over
            await answer.refuse(_STOPPING)
        except Exception:
            if (
                not answer.refused
            ):  # after a refusal within the body, the application sees a disconnect
                raise
        finally:
            body.let_go()


def _asker(scope: Scope, headers: Mapping[str, str]) -> Hashable:
    """The client, as known before the body: the user of a key, else of a header, with the address."""
    if caller := scope.get(CALLER):
        return caller.name, caller.user
    user = headers.get("x-rolememory-user") or headers.get("x-openwebui-user-name", "")
    return (scope.get("client") or ("",))[0], user


def admitted(scope: Scope, headers: Mapping[str, str], rules: AccessRules) -> str:
    """The kind of client: "program", "own" page or "allowed" page.

    Raises:
        HttpRefusal: access is denied.
    """
    host = headers.get("host", "")
    if not _known_host(host, rules):
        name = host[:80]
        raise HttpRefusal(
            421,
            "host",
            "this server does not answer to {name!r}",
            "add the name to serve.allowed_hosts",
            name=name,
        )
    if rules.caller:
        _check_forwarded(scope, headers, rules)
    page = _page(headers, host, scope, rules)
    if scope["method"] == "OPTIONS" and page == "allowed":
        return page
    if rules.caller:
        _check_key(scope, headers, rules)
    elif not _has_token(headers, rules):
        _check_without_token(scope, page)
    _check_body(scope, headers, rules)
    return page


def _check_without_token(scope: Scope, page: str) -> None:
    """Allow without a token: the page itself, and all from this machine except changes by a page."""
    if not from_here(scope) and scope["path"] != "/" and not _asset(scope):
        raise HttpRefusal(
            401,
            "token",
            "asked from another machine, or through a proxy, without the token",
            _SEND_TOKEN,
        )
    if page == "allowed" and not proxied(scope["path"]):
        raise HttpRefusal(401, "token", "a page must send the token", _SEND_TOKEN)
    if page == "own" and scope["method"] not in _READING:
        raise HttpRefusal(
            401,
            "token",
            "this page has no key",
            "open the page again under the address that `rolememory serve` printed",
        )


def _check_body(scope: Scope, headers: Mapping[str, str], rules: AccessRules) -> None:
    if scope["method"] not in _READING and not proxied(scope["path"]):
        _check_type(headers)
        _check_encoding(headers)
    if int(headers.get("content-length") or 0) > rules.max_body:
        raise too_large(rules.max_body)


def _check_forwarded(scope: Scope, headers: Mapping[str, str], rules: AccessRules) -> None:
    """Take the scheme from a trusted proxy's headers; refuse forwarded headers of others."""
    if not any(_forwards(name) for name, _ in scope["headers"]):
        return
    if not _named(scope.get("client"), rules.proxies):
        raise HttpRefusal(
            400,
            "forwarded",
            "forwarded headers from an address that is no known proxy",
            "add its address to serve.trusted_proxies",
        )
    if (scheme := headers.get("x-forwarded-proto", "")) in ("http", "https"):
        scope["scheme"] = scheme


def _named(client: tuple[str, int] | None, proxies: Iterable[str]) -> bool:
    """Whether an address is in one of these networks."""
    if client is None:
        return False
    address = ipaddress.ip_address(client[0])
    return any(address in ipaddress.ip_network(one, strict=False) for one in proxies)


def _check_key(scope: Scope, headers: Mapping[str, str], rules: AccessRules) -> None:
    """Set the caller in the scope; refuse those without the right."""
    if scope["method"] in _READING and (scope["path"] in ("/", "/healthz") or _asset(scope)):
        return
    given = headers.get("authorization", "").removeprefix("Bearer ").strip()
    given = given or headers.get("x-rolememory-token", "") or headers.get("x-api-key", "")
    caller = rules.caller(given) if rules.caller else None
    if caller is None:
        raise HttpRefusal(401, "key", "asked without a key that counts", _SEND_KEY)
    right = needed(scope["method"], scope["path"])
    if not caller.may(right):
        raise HttpRefusal(
            403,
            "right",
            "this key lacks the right {right!r}",
            "make a key that has it: `rolememory keys add`",
            right=right,
        )
    if right != "admin" and not caller.user:
        raise HttpRefusal(
            403,
            "user",
            "this key speaks for no user",
            "send a claim that it signs, or a key of one user",
        )
    scope[CALLER] = caller


def needed(method: str, path: str) -> str:
    """The right that a request needs; "admin" for unlisted paths.

    >>> needed("POST", "/api/roles/mira/observe"), needed("GET", "/v1/models"), needed("DELETE", "/api/roles/mira")
    ('write', 'read', 'admin')
    """
    found = (
        right
        for verb, pattern, right in _ROUTE_RIGHTS
        if verb == method and pattern.fullmatch(path)
    )
    return next(found, "admin")


def local(host: str) -> bool:
    """Whether an address is this machine's loopback.

    >>> local("127.0.0.1"), local("::1"), local("localhost"), local("192.168.0.2")
    (True, True, True, False)
    """
    if host.lower() in _LOCAL_NAMES:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _check_headers(scope: Scope) -> None:
    """Refuse too large headers: the server limits them only if they arrive in several chunks."""
    pairs = scope["headers"]
    if (
        len(pairs) > MOST_HEADERS
        or sum(len(name) + len(value) for name, value in pairs) > HEADER_BYTES
    ):
        raise HttpRefusal(431, "headers", "too many headers", "send fewer or shorter ones")


def _check_framing(headers: Mapping[str, str]) -> None:
    """Refuse ambiguous framing (request smuggling): a proxy in front may have used the other length."""
    if "content-length" in headers and "transfer-encoding" in headers:
        raise HttpRefusal(
            400,
            "framing",
            "Content-Length and Transfer-Encoding in one request",
            "send one of them",
        )


def _check_path(scope: Scope) -> None:
    """Refuse `..` in any encoding: only paths below the upstream's base URL may be requested."""
    path = scope["path"]
    if not proxied(path):
        return
    for _ in range(3):  # the upstream may decode again
        if any(part.partition(";")[0] in (".", "..") for part in re.split(r"[/\\]", path)):
            raise HttpRefusal(400, "path", "a path with . or .. in it", "write the address out")
        path = unquote(path)


def _headers(scope: Scope) -> dict[str, str]:
    """Headers by lower-case name; of a repeated one the first value."""
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        found.setdefault(name.decode("latin-1").lower(), value.decode("latin-1"))
    return found


def _bare(host: str) -> str:
    """A Host header without its port, lower case.

    >>> _bare("LOCALHOST:8787"), _bare("[::1]:80")
    ('localhost', '::1')
    """
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def _known_host(host: str, rules: AccessRules) -> bool:
    name = _bare(host)
    if not name or "@" in host or "/" in host:
        return False
    if local(name) or name in rules.hosts:
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return rules.open_to_others  # DNS rebinding needs a name


def _page(headers: Mapping[str, str], host: str, scope: Scope, rules: AccessRules) -> str:
    origin = headers.get("origin")
    if origin is None:
        site = headers.get("sec-fetch-site", "")
        if site == "cross-site" and not _navigates(headers):
            raise HttpRefusal(
                403,
                "origin",
                "asked by another site's page",
                "call from the page of this server, or from a program",
            )
        return "own" if site in ("same-origin", "none") else "program"
    if origin == f"{scope.get('scheme', 'http')}://{host}":
        return "own"
    if origin in rules.origins:
        return "allowed"
    page = origin[:80]
    raise HttpRefusal(
        403,
        "origin",
        "pages of {page!r} may not ask",
        "add the origin to serve.allowed_origins",
        page=page,
    )


def _navigates(headers: Mapping[str, str]) -> bool:
    """Whether this is a navigation to our page: allowed from any site, and read-only."""
    return (
        headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
    )


def from_here(scope: Scope) -> bool:
    """Whether the client is on this machine and not a proxy.

    Requests through a proxy come from its address; they are recognised by its headers, or HTTP/1.0 (the default of nginx).
    """
    client = scope.get("client")
    passed_on = scope.get("http_version") == "1.0" or any(
        _forwards(name) for name, _ in scope["headers"]
    )
    return not passed_on and (client is None or local(client[0]))


def _forwards(name: bytes) -> bool:
    return name in _FORWARDED or name.startswith(b"x-forwarded")


def _asset(scope: Scope) -> bool:
    return scope["method"] in _READING and scope["path"].startswith("/web/")


def _has_token(headers: Mapping[str, str], rules: AccessRules) -> bool:
    given = (
        headers.get("authorization", "").removeprefix("Bearer ").strip(),
        headers.get("x-rolememory-token", ""),
        headers.get("x-api-key", ""),  # of Anthropic's API
        _cookie(headers, rules),
    )
    return any(same(one, rules.token) for one in given if one)


def cookie_name(token: str) -> str:
    """The cookie name of a home, distinct since a browser sends cookies of a host to all of its ports.

    >>> cookie_name("a") == cookie_name("b")
    False
    """
    return f"rolememory-{sha256(token.encode()).hexdigest()[:12]}"


def _cookie(headers: Mapping[str, str], rules: AccessRules) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(cookie_name(rules.token))
    except CookieError:
        return ""
    return found.value if found else ""


def _check_type(headers: Mapping[str, str]) -> None:
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if (
        not kind
        and (headers.get("content-length") or "0") == "0"
        and "transfer-encoding" not in headers
    ):
        return
    if kind not in (*_JSON, *_UPLOADS):
        raise HttpRefusal(
            415,
            "content_type",
            "cannot read {kind!r}" if kind else "cannot read a body without a type",
            "send application/json",
            kind=kind[:60],
        )


def _packed(headers: Mapping[str, str]) -> bool:
    return headers.get("content-encoding", "").strip().lower() in PACKED


def _check_encoding(headers: Mapping[str, str]) -> None:
    kind = headers.get("content-encoding", "").strip().lower()
    if kind not in ("", "identity", *PACKED):
        raise HttpRefusal(
            415,
            "content_encoding",
            "cannot unpack {kind!r}",
            "send it plain, or packed with gzip",
            kind=kind[:60],
        )


class _GuardedResponse:
    """Sends a response, with our headers on everything that is not relayed from the upstream."""

    def __init__(
        self, send: Send, scope: Scope, rules: AccessRules, headers: Mapping[str, str]
    ) -> None:
        self._send, self._scope, self._rules, self._headers = send, scope, rules, headers
        self._begun = self.refused = False

    async def send(self, message: MutableMapping[str, Any]) -> None:
        if self.refused:
            return
        if message["type"] == "http.response.start":
            self._begun = True
            message["headers"] = [*message.get("headers", ()), *self._added()]
        await self._send(message)

    async def refuse(self, refusal: HttpRefusal) -> None:
        """Send the refusal, if the response has not started; drop all further messages."""
        if self.refused or self._begun:
            return
        self.refused = True
        body = refusal.body(language_of(self._headers, self._rules.language), self._scope["path"])
        said = {
            "content-type": "application/json",
            "content-length": str(len(body)),
            "connection": "close",
            **HEADERS,
        }
        await self._send(
            {
                "type": "http.response.start",
                "status": refusal.status,
                "headers": [*_encoded(said), *self._shared()],
            }
        )
        await self._send({"type": "http.response.body", "body": body})

    def _shared(self) -> Iterable[tuple[bytes, bytes]]:
        """CORS headers for allowed pages: they may read the response, refusals too."""
        origin = self._headers.get("origin", "")
        if origin and origin in self._rules.origins:
            yield from _encoded(
                {
                    "access-control-allow-origin": origin,
                    "vary": "Origin",
                    "access-control-expose-headers": "ETag, Link",
                }
            )

    def _added(self) -> Iterable[tuple[bytes, bytes]]:
        path = self._scope["path"]
        yield from self._shared()
        if proxied(path):
            return
        yield from _encoded(HEADERS)
        if path == "/" and not self._rules.caller and from_here(self._scope):
            token = self._rules.token
            kept = f"{cookie_name(token)}={token}; Path=/; HttpOnly; SameSite=Strict"
            yield from _encoded({"set-cookie": kept})


def _encoded(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]


async def _drain(headers: Mapping[str, str], receive: Receive) -> None:
    """Drain a small body before a refusal: closing a connection with unread bytes may lose the response."""
    length = headers.get("content-length", "")
    if not length.isdecimal() or int(length) > HEADER_BYTES or "transfer-encoding" in headers:
        return
    with suppress(TimeoutError):
        async with asyncio.timeout(_DRAIN_S):
            while (await receive()).get("more_body"):
                pass


async def _preflight(asked: Mapping[str, str], send: Send) -> None:
    """Answer a CORS preflight of an allowed page, allowing all headers, since libraries add their own."""
    wanted = asked.get("access-control-request-headers", "")
    headers = {
        "access-control-allow-origin": asked["origin"],
        "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
        "access-control-allow-headers": wanted if _FIELDS.fullmatch(wanted) else "",
        "access-control-max-age": "600",
        "access-control-allow-private-network": "true",
        "vary": "Origin, Access-Control-Request-Headers",
    }
    await send({"type": "http.response.start", "status": 204, "headers": _encoded(headers)})
    await send({"type": "http.response.body", "body": b""})
