"""Dependencies of endpoints: the application's state, the role, the language, a page of a list, what the caller has seen."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from threading import Lock
from typing import Annotated, Any, TypeVar

import orjson
from fastapi import APIRouter, Depends, Header, Path, Query
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from rolememory.engine import RoleMemory
from rolememory.schema.scene import Language
from rolememory.serve.app_state import AppState
from rolememory.serve.guard import CALLER
from rolememory.serve.keys import Caller
from rolememory.serve.rest.error_responses import Stale, language_of
from rolememory.serve.rest.route import RestRoute
from rolememory.serve.rest.schemas import Faulty, Page

MOST_ROWS = 500
Thing = TypeVar("Thing")
Row = TypeVar("Row", bound=BaseModel)
SHAPES = "#/components/schemas/"
# By reference: of a model, FastAPI makes a reader of its own for every status of every path, half a second of each start.
FAULTS: dict[int | str, dict[str, Any]] = {
    status: {
        "description": told,
        "content": {"application/json": {"schema": {"$ref": f"{SHAPES}Faulty"}}},
    }
    for status, told in {
        400: "no JSON",
        401: "asked without the token",
        403: "asked by a page that may not",
        404: "nothing goes by this name",
        405: "not asked so",
        409: "ambiguous, taken, or read-only while its file is broken",
        412: "changed since it was seen; `current` is what stands there",
        413: "too large",
        415: "a body of another type",
        422: "a value that does not fit",
        502: "a model that cannot be asked",
        503: "the disk or another program is in the way",
    }.items()
}


def fault_shapes() -> dict[str, Any]:
    """What `FAULTS` refer to, as the components of an OpenAPI document."""
    found = Faulty.model_json_schema(mode="serialization", ref_template=f"{SHAPES}{{model}}")
    return {**found.pop("$defs", {}), "Faulty": found}


def router(*tags: str, under: str = "") -> APIRouter:
    """The paths of one group of resources."""
    return APIRouter(
        prefix=f"/api{under}", tags=list(tags), route_class=RestRoute, responses=FAULTS
    )


def app_state_of(request: Request) -> AppState:
    """The application's state."""
    app_state: AppState = request.app.state.app_state
    return app_state


def _role_of(
    request: Request, role: Annotated[str, Path(max_length=300, description="id, name or alias")]
) -> RoleMemory:
    home, caller = app_state_of(request).home, caller_of(request)
    return caller.role(home, role) if caller else home.role(role)


def caller_of(request: Request) -> Caller | None:
    """Who asks a service; None where this is none."""
    found: Caller | None = request.scope.get(CALLER)
    return found


def _language_of_request(request: Request) -> Language:
    return language_of(request, app_state_of(request))


class Paging(BaseModel):
    """Which part of a list is wanted."""

    limit: Annotated[int, Field(ge=1, le=MOST_ROWS)] = 50
    offset: Annotated[int, Field(ge=0, le=10_000_000)] = 0


def _paging(
    limit: Annotated[int, Query(ge=1, le=MOST_ROWS, description="at most so many")] = 50,
    offset: Annotated[int, Query(ge=0, le=10_000_000, description="after so many")] = 0,
) -> Paging:
    return Paging(limit=limit, offset=offset)


AppStateDep = Annotated[AppState, Depends(app_state_of)]
RoleDep = Annotated[RoleMemory, Depends(_role_of)]
TheCaller = Annotated[Caller | None, Depends(caller_of)]
LanguageDep = Annotated[Language, Depends(_language_of_request)]
Paged = Annotated[Paging, Depends(_paging)]
IfMatch = Annotated[
    str | None,
    Header(
        max_length=2000,
        description="the ETag of what you saw; without it the change is made whatever stands there",
    ),
]
IfNoneMatch = Annotated[str | None, Header(max_length=2000)]


def page(
    request: Request,
    response: Response,
    paging: Paging,
    rows: Sequence[Thing],
    shown: Callable[[Thing], Row],
) -> Page[Row]:
    """The wanted part of the rows, with links to the parts around it."""
    part = rows[paging.offset : paging.offset + paging.limit]
    linked(request, response, paging, len(rows))
    return Page(
        items=[shown(one) for one in part],
        total=len(rows),
        limit=paging.limit,
        offset=paging.offset,
    )


def linked(request: Request, response: Response, paging: Paging, total: int) -> None:
    """The `Link` header of a page. Source: RFC 8288."""
    places = {"first": 0} if paging.offset else {}
    if paging.offset:
        places["prev"] = max(paging.offset - paging.limit, 0)
    if paging.offset + paging.limit < total:
        places |= {
            "next": paging.offset + paging.limit,
            "last": (total - 1) // paging.limit * paging.limit,
        }
    url = request.url
    links = (
        f'<{url.path}?{_query(request, paging.limit, offset)}>; rel="{name}"'
        for name, offset in places.items()
    )
    if told := ", ".join(links):
        response.headers["link"] = told


def _query(request: Request, limit: int, offset: int) -> str:
    url = request.url.include_query_params(limit=limit, offset=offset)
    return url.query.encode("ascii", "ignore").decode()


def tag(value: Any) -> str:
    """The ETag of a value: the same as long as it says the same.

    >>> tag({"a": 1}) == tag({"a": 1}), tag({"a": 1}) == tag({"a": 2})
    (True, False)
    """
    plain = value.model_dump(mode="json") if isinstance(value, BaseModel) else value
    data = orjson.dumps(plain, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS)
    return f'"{blake2b(data, digest_size=9).hexdigest()}"'


def seen(given: str | None, now: str, current: Callable[[], Any]) -> None:
    """Refuse a change of something that is no longer what the caller saw; one who names nothing is not asked.

    Raises:
        Stale: it was changed meanwhile.
    """
    if given is not None and not _among(given, now):
        raise Stale(current())


def fresh(given: str | None, now: str) -> Response | None:
    """The answer to one who has seen it as it is; None when it is to be told."""
    if given is not None and _among(given, now):
        return Response(status_code=304, headers={"etag": now})
    return None


def _among(given: str, now: str) -> bool:
    tags = [one.strip().removeprefix("W/") for one in given.split(",")]
    return "*" in tags or now in tags


class UpdateLocks:
    """One at a time between looking whether something changed and changing it."""

    def __init__(self) -> None:
        self._locks: dict[str, Lock] = {}
        self._lock = Lock()

    @contextmanager
    def through(self, name: str) -> Iterator[None]:
        """Alone, as far as this server goes; files edited from outside are the store's to settle."""
        with self._lock:
            lock = self._locks.setdefault(name, Lock())
        with lock:
            yield


def alone_of(request: Request) -> UpdateLocks:
    """The turnstiles of this server."""
    turnstiles: UpdateLocks = request.app.state.turnstiles
    return turnstiles


Alone = Annotated[UpdateLocks, Depends(alone_of)]
