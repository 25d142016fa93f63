"""The access guard: checks Host, Origin, token, sizes and times before a request is processed.

| request from          | reading          | writing                                             |
| a program here        | free             | free (it could open the files as well)               |
| a page of our own     | free             | its cookie, which only a page of ours is ever given  |
| an allowed page       | token (none for `/healthz`: by it the server is found) | token (none for the proxy: frontends have no field for it) |
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
from typing import Any
from urllib.parse import unquote, urlsplit

from starlette.requests import HTTPConnection

from rolememory.locales import translatable
from rolememory.schema.settings import ServeSettings
from rolememory.serve.admission import Admission
from rolememory.serve.body import BODY_S, PACKED, Body, Unpacked, too_large
from rolememory.serve.http_refusal import HttpRefusal, language_of, proxied
from rolememory.serve.keys import Caller
from rolememory.serve.token import same
from rolememory.upstream import is_loopback

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

MOST_HEADERS = 200
HEADER_BYTES = 64 * 1024
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
_TYPES = (
    "application/json",
    "application/x-ndjson",
    "application/octet-stream",
    "image/png",
    "application/zip",
)  # of a body
_SEND_TOKEN = translatable(
    "send `Authorization: Bearer TOKEN`; it is in the home folder, in .token"
)
_SEND_KEY = translatable("send `Authorization: Bearer KEY`; `rolememory keys add` makes one")
CALLER = "rolememory.caller"  # in a scope: the caller of a service
BODY = "rolememory.body"  # in a scope: the `Body`
CLOSE = "rolememory.close"  # in a scope: closes the connection during the response
_TURNS = "(?:/r/[^/]+)?/v1/(?:(?:chat/)?completions|messages|responses)/?"
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
_STOPPING = HttpRefusal(
    503, "stopping", "this server is being stopped", "send it again once it is back"
)


@dataclass(frozen=True, slots=True)
class AccessRules:
    """Rules of the guard; read for each request, so that settings apply at once."""

    token: str
    settings: ServeSettings
    language: str = "en"  # default language
    caller: Callable[[str], Caller | None] | None = None  # of a service: the caller with this key

    @property
    def max_body(self) -> int:
        """The largest body, in bytes."""
        return int(self.settings.max_body_mb * 2**20)

    def allows(self, origin: str) -> bool:
        """Whether pages of this origin may ask."""
        return origin in (one.rstrip("/") for one in self.settings.allowed_origins)

    def answers_to(self, host: str) -> bool:
        """Whether a Host header names this server."""
        name = _bare(host)
        if not name or "@" in host or "/" in host:
            return False
        if is_loopback(name) or name in map(str.lower, self.settings.allowed_hosts):
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return not is_loopback(self.settings.host)  # DNS rebinding needs a name

    def trusts(self, address: str) -> bool:
        """Whether a proxy at this address may forward requests."""
        known = (ipaddress.ip_network(one, strict=False) for one in self.settings.trusted_proxies)
        return any(ipaddress.ip_address(address) in one for one in known)


class AccessGuard:
    """ASGI middleware: enforces `AccessRules`, and adds security headers to responses of the page and REST."""

    def __init__(self, app: App, rules: Callable[[], AccessRules], admission: Admission) -> None:
        self._app = app
        self._rules = rules
        self._admission = admission

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = GuardedRequest(scope, self._rules())
        answer = _GuardedResponse(send, request)
        try:
            page = request.admitted()
        except HttpRefusal as refusal:
            await _drain(request.headers, receive)
            await answer.refuse(refusal)
            return
        if request.method == "OPTIONS" and page == "allowed":
            await _preflight(request.headers, send)
            return
        body = scope[BODY] = self._body(request, receive, answer)
        try:
            await self._app(scope, body.receive, answer.send)
        except asyncio.CancelledError:  # the server is shutting down, and its grace period is over
            await answer.refuse(_STOPPING)
        except Exception:
            if not answer.refused:  # after a refusal, the application sees a disconnect
                raise
        finally:
            body.let_go()

    def _body(
        self, request: "GuardedRequest", receive: Receive, answer: "_GuardedResponse"
    ) -> Body:
        """The body with its limits; unpacked, unless the upstream gets it as it is."""
        expected = request.length or None
        passes = request.proxied
        if request.encoding in PACKED and (not passes or re.fullmatch(_TURNS, request.path)):
            receive = Unpacked(receive).receive
            expected = None
            headers = request.scope["headers"]
            request.scope["headers"] = [one for one in headers if one[0] != b"content-encoding"]
        return Body(
            receive,
            request.rules.max_body,
            answer.refuse,
            admission=self._admission,
            expected=expected,
            turn_s=request.rules.settings.recall_timeout_s if passes else BODY_S,
            may_pass=passes,
            asker=request.asker,
        )


class GuardedRequest(HTTPConnection):
    """A request to check, by its headers alone."""

    def __init__(self, scope: Scope, rules: AccessRules) -> None:
        super().__init__(scope)
        _drop_slash(scope)
        self.rules = rules
        self.path = scope["path"]
        self.method = scope["method"]
        self.proxied = proxied(self.path)
        self.reads = self.method in _READING
        self.encoding = self._header("content-encoding").strip().lower()

    @property
    def length(self) -> int:
        """The length of the body as declared, 0 = unknown."""
        return int(self._header("content-length") or 0)

    @property
    def asker(self) -> Hashable:
        """The client, as known before the body: the user of a key, else of a header, with the address."""
        if caller := self.scope.get(CALLER):
            return caller.name, caller.user
        user = self._header("x-rolememory-user") or self._header("x-openwebui-user-name")
        return self.client and self.client.host, user

    def admitted(self) -> str:
        """The kind of client: "program", "own" page or "allowed" page.

        Raises:
            HttpRefusal: access is denied.
        """
        self._check_size()
        self._check_path()
        if not self.rules.answers_to(self._header("host")):
            raise HttpRefusal(
                421,
                "host",
                "this server does not answer to {name!r}",
                "add the name to serve.allowed_hosts",
                name=self._header("host")[:80],
            )
        if self.rules.caller:
            self._check_forwarded()
        page = self._page()
        if self.method == "OPTIONS" and page == "allowed":
            return page
        if self.rules.caller:
            self._check_key(self.rules.caller)
        elif not self._has_token():
            self._check_without_token(page)
        self._check_body()
        return page

    def _header(self, name: str) -> str:
        return self.headers.get(name, "")

    def _keys(self) -> list[str]:
        """The keys or tokens in the headers."""
        bearer = self._header("authorization").removeprefix("Bearer ").strip()
        own = self._header("x-rolememory-token")
        anthropic = self._header("x-api-key")
        return list(filter(None, (bearer, own, anthropic)))

    def _has_token(self) -> bool:
        token = self.rules.token
        cookie = self.cookies.get(cookie_name(token), "")
        return any(same(one, token) for one in (*self._keys(), cookie))

    def _is_asset(self) -> bool:
        return self.reads and self.path.startswith("/web/")

    def _asks_who(self) -> bool:
        return self.reads and self.path == "/healthz"

    def _check_size(self) -> None:
        """Refuse too large headers, which the server limits only if they arrive in several chunks, and ambiguous framing (request smuggling)."""
        pairs = self.headers.raw
        size = sum(len(name) + len(value) for name, value in pairs)
        if len(pairs) > MOST_HEADERS or size > HEADER_BYTES:
            raise HttpRefusal(431, "headers", "too many headers", "send fewer or shorter ones")
        if "content-length" in self.headers and "transfer-encoding" in self.headers:
            raise HttpRefusal(
                400,
                "framing",
                "Content-Length and Transfer-Encoding in one request",
                "send one of them",
            )

    def _check_path(self) -> None:
        """Refuse `..` in any encoding: only paths below the upstream's base URL may be requested."""
        path = self.path if self.proxied else ""
        for _ in range(3):  # the upstream may decode again
            if any(part.partition(";")[0] in (".", "..") for part in re.split(r"[/\\]", path)):
                raise HttpRefusal(400, "path", "a path with . or .. in it", "write the address out")
            path = unquote(path)

    def _page(self) -> str:
        origin = self.headers.get("origin")
        if origin is None:
            site = self._header("sec-fetch-site")
            if site == "cross-site" and not self._navigates():
                raise HttpRefusal(
                    403,
                    "origin",
                    "asked by another site's page",
                    "call from the page of this server, or from a program",
                )
            return "own" if site in ("same-origin", "none") else "program"
        if origin == f"{self.scope.get('scheme', 'http')}://{self._header('host')}":
            return "own"
        if self.rules.allows(origin):
            return "allowed"
        raise HttpRefusal(
            403,
            "origin",
            "pages of {page!r} may not ask",
            "add the origin to serve.allowed_origins",
            page=origin[:80],
        )

    def _navigates(self) -> bool:
        """Whether this is a navigation to our page: allowed from any site, and read-only."""
        how = self._header("sec-fetch-mode")
        what = self._header("sec-fetch-dest")
        return how == "navigate" and what == "document"

    def _check_forwarded(self) -> None:
        """Take the scheme from a trusted proxy's headers; refuse forwarded headers of others."""
        if not _is_forwarded(self.scope):
            return
        if self.client is None or not self.rules.trusts(self.client.host):
            raise HttpRefusal(
                400,
                "forwarded",
                "forwarded headers from an address that is no known proxy",
                "add its address to serve.trusted_proxies",
            )
        if (scheme := self._header("x-forwarded-proto")) in ("http", "https"):
            self.scope["scheme"] = scheme

    def _check_key(self, caller_of: Callable[[str], Caller | None]) -> None:
        """Set the caller in the scope; refuse those without the right."""
        if self._is_asset() or self._asks_who() or (self.reads and self.path == "/"):
            return
        caller = caller_of(next(iter(self._keys()), ""))
        if caller is None:
            raise HttpRefusal(401, "key", "asked without a key that counts", _SEND_KEY)
        right = needed(self.method, self.path)
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
        self.scope[CALLER] = caller

    def _check_without_token(self, page: str) -> None:
        """Allow without a token: the page itself, and all from this machine except changes by a page."""
        if not from_here(self.scope) and self.path != "/" and not self._is_asset():
            raise HttpRefusal(
                401,
                "token",
                "asked from another machine, or through a proxy, without the token",
                _SEND_TOKEN,
            )
        if page == "allowed" and not (self.proxied or self._asks_who()):
            raise HttpRefusal(401, "token", "a page must send the token", _SEND_TOKEN)
        if page == "own" and not self.reads:
            raise HttpRefusal(
                401,
                "token",
                "this page has no key",
                "open the page again under the address that `rolememory serve` printed",
            )

    def _check_body(self) -> None:
        if not self.reads and not self.proxied:
            self._check_type()
            self._check_encoding()
        if self.length > self.rules.max_body:
            raise too_large(self.rules.max_body)

    def _check_type(self) -> None:
        kind = self._header("content-type").partition(";")[0].strip().lower()
        if not kind and not self.length and "transfer-encoding" not in self.headers:
            return
        if kind not in _TYPES:
            raise HttpRefusal(
                415,
                "content_type",
                "cannot read {kind!r}" if kind else "cannot read a body without a type",
                "send application/json, or a file as application/octet-stream",
                kind=kind[:60],
            )

    def _check_encoding(self) -> None:
        if self.encoding not in ("", "identity", *PACKED):
            raise HttpRefusal(
                415,
                "content_encoding",
                "cannot unpack {kind!r}",
                "send it plain, or packed with gzip",
                kind=self.encoding[:60],
            )


def _drop_slash(scope: Scope) -> None:
    """Read `/mcp/` as `/mcp`; an escaped slash belongs to a name, and the upstream reads its own paths."""
    path = scope["path"]
    if len(path) > 1 and scope["raw_path"].endswith(b"/") and not proxied(path):
        scope["path"] = path[:-1]


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


def _bare(host: str) -> str:
    """A Host header without its port, lower case.

    >>> _bare("LOCALHOST:8787"), _bare("[::1]:80")
    ('localhost', '::1')
    """
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def from_here(scope: Scope) -> bool:
    """Whether the client is on this machine and not a proxy.

    Requests through a proxy come from its address; they are recognised by its headers, or HTTP/1.0 (the default of nginx).
    """
    client = scope.get("client")
    passed_on = scope.get("http_version") == "1.0" or _is_forwarded(scope)
    return not passed_on and (client is None or is_loopback(client[0]))


def _is_forwarded(scope: Scope) -> bool:
    """Whether a header of a proxy is among the headers."""
    names = (name for name, _ in scope["headers"])
    return any(name in _FORWARDED or name.startswith(b"x-forwarded") for name in names)


def cookie_name(token: str) -> str:
    """The cookie name of a home, distinct since a browser sends cookies of a host to all of its ports.

    >>> cookie_name("a") == cookie_name("b")
    False
    """
    return f"rolememory-{sha256(token.encode()).hexdigest()[:12]}"


class _GuardedResponse:
    """Sends a response, with our headers on everything that is not relayed from the upstream."""

    def __init__(self, send: Send, request: GuardedRequest) -> None:
        self._send = send
        self._request = request
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
        request = self._request
        language = language_of(request.headers, request.rules.language)
        body = refusal.body(language, request.path)
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
        origin = self._request.headers.get("origin", "")
        if self._request.rules.allows(origin):
            yield from _encoded(
                {
                    "access-control-allow-origin": origin,
                    "vary": "Origin",
                    "access-control-expose-headers": "ETag, Link",
                }
            )

    def _added(self) -> Iterable[tuple[bytes, bytes]]:
        request = self._request
        token = self._request.rules.token
        yield from self._shared()
        if request.proxied:
            return
        yield from _encoded(HEADERS)
        if request.path == "/" and not request.rules.caller and from_here(request.scope):
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
