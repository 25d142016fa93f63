"""Dependencies of endpoints: the call with its role and language, a page of a list, what the caller has seen."""

from collections import defaultdict
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from threading import Lock
from typing import Annotated, Any, Protocol, TypeVar

from fastapi import APIRouter, Depends, Header, Path, Query
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from rolememory.schema.json_types import JsonObject
from rolememory.schema.value_class import value_class
from rolememory.serve.app_state import AppState
from rolememory.serve.guard import CALLER
from rolememory.serve.keys import Caller
from rolememory.serve.rest.error_responses import Stale
from rolememory.serve.rest.json_response import RestResponse, json_bytes
from rolememory.serve.rest.reader import reader
from rolememory.serve.rest.route import RestRoute, among
from rolememory.serve.rest.schemas import Faulty, Page

MOST_ROWS = 500
NEWEST = 1000  # newest changes searched for one just made
Row = TypeVar("Row")
SHAPES = "#/components/schemas/"


class Tagged(Protocol):
    """A response with an ETag."""

    @property
    def etag(self) -> str:
        """The ETag for the `If-Match` header."""
        ...


Shown = TypeVar("Shown", bound=Tagged)
# By reference: with a model FastAPI would build a validator per status and path, half a second at every start.
FAULTS: dict[int | str, JsonObject] = {
    status: {
        "description": told,
        "content": {"application/json": {"schema": {"$ref": f"{SHAPES}Faulty"}}},
    }
    for status, told in {
        400: "no JSON",
        401: "the token is missing",
        403: "the page or key may not do this",
        404: "nothing has this name",
        405: "the method is not allowed",
        409: "the name is ambiguous or taken, or the role is read-only because its file is broken",
        412: "changed since it was read; `current` has the present state",
        413: "too large",
        415: "unsupported body type",
        422: "an invalid value",
        502: "a model that cannot be called",
        503: "a disk error, or a lock held by another program",
    }.items()
}


def fault_shapes() -> JsonObject:
    """The schemas that `FAULTS` refers to, as components of an OpenAPI document."""
    found = Faulty.model_json_schema(mode="serialization", ref_template=f"{SHAPES}{{model}}")
    return {**found.pop("$defs", {}), "Faulty": found}


def router(*tags: str, under: str = "") -> APIRouter:
    """An APIRouter for a group of resources."""
    return APIRouter(
        prefix=f"/api{under}",
        tags=list(tags),
        route_class=RestRoute,
        responses=FAULTS,
        default_response_class=RestResponse,
    )


def kept(kind: type) -> Any:
    """A dependency: the application's single object of this class (created by `router.rest_app`)."""

    def found(request: Request) -> Any:
        return request.app.state.kept[kind]

    return Depends(found)


class UpdateLocks:
    """Locks for check-and-update of resources."""

    def __init__(self) -> None:
        self._locks: defaultdict[str, Lock] = defaultdict(Lock)
        self._lock = Lock()

    @contextmanager
    def alone(self, name: str) -> Iterator[None]:
        """Hold the lock of this name, within this server; the store handles external edits of files."""
        with self._lock:
            lock = self._locks[name]
        with lock:
            yield


class RestCall:
    """One call: the application's state, the caller, their language, and conversion of responses."""

    def __init__(self, request: Request, response: Response) -> None:
        self.request = request
        self.response = response
        self.app_state: AppState = request.app.state.app_state
        self.home = self.app_state.home
        self.bus = self.app_state.bus
        self.reader = reader()
        self.language = reader().language
        self.caller: Caller | None = request.scope.get(CALLER)  # of a service; else None
        locks: UpdateLocks = request.app.state.kept[UpdateLocks]
        self.alone = locks.alone

    def tagged(self, answer: Shown) -> Shown:
        """The response, with its ETag header set."""
        self.response.headers["etag"] = answer.etag
        return answer


class CallOfRole(RestCall):
    """A call about one role."""

    def __init__(
        self,
        request: Request,
        response: Response,
        role: Annotated[str, Path(max_length=300, description="id, name or alias")],
    ) -> None:
        super().__init__(request, response)
        self.role = self.caller.role(self.home, role) if self.caller else self.home.role(role)

    def tell(self, kind: str, **values: Any) -> None:
        """Publish an event of this role."""
        self.bus.tell(kind, self.role.id, **values)

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Within the block the role's memories are locked; publishes an event at the end."""
        with self.alone(f"memory {self.role.id}"):
            yield
        self.tell("memory")

    def newest_txn(self, ids: Container[str], actor: str = "") -> str | None:
        """The newest transaction of one of these ids, or of an actor: learning may have changed others since."""
        lines = (line for line in self.role.history(limit=NEWEST) if line.id in ids)
        return next((line.txn for line in lines if actor in ("", line.actor)), None)


HomeCall = Annotated[RestCall, Depends()]
RoleCall = Annotated[CallOfRole, Depends()]


@value_class
class Pages:
    """Pagination of a list."""

    limit: Annotated[int, Query(ge=1, le=MOST_ROWS, description="maximum number of rows")] = 50
    offset: Annotated[int, Query(ge=0, le=10_000_000, description="number of rows to skip")] = 0

    def __call__(
        self, rows: Sequence[Any], shown: Callable[[Any], Row | None] = lambda row: row
    ) -> Page[Row]:
        """The requested page of the rows, without those that are shown as None: they went meanwhile."""
        found = map(shown, rows[self.offset : self.offset + self.limit])
        items = [one for one in found if one is not None]
        return Page(items=items, total=len(rows), limit=self.limit, offset=self.offset)


Paged = Annotated[Pages, Depends()]


def tag(value: Any) -> str:
    """The ETag of a value: equal for equal values.

    >>> tag({"a": 1}) == tag({"a": 1}), tag({"a": 1}) == tag({"a": 2})
    (True, False)
    """
    plain = value.model_dump(mode="json") if isinstance(value, BaseModel) else value
    data = json_bytes(plain, in_order=True)
    return f'"{blake2b(data, digest_size=9).hexdigest()}"'


class Precondition:
    """The `If-Match` precondition of a change."""

    def __init__(
        self,
        if_match: Annotated[
            str | None,
            Header(
                max_length=2000,
                description="the ETag of the version you read; without it the change is always made",
            ),
        ] = None,
    ) -> None:
        self._given = if_match

    def check(self, current: Callable[[], Tagged]) -> None:
        """Refuse the change if the resource was modified; without a header nothing is checked.

        Raises:
            Stale: it was changed meanwhile.
        """
        if self._given is not None and not among(self._given, (now := current()).etag):
            raise Stale(now)


IfMatch = Annotated[Precondition, Depends()]
