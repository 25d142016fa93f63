"""watch: what changes in a home, as it happens."""

import sys
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rolememory.cli.context import open_home
from rolememory.cli.options import MaybeRole
from rolememory.cli.output import out
from rolememory.cli.upkeep import change_json, change_text, chosen
from rolememory.cli.words import say, worded
from rolememory.errors import RoleMemoryError
from rolememory.locales import Listed, LocalizedText, translatable

if TYPE_CHECKING:
    from rolememory.engine import Home
    from rolememory.schema.memory import Memory
    from rolememory.storage.files.watch import Changed

translatable(("native", "polling", "off"), "watching")
translatable(("memory", "role", "settings", "template", "worldbook", "card"), "file")


def watch(role: MaybeRole = None) -> None:
    """One line per change; with --json one JSON object per line."""
    with open_home() as home:
        wanted = set(chosen(home, role))
        follower = _Follower(home, wanted, everybody=role is None)
        with home.watch(follower.heard) as watching:
            out.warn(*watching.notes)
            mode = say(watching.mode, msgctxt="watching")
            follower.tell(
                {"did": "watching", "home": str(home.path), "mode": watching.mode},
                say("watching {path} ({mode}); Ctrl-C ends", path=home.path, mode=mode),
            )
            threading.Event().wait()


class _Follower:
    """Tells the differences between what it saw last and what stands now."""

    def __init__(self, home: "Home", wanted: set[str], everybody: bool) -> None:
        self._home, self._wanted, self._everybody = home, wanted, everybody
        self._seen: dict[str, Mapping[str, Memory]] = {
            role_id: dict(home.role(role_id).memories) for role_id in wanted
        }
        self._problems: dict[str, tuple[str, ...]] = {}

    def heard(self, changed: "Changed") -> None:
        """Something was edited."""
        if changed.role is None:
            self._of_home(changed)
        elif changed.role in self._wanted or self._everybody:
            self._of_role(changed)

    def tell(self, row: Mapping[str, Any], text: str) -> None:
        """One line, at once."""
        if out.as_json:
            import json

            out.raw(json.dumps(row, ensure_ascii=False, default=str))
        else:
            out.line(text)
        sys.stdout.flush()

    def _of_home(self, changed: "Changed") -> None:
        from rolememory.storage.settings import load_settings

        kinds = sorted(changed.kinds)
        edited = say("home: {kinds} edited", kinds=_kinds(kinds))
        self.tell({"did": "home", "kinds": kinds}, edited)
        if "settings" in changed.kinds:
            try:
                load_settings(self._home.path)
            except RoleMemoryError as error:
                told = worded(error)
                self.tell({"did": "problem", "problem": told}, f"! {told}")

    def _of_role(self, changed: "Changed") -> None:
        role_id = str(changed.role)
        try:
            role_memory = self._home.role(role_id)
        except RoleMemoryError:
            self.tell({"did": "gone", "role": role_id}, say("{role_id}: is gone", role_id=role_id))
            self._seen.pop(role_id, None)
            return
        name, found = role_memory.role.name, role_memory.store.snapshot()
        self._tell_memories(role_id, name, found.memories)
        other = sorted(changed.kinds - {"memory"})
        if other:
            listed = ", ".join(other)
            edited = say("{name}: {other} edited", name=name, other=listed, kinds=_kinds(other))
            self.tell({"did": "edited", "role": role_id, "kinds": other}, edited)
        problems = tuple(map(worded, found.problems))
        for one in problems:
            if one not in self._problems.get(role_id, ()):
                row = {"did": "problem", "role": role_id, "problem": one}
                self.tell(row, f"{name}  ! {one}")
        self._problems[role_id] = problems

    def _tell_memories(self, role_id: str, name: str, memories: "Mapping[str, Memory]") -> None:
        from rolememory.engine.changes import changes

        for one in changes(self._seen.get(role_id, {}), memories):
            text = f"{name}  {change_text(one)}".replace("\n", f"\n{name}  ")
            self.tell({"role": role_id, "name": name, **change_json(one)}, text)
        self._seen[role_id] = dict(memories)


def _kinds(kinds: Sequence[str]) -> Listed:
    return Listed(LocalizedText(kind, msgctxt="file") for kind in kinds)
