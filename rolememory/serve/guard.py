"""Who may come in: Host, Origin, token, sizes and times, before anything else looks at a request.

| asked from            | reading          | writing                                             |
| a program here        | free             | free (it could open the files as well)               |
| a page of our own     | free             | its cookie, which only a page of ours is ever given  |
| an allowed page       | token            | token (none for the proxy: frontends have no field for it) |
| any other page        | refused          | refused                                             |
| another machine       | token            | token                                               |
| through a proxy       | token            | token                                               |

In a service (`AccessRules.caller`) nobody is local: a request is what its key may do, and what nobody was given needs the right to
administer. Forwarded headers count from the proxies that the settings name, and are refused from others.

A page is what sends `Origin` or `Sec-Fetch-Site`. A foreign name in `Host` is refused whoever asks: that is how pages reach
local servers by rebinding a name. Sources: the incidents listed under section 2 of the project's reliability notes.
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
_READ_OUT_S = 1.0
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
)  # what proxies add; every `x-forwarded-*` too
_READING = frozenset({"GET", "HEAD"})
_FIELDS = re.compile(r"[\w!#$%&'*+.^`|~-]+(?:[ \t]*,[ \t]*[\w!#$%&'*+.^`|~-]+)*", re.ASCII)
_LOCAL_NAMES = frozenset({"localhost", "localhost.localdomain"})
_JSON = ("application/json", "application/x-ndjson")
_SEND_TOKEN = translatable(
    "send `Authorization: Bearer TOKEN`; it is in the home folder, in .token"
)
_SEND_KEY = translatable("send `Authorization: Bearer KEY`; `rolememory keys add` makes one")
CALLER = "rolememory.caller"  # in a scope: who asks a service
BODY = "rolememory.body"  # in a scope: how the body came
CLOSE = "rolememory.close"  # in a scope: closes the line in the middle of the answer
_TURNS = "(?:/r/[^/]+)?/v1/(?:(?:chat/)?completions|messages|responses)"
_DOORS = tuple(
    (verb, re.compile(door), right)
    for verb, door, right in (
        ("POST", _TURNS, "read"),
        ("GET", "(?:/r/[^/]+)?/v1/models(?:/[^/]+)?", "read"),
        ("POST", "/api/roles/[^/]+/(?:recall|search)", "read"),
        ("POST", "/api/roles/[^/]+/observe", "write"),
        ("POST", "/mcp", "read"),  # its tools ask for the right to write themselves
    )
)
_UPLOADS = ("application/octet-stream", "image/png", "application/zip")


_STOPPING = HttpRefusal(
    503, "stopping", "this server is being stopped", "send it again once it is back"
)


@dataclass(frozen=True, slots=True)
class AccessRules:
    """What the guard goes by; brought again for each request, so settings count at once."""

    token: str
    hosts: frozenset[str] = frozenset()  # further names, lower case, without port
    origins: frozenset[str] = frozenset()  # pages that may ask
    max_body: int = 32 * 2**20  # bytes
    open_to_others: bool = False  # listens off loopback
    turn_s: float = (
        2.0  # a large call of the proxy waits so long for its turn, then passes without memory
    )
    language: str = "en"  # of those who name none
    caller: Callable[[str], Caller | None] | None = None  # of a service: who sends this key
    proxies: tuple[
        str, ...
    ] = ()  # of a service: addresses and networks whose forwarded headers count


class AccessGuard:
    """ASGI: lets in whom `AccessRules` let in, and puts security headers on what goes out of our own pages and REST."""

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
            await _read_out(headers, receive)
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
        except asyncio.CancelledError:  # the server ends, and this took longer than it waits
            await answer.refuse(_STOPPING)
        except Exception:
            if (
                not answer.refused
            ):  # who was refused in the middle of their body is gone for everybody further in
                raise
        finally:
            body.let_go()


def _asker(scope: Scope, headers: Mapping[str, str]) -> Hashable:
    """Who asks, as far as that is known before the body: the user of a key, else of a header at that address."""
    if caller := scope.get(CALLER):
        return caller.name, caller.user
    user = headers.get("x-rolememory-user") or headers.get("x-openwebui-user-name", "")
    return (scope.get("client") or ("",))[0], user


def admitted(scope: Scope, headers: Mapping[str, str], rules: AccessRules) -> str:
    """Who asks: "program", "own" page or "allowed" page.

    Raises:
        Refusal: the caller may not come in.
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
    """What may be done without the token: look at the page itself, and anything from this machine but for changes by a page."""
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
    """Take what a proxy that is named says of the request's scheme; refuse what anybody else says."""
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
    """Whether an address lies in one of these networks."""
    if client is None:
        return False
    address = ipaddress.ip_address(client[0])
    return any(address in ipaddress.ip_network(one, strict=False) for one in proxies)


def _check_key(scope: Scope, headers: Mapping[str, str], rules: AccessRules) -> None:
    """Note who asks; refuse who may not do this."""
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
    """The right that a request needs; what nobody thought of needs the one to administer.

    >>> needed("POST", "/api/roles/mira/observe"), needed("GET", "/v1/models"), needed("DELETE", "/api/roles/mira")
    ('write', 'read', 'admin')
    """
    found = (right for verb, door, right in _DOORS if verb == method and door.fullmatch(path))
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
    """Refuse headers without end: the server bounds them only while they come in pieces."""
    pairs = scope["headers"]
    if (
        len(pairs) > MOST_HEADERS
        or sum(len(name) + len(value) for name, value in pairs) > HEADER_BYTES
    ):
        raise HttpRefusal(431, "headers", "too many headers", "send fewer or shorter ones")


def _check_framing(headers: Mapping[str, str]) -> None:
    """Refuse two words about where a request ends: whoever stands before us may have taken the other one."""
    if "content-length" in headers and "transfer-encoding" in headers:
        raise HttpRefusal(
            400,
            "framing",
            "Content-Length and Transfer-Encoding in one request",
            "send one of them",
        )


def _check_path(scope: Scope) -> None:
    """Refuse a way up, in any spelling: what is below the upstream's address is all that may be asked of it."""
    path = scope["path"]
    if not proxied(path):
        return
    for _ in range(3):  # a server behind us may decode what we took for text
        if any(part.partition(";")[0] in (".", "..") for part in re.split(r"[/\\]", path)):
            raise HttpRefusal(400, "path", "a path with . or .. in it", "write the address out")
        path = unquote(path)


def _headers(scope: Scope) -> dict[str, str]:
    """Names in lower case; a header that comes twice keeps its first value."""
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
    return rules.open_to_others  # an address cannot be rebound


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
    """A link to our page was followed: that may come from anywhere, and reads only."""
    return (
        headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
    )


def from_here(scope: Scope) -> bool:
    """Whether a program or a browser on this machine asks, and nobody asks through it.

    What a proxy passes on comes from its own address; the headers it adds, or HTTP/1.0 (which nginx speaks), give it away.
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
        headers.get("x-api-key", ""),  # Anthropic's name for it
        _cookie(headers, rules),
    )
    return any(same(one, rules.token) for one in given if one)


def cookie_name(token: str) -> str:
    """The cookie of one home: a browser sends all cookies of a host to each of its ports.

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
    """What goes out, with our headers on everything that is not the upstream's own word."""

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
        """Say why, if nothing was said yet; nothing more goes out."""
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
        """For pages that the settings allow: they may read the answer, refusals too."""
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


async def _read_out(headers: Mapping[str, str], receive: Receive) -> None:
    """Take in a small body of who is refused: a line that is closed over unread bytes may lose the answer."""
    length = headers.get("content-length", "")
    if not length.isdecimal() or int(length) > HEADER_BYTES or "transfer-encoding" in headers:
        return
    with suppress(TimeoutError):
        async with asyncio.timeout(_READ_OUT_S):
            while (await receive()).get("more_body"):
                pass


async def _preflight(asked: Mapping[str, str], send: Send) -> None:
    """Let a page that may ask send what it wants to send: libraries add headers of their own."""
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
