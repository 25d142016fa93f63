"""A turn looks at each file once, and not at what it holds where nothing changed; the next turn sees every edit."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from rolememory import Home, Message, RoleMemory
from rolememory.storage.files.disk import Disk
from rolememory.storage.files.space import FileStorage
from rolememory.storage.port import Revision

ASKED = "Why is the beacon dark?"
ENTRY = {"uid": 0, "key": ["beacon"], "content": "The beacon burns whale oil."}
CARD = {"spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": "Vera Holt"}}
PERSONA = {"name": "lin", "description": "Keeps {{char}}'s bees."}


class _Counting(Disk):
    def __init__(self) -> None:
        self.marks = Counter[str]()

    def mark(self, path: Path) -> Revision | None:
        """Counted."""
        self.marks[path.name] += 1
        return super().mark(path)


def played(home: Home) -> RoleMemory:
    """A role that has had some turns of a chat."""
    mira = home.create("Mira", worldbooks=["coast.json"], card="mira.json")
    book = {"entries": {"0": ENTRY | {"key": ["ferry"]}}}
    written(home.path / "worldbooks" / "coast.json", book)
    mira.remember("The beacon failed in the great storm of 1887.", id="storm", keys=["beacon"])
    said = list[Message]()
    for text in ("I came in on the morning ferry.", "I saw it from the deck."):
        said.append(Message.user(text))
        asked(mira, said)
        said.append(Message.assistant("Then you saw the fog."))
        mira.observe(said, chat="harbour", user="lin")
    for _ in range(3):
        asked(mira, said)
    return mira


def asked(mira: RoleMemory, said: list[Message]) -> str:
    """All that a turn brings into the prompt."""
    turn = mira.recall([*said, Message.user(ASKED)], chat="harbour", user="lin")
    return "\n".join(one.content for one in turn.messages)


def written(file: Path, content: object) -> None:
    """Save a file as an editor does."""
    file.parent.mkdir(parents=True, exist_ok=True)
    text = content if isinstance(content, str) else json.dumps(content)
    file.write_text(text, encoding="utf-8")


def test_a_turn_after_which_nothing_changed_looks_at_each_file_once(tmp_path: Path) -> None:
    disk = _Counting()
    with Home.open(FileStorage(tmp_path, disk), {"embedding.backend": "off"}) as home:
        mira = played(home)
        disk.marks.clear()
        asked(mira, [])
        assert {"role.json", "memory.json", "rolememory.toml", "coast.json"} <= set(disk.marks)
        assert {name: count for name, count in disk.marks.items() if count > 1} == {}


EDITS: dict[str, tuple[Callable[[Path, Path], Path], object, str]] = {
    "the settings": (
        lambda home, role: home / "rolememory.toml",
        '[inject]\nheading = "Of old"\n',
        "Of old",
    ),
    "the role's own settings": (
        lambda home, role: role / "role.json",
        {"name": "Mira", "settings": {"inject": {"heading": "Of old"}}},
        "Of old",
    ),
    "a memory": (
        lambda home, role: role / "memory.json",
        {"episodic": [{"id": "storm", "content": "No storm came.", "keys": ["beacon"]}]},
        "No storm came.",
    ),
    "a shared lorebook": (
        lambda home, role: home / "worldbooks" / "coast.json",
        {"entries": {"0": ENTRY}},
        "whale oil",
    ),
    "a lorebook of its own that is new": (
        lambda home, role: role / "worldbooks" / "own.json",
        {"entries": {"0": ENTRY}},
        "whale oil",
    ),
    "a template": (
        lambda home, role: home / "templates" / "inject" / "default.en.jinja",
        "Mira once knew:{% for one in recalled %} {{ one.content }}{% endfor %}",
        "Mira once knew",
    ),
    "the card": (lambda home, role: role / "mira.json", CARD, "Vera Holt"),
}


@pytest.mark.parametrize(
    "edit", [pytest.param(one, id=f"{name} is seen") for name, one in EDITS.items()]
)
def test_what_is_edited_between_turns_is_seen_by_the_next(
    tmp_path: Path, edit: tuple[Callable[[Path, Path], Path], object, str]
) -> None:
    where, content, seen = edit
    with Home.open(tmp_path, {"embedding.backend": "off"}) as home:
        mira = played(home)
        assert seen not in asked(mira, [])
        written(where(tmp_path, mira.folder), content)
        assert seen in asked(mira, [])
        assert seen in asked(mira, [])
