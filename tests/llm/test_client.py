"""What a model is sent, and how it is asked again."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from rolememory.errors import ModelAnswerError, ModelError
from rolememory.learn.model.decide import Decision
from rolememory.learn.model.models import Models, model_learns, schema_of, where
from rolememory.llm.client import ChatModel, ModelAddress, RequestLimits
from rolememory.llm.servers import ModelServers
from rolememory.schema.settings import LearnSettings, StepSettings
from rolememory.upstream import UpstreamCall, client
from tests.endpoint import (
    Behaviour,
    Endpoint,
    Line,
    answers,
    drips,
    head,
    status,
    streams,
    then_hangs,
)

ASKED = [{"role": "user", "content": "Worth it?"}]
YES = {"should_remember": True, "reason": "a birthday"}


@contextmanager
def model(*script: Behaviour, timeout_s: float = 60.0) -> Iterator[tuple[ChatModel, Endpoint]]:
    with Endpoint(*script) as server:
        yield (
            ChatModel(
                ModelAddress(server.url, "small"),
                ModelServers().at(server.url),
                timeout_s,
                schema_of,
            ),
            server,
        )


def test_the_first_request_asks_for_the_schema_of_its_step() -> None:
    with model(answers(YES)) as (asked, server):
        assert asked.ask(ASKED, Decision, step="decision").should_remember
    sent = server.requests[0]
    assert (sent.method, sent.path) == ("POST", "/v1/chat/completions")
    assert sent.json | {"response_format": 0} == {
        "model": "small", "messages": ASKED, "stream": False, "temperature": 0, "max_tokens": 4096, "response_format": 0,
    }  # fmt: skip
    assert sent.json["response_format"]["json_schema"] == {
        "name": "decision",
        "strict": True,
        "schema": schema_of("decision"),
    }
    assert "authorization" not in sent.headers


def test_what_a_server_refuses_is_remembered() -> None:
    def objects_only(line: Line) -> None:
        (answers(YES) if line.request.form != "json_schema" else status(400))(line)

    with model(objects_only) as (asked, server):
        for _ in range(3):
            assert asked.ask(ASKED, Decision, step="decision")
    assert [request.form for request in server.requests] == [
        "json_schema",
        "json_object",
        "json_object",
        "json_object",
    ]


def test_a_server_that_refuses_for_another_reason_is_asked_in_every_form_in_the_end() -> None:
    with model(status(400), status(400), answers(YES)) as (asked, server):
        assert asked.ask(ASKED, Decision, step="decision")
    assert [request.form for request in server.requests] == ["json_schema", "json_object", ""]


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", "That cannot be used: there is no JSON"), ("zh", "上面的回答不能用：there is no JSON")],
)
def test_a_bad_answer_is_asked_for_once_more_with_its_fault(language: str, words: str) -> None:
    with model(answers("Well..."), answers(YES)) as (asked, server):
        assert asked.ask(ASKED, Decision, step="decision", language=language).should_remember  # type: ignore[arg-type]
    again = server.requests[1].json["messages"]
    assert again[:2] == [*ASKED, {"role": "assistant", "content": "Well..."}]
    assert again[2]["content"].startswith(words)


def test_two_bad_answers_are_an_error_that_tells_the_fault() -> None:
    with (
        model(answers("Well...")) as (asked, server),
        pytest.raises(ModelAnswerError, match="there is no JSON") as caught,
    ):
        asked.ask(ASKED, Decision, step="decision")
    assert len(server.requests) == 2
    assert "没有按" not in str(caught.value)
    assert "不是所要的形式" in caught.value.text("zh")


def test_an_answer_with_a_fault_in_what_it_says_is_better_than_none() -> None:
    def strict(decision: Decision) -> str:
        return "" if decision.reason == "exact" else "the reason is not exact"

    with model(answers(YES)) as (asked, server):
        assert asked.ask(ASKED, Decision, step="decision", check=strict).reason == "a birthday"
    assert len(server.requests) == 2
    with model(answers(YES), answers({**YES, "reason": "exact"})) as (asked, _):
        assert asked.ask(ASKED, Decision, step="decision", check=strict).reason == "exact"
    with model(answers(YES), status(500)) as (asked, _):
        assert asked.ask(ASKED, Decision, step="decision", check=strict).reason == "a birthday"


def test_no_time_left_is_no_request() -> None:
    with model(answers(YES)) as (asked, server), pytest.raises(ModelError, match="no time left"):
        asked.ask(ASKED, Decision, step="decision", haste=RequestLimits(until=0.0))
    assert server.requests == []


def test_half_characters_do_not_stop_a_question() -> None:
    with model(answers(YES)) as (asked, server):
        assert asked.ask([{"role": "user", "content": "a\ud800b"}], Decision, step="decision")
    assert server.requests[0].said == "a\ufffdb"


def test_s3_36_chat_gives_the_reply_as_it_stands() -> None:
    with model(answers("<think>hm</think>\n Hello, *smiles*.")) as (asked, server):
        assert asked.chat(ASKED) == "<think>hm</think>\n Hello, *smiles*."
    assert server.requests[0].json == {"model": "small", "messages": ASKED, "stream": False}


def test_s3_36_a_reply_comes_piece_by_piece() -> None:
    with model(streams(["Hel", "lo", ", 灯塔", "!"])) as (asked, server):
        assert list(asked.chat_stream(ASKED)) == ["Hel", "lo", ", 灯塔", "!"]
    assert server.requests[0].json["stream"] is True


def test_a_stream_that_drips_ends_at_its_deadline() -> None:
    event = b'data: {"choices": [{"delta": {"content": "a"}}]}\n\n'
    with model(drips(head(10_000, "text/event-stream") + event * 100, 0.002), timeout_s=0.3) as (
        asked,
        _,
    ):
        said = []
        with pytest.raises(ModelError, match="no answer within"):
            said += iter(asked.chat_stream(ASKED))


def test_a_time_out_is_told_as_one_also_where_the_connection_notices_it_first() -> None:
    with Endpoint(then_hangs(b"")) as server:
        others = set(threading.enumerate())
        call = UpstreamCall(client(server.url), f"{server.url}/x", b"{}", {}, deadline_s=0.2)
        for thread in set(threading.enumerate()) - others:
            if thread.name == "rolememory-upstream":
                thread.join()
        with pytest.raises(TimeoutError, match=r"no answer within 0\.2 s"):
            call.head()


def test_a_stream_that_is_left_leaves_the_line_free() -> None:
    with model(
        then_hangs(
            head(1000, "text/event-stream")
            + b'data: {"choices": [{"delta": {"content": "a"}}]}\n\n'
        ),
        answers("b"),
    ) as (
        asked,
        _,
    ):
        replies = asked.chat_stream(ASKED)
        assert next(replies) == "a"
        replies.close()  # type: ignore[attr-defined]
        assert asked.chat(ASKED) == "b"


def test_a_dead_server_tells_the_chat_so() -> None:
    with (
        model(status(404)) as (asked, _),
        pytest.raises(ModelError, match="knows no such path or model") as caught,
    ):
        asked.chat(ASKED)
    assert "没有这个路径或模型" in caught.value.text("zh")


GEMINI = "https://generativelanguage.googleapis.com/v1beta/models/gemini-1.5-flash:generateContent?key=secret"


@pytest.mark.parametrize(
    ("settings", "step", "expected"),
    [
        pytest.param({"endpoint": "http://a/v1", "model": "m"}, "extraction", ModelAddress("http://a/v1", "m", "ROLEMEMORY_LEARN_KEY"), id="one for all"),
        pytest.param({"endpoint": "http://a/v1"}, "extraction", None, id="no model is set"),
        pytest.param({"model": "m"}, "extraction", None, id="no endpoint is set"),
        pytest.param(
            {"endpoint": "http://a/v1", "model": "m", "decision": StepSettings(endpoint="http://b/v1/chat/completions", model="n", api_key_env="K")},
            "decision",
            ModelAddress("http://b/v1", "n", "K"),
            id="S0.17: a step of its own",
        ),
        pytest.param({"decision": StepSettings(model="n"), "endpoint": "http://a/v1", "model": "m"}, "decision", ModelAddress("http://a/v1", "n", "ROLEMEMORY_LEARN_KEY"), id="a step's own model on the common server"),
        pytest.param(
            {"endpoint": GEMINI},
            "summary",
            ModelAddress("https://generativelanguage.googleapis.com/v1beta/openai", "gemini-1.5-flash", "ROLEMEMORY_LEARN_KEY"),
            id="S0.13: a native Gemini URL names server and model",
        ),
    ],
)  # fmt: skip
def test_where_a_step_is_asked(
    settings: dict[str, object], step: str, expected: ModelAddress | None
) -> None:
    assert where(LearnSettings(**settings), step) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("settings", "learns"),
    [
        ({}, False),
        ({"endpoint": "http://a/v1", "model": "m"}, True),
        ({"endpoint": "http://a/v1", "model": "m", "extractor": "rules"}, False),
        ({"endpoint": "http://a/v1", "model": "m", "enabled": False}, False),
        ({"extractor": "model"}, False),
        ({"flow": "decide", "decision": StepSettings(endpoint="http://a/v1", model="m")}, False),
        (
            {
                "flow": "decide",
                **dict.fromkeys(
                    ("decision", "summary"), StepSettings(endpoint="http://a/v1", model="m")
                ),
            },
            True,
        ),
    ],
)
def test_whether_a_model_learns(settings: dict[str, object], learns: bool) -> None:
    assert model_learns(LearnSettings(**settings)) is learns  # type: ignore[arg-type]


def test_the_steps_of_one_server_share_a_breaker() -> None:
    models = Models(ModelServers())
    settings = LearnSettings(endpoint="http://a/v1", model="m", summary=StepSettings(model="n"))
    decision, summary = models.of(settings, "decision"), models.of(settings, "summary")
    assert decision is not summary
    assert decision.upstream is summary.upstream
    with pytest.raises(ModelError, match=r"set learn\.endpoint"):
        models.of(LearnSettings(), "decision")
