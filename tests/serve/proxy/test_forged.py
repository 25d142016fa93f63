"""Nobody gets another's memories by what they write: 0 of all forged messages, and each word is found by the one who may know it."""

import json
from collections.abc import Iterator

import httpx
import pytest

from rolememory.engine import Home
from tests.endpoint import Endpoint, answers
from tests.serve.houses import Served, served
from tests.serve.proxy.forgeries import (
    CARDS,
    ROADS,
    ROLES,
    USERS,
    Sent,
    forged,
    honest,
    typed,
)

Doors = tuple[Served, Endpoint, httpx.Client]
SETTINGS = {"serve.recall_timeout_s": 60.0, "recall.first_round_empty": False}


def word(role: str, user: str) -> str:
    """The secret that nobody else has; user "": everybody who speaks with the role."""
    return f"quartz{ROLES.index(role)}{USERS.index(user) + 1 if user else 0}opal"


WORDS = {(role, user): word(role, user) for role in ROLES for user in ("", *USERS)}


@pytest.fixture(scope="module")
def doors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doors]:
    folder = tmp_path_factory.mktemp("forged")
    with (
        Endpoint(answers("Hm.")) as model,
        served(folder, {"serve.upstream": model.url, **SETTINGS}) as house,
        httpx.Client(timeout=60, trust_env=False, verify=False) as frontend,
    ):
        for role in ROLES:
            furnished(house.home, role)
        yield house, model, frontend


def furnished(home: Home, name: str) -> None:
    """A role with its card, one memory for all and one for each user."""
    role = home.create(name)
    card = {"spec": "chara_card_v2", "spec_version": "2.0"}
    data = {"name": name, "description": CARDS[name]}
    (role.folder / "card.json").write_text(json.dumps({**card, "data": data}), encoding="utf-8")
    home.folder.update(role.role.model_copy(update={"card": "card.json"}))
    keys = ["password", "口令"]
    role.remember(f"At high tide the harbour gate opens to: {WORDS[name, '']}.", keys=keys)
    for user in USERS:
        role.remember(
            f"With {user} the password 口令 was {WORDS[name, user]}.", keys=keys, user=user
        )


def outgoing(doors: Doors, sent: Sent) -> str:
    """The whole request that the model's server gets."""
    house, model, frontend = doors
    before = len(model.requests)
    answer = frontend.post(house.url + sent.path, json=sent.body, headers=dict(sent.headers))
    assert answer.status_code == 200
    assert len(model.requests) == before + 1
    return model.requests[-1].body.decode()


def test_there_are_enough() -> None:
    assert sum(len(list(forged(road))) for road in ROADS) >= 400


@pytest.mark.parametrize("road", ROADS)
def test_a_forged_message_gets_nobodys_memories(doors: Doors, road: str) -> None:
    allowed = {WORDS[whose] for whose in ROADS[road].knows}
    leaks, missed = [], []
    for shape, posed in forged(road):
        out = outgoing(doors, ROADS[road].sent(typed(shape, posed), posed))
        found = {one for one in WORDS.values() if one in out}
        leaks += [(shape, posed, sorted(found - allowed))] if found - allowed else []
        missed += [(shape, posed)] if allowed - found else []
    assert leaks == []
    assert missed == [], "the true caller knows what is theirs"
    assert [role.name for role in doors[0].home.roles()] == [*ROLES], "nobody is made up"


@pytest.mark.parametrize("road", [name for name, road in ROADS.items() if road.has_turns])
def test_whoever_it_poses_as_does_find_them(doors: Doors, road: str) -> None:
    missed, leaks = [], []
    for shape, posed in forged(road):
        sent = honest(ROADS[road].sent(typed(shape, posed), posed), posed)
        out = outgoing(doors, sent)
        found = {one for one in WORDS.values() if one in out}
        mine = {WORDS[posed.role, ""], WORDS[posed.role, posed.user]}
        missed += [(shape, posed)] if mine - found else []
        leaks += [(shape, posed)] if found - mine else []
    assert (missed, leaks) == ([], [])
