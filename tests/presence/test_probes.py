"""Words are told through the proxy and asked for: found by all who were there when they were said, and by nobody else."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest

from rolememory.schema.role import Association
from tests.endpoint import Endpoint, answers
from tests.presence.frontends import COUSIN, ROLES, card
from tests.presence.oracle import Event
from tests.presence.record import ASKED, Record, Secret, Step
from tests.serve.houses import Served, served

PROBES = 500  # of each record
EVERY = 8  # questions, one is also put to `recall` and `explain`


class Player:
    """Plays a record to a real server, as its frontends, and searches what comes out of it."""

    def __init__(self, record: Record, house: Served, model: Endpoint, line: httpx.Client) -> None:
        self.record, self.house, self.model, self.line = record, house, model, line
        self.leaks: list[tuple[str, str, Step, Step]] = []  # where, the word, asked, told
        self.missed: list[tuple[str, str, Step, Step]] = []
        self._told: dict[str, Step] = {}
        self._questions = 0

    def play(self) -> None:
        """Everything in its order."""
        taken: list[Step] = []
        for step in self.record.happen():
            if isinstance(step, Step):
                self._take(step)
                taken.append(step)
            else:
                self._told |= dict.fromkeys(step.names, taken[-1]) if taken else {}
                self._tell(step)
                self.record.oracle.follow(step)

    def _take(self, step: Step) -> None:
        """A turn, and every other way to ask the same."""
        (body, path, headers), lines = step.place.frontend(step.turn), step.place.lines
        lines[len(lines) - (step.turn.kind == "swipe") :] = [(step.turn.role, step.answer)]
        self.model.now(answers(step.answer))
        before = len(self.model.requests)
        answer = self.line.post(self.house.url + path, json=body, headers=dict(headers))
        assert answer.status_code == 200, answer.text
        assert len(self.model.requests) == before + 1
        self._judge(step, "prompt", self.model.requests[-1].body.decode(), step.asked)
        assert self.house.house.settle(60)
        if step.asked:
            self._look_up(step)

    def _look_up(self, step: Step) -> None:
        """The same question over REST."""
        turn = step.turn
        who = {"user": turn.user or None, "present": [name for name in turn.users if name]}
        who |= {"members": [one for one in turn.roles if one != turn.role], "chat": turn.chat}
        for one in step.asked:
            found = self.ask(
                turn.role, "search", {"query": ASKED[one.language].format(one.thing), **who}
            )
            own = turn.role in self._told[one.word].turn.roles  # not what associates told
            self._judge(step, "search", found, [one] if own else [])
        self._questions += 1
        for way in ("recall", "explain") if self._questions % EVERY == 0 else ():
            said = [{"role": "user", "content": turn.lines[-1][1]}]
            self._judge(step, way, self.ask(turn.role, way, {"messages": said, **who}), step.asked)

    def _judge(self, step: Step, where: str, out: str, asked: Sequence[Secret]) -> None:
        """Hold what came out against the oracle, beside what the frontend showed itself."""
        oracle, chat, shown = self.record.oracle, step.place.chat, str(step.turn.lines)
        for word in oracle.told:
            if word in out and word not in shown and not oracle.may_know(word, chat):
                self.leaks.append((where, word, step, self._told[word]))
        for one in asked:
            if oracle.may_know(one.word, chat) and one.word not in out:
                self.missed.append((where, one.word, step, self._told[one.word]))

    def _tell(self, event: Event) -> None:
        """What a person does on the server's own page."""
        if event.what == "link" and event.names[0] not in ROLES:
            self.house.home.people.link(*event.names)
        if event.what == "story":
            place = next(one for one in self.record.places if one.chat == event.chat)
            stories = self.house.home.role(place.roles[0]).stories
            if place.story not in ("own", *(one.name for one in stories.list())):
                stories.begin(place.story)
            stories.assign(place.id, place.story)

    def ask(self, role: str, way: str, body: Any) -> str:
        """What REST answers."""
        url = f"{self.house.url}/api/roles/{role}/{way}"
        answer = self.line.post(url, json=body, headers=self.house.auth)
        assert answer.status_code == 200, answer.text
        return answer.text


def furnish(house: Served) -> None:
    """The characters with their cards; one hears what another remembers."""
    for name in (*ROLES, *COUSIN):
        role = house.home.create(name)
        data = {"name": name, "description": card(name)}
        text = json.dumps({"spec": "chara_card_v2", "spec_version": "2.0", "data": data})
        (role.folder / "card.json").write_text(text, encoding="utf-8")
        other = {**COUSIN, **{one: other for other, one in COUSIN.items()}}.get(name)
        fields = {
            "card": "card.json",
            "associates": (Association(role=other, factor=1.0),) if other else (),
        }
        house.home.folder.update(role.role.model_copy(update=fields))


@pytest.fixture
def player(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Player]:
    with (
        Endpoint(answers("Hm.")) as model,
        served(tmp_path, {"serve.upstream": model.url, "serve.recall_timeout_s": 60.0}) as house,
        httpx.Client(timeout=60, trust_env=False, verify=False) as line,
    ):
        furnish(house)
        yield Player(Record(request.param, PROBES), house, model, line)


@pytest.mark.parametrize("player", [1, 2], indirect=True)
def test_a_word_is_found_by_all_who_heard_it_and_by_nobody_else(player: Player) -> None:
    player.play()
    asked = player.record.asked
    assert sum(asked.values()) == PROBES
    assert asked[True] >= 0.49 * PROBES, "to forget everything is no way to pass"
    assert (player.leaks[:3], player.missed[:3]) == ([], [])
