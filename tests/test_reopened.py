"""Whoever opens a home now is answered as one who has had it open all along, whatever happened in it meanwhile."""

import json
import random
import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from rolememory import Home, RoleMemory

PEOPLE = ("Anna", "Bo", "林晚", "the keeper")
DEEDS = ("keeps bees", "sold the boat", "在码头修灯", "lost the brass key", "怕黑", "sings at dusk")
PLACES = ("in Riga", "by the mill", "在老茶楼", "under the bridge")
QUESTIONS = ("Who keeps bees?", "谁怕黑？", "Where was the brass key lost?", "What of the boat?")
CHATS = ("harbour", "mill", "茶楼")


class Life:
    """Things that happen to one role, by chance, in three chats of two users."""

    def __init__(self, folder: Path, seed: int) -> None:
        (folder / "rolememory.toml").write_text('[embedding]\nbackend = "off"\n')
        self.home, self.chance = Home.open(folder), random.Random(seed)
        self.mira = self.home.role("Mira", create=True)
        self.now = datetime(2026, 3, 1, tzinfo=UTC)
        self.said: dict[str, list[dict[str, str]]] = {}
        self.happened: list[str] = []

    def sentence(self) -> str:
        pick = self.chance.choice
        return f"{pick(PEOPLE)} {pick(DEEDS)} {pick(PLACES)}."

    def step(self) -> None:
        acts = (self.talk, self.talk, self.swipe, self.edit, self.take_back, self.remember)
        act: Callable[[], None] = self.chance.choice((*acts, self.remove, self.write_by_hand))
        act()
        self.happened.append(act.__name__)
        assert self.mira.learned(60)

    def talk(self) -> None:
        chat, pick = self.chance.choice(CHATS), self.chance.choice
        said = self.said.setdefault(chat, [])
        asks = pick((self.sentence(), pick(QUESTIONS), f"Remember that {self.sentence()}"))
        reply = f"{pick(PEOPLE)} {pick(PLACES)}."
        said += [{"role": "user", "content": asks}, {"role": "assistant", "content": reply}]
        self.look(chat)

    def look(self, chat: str) -> None:
        self.now += timedelta(hours=1)
        user = "ann" if chat == "mill" else "lin"
        self.mira.observe(self.said[chat], chat=chat, user=user, now=self.now)

    def swipe(self) -> None:
        for chat, said in [*self.said.items()][:1]:
            said[-1] = {"role": "assistant", "content": self.sentence()}
            self.look(chat)

    def edit(self) -> None:
        for chat, said in [*self.said.items()][-1:]:
            at = self.chance.randrange(len(said))
            said[at] = {**said[at], "content": self.sentence()}
            self.look(chat)

    def take_back(self) -> None:
        for chat, said in [*self.said.items()][:1]:
            if len(said) > 2:
                del said[self.chance.choice((0, -2, -2))]
                self.look(chat)

    def remove(self) -> None:
        if chat := next(iter(self.said), ""):
            self.mira.parts.conversation.forget_chat(chat)
            del self.said[chat]

    def remember(self) -> None:
        self.mira.remember(self.sentence(), user=self.chance.choice((None, "lin")))

    def write_by_hand(self) -> None:
        self.mira.backup()
        file = self.mira.folder / "memory.json"
        held = json.loads(file.read_bytes())
        held.setdefault("traits", []).append({"content": self.sentence()})
        file.write_text(json.dumps(held, ensure_ascii=False))

    def answers(self, role: RoleMemory) -> list[Any]:
        """What two users are told, what it rests on, and what everything else lacks."""
        turns = [
            role.recall(asked, chat=chat, user=user, now=self.now, dry_run=True)
            for asked in QUESTIONS
            for chat, user in (("harbour", "lin"), ("mill", "ann"))
        ]
        return [
            (turn.text, [(one.gate, one.scored and one.scored.hits) for one in turn.left_out()])
            for turn in turns
        ]


@pytest.mark.parametrize("seed", range(4))
def test_a_home_answers_as_one_that_is_opened_now(tmp_path: Path, seed: int) -> None:
    (tmp_path / "home").mkdir()
    life = Life(tmp_path / "home", seed)
    for number in range(24):
        life.step()
        if number % 4 == 3:
            told = life.answers(life.mira)
            copy = tmp_path / f"copy-{number}"
            shutil.copytree(tmp_path / "home", copy, ignore=shutil.ignore_patterns(".cache"))
            with Home.open(copy) as other:
                assert life.answers(other.role("Mira")) == told, life.happened
    assert any(text for text, _ in told)
    life.home.close()
