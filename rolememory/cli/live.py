"""watch: what changes in a home, as it happens."""

import sys
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rolememory.cli.desk import Desk, desk
from rolememory.cli.options import MaybeRole
from rolememory.cli.past import difference_text, differences
from rolememory.cli.upkeep import chosen
from rolememory.cli.verbs import TUNE, verb
from rolememory.cli.words import Tongue, both, say
from rolememory.errors import RoleMemoryError

if TYPE_CHECKING:
    from rolememory.engine import Home
    from rolememory.schema.memory import Memory
    from rolememory.storage.files.watch import Changed

_KINDS = {
    "memory": "记忆",
    "role": "角色设定",
    "settings": "设置",
    "template": "模板",
    "worldbook": "世界书",
    "card": "角色卡",
}


@verb("watch", TUNE, both("show what changes, live, until Ctrl-C", "实时显示改动，按 Ctrl-C 结束"))
def watch(role: MaybeRole = None) -> None:
    """One line per change; with --json one JSON object per line."""
    from rolememory.storage.files.watch import Watch

    here = desk()
    with here.home() as home:
        wanted = set(chosen(home, role))
        follower = _Follower(here, home, wanted, everybody=role is None)
        with Watch(home.path, follower.heard, home.settings.storage) as watching:
            for note in watching.notes:
                here.out.warn(note)
            mode = say(
                watching.mode,
                {"native": "系统通知", "polling": "定时查看"}.get(watching.mode, "关闭"),
            )
            follower.tell(
                {"did": "watching", "home": str(home.path), "mode": watching.mode},
                say(
                    f"watching {home.path} ({mode}); Ctrl-C ends",
                    f"正在监视 {home.path}（{mode}），按 Ctrl-C 结束",
                ),
            )
            threading.Event().wait()


class _Follower:
    """Tells the differences between what it saw last and what stands now."""

    def __init__(self, here: Desk, home: "Home", wanted: set[str], everybody: bool) -> None:
        self._here, self._home, self._wanted, self._everybody = here, home, wanted, everybody
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
        if self._here.out.as_json:
            import json

            self._here.out.raw(json.dumps(row, ensure_ascii=False, default=str))
        else:
            self._here.out.say(text)
        sys.stdout.flush()

    def _of_home(self, changed: "Changed") -> None:
        kinds = sorted(changed.kinds)
        self.tell(
            {"did": "home", "kinds": kinds},
            say(f"home: {', '.join(kinds)} edited", f"记忆库：{_kinds(kinds)}有改动"),
        )
        if "settings" in changed.kinds:
            self._check_settings()

    def _check_settings(self) -> None:
        from rolememory.storage.settings import load_settings

        try:
            load_settings(self._home.path)
        except RoleMemoryError as error:
            told = error.text(Tongue.language)
            self.tell({"did": "problem", "problem": told}, f"! {told}")

    def _of_role(self, changed: "Changed") -> None:
        role_id = str(changed.role)
        try:
            mind = self._home.role(role_id)
        except RoleMemoryError:
            self.tell(
                {"did": "gone", "role": role_id}, say(f"{role_id}: is gone", f"{role_id}：不在了")
            )
            self._seen.pop(role_id, None)
            return
        name, found = mind.role.name, mind.store.snapshot()
        for row in differences(self._seen.get(role_id, {}), found.memories):
            self.tell(
                {"role": role_id, "name": name, **row},
                f"{name}  {difference_text(row)}".replace("\n", f"\n{name}  "),
            )
        self._seen[role_id] = dict(found.memories)
        other = sorted(changed.kinds - {"memory"})
        if other:
            self.tell(
                {"did": "edited", "role": role_id, "kinds": other},
                say(f"{name}: {', '.join(other)} edited", f"{name}：{_kinds(other)}有改动"),
            )
        problems = tuple(problem.text(Tongue.language) for problem in found.problems)
        for problem in problems:
            if problem not in self._problems.get(role_id, ()):
                self.tell(
                    {"did": "problem", "role": role_id, "problem": problem}, f"{name}  ! {problem}"
                )
        self._problems[role_id] = problems


def _kinds(kinds: Sequence[str]) -> str:
    return "、".join(_KINDS.get(kind, kind) for kind in kinds)
