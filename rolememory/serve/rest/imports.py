"""Importing from SillyTavern: what there is, the import in the background, and its progress."""

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import Field

from rolememory.authoring.importer.ledger import Ledger, ledger_of
from rolememory.authoring.importer.plan import ImportSettings
from rolememory.authoring.importer.planning import make_plan
from rolememory.authoring.importer.run import ImportedItem, ImportRun
from rolememory.cards.tavern.layout import DataFolder, data_folders
from rolememory.chats.stories import Living
from rolememory.errors import RoleMemoryError, UnknownNameError, UnsafePathError
from rolememory.serve.guard import from_here
from rolememory.serve.rest.dependencies import HomeCall, kept, router
from rolememory.serve.rest.json_response import sendable
from rolememory.serve.rest.schemas import In, Line, Out, Translated
from rolememory.serve.rest.staged_uploads import Staged
from rolememory.serve.rest.uploads import TAKES_A_FILE, TheUpload

routes = router("roles", under="/import/sillytavern")
DEFAULT_USER = "default-user"
MOST_PROBLEMS = 200


class FolderImportIn(In):
    """The source: a folder on the server's machine, or the uploaded files."""

    path: str = Field("", max_length=4000)
    """empty = the uploaded files"""
    profile: Line = ""
    """the user, if there are several"""
    hidden: bool = False
    """include messages that were hidden from the model"""
    stories: dict[Line, Living] = Field(default_factory=dict, max_length=10_000)
    """one or each, by `avatar` of the roles in `many`; by default each chat is a story of its own"""


class CountsOut(Out):
    """The number of items, and of those that are new or changed."""

    all: int
    due: int


class ManyOut(Out):
    """A role with several chats, which may share one story or each be its own."""

    avatar: str
    name: str
    chats: int


class LookOut(Out):
    """What an import would do."""

    source: Translated
    profile: str
    profiles: list[str]
    roles: list[str]
    characters: CountsOut
    lorebooks: CountsOut
    personas: CountsOut
    chats: CountsOut
    many: list[ManyOut]
    """roles whose chats were not assigned to stories yet"""
    bytes: int
    """size of the chats to read"""
    problems: list[Translated]


class NewRole(Out):
    """A role that was created or updated."""

    id: str
    name: str


class FolderImportOut(Out):
    """The state of the import; each step also publishes an event `import`."""

    state: Literal["none", "running", "done", "stopped", "failed"]
    done: int
    total: int
    now: str
    """the item imported last"""
    roles: list[NewRole]
    chats: int
    messages: int
    learned: int
    summaries: int
    problems: list[Translated]


_NONE = dict.fromkeys(("done", "total", "chats", "messages", "learned", "summaries"), 0)
IDLE = FolderImportOut(state="none", now="", roles=[], problems=[], **_NONE)


class FolderImports:
    """One import at a time."""

    def __init__(self, home: Path) -> None:
        self.state = IDLE
        self.staged = Staged(home)
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def source(
        self, call: HomeCall, given: FolderImportIn
    ) -> tuple[DataFolder, Sequence[DataFolder]]:
        """The user's folder that is meant, and all there are. Raises: FileError, UnknownNameError, UnsafePathError."""
        folder = given.path.strip()
        if not folder:
            return self.staged.source(), ()
        if not from_here(call.request.scope):
            raise UnsafePathError(
                "a folder can be named only from the machine that it lies on; choose its files in the browser instead"
            )
        users = data_folders(Path(folder))
        named = {user.name: user for user in users}
        if given.profile and given.profile not in named:
            raise UnknownNameError("user", given.profile, named)
        return named.get(given.profile or DEFAULT_USER, users[0]), users

    def begin(self, call: HomeCall, given: FolderImportIn) -> FolderImportOut:
        """Start, unless one is running; that one's state then. Raises: as `source`."""
        source, _ = self.source(call, given)
        with self._lock:
            if self.state.state != "running":
                self._stop.clear()
                self.state = IDLE
                self._tell(call, state="running")
                self._thread = threading.Thread(
                    target=self._run,
                    args=(call, source, given),
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

    def _run(self, call: HomeCall, source: DataFolder, given: FolderImportIn) -> None:
        try:
            with ledger_of(call.home.space, source.path) as ledger:
                self._carry(call, source, ledger, given)
        except Exception as error:  # a thread of its own: whatever it is must be told, or the page would wait for ever
            told = error if isinstance(error, RoleMemoryError) else repr(error)
            self._tell(call, state="failed", problems=[call.reader.say(told)])
            return
        stopped = self._stop.is_set()
        self._tell(call, state="stopped" if stopped else "done")
        if source.path == self.staged.folder and not stopped:
            self.staged.clear()

    def _carry(
        self, call: HomeCall, source: DataFolder, ledger: Ledger, given: FolderImportIn
    ) -> None:
        plan = make_plan(call.home, source, ledger, ImportSettings(hidden=given.hidden))
        total = len(plan.worlds) + len(plan.roles) + len(plan.personas) + len(plan.due)
        self._tell(call, total=total, problems=list(map(call.reader.say, plan.problems)))
        stories = {
            avatar: given.stories[shown]
            for avatar in plan.many
            if (shown := sendable(avatar)) in given.stories
        }
        steps = ImportRun(call.home, plan, ledger, hidden=given.hidden, stories=stories)
        for one in self._each(steps):
            self._tell(call, **self._after(one, list(map(call.reader.say, one.problems))))
            if one.kind == "role" and one.role:
                call.bus.tell("role", one.role)

    def _each(self, steps: ImportRun) -> Iterator[ImportedItem]:
        for one in steps.run():
            yield one
            if self._stop.is_set():
                return

    def _after(self, one: ImportedItem, problems: Sequence[str]) -> dict[str, Any]:
        """What changes with one thing more done."""
        state = self.state
        new = [NewRole(id=one.role, name=one.name)] if one.kind == "role" and one.role else []
        return {
            "done": state.done + 1,
            "now": one.name,
            "roles": [*state.roles, *new],
            "chats": state.chats + (one.kind == "chat" and one.state != "failed"),
            "messages": state.messages + one.messages,
            "learned": state.learned + one.learned,
            "summaries": state.summaries + one.summaries,
            "problems": [*state.problems, *problems][:MOST_PROBLEMS],
        }

    def _tell(self, call: HomeCall, **changes: Any) -> None:
        self.state = state = self.state.model_copy(update=changes)
        call.bus.tell("import", state=state.state, done=state.done, total=state.total)


TheImports = Annotated[FolderImports, kept(FolderImports)]


@routes.put("/files", openapi_extra=TAKES_A_FILE, status_code=204)
def upload_file(
    imports: TheImports,
    upload: TheUpload,
    path: Annotated[str, Query(max_length=1000, description="relative to the user's data folder")],
) -> None:
    """Upload one file of a user's data folder: a card, a chat, a lorebook, a group, or the settings."""
    imports.staged.take(path, upload.data)


@routes.delete("/files", status_code=204)
def delete_files(imports: TheImports) -> None:
    """Delete the uploaded files."""
    imports.staged.clear()


@routes.post("/look")
def preview_import(call: HomeCall, imports: TheImports, given: FolderImportIn) -> LookOut:
    """What an import would do. Changes nothing."""
    source, users = imports.source(call, given)
    with ledger_of(call.home.space, source.path, write=False) as ledger:
        plan = make_plan(call.home, source, ledger, ImportSettings(hidden=given.hidden))
    return LookOut.from_value(
        plan,
        source=str(source.path),
        profile=source.name,
        profiles=[user.name for user in users],
        roles=[role.name for role in plan.roles.values()],
        **{kind: _counted(states) for kind, states in plan.states.items()},
        many=[
            ManyOut(avatar=avatar, name=plan.roles[avatar].name, chats=count)
            for avatar, count in plan.many.items()
        ],
        bytes=plan.size_due,
    )


@routes.post("", status_code=202)
def start_import(call: HomeCall, imports: TheImports, given: FolderImportIn) -> FolderImportOut:
    """Import everything that is new, in the background. The same request continues an import that was stopped."""
    return imports.begin(call, given)


@routes.get("")
def import_state(imports: TheImports) -> FolderImportOut:
    """The state of the last import."""
    return imports.state


@routes.delete("", status_code=202)
def stop_import(imports: TheImports) -> FolderImportOut:
    """Stop the import after the current chat."""
    imports.stop()
    return imports.state


def _counted(states: Sequence[str]) -> CountsOut:
    return CountsOut(all=len(states), due=sum(state in ("new", "changed") for state in states))
