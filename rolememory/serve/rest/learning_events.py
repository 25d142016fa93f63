"""What is learned goes to the bus: each role's write path is listened to from its first sign of life on."""

import logging
import threading

from rolememory.errors import RoleMemoryError
from rolememory.learn.learner import Learner
from rolememory.schema.learning import Learned
from rolememory.serve.app_state import AppState
from rolememory.serve.events import Event

_log = logging.getLogger(__name__)
_SIGNS = frozenset({"role", "chat", "turn"})  # kinds of event that may be the first of a role


class LearningEvents:
    """Connects the learners of all roles with the bus, each once. Thread-safe."""

    def __init__(self, app_state: AppState) -> None:
        self._app_state = app_state
        self._known: dict[str, Learner] = {}
        self._lock = threading.Lock()

    def begin(self) -> None:
        """Connect the roles that are there, on a thread of its own, and others as they come."""
        self._app_state.bus.on(self._heard)
        threading.Thread(target=self._all, name="rolememory-telling", daemon=True).start()

    def connect(self, role_id: str) -> None:
        """Listen to what this role learns."""
        learner = self._app_state.home.role(role_id).learner
        with self._lock:
            if self._known.get(role_id) is learner:
                return
            self._known[role_id] = learner
        learner.told(lambda chat, learned: self._tell(role_id, chat, learned))

    def _all(self) -> None:
        for role in self._app_state.home.roles():
            self._quietly(role.id)

    def _heard(self, event: Event) -> None:
        if event.role and event.kind in _SIGNS and event.role not in self._known:
            self._quietly(event.role)

    def _quietly(self, role_id: str) -> None:
        """Connect; a role that cannot be read is none to listen to."""
        try:
            self.connect(role_id)
        except (RoleMemoryError, OSError) as error:
            _log.warning("what %s learns is not told: %s", role_id, error)

    def _tell(self, role_id: str, chat: str, learned: Learned) -> None:
        """How much of what; never the words."""
        actions = [verdict.action for verdict in learned.verdicts]
        if actions or learned.refused:
            counted = {action: actions.count(action) for action in sorted(set(actions))}
            self._app_state.bus.tell(
                "learned",
                role_id,
                chat=chat,
                memories=len(learned.memories),
                refused=len(learned.refused),
                **counted,
            )
