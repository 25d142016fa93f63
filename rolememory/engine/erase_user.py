"""Erasing one person from everything that a role stores."""

from dataclasses import replace
from functools import partial

from rolememory.chats.erasing import cleared
from rolememory.engine.context import RoleContext
from rolememory.engine.maintenance import RoleMaintenance
from rolememory.learn.learner import Learner
from rolememory.learn.model.progress import Progress
from rolememory.learn.model.scene_states import Scenes
from rolememory.storage.codec import fields_of
from rolememory.storage.erase import Erased, Ids, PersonTraces, erase, leftovers, sweep
from rolememory.storage.review.drafts import as_json
from rolememory.text.names import PersonNames


def _traces_of(role: RoleContext, names: PersonNames) -> PersonTraces:
    """The traces of a person in a role: which chats to delete, and which words of the others.

    Raises: FileError: a chat cannot be read.
    """
    known = [info.id for info in role.chats.chats(archived=True)]
    lines = [one.name for one in role.chats.stories.list()]
    ids = Ids(names, [*known, *lines, *role.stored()])
    traces = PersonTraces(names, ids, partial(cleared, names=names, ids=ids))
    return traces.with_chats(role.chats.cleared(traces.clear))


def preview(role: RoleContext, names: PersonNames, learner: Learner) -> Erased:
    """What `erase_user` would remove. Raises: FileError: a chat cannot be read."""
    traces = _traces_of(role, names)
    memories = role.stored().values()
    gone = tuple(sorted(one.id for one in memories if traces.takes(fields_of(one))))
    waiting = sum(traces.takes(as_json(one.draft)) for one in learner.keeper.review.waiting())
    return replace(_of_chats(traces), memories=len(gone), ids=gone, waiting=waiting)


def _of_chats(traces: PersonTraces) -> Erased:
    shared = (words for chat, words in traces.words.items() if chat not in traces.chats)
    return Erased(chats=tuple(sorted(traces.chats)), messages=sum(map(len, shared)))


def erase_user(
    role: RoleContext, names: PersonNames, learner: Learner, maintenance: RoleMaintenance
) -> Erased:
    """Erase a person: memories with history and backups first; if these cannot be searched, nothing is changed.

    Raises:
        FileError, ReadOnlyRoleError, NotWrittenError: as `preview` and `erase`.
    """
    space = role.space
    traces = _traces_of(role, names)
    done = erase(space, traces, role.settings.storage)
    role.chats.forget(traces.clear)
    role.chats.stories.forget(traces.ids, names.all)
    renamed = {chat: new for chat in traces.words if (new := traces.ids(chat)) != chat}
    waiting = learner.keeper.review.forget(traces, done.ids)
    learner.forget(traces.chats, renamed)
    Progress(space).forget(traces.chats, names.all, renamed)
    Scenes(space).forget()
    role.usage.forget({*traces.chats, *renamed}, role.stored())
    role.pipeline.chats.keep_only([info.id for info in role.chats.chats(archived=True)])
    maintenance.forget_upkeep()
    sweep(space)
    told = _of_chats(traces)
    left = (*done.left, *leftovers(space, names, done.left))
    return replace(done, left=left, chats=told.chats, messages=told.messages, waiting=waiting)
