"""Erasing one person from everything that a role stores."""

from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial

from rolememory.chats.erasing import cleared
from rolememory.learn.learner import Learner
from rolememory.learn.model.progress import Progress
from rolememory.learn.model.scene_states import Scenes
from rolememory.schema.settings import StorageSettings
from rolememory.storage.codec import fields_of
from rolememory.storage.erase import Erased, Ids, PersonTraces, erase, leftovers, sweep
from rolememory.storage.memories import RoleStore
from rolememory.storage.port import Space
from rolememory.storage.review.drafts import as_json
from rolememory.text.names import PersonNames
from rolememory.usage.tracker import Usage


def traces_of(names: PersonNames, learner: Learner, store: RoleStore) -> PersonTraces:
    """The traces of a person in a role: which chats to delete, and which words of the others.

    Raises: FileError: a chat cannot be read.
    """
    chats = learner.chats
    known = [info.id for info in chats.chats(archived=True)]
    lines = [one.name for one in chats.stories.list()]
    ids = Ids(names, [*known, *lines, *store.snapshot().memories])
    traces = PersonTraces(names, ids, partial(cleared, names=names, ids=ids))
    return traces.with_chats(chats.cleared(traces.clear))


def preview(names: PersonNames, learner: Learner, store: RoleStore) -> Erased:
    """What `erase_user` would remove. Raises: as `traces_of`."""
    traces = traces_of(names, learner, store)
    memories = store.snapshot().memories.values()
    gone = tuple(sorted(one.id for one in memories if traces.takes(fields_of(one))))
    waiting = sum(traces.takes(as_json(one.draft)) for one in learner.keeper.review.waiting())
    return replace(_of_chats(traces), memories=len(gone), ids=gone, waiting=waiting)


def _of_chats(traces: PersonTraces) -> Erased:
    shared = (words for chat, words in traces.words.items() if chat not in traces.chats)
    return Erased(chats=tuple(sorted(traces.chats)), messages=sum(map(len, shared)))


def erase_user(
    space: Space,
    names: PersonNames,
    learner: Learner,
    store: RoleStore,
    usage: Usage,
    settings: StorageSettings,
    keep_only: Callable[[Collection[str]], None],
) -> Erased:
    """Erase a person: memories with history and backups first; if these cannot be searched, nothing is changed.

    `keep_only` drops what other parts cache of all chats but these.

    Raises:
        FileError, ReadOnlyRoleError, NotWrittenError: as `traces_of` and `erase`.
    """
    traces = traces_of(names, learner, store)
    done = erase(space, traces, settings)
    learner.chats.forget(traces.clear)
    learner.chats.stories.forget(traces.ids, names.all)
    renamed = {chat: new for chat in traces.words if (new := traces.ids(chat)) != chat}
    waiting = learner.keeper.review.forget(traces, done.ids)
    learner.forget(traces.chats, renamed)
    Progress(space).forget(traces.chats, names.all, renamed)
    Scenes(space).forget()
    usage.forget({*traces.chats, *renamed}, store.snapshot().memories)
    keep_only([info.id for info in learner.chats.chats(archived=True)])
    sweep(space)
    told, left = _of_chats(traces), (*done.left, *leftovers(space, names, done.left))
    return replace(done, left=left, chats=told.chats, messages=told.messages, waiting=waiting)
