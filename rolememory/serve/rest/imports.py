"""Bringing a life along from SillyTavern: looking what there is, carrying it over in the background, telling how far it is."""

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Literal

from fastapi import Query, Request
from pydantic import Field

from rolememory.authoring.importer.ledger import Ledger, ledger_of
from rolememory.authoring.importer.plan import ImportPlan, ImportSettings
from rolememory.authoring.importer.planning import make_plan
from rolememory.authoring.importer.run import ImportedItem, ImportRun
from rolememory.cards.tavern.layout import DataFolder, data_folders
from rolememory.chats.stories import Living
from rolememory.errors import RoleMemoryError, UnknownNameError, UnsafePathError
from rolememory.schema.scene import Language
from rolememory.serve.app_state import AppState
from rolememory.serve.guard import from_here
from rolememory.serve.rest.dependencies import AppStateDep, LanguageDep, router
from rolememory.serve.rest.error_responses import clean, private
from rolememory.serve.rest.schemas import In, Line, Out
from rolememory.serve.rest.staged_uploads import Staged
from rolememory.serve.rest.uploads import TAKES_A_FILE, TheUpload

bringing = router("roles", under="/import/sillytavern")
DEFAULT_USER = "default-user"
MOST_PROBLEMS = 200


class LifeImportIn(In):
    """Whose life: a folder on the server's machine, or what was handed over file by file."""

    path: Annotated[
        str, Field(max_length=4000, description="empty: the files that were handed over")
    ] = ""
    profile: Line = Field("", description="of several users this one")
    hidden: bool = Field(False, description="also messages that were hidden from the model")
    stories: dict[Line, Living] = Field(
        default_factory=dict,
        max_length=10_000,
        description="one or each, by the `avatar` of roles in `many`; left out: each of their chats is a story of its own",
    )


class CountsOut(Out):
    """How many there are, and how many of them would change something."""

    all: int
    due: int


class ManyOut(Out):
    """A role with many chats: they may share one life, or each be a story of its own."""

    avatar: str
    name: str
    chats: int


class LookOut(Out):
    """What there is; nothing was changed."""

    source: str
    profile: str
    profiles: list[str]
    roles: list[str]
    characters: CountsOut
    lorebooks: CountsOut
    personas: CountsOut
    chats: CountsOut
    many: list[ManyOut] = Field(description="whose chats nobody was asked about yet")
    bytes: int = Field(description="of the chats that would be read")
    problems: list[str]


class NewRole(Out):
    """A role that came, or was there and has news."""

    id: str
    name: str


class LifeImportOut(Out):
    """How the import stands; every step is an event `import` as well."""

    state: Literal["none", "running", "done", "stopped", "failed"]
    done: int
    total: int
    now: str = Field(description="what came last")
    roles: list[NewRole]
    chats: int
    messages: int
    learned: int
    summaries: int
    problems: list[str]


IDLE = LifeImportOut(
    state="none",
    done=0,
    total=0,
    now="",
    roles=[],
    chats=0,
    messages=0,
    learned=0,
    summaries=0,
    problems=[],
)


@bringing.put("/files", openapi_extra=TAKES_A_FILE, status_code=204)
def hand_over(
    request: Request,
    upload: TheUpload,
    path: Annotated[str, Query(max_length=1000, description="in the user's folder")],
) -> None:
    """Hand over one file of a user's data folder: a card, a chat, a lorebook, a group, the settings."""
    _bringings(request).staged.take(path, upload.data)


@bringing.delete("/files", status_code=204)
def forget_files(request: Request) -> None:
    """Forget what was handed over."""
    _bringings(request).staged.clear()


@bringing.post("/look")
def look(
    request: Request, app_state: AppStateDep, language: LanguageDep, given: LifeImportIn
) -> LookOut:
    """What there is and what of it is new. Changes nothing; the folder is only read."""
    _only_from_here(request, given)
    source, users = _bringings(request).source(given)
    with ledger_of(app_state.home.space, source.path, write=False) as ledger:
        plan = make_plan(app_state.home, source, ledger, ImportSettings(hidden=given.hidden))
    return LookOut(
        source=private(str(source.path), app_state),
        profile=clean(source.name),
        profiles=[clean(user.name) for user in users],
        roles=[clean(role.name) for role in plan.roles.values()],
        characters=_counted([one.state for one in plan.roles.values()]),
        lorebooks=_counted([one.state for one in plan.worlds.values() if one.file]),
        personas=_counted([one.state for one in plan.personas]),
        chats=_counted([one.state for one in plan.chats]),
        many=[
            ManyOut(avatar=clean(avatar), name=clean(plan.roles[avatar].name), chats=count)
            for avatar, count in plan.many.items()
        ],
        bytes=sum(chat.stamp.size for chat in plan.due),
        problems=_texts(plan.problems, app_state, language),
    )


@bringing.post("", status_code=202)
def bring(
    request: Request, app_state: AppStateDep, language: LanguageDep, given: LifeImportIn
) -> LifeImportOut:
    """Bring everything that is new, in the background; stopped at any moment, the same request goes on."""
    _only_from_here(request, given)
    return _bringings(request).begin(app_state, given, language)


@bringing.get("")
def brought(request: Request) -> LifeImportOut:
    """How the last import stands."""
    return _bringings(request).state


@bringing.delete("", status_code=202)
def stop(request: Request) -> LifeImportOut:
    """Stop after the chat in hand."""
    found = _bringings(request)
    found.stop()
    return found.state


def _only_from_here(request: Request, given: LifeImportIn) -> None:
    """Whoever sits at another machine names no folder of this one."""
    if given.path.strip() and not from_here(request.scope):
        raise UnsafePathError(
            "a folder can be named only from the machine that it lies on; choose its files in the browser instead"
        )


class LifeImports:
    """One import at a time."""

    def __init__(self, home: Path) -> None:
        self.state, self.staged = IDLE, Staged(home)
        self._stop, self._lock = threading.Event(), threading.Lock()
        self._thread: threading.Thread | None = None

    def source(self, given: LifeImportIn) -> tuple[DataFolder, Sequence[DataFolder]]:
        """The user's folder that is meant, and all there are. Raises: FileError, UnknownNameError."""
        if not given.path.strip():
            return self.staged.source(), ()
        users = data_folders(Path(given.path.strip()))
        named = {user.name: user for user in users}
        if given.profile and given.profile not in named:
            raise UnknownNameError("user", given.profile, named)
        return named.get(given.profile or DEFAULT_USER, users[0]), users

    def begin(self, app_state: AppState, given: LifeImportIn, language: Language) -> LifeImportOut:
        """Start, unless one is running; that one's state then. Raises: FileError, UnknownNameError."""
        source, _ = self.source(given)
        with self._lock:
            if self.state.state != "running":
                self._stop.clear()
                self._tell(app_state, IDLE.model_copy(update={"state": "running"}))
                self._thread = threading.Thread(
                    target=self._run,
                    args=(app_state, source, given, language),
                    name="rolememory-import",
                    daemon=True,
                )
                self._thread.start()
            return self.state

    def stop(self, timeout: float | None = None) -> None:
        """Ask it to end; with a time, wait for it so long."""
        self._stop.set()
        if timeout is not None and self._thread is not None:
            self._thread.join(timeout)

    def _run(
        self, app_state: AppState, source: DataFolder, given: LifeImportIn, language: Language
    ) -> None:
        try:
            with ledger_of(app_state.home.space, source.path) as ledger:
                self._carry(app_state, source, ledger, given, language)
        except RoleMemoryError as error:
            self._tell(
                app_state,
                self.state.model_copy(
                    update={"state": "failed", "problems": _texts([error], app_state, language)}
                ),
            )
        except Exception as error:  # a thread of its own: whatever it is must be told, or the page would wait for ever
            self._tell(
                app_state,
                self.state.model_copy(
                    update={"state": "failed", "problems": [private(repr(error), app_state)]}
                ),
            )
        else:
            self._tell(
                app_state,
                self.state.model_copy(
                    update={"state": "stopped" if self._stop.is_set() else "done"}
                ),
            )
            if source.path == self.staged.folder and not self._stop.is_set():
                self.staged.clear()

    def _carry(
        self,
        app_state: AppState,
        source: DataFolder,
        ledger: Ledger,
        given: LifeImportIn,
        language: Language,
    ) -> None:
        plan = make_plan(app_state.home, source, ledger, ImportSettings(hidden=given.hidden))
        total = len(plan.worlds) + len(plan.roles) + len(plan.personas) + len(plan.due)
        self._tell(
            app_state,
            self.state.model_copy(
                update={"total": total, "problems": _texts(plan.problems, app_state, language)}
            ),
        )
        stories = {
            avatar: given.stories[clean(avatar)]
            for avatar in plan.many
            if clean(avatar) in given.stories
        }
        steps = ImportRun(app_state.home, plan, ledger, hidden=given.hidden, stories=stories)
        for one in self._each(steps):
            self._tell(
                app_state, _after(self.state, one, plan, _texts(one.problems, app_state, language))
            )
            if one.kind == "role" and one.role:
                app_state.bus.tell("role", one.role)

    def _each(self, steps: ImportRun) -> Iterator[ImportedItem]:
        for one in steps.run():
            yield one
            if self._stop.is_set():
                return

    def _tell(self, app_state: AppState, state: LifeImportOut) -> None:
        self.state = state
        app_state.bus.tell("import", state=state.state, done=state.done, total=state.total)


def _after(
    state: LifeImportOut, one: ImportedItem, plan: ImportPlan, problems: Sequence[str]
) -> LifeImportOut:
    """The state with one thing more done."""
    new = [NewRole(id=one.role, name=clean(one.name))] if one.kind == "role" and one.role else []
    return state.model_copy(
        update={
            "done": state.done + 1,
            "now": clean(one.name),
            "roles": [*state.roles, *new],
            "chats": state.chats + (one.kind == "chat" and one.state != "failed"),
            "messages": state.messages + one.messages,
            "learned": state.learned + one.learned,
            "summaries": state.summaries + one.summaries,
            "problems": [*state.problems, *problems][:MOST_PROBLEMS],
        }
    )


def _counted(states: Sequence[str]) -> CountsOut:
    return CountsOut(all=len(states), due=sum(state in ("new", "changed") for state in states))


def _texts(
    problems: Sequence[RoleMemoryError], app_state: AppState, language: Language
) -> list[str]:
    return [private(problem.text(language), app_state) for problem in problems]


def _bringings(request: Request) -> LifeImports:
    found: LifeImports = request.app.state.bringings
    return found
