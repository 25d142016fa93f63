"""Each setting of storage does what its row in docs/en/settings.md says: what lies in a role's folder is as it says."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rolememory import Home, RoleMemory
from rolememory.errors import ReadOnlyRoleError

QUIET: dict[str, Any] = {"embedding.backend": "off", "learn.enabled": False}
ARRAYS = {"episodic": "episodic", "semantic": "semantic", "trait": "traits", "goal": "goals"}


def backups(role: RoleMemory) -> Any:
    return len([*(role.folder / "backups").glob("*.zip")])


def live(kind: str) -> Callable[[RoleMemory], Any]:
    return lambda role: sum(one.type == kind and not one.archived for one in role.memories.values())


def lived(folder: Path, settings: dict[str, Any], see: Callable[[RoleMemory], Any]) -> Any:
    """What is seen of a role with eight memories in the process that wrote them last."""
    for visit in range(3):
        with Home.open(folder, QUIET | settings) as home:
            role = home.role("Mira", create=True)
            role.remember_all(
                [{"content": f"{visit}{n} {one}", "type": one} for n in (1, 2) for one in ARRAYS]
            )
            seen = see(role)
    return seen


@pytest.mark.parametrize(
    ("key", "value", "see", "usual", "then"),
    [
        ("storage.backups", 0, backups, 1, 0),
        ("storage.backup_every_h", 1e-9, backups, 1, 3),
        *((f"storage.max_memories.{array}", 1, live(kind), 6, 1) for kind, array in ARRAYS.items()),
    ],
)
def test_a_role_is_kept_as_the_settings_say(
    tmp_path: Path, key: str, value: Any, see: Callable[[RoleMemory], Any], usual: Any, then: Any
) -> None:
    assert lived(tmp_path / "usual", {}, see) == usual
    assert lived(tmp_path / "then", {key: value}, see) == then


def test_a_larger_file_is_refused(tmp_path: Path) -> None:
    with Home.open(tmp_path, QUIET) as home:
        home.create("Mira").remember("The beacon failed.")
        assert home.role("Mira").problems() == []
    with Home.open(tmp_path, QUIET | {"storage.max_file_mb": 1e-5}) as home:
        assert [one.code for one in home.role("Mira").problems()] == ["too_large"]
        with pytest.raises(ReadOnlyRoleError):
            home.role("Mira").remember("The lamp is lit.")


@pytest.mark.parametrize(("lines", "folded"), [(1, True), (256, False)])
def test_the_journal_is_folded_after_so_many_lines(
    tmp_path: Path, lines: int, folded: bool
) -> None:
    rules = {"storage.fold_lines": lines, "storage.fold_idle_s": 600.0}
    with Home.open(tmp_path, QUIET | rules) as home:
        role = home.create("Mira")
        role.remember_all([f"Number {n}." for n in range(9)])
        assert ("Number 1." in (role.folder / "memory.json").read_text("utf-8")) == folded
