"""Settings of the server, by what they change between a frontend and its model."""

import uuid
from pathlib import Path

import pytest

from tests.cards.makers import card_picture, v2
from tests.endpoint import then_hangs
from tests.recall.lore.test_live_road import book
from tests.serve.proxy.requests import CARD, merged, request
from tests.serve.proxy.test_proxy import FACT, GREETING, ask, between, settled
from tests.serve.proxy.upstreams import streams

SAID = [GREETING, FACT]


def test_a_role_is_made_where_the_settings_let_it(tmp_path: Path) -> None:
    hint = {"role": "Asha", "user": "Lin"}
    for made in (False, True):
        settings = {"serve.create_roles": made}
        with between(tmp_path, streams("Hm."), **settings) as (house, _):
            ask(house, request(SAID, hint=hint))
            assert house.house.settle(60)
            assert [role.name for role in house.home.roles()] == ["Asha"] * made


def test_a_turn_that_names_no_role_is_of_the_one_in_the_settings(tmp_path: Path) -> None:
    with between(tmp_path, streams("Hm."), **{"serve.role": "Asha"}) as (house, model):
        house.home.create("Asha").remember("Riga has a harbour.", keys=["Riga"])
        ask(house, {**request(SAID, main=None, card="Be kind."), "user": "Lin"})
        assert "Riga has a harbour." in model.requests[-1].said
        assert [chat.user for chat in settled(house).chats.chats()] == ["Lin"]


def test_cards_of_a_folder_name_the_role_of_a_request(tmp_path: Path) -> None:
    (tmp_path / "cards").mkdir()
    (tmp_path / "cards" / "asha.png").write_bytes(card_picture(v2(name="Asha", description=CARD)))
    settings = {"serve.cards": str(tmp_path / "cards")}
    with between(tmp_path / "home", streams("Hm."), **settings) as (house, _):
        ask(house, merged(request(SAID, main="Be creative.", user="Lin")))
        assert house.house.settle(60)
        assert [(role.name, role.aliases) for role in house.home.roles()] == [
            ("Asha", ("asha.png",))
        ]


def test_the_models_key_is_in_the_variable_that_the_settings_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HARBOUR_KEY", "sk-harbour")
    settings = {"serve.upstream_key_env": "HARBOUR_KEY"}
    with between(tmp_path, streams("Hm."), **settings) as (house, model):
        ask(house, request(SAID), authorization="Bearer sk-frontend")
        assert model.requests[-1].headers["authorization"] == "Bearer sk-harbour"


def test_a_silent_model_is_waited_for_as_long_as_the_settings_say(tmp_path: Path) -> None:
    settings = {"serve.idle_timeout_s": 0.2}
    with between(tmp_path, then_hangs(b""), **settings) as (house, _):
        assert ask(house, request(SAID, stream=False)).status_code >= 500


def test_our_lore_that_the_request_holds_already_is_left_out(tmp_path: Path) -> None:
    settings = {"serve.lorebook": "ours"}
    with between(tmp_path, streams("Hm."), **settings) as (house, model):
        book(house.home.create("Asha"), "The tide turns at six.", "Gulls sleep at noon.")
        ask(house, request(SAID, card=f"{CARD}\nThe tide  turns\nat six.", hint={"role": "Asha"}))
        assert "Gulls sleep at noon." in model.requests[-1].said
        assert "The tide turns at six." not in model.requests[-1].said


def test_an_id_tells_two_roles_of_one_name_apart(tmp_path: Path) -> None:
    with between(tmp_path, streams("Hm.")) as (house, model):
        for number, place in enumerate(("harbour", "market")):
            role = house.home.create("Asha", id=str(uuid.UUID(int=number + 1)))
            role.remember(f"Riga has a {place}.", keys=["Riga"])
        for number, place in enumerate(("harbour", "market")):
            ask(house, request(SAID, hint={"role_uuid": str(uuid.UUID(int=number + 1))}))
            assert f"Riga has a {place}." in model.requests[-1].said


def test_of_two_names_the_surer_place_counts_and_whose_it_is_is_asked_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with between(tmp_path, streams("Hm.")) as (house, _):
        places = {"body": "Ada", "header": "Bo", "path": "Cy", "model": "Di"}

        def heard(**named: str) -> set[str]:
            hint = {"user": "Lin", "role": named.get("body", "")}
            head = {"X-Rolememory-Role": named["header"]} if "header" in named else {}
            way = f"/r/{named['path']}/v1" if "path" in named else "/v1"
            model = f"llama@{named['model']}" if "model" in named else "llama"
            before = {role.id for role in house.home.roles()}
            ask(
                house,
                request(SAID, hint=hint) | {"model": model},
                f"{way}/chat/completions",
                **head,
            )
            assert house.house.settle(60)
            return {role.name for role in house.home.roles() if role.id not in before}

        assert heard(**places) == {"Ada"}
        assert heard(**{name: places[name] for name in ("header", "path", "model")}) == {"Bo"}
        assert heard(**{name: places[name] for name in ("path", "model")}) == {"Cy"}
        assert heard(model="Di") == {"Di"}
        for _ in range(2):
            ask(house, request(SAID, main=None, card="Be kind."))
        told = [row for row in caplog.records if "names no role" in row.getMessage()]
        assert len(told) == 1
