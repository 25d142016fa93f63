"""Through the proxy with real sockets on both sides: what the model gets, what the frontend gets, what is kept."""

import json
import logging
import socket
import threading
from codecs import BOM_UTF8
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from rolememory.schema.learning import Observed
from rolememory.storage.settings_text import set_value
from tests.chats.talk import group, said
from tests.endpoint import (
    Behaviour,
    Endpoint,
    Line,
    answers,
    head,
    replies,
    status,
    then_cuts,
    then_hangs,
)
from tests.serve.houses import Served, served
from tests.serve.proxy.requests import request
from tests.serve.proxy.upstreams import (
    breaks_off,
    calls_tool,
    chunk,
    hangs_after,
    lines,
    plays,
    streams,
)

GREETING = ("assistant", "You are soaked through. Sit by the stove.")
FACT = ("user", "My sister Anna keeps bees in Riga.")
ASKED = ("user", "What does my sister do in Riga?")


@contextmanager
def between(
    tmp_path: Path, *behaviours: Behaviour, **settings: Any
) -> Iterator[tuple[Served, Endpoint]]:
    """A house before a scripted model."""
    with (
        Endpoint(*behaviours) as model,
        served(tmp_path, {"serve.upstream": f"{model.url}", **settings}) as house,
    ):
        yield house, model


def ask(
    house: Served, body: dict[str, Any], path: str = "/v1/chat/completions", **headers: str
) -> httpx.Response:
    return httpx.post(
        house.url + path, json=body, headers=headers, timeout=60, trust_env=False, verify=False
    )


def settled(house: Served, role: str = "Asha") -> Any:
    """The role once everything that was said is kept and learned."""
    assert house.house.settle(60)
    mind = house.home.role(role)
    assert mind.learned(60)
    return mind


def block_of(model: Endpoint) -> str:
    """What memory added to the last request; "" = nothing."""
    texts = [one["content"] for one in model.requests[-1].json["messages"]]
    return "".join(text for text in texts if "<rolememory>" in text)


def test_a_fact_told_in_one_chat_is_injected_in_the_next(tmp_path: Path) -> None:
    with between(tmp_path, streams("Bees", "?")) as (house, model):
        first = {"role": "Asha", "user": "Lin", "chat": "one", "title": "At the harbour"}
        ask(house, request([GREETING, FACT], hint=first))
        assert FACT[1] in [said.text for said in settled(house).chats.path("one")]
        assert settled(house).chats.info("one").title == "At the harbour"
        ask(house, request([GREETING, ASKED], hint={"role": "Asha", "user": "Lin", "chat": "two"}))
        messages = model.requests[-1].json["messages"]
        block = next(message for message in messages if "<rolememory>" in message["content"])
        assert "bees" in block["content"]
        assert block["role"] == "system"
        assert (
            messages.index(block)
            == next(at for at, one in enumerate(messages) if one["content"] == ASKED[1]) - 1
        )
        assert "rolememory" not in model.requests[-1].json


def test_a_title_that_a_person_gave_stays_until_they_take_it_away(tmp_path: Path) -> None:
    with between(tmp_path, streams("Bees", "?")) as (house, _):

        def titled(sent: str, *messages: tuple[str, str]) -> str:
            hint = {"role": "Asha", "user": "Lin", "chat": "one", "title": sent}
            ask(house, request([GREETING, *messages], hint=hint))
            return str(settled(house).chats.info("one").title)

        assert titled("Chat 1", FACT) == "Chat 1"
        assert settled(house).chats.update("one", title="The bees").title == "The bees"
        assert titled("Chat 2", FACT, ("assistant", "Bees?"), ASKED) == "The bees"
        settled(house).chats.update("one", title="")
        assert titled("Chat 3", FACT, ("assistant", "Bees?"), ("user", "Well?")) == "Chat 3"


@pytest.mark.parametrize(
    ("char", "other", "prefix"),
    [
        pytest.param("Asha", "Bran", "Asha: ", id="English"),
        pytest.param("明月", "老骆", "明月：", id="中文"),
    ],
)
def test_a_reply_in_a_group_is_kept_without_the_name_that_the_model_wrote_before_it(
    tmp_path: Path, char: str, other: str, prefix: str
) -> None:
    said = [
        ("assistant", f"{char}: Sit."),
        ("assistant", f"{other}: Eat."),
        ("user", "Where is the salt?"),
    ]
    with between(tmp_path, streams(prefix, f"{other}: says", " it is gone.")) as (house, _):
        hint = {"role": char, "user": "Lin", "chat": "one", "group": f"{char}, {other}"}
        ask(house, request(said, char=char, hint=hint))
        kept = settled(house, char).chats.path("one")
        assert kept[-1].text == f"{other}: says it is gone."


@pytest.mark.parametrize(
    ("path", "before"),
    [
        pytest.param("/v1/chat/completions/", b"", id="a slash behind the path"),
        pytest.param("/v1/chat/completions", BOM_UTF8, id="a mark before the body"),
    ],
)
def test_a_call_written_otherwise_has_its_memory_and_keeps_its_hint_from_the_model(
    tmp_path: Path, path: str, before: bytes
) -> None:
    with between(tmp_path, streams("Bees", "?")) as (house, model):
        house.home.create("Asha").remember("Anna keeps bees in Riga.", keys=["Riga"])
        body = request([GREETING, ASKED], hint={"role": "Asha", "user": "Lin", "chat": "two"})
        whole = before + json.dumps(body).encode()
        httpx.post(house.url + path, content=whole, timeout=60, trust_env=False)
        sent = model.requests[-1].json
        assert "rolememory" not in sent
        assert "Anna keeps bees" in json.dumps(sent)


def test_only_our_own_settings_say_which_pages_may_read_an_answer(tmp_path: Path) -> None:
    told = {"access_control_allow_origin": "*", "access_control_allow_credentials": "true"}
    page = "https://chat.example"
    answer = json.dumps({"choices": []}).encode()
    with between(tmp_path, replies(answer, **told), **{"serve.allowed_origins": [page]}) as (
        house,
        _,
    ):
        for path in ("/v1/chat/completions", "/v1/embeddings"):
            found = ask(house, request([FACT]), path, Origin=page)
            named = [name for name in found.headers if name.startswith("access-control-")]
            assert found.headers.get_list("access-control-allow-origin") == [page]
            assert sorted(named) == [
                "access-control-allow-origin",
                "access-control-expose-headers",
            ]
            unasked = ask(house, request([FACT]), path)
            assert not [name for name in unasked.headers if name.startswith("access-control-")]


GROUP = {"group": "Asha, Bo"}


@pytest.mark.parametrize(
    ("first", "then", "hearers"),
    [
        pytest.param(
            {"role": "Asha", "chat": "one"}, {"role": "Asha", "chat": "one"}, ["Asha"], id="one"
        ),
        pytest.param(
            {"role": "Asha", **GROUP}, {"role": "Bo", **GROUP}, ["Bo", "Asha"], id="a group"
        ),
    ],
)
def test_turns_of_a_chat_are_kept_in_their_order(
    tmp_path: Path, first: dict[str, str], then: dict[str, str], hearers: list[str]
) -> None:
    def turn(hint: dict[str, str], *said: tuple[str, str]) -> dict[str, Any]:
        return request([GREETING, *said], hint={"user": "Lin", **hint})

    with between(tmp_path, streams("Bees", "?")) as (house, _):
        roles = {name: house.home.create(name) for name in ("Asha", "Bo")}
        heard = list[Observed]()
        begun, freed, other = threading.Event(), threading.Event(), threading.Event()

        def hold(observed: Observed) -> None:
            heard.append(observed)
            if observed.chat == "two":
                other.set()
            elif len(heard) == len(hearers):
                begun.set()
                freed.wait(60)

        for role in roles.values():
            role.chats.follow(hold)
        ask(house, turn(first, FACT))
        assert begun.wait(60)
        ask(house, turn(then, FACT, ("assistant", "Bees?"), ASKED))
        ask(house, turn({"role": "Asha", "chat": "two"}, ASKED))
        assert other.wait(60), "another chat does not wait"
        assert len(heard) == len(hearers) + 1
        freed.set()
        settled(house)
        assert len(heard) == 2 * len(hearers) + 1
        for observed, name in zip(heard, hearers, strict=False):
            assert len(roles[name].chats.path(observed.chat)) == 5


@pytest.mark.parametrize(
    ("hint", "known"),
    [
        pytest.param({"role": "Asha"}, True, id="another chat"),
        pytest.param({"role": "Dan"}, True, id="one who heard it in a group"),
        pytest.param({"role": "Asha", "user": "Mei"}, False, id="another user"),
        pytest.param({"role": "Asha", "chat": "one"}, False, id="the same chat"),
    ],
)
def test_what_was_said_a_moment_ago_in_another_chat_is_known_however_much_waits_to_be_observed(
    tmp_path: Path, hint: dict[str, str], known: bool
) -> None:
    """As many turns as are observed at once do not end."""
    begun, freed = threading.Semaphore(0), threading.Event()

    def hold(_: Observed) -> None:
        begun.release()
        freed.wait(60)

    with between(tmp_path, streams("Hm.")) as (house, model):
        for name in ("Asha", "Dan"):
            house.home.create(name)
        for name in ("Bo", "Cleo"):
            house.home.create(name).chats.follow(hold)
            ask(house, request([GREETING, FACT], char=name, user="Ann"))
            assert begun.acquire(timeout=60)
        first = {"role": "Asha", "user": "Lin", "chat": "one", "group": ["Dan"]}
        ask(house, request([GREETING, FACT], hint=first))
        ask(house, request([GREETING, ASKED], hint={"user": "Lin", "chat": "two", **hint}))
        told = "bees" in block_of(model)
        freed.set()
        assert told is known
        for name in ("Asha", "Dan"):
            assert len(settled(house, name).chats.path("one")) >= 3


def test_a_turn_that_ends_after_a_later_one_hides_nothing_of_it(tmp_path: Path) -> None:
    first, _, rest = lines([chunk(content="Bees!"), chunk(finish="stop")]).partition(b"\n\n")
    end, kept = threading.Event(), threading.Event()
    hint = {"role": "Asha", "user": "Lin", "chat": "one"}

    def late(line: Line) -> None:
        plays(first + b"\n\n")(line)
        assert end.wait(60)
        line.send(rest)

    told = [GREETING, FACT, ("assistant", "Bees!"), ("user", "我弟弟在青岛开了一家修船厂。")]
    with (
        between(tmp_path, late, streams("他真能干。")) as (house, _),
        httpx.Client(base_url=house.url, timeout=60, trust_env=False) as web,
    ):
        chats = house.home.create("Asha").chats
        chats.follow(lambda observed: kept.set())
        turn = request(told[:2], hint=hint)
        with web.stream("POST", "/v1/chat/completions", json=turn) as answer:
            pieces = answer.iter_bytes()
            next(pieces)
            ask(house, request(told, hint=hint))
            assert kept.wait(60)
            end.set()
            b"".join(pieces)
        settled(house)
        path = [(one.role, one.text) for one in chats.path("one")]
        assert path == [*told, ("assistant", "他真能干。")]


@pytest.mark.parametrize(
    ("language", "told", "asked", "word"),
    [
        ("en", "I buried my aunt's mirror by the pear tree.", "Where is the mirror?", "pear tree"),
        ("zh", "我把祖母的铜镜埋在后院的梨树下了。", "祖母的铜镜埋在哪里？", "梨树"),
    ],
)
def test_a_group_in_which_the_character_speaks_rarely_is_recalled(
    tmp_path: Path, language: str, told: str, asked: str, word: str
) -> None:
    hint = {"role": "Asha", "user": "Lin", "group": "Asha, Bo", "chat": "tavern"}
    spoken = [(one.role, one.content) for one in said(*group(language, 1, 140))]
    spoken[4] = "user", told
    with between(tmp_path, streams("Mm.")) as (house, model):
        for end in range(24, len(spoken), 29):
            ask(house, request(spoken[end - 24 : end], hint=hint))
            settled(house)
        ask(house, request([GREETING, ("user", asked)], hint={**hint, "chat": "later"}))
        assert word in model.requests[-1].said


def test_another_user_and_another_role_do_not_know_it(tmp_path: Path) -> None:
    with between(tmp_path, streams("Bees", "?")) as (house, model):
        ask(house, request([GREETING, FACT], hint={"role": "Asha", "user": "Lin", "chat": "one"}))
        settled(house)
        for hint in (
            {"role": "Asha", "user": "Mei", "chat": "two"},
            {"role": "Bo", "user": "Lin", "chat": "three"},
        ):
            ask(house, request([GREETING, ASKED], hint=hint))
            assert "bees" not in model.requests[-1].body.decode()


@pytest.mark.parametrize("streamed", [True, False], ids=["streamed", "whole"])
def test_the_answer_comes_back_as_it_was(tmp_path: Path, streamed: bool) -> None:
    whole = {
        "id": "x",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "灯亮着。", "reasoning_content": "hm"},
            }
        ],
        "usage": {"a": 1},
    }
    stream = lines(
        [
            chunk(role="assistant", content=""),
            chunk(reasoning_content="hm"),
            chunk(content="灯亮着。"),
            chunk(finish="stop"),
        ]
    )
    model = plays(stream) if streamed else replies(json.dumps(whole).encode(), x_upstream="yes")
    with between(tmp_path, model) as (house, _):
        answer = ask(house, request([GREETING, FACT], stream=streamed))
        assert answer.content == stream if streamed else answer.json() == whole
        assert answer.headers["x-upstream"] == "yes"


@pytest.mark.parametrize("kind", ["impersonate", "quiet"])
def test_what_is_no_turn_of_the_character_teaches_nothing(tmp_path: Path, kind: str) -> None:
    with between(tmp_path, streams("I am Lin.")) as (house, _):
        house.home.create("Asha")
        ask(
            house,
            request(
                [GREETING, FACT], hint={"role": "Asha", "user": "Lin", "chat": "one", "type": kind}
            ),
        )
        assert settled(house).chats.chats() == []


def test_a_swipe_is_another_version_of_the_same_reply(tmp_path: Path) -> None:
    order = ("user", "Remember that my sister keeps bees.")
    with between(tmp_path, streams("First."), streams("Second.")) as (house, _):
        for kind in ("normal", "swipe"):
            ask(
                house,
                request(
                    [GREETING, order],
                    hint={"role": "Asha", "user": "Lin", "chat": "one", "type": kind},
                ),
            )
            settled(house)
        mind = settled(house)
        assert [said.text for said in mind.chats.path("one")] == [GREETING[1], order[1], "Second."]
        assert [memory.content for memory in mind.memories.values()] == ["my sister keeps bees"]


@pytest.mark.parametrize(
    ("words", "left_out"),
    [
        pytest.param(900, b"", id="a long one"),
        pytest.param(3, b"\n\ndata: [DONE]\n\n", id="one whose last event has no line behind it"),
    ],
)
def test_a_streamed_reply_is_kept_whole(tmp_path: Path, words: int, left_out: bytes) -> None:
    said = [f"word {number}, " for number in range(words)]
    stream = lines([*(chunk(content=word) for word in said), chunk(content=".", finish="stop")])
    with between(tmp_path, plays(stream.removesuffix(left_out))) as (house, _):
        ask(house, request([GREETING, FACT], hint={"role": "Asha", "user": "Lin", "chat": "one"}))
        assert settled(house).chats.path("one")[-1].text == "".join(said) + "."


def test_a_continued_reply_is_one_reply(tmp_path: Path) -> None:
    with between(tmp_path, streams(" by the door.")) as (house, _):
        begun = ("assistant", "I put the lantern")
        ask(
            house,
            request(
                [GREETING, FACT, begun],
                hint={"role": "Asha", "user": "Lin", "chat": "one", "type": "continue"},
                post="",
            ),
        )
        assert settled(house).chats.path("one")[-1].text == "I put the lantern by the door."


@pytest.mark.parametrize(
    "model",
    [
        pytest.param(status(429, "Slow down", b'{"error": {"message": "slow down"}}'), id="429"),
        pytest.param(status(400, "Bad", b'{"error": {"message": "context too long"}}'), id="400"),
        pytest.param(status(500, "Oops", b"<html>oops</html>"), id="500 as a page"),
    ],
)
def test_errors_arrive_as_they_are(tmp_path: Path, model: Behaviour) -> None:
    with between(tmp_path, model) as (house, upstream):
        answer = ask(house, request([GREETING, FACT]))
        straight = httpx.post(
            f"{upstream.url}/chat/completions", json={}, timeout=60, trust_env=False, verify=False
        )
        assert (answer.status_code, answer.content) == (straight.status_code, straight.content)


def test_two_frontends_at_once_meet_two_characters(tmp_path: Path) -> None:
    fact, asked = "My sister {0} lives in {1}.", "Where does my sister live?"
    people = [
        ("Asha", "Lin", "Anna", "Riga"),
        ("Bo", "Mei", "Vera", "Visby"),
        ("Asha", "Tom", "Ida", "Oslo"),
        ("Bo", "Ann", "Eva", "Turku"),
    ]
    with between(tmp_path, streams("Hm."), **{"serve.recall_timeout_s": 60.0}) as (house, model):

        def say(one: tuple[str, str, str, str], chat: str, text: str) -> None:
            role, user, *_ = one
            if role == "Asha":  # as SillyTavern
                ask(
                    house,
                    request(
                        [GREETING, ("user", text)],
                        hint={"role": role, "user": user, "chat": f"{user} {chat}"},
                    ),
                )
            else:  # as Open WebUI
                body = {
                    "model": "m",
                    "messages": [{"role": "user", "content": text}],
                    "stream": True,
                }
                headers = {"x-openwebui-user-name": user, "x-openwebui-chat-id": f"{user}-{chat}"}
                ask(house, body, f"/r/{role}/v1/chat/completions", **headers)

        with ThreadPoolExecutor(4) as frontends:
            list(frontends.map(lambda one: say(one, "first", fact.format(*one[2:])), people))
            for role in ("Asha", "Bo"):
                settled(house, role)
            for one in people:
                say(one, "second", asked)
                sent = model.requests[-1].body.decode()
                assert [sister for _, _, sister, _ in people if sister in sent] == [one[2]]
        assert sorted(role.name for role in house.home.roles()) == ["Asha", "Bo"]


def test_a_dead_upstream_is_said_where_the_frontend_shows_it(tmp_path: Path) -> None:
    with socket.socket() as bound:  # nobody else can have its port, and nothing listens there
        bound.bind(("127.0.0.1", 0))
        upstream = f"http://127.0.0.1:{bound.getsockname()[1]}/v1"
        with served(tmp_path, {"serve.upstream": upstream}) as house:
            answer = ask(house, request([GREETING, FACT]))
    assert answer.status_code == 502
    assert "cannot be reached" in answer.json()["error"]["message"]


def test_a_cut_stream_ends_and_only_what_stood_before_it_is_kept(tmp_path: Path) -> None:
    with between(tmp_path, breaks_off("I was", " about")) as (house, _):
        answer = ask(
            house, request([GREETING, FACT], hint={"role": "Asha", "user": "Lin", "chat": "one"})
        )
        assert b"about" in answer.content
        assert [said.text for said in settled(house).chats.path("one")] == [GREETING[1], FACT[1]]


def test_the_stop_button_closes_the_upstream(tmp_path: Path) -> None:
    with between(tmp_path, hangs_after("Well", " then")) as (house, model):
        with httpx.stream(
            "POST",
            f"{house.url}/v1/chat/completions",
            json=request([GREETING, FACT]),
            timeout=60,
            trust_env=False,
            verify=False,
        ) as answer:
            first = next(answer.iter_bytes())
        assert b"Well" in first
        assert model.idle(60), "the upstream still waits"


@pytest.mark.parametrize("streamed", [True, False], ids=["streamed", "whole"])
@pytest.mark.parametrize(
    "path", ["/v1/chat/completions", "/v1/embeddings"], ids=["a chat", "anything else"]
)
def test_the_stop_button_before_the_first_word_closes_the_upstream(
    tmp_path: Path, path: str, streamed: bool
) -> None:
    with between(tmp_path, then_hangs()) as (house, model):
        kept = threading.Event()
        house.house.bus.on(lambda event: kept.set() if event.kind == "chat" else None)
        body = json.dumps(
            request(
                [GREETING, FACT],
                hint={"role": "Asha", "user": "Lin", "chat": "one"},
                stream=streamed,
            )
        ).encode()
        begin = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{house.port}\r\nContent-Type: application/json\r\n"
        with socket.create_connection(("127.0.0.1", house.port), timeout=60) as line:
            line.sendall(f"{begin}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            assert model.wait_for(1, 20)
        assert model.idle(60), "the upstream still waits"
        if path.endswith("chat/completions"):
            assert kept.wait(60)
            assert [said.text for said in settled(house).chats.path("one")] == [
                GREETING[1],
                FACT[1],
            ]


def test_an_answer_cut_short_is_not_passed_off_as_whole(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with between(tmp_path, then_cuts(head(100), b'{"choices": []')) as (house, _):
        for path in ("/v1/chat/completions", "/v1/embeddings"):
            with pytest.raises(httpx.RemoteProtocolError):
                ask(house, request([GREETING, FACT], stream=False), path)
        assert house.house.settle(60)
    assert not [one for one in caplog.records if one.exc_info or one.levelno >= logging.ERROR]


@pytest.mark.parametrize(
    ("upstream", "status", "code"),
    [
        pytest.param("", 503, "no_upstream", id="none"),
        pytest.param("http://💩.la/v1", 502, "upstream_unreachable", id="no name of a host"),
        pytest.param("http://127.0.0.1:{port}/v1", 508, "loop", id="ourselves"),
        pytest.param("http://localhost:{port}", 508, "loop", id="ourselves by name"),
        pytest.param(
            "http://me:secret@127.0.0.1:1/v1", 502, "upstream_unreachable", id="nobody there"
        ),
    ],
)
def test_an_upstream_that_cannot_be_asked_is_told_in_two_languages(
    tmp_path: Path, upstream: str, status: int, code: str
) -> None:
    with served(tmp_path) as house:
        set_value(house.home.path, "serve.upstream", upstream.format(port=house.port))
        for path in ("/v1/chat/completions", "/v1/models"):
            answer = ask(house, request([GREETING, FACT]), path, **{"accept-language": "zh"})
            told = answer.json()["error"]
            assert (answer.status_code, told["code"]) == (status, code)
            assert told["message"].startswith("rolememory: ")
            assert "secret" not in answer.text
            english = ask(house, request([GREETING, FACT]), path).json()["error"]
            chinese = [
                any("一" <= letter <= "鿿" for letter in one["message"]) for one in (told, english)
            ]
            assert chinese == [True, False]


def test_with_memory_switched_off_everything_passes_untouched(tmp_path: Path) -> None:
    with between(tmp_path, streams("Hm."), **{"serve.memory": False}) as (house, model):
        body = {**request([GREETING, FACT]), "unknown": {"deep": [1, None, "灯"]}}
        raw = json.dumps(body).encode()
        httpx.post(
            f"{house.url}/v1/chat/completions",
            content=raw,
            headers={"content-type": "application/json", "x-mine": "1"},
            timeout=60,
            trust_env=False,
            verify=False,
        )
        assert model.requests[-1].body == raw
        assert model.requests[-1].headers["x-mine"] == "1"
        assert house.home.roles() == []


def test_everything_else_is_passed_on(tmp_path: Path) -> None:
    models = json.dumps({"object": "list", "data": [{"id": "m"}]}).encode()
    with between(tmp_path, replies(models)) as (house, model):
        answer = httpx.get(
            f"{house.url}/v1/models?limit=2",
            headers={"authorization": "Bearer key"},
            timeout=60,
            trust_env=False,
            verify=False,
        )
        assert answer.content == models
        assert model.requests[-1].path.endswith("/models?limit=2")
        assert model.requests[-1].headers["authorization"] == "Bearer key"
        assert house.home.roles() == []


def test_our_token_never_goes_on(tmp_path: Path) -> None:
    with between(tmp_path, streams("Hm.")) as (house, model):
        ask(house, request([GREETING, FACT]), **house.auth)
        assert "authorization" not in model.requests[-1].headers


def test_the_upstreams_own_key_takes_the_place_of_the_frontends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROLEMEMORY_UPSTREAM_KEY", "sk-ours")
    with between(tmp_path, streams("Hm.")) as (house, model):
        ask(house, request([GREETING, FACT]), authorization="Bearer")
        assert model.requests[-1].headers["authorization"] == "Bearer sk-ours"


def test_two_candidates_pass_through_and_are_told_once(tmp_path: Path) -> None:
    with between(tmp_path, streams("Hm.")) as (house, model):
        for number in (1, 2):
            house.home.create("Asha", id=f"00000000-0000-4000-8000-00000000000{number}")
        for _ in range(2):
            ask(house, request([GREETING, FACT]))
        assert [call.why for call in house.house.unidentified.values()] == ["several"]
        assert "<rolememory>" not in model.requests[-1].body.decode()


@pytest.mark.parametrize("streamed", [True, False], ids=["streamed", "whole"])
def test_hybrid_mode_answers_the_models_search_itself(tmp_path: Path, streamed: bool) -> None:
    final = streams("She keeps", " bees.") if streamed else answers("She keeps bees.")
    search = calls_tool("search_memory", {"query": "sister Anna Riga"}, streamed=streamed)
    hybrid = {
        "recall.mode": "hybrid",
        "recall.high_relevance_threshold": 1.0,
        "recall.relevance_threshold": 0.0,
    }
    with between(tmp_path, search, final, **hybrid) as (house, model):
        house.home.create("Asha").remember("Anna, Lin's sister, keeps bees in Riga.")
        answer = ask(
            house, request([GREETING, ASKED], hint={"role": "Asha", "chat": "one"}, stream=streamed)
        )
        assert [tool["function"]["name"] for tool in model.requests[0].json["tools"]] == [
            "search_memory"
        ]
        told = model.requests[1].json["messages"][-1]
        assert told["role"] == "tool"
        assert "bees in Riga" in told["content"]
        text = answer.text if streamed else answer.json()["choices"][0]["message"]["content"]
        assert "search_memory" not in answer.text
        assert "bees" in text
        assert settled(house).chats.path("one")[-1].text == "She keeps bees."


def test_a_frontends_own_tool_call_is_left_to_it(tmp_path: Path) -> None:
    hybrid = {
        "recall.mode": "hybrid",
        "recall.high_relevance_threshold": 1.0,
        "recall.relevance_threshold": 0.0,
    }
    with between(tmp_path, calls_tool("roll_dice", {"sides": 6}, streamed=True), **hybrid) as (
        house,
        model,
    ):
        house.home.create("Asha").remember("Anna, Lin's sister, keeps bees in Riga.")
        tools = [{"type": "function", "function": {"name": "roll_dice", "parameters": {}}}]
        answer = ask(
            house, request([GREETING, ASKED], hint={"role": "Asha", "chat": "one"}, tools=tools)
        )
        assert "roll_dice" in answer.text
        assert len(model.requests) == 1


HYBRID = {
    "recall.mode": "hybrid",
    "recall.high_relevance_threshold": 1.0,
    "recall.relevance_threshold": 0.0,
}


def hybrid_ask(house: Served, streamed: bool, **fields: Any) -> httpx.Response:
    house.home.create("Asha").remember("Anna, Lin's sister, keeps bees in Riga.")
    return ask(
        house,
        request([GREETING, ASKED], hint={"role": "Asha", "chat": "one"}, stream=streamed, **fields),
    )


@pytest.mark.parametrize("streamed", [True, False], ids=["streamed", "whole"])
def test_a_model_without_tools_is_asked_without_them(tmp_path: Path, streamed: bool) -> None:
    refused = status(400, "Bad", b'{"error": {"message": "this model does not support tools"}}')
    final = streams("Bees.") if streamed else answers("Bees.")
    with between(tmp_path, refused, final, **HYBRID) as (house, model):
        assert "Bees" in hybrid_ask(house, streamed).text
        assert ["tools" in one.json for one in model.requests] == [True, False]
        ask(
            house, request([GREETING, ASKED], hint={"role": "Asha", "chat": "two"}, stream=streamed)
        )
        assert "tools" not in model.requests[2].json


@pytest.mark.parametrize("streamed", [True, False], ids=["streamed", "whole"])
def test_a_server_that_cannot_go_on_from_a_search_still_answers(
    tmp_path: Path, streamed: bool
) -> None:
    search = calls_tool("search_memory", {"query": "Riga"}, streamed=streamed)
    refused = status(500, "Oops", b'{"error": {"message": "unexpected role tool"}}')
    final = streams("She is well.") if streamed else answers("She is well.")
    with between(tmp_path, search, refused, final, **HYBRID) as (house, model):
        assert "well" in hybrid_ask(house, streamed).text
        assert "tools" not in model.requests[2].json
        assert settled(house).chats.path("one")[-1].text == "She is well."


@pytest.mark.parametrize("streamed", [True, False], ids=["streamed", "whole"])
def test_a_model_that_only_searches_is_told_to_stop(tmp_path: Path, streamed: bool) -> None:
    search = calls_tool("search_memory", {"query": "Riga"}, streamed=streamed, said="Let me think.")
    with between(tmp_path, search, **HYBRID) as (house, model):
        answer = hybrid_ask(house, streamed)
        assert "search_memory" not in answer.text
        assert "tool_calls" not in answer.text
        assert "Let me think." in answer.text
        assert model.requests[-1].json["tool_choice"] == "none"
        assert len(model.requests) == 4


def test_of_two_calls_at_once_the_frontend_gets_its_own(tmp_path: Path) -> None:
    both = [
        {
            "id": "a",
            "type": "function",
            "function": {"name": "search_memory", "arguments": '{"query": "Riga"}'},
        },
        {"id": "b", "type": "function", "function": {"name": "roll_dice", "arguments": "{}"}},
    ]
    message = {"role": "assistant", "content": None, "tool_calls": both}
    body = json.dumps(
        {"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}
    ).encode()
    with between(tmp_path, replies(body), **HYBRID) as (house, model):
        tools = [{"type": "function", "function": {"name": "roll_dice", "parameters": {}}}]
        choice = hybrid_ask(house, False, tools=tools).json()["choices"][0]
        assert [call["id"] for call in choice["message"]["tool_calls"]] == ["b"]
        assert choice["finish_reason"] == "tool_calls"
        assert len(model.requests) == 1


def test_one_line_per_turn_and_no_word_of_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with (
        caplog.at_level("INFO", logger="rolememory"),
        between(tmp_path, streams("Hm.")) as (house, _),
    ):
        ask(
            house,
            request([GREETING, FACT], hint={"role": "Asha", "user": "Lin", "chat": "one"}),
            authorization="Bearer sk-secret",
        )
        settled(house)
    told = [record.getMessage() for record in caplog.records if record.levelname == "INFO"]
    told_of = (
        "Asha · 2 messages · 0 recalled · 0 characters, 0 tokens · "  # S4.26: short, long, tokens
    )
    assert [one for one in told if one.startswith(told_of)]
    assert not any(word in line for line in told for word in ("Riga", "Anna", "sk-secret", "Lin"))
