"""Where memory stands in what the model gets, under every preset: never in what the user said, unless a person wants it there."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.endpoint import Behaviour, Endpoint, status
from tests.serve.houses import Served, served
from tests.serve.proxy.requests import as_prompt, request, single
from tests.serve.proxy.test_proxy import ask
from tests.serve.proxy.upstreams import streams

PRESETS = ("default", "sillytavern", "koishi", "anh", "assistant", "local_chat", "agent")
SAID = {
    "en": [("assistant", "Sit by the stove."), ("user", "When is the oil counted?")],
    "zh": [("assistant", "到炉边坐吧。"), ("user", "什么时候盘点灯油？")],
}
KNOWN = {"en": "Oil is counted on Sundays.", "zh": "每逢星期天盘点灯油。"}
Messages = list[dict[str, Any]]


@contextmanager
def keeper(
    folder: Path, language: str, *behaviours: Behaviour, **settings: Any
) -> Iterator[tuple[Served, Endpoint]]:
    """A house before a scripted model, with a role that remembers one thing."""
    with (
        Endpoint(*behaviours or (streams("Hm."),)) as model,
        served(folder, {"serve.upstream": model.url, **settings}) as house,
    ):
        house.home.create("Asha").remember(KNOWN[language], keys=["oil", "灯油"])
        yield house, model


def sent(house: Served, model: Endpoint, body: dict[str, Any]) -> Messages:
    hint = {"role": "Asha", "user": "Traveller", "chat": "one"}
    assert ask(house, {**body, "rolememory": hint}).status_code == 200
    messages: Messages = model.requests[-1].json["messages"]
    return messages


def users(messages: Messages) -> list[Any]:
    return [one["content"] for one in messages if one["role"] == "user"]


def bare() -> dict[str, Any]:
    """A request with nothing but what was said."""
    body = request(SAID["en"], post="")
    said = [one for one in body["messages"] if one["role"] != "system"]
    return {**body, "messages": said}


def place_of(messages: Messages, known: str) -> int:
    (at,) = [at for at, one in enumerate(messages) if known in one["content"]]
    return at


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("preset", PRESETS)
def test_each_preset_puts_memory_where_it_says(tmp_path: Path, preset: str, language: str) -> None:
    with keeper(tmp_path, language, preset=preset) as (house, model):
        body = request(SAID[language])
        messages = sent(house, model, body)
        assert users(messages) == users(body["messages"])
        at, before = place_of(messages, KNOWN[language]), body["messages"]
        head = next(at for at, one in enumerate(before) if one["role"] != "system")
        position = house.home.settings.inject.position
        assert messages[at]["role"] == "system"
        if position == "after_character":
            assert messages[at]["content"].startswith(before[head - 1]["content"] + "\n\n")
            assert len(messages) == len(before)
        else:
            newest = next(at for at, one in enumerate(before) if one["role"] == "user")
            assert at == {"system": head, "depth": newest}[position]
            assert [one for one in messages if one is not messages[at]] == before


@pytest.mark.parametrize("preset", PRESETS)
def test_without_a_system_message_it_is_one_of_its_own(tmp_path: Path, preset: str) -> None:
    with keeper(tmp_path, "en", preset=preset) as (house, model):
        for body in (bare(), single(request(SAID["en"]))):
            messages = sent(house, model, body)
            at = place_of(messages, KNOWN["en"])
            assert messages[at]["role"] == "system"
            assert [one for one in messages if one is not messages[at]] == body["messages"]


@pytest.mark.parametrize("voice", ["user", "assistant"])
def test_a_voice_that_a_person_chose_is_a_message_of_its_own(tmp_path: Path, voice: str) -> None:
    with keeper(tmp_path, "en", **{"inject.position": voice}) as (house, model):
        body = request(SAID["en"])
        messages = sent(house, model, body)
        at = place_of(messages, KNOWN["en"])
        assert messages[at]["role"] == voice
        assert [one for one in messages if one is not messages[at]] == body["messages"]


def test_depth_counts_from_the_end_also_where_an_older_file_sets_it(tmp_path: Path) -> None:
    (tmp_path / "rolememory.toml").write_text("[serve]\ndepth = 2\n", encoding="utf-8")
    with keeper(tmp_path, "en") as (house, model):
        messages = sent(house, model, request(SAID["en"]))
        at = place_of(messages, KNOWN["en"])
        assert messages[at + 1]["content"] == SAID["en"][0][1]


def test_content_in_parts_keeps_them(tmp_path: Path) -> None:
    parts = [{"type": "text", "text": "You are Asha."}, {"type": "text", "text": "Be dry."}]
    with keeper(tmp_path, "en", **{"inject.position": "after_character"}) as (house, model):
        body = bare()
        messages = sent(
            house,
            model,
            {**body, "messages": [{"role": "system", "content": parts}, *body["messages"]]},
        )
        content = messages[0]["content"]
        assert content[:2] == parts
        assert KNOWN["en"] in content[2]["text"]


REFUSED = status(400, "Bad", b'{"error": {"message": "System role not supported"}}')


def test_a_person_may_have_it_in_the_users_message(tmp_path: Path) -> None:
    with keeper(tmp_path, "en", **{"serve.system_role": "no"}) as (house, model):
        messages = sent(house, model, request(SAID["en"]))
        assert messages[place_of(messages, KNOWN["en"])]["content"].startswith(SAID["en"][1][1])


def test_where_a_system_message_is_refused_it_goes_to_the_head_and_else_nowhere(
    tmp_path: Path,
) -> None:
    fine = streams("Hm.")
    with keeper(tmp_path, "en", REFUSED, fine, fine, REFUSED, fine) as (house, model):
        body = request(SAID["en"], post="")
        for asked in (2, 3):  # the refusal is asked around once
            messages = sent(house, model, body)
            assert place_of(messages, KNOWN["en"]) < len(messages) - 2
            assert users(messages) == users(body["messages"])
            assert len(model.requests) == asked
        for asked in (5, 6):
            assert sent(house, model, body) == body["messages"]
            assert len(model.requests) == asked


def test_a_refusal_for_another_reason_arrives_as_it_is(tmp_path: Path) -> None:
    refused = status(400, "Bad", b'{"error": {"message": "context too long"}}')
    with keeper(tmp_path, "en", refused) as (house, model):
        hint = {"role": "Asha", "user": "Traveller", "chat": "one"}
        answer = ask(house, {**request(SAID["en"]), "rolememory": hint})
        assert (answer.status_code, len(model.requests)) == (400, 1)


@pytest.mark.parametrize(
    ("position", "before"),
    [
        ("before_character", "Asha keeps"),
        ("system", "Asha: Sit by the stove."),
        ("depth", "Traveller: When is the oil"),
    ],
)
def test_a_text_completion_has_the_same_places(tmp_path: Path, position: str, before: str) -> None:
    with keeper(tmp_path, "en", **{"inject.position": position}) as (house, model):
        body = as_prompt(SAID["en"], card="Asha keeps the light.")
        hint = {"role": "Asha", "user": "Traveller", "chat": "one"}
        assert ask(house, {**body, "rolememory": hint}, "/v1/completions").status_code == 200
        prompt = model.requests[-1].json["prompt"]
        block, rest = prompt[prompt.index("<rolememory>") :].split("</rolememory>\n\n")
        assert KNOWN["en"] in block
        assert rest.startswith(before)
        assert (
            prompt.replace(block + "</rolememory>\n\n", "").replace("\n\n", "\n") == body["prompt"]
        )
