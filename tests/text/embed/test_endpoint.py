"""A model behind HTTP: what is asked, what is believed, and what a bad server costs."""

import json
import threading
from collections.abc import Callable

import httpx
import numpy as np
import pytest

from rolememory.circuit_breaker import CircuitBreaker, State
from rolememory.errors import ModelError
from rolememory.schema.settings import EmbeddingSettings
from rolememory.text.embed.endpoint import Endpoint
from rolememory.upstream import translated

BASE = "http://127.0.0.1:5001/v1"
Handler = Callable[[httpx.Request], httpx.Response]


def speaking_to(handler: Handler) -> httpx.Client:
    """A client whose answers come as they do from a line: not read yet."""

    def answer(request: httpx.Request) -> httpx.Response:
        whole = handler(request)
        return httpx.Response(
            whole.status_code, headers=whole.headers, stream=httpx.ByteStream(whole.content)
        )

    return httpx.Client(transport=httpx.MockTransport(answer))


def answering(*rows: list[float]) -> Handler:
    return lambda _: httpx.Response(
        200, json={"data": [{"index": at, "embedding": row} for at, row in enumerate(rows)]}
    )


def honest(request: httpx.Request) -> httpx.Response:
    texts = json.loads(request.content)["input"]
    rows = [
        {"index": at, "embedding": [float(len(text)), 1.0, 0.0]} for at, text in enumerate(texts)
    ]
    return httpx.Response(
        200, json={"object": "list", "data": rows[::-1], "usage": {"total_tokens": 1}}
    )


def endpoint(
    handler: Handler, breaker: CircuitBreaker | None = None, **settings: object
) -> Endpoint:
    how = EmbeddingSettings(
        **{"backend": "endpoint", "endpoint": BASE, "dims": 3, "timeout_s": 60.0, **settings}
    )  # type: ignore[arg-type]
    return Endpoint(how, client=speaking_to(handler), breaker=breaker)


@pytest.mark.parametrize(
    ("url", "model", "expected"),
    [
        pytest.param(BASE, "m", (BASE, "m"), id="an OpenAI-compatible base URL stays"),
        pytest.param(f"{BASE}/embeddings", "m", (BASE, "m"), id="the full path is understood"),
        pytest.param(
            "https://generativelanguage.googleapis.com/v1beta/models/embedding-001:embedContent?key=x",
            "",
            ("https://generativelanguage.googleapis.com/v1beta/openai", "embedding-001"),
            id="S0.16: a native Gemini URL becomes its OpenAI-compatible endpoint, its key is dropped",
        ),
        pytest.param(
            "https://generativelanguage.googleapis.com/v1beta/models/embedding-001:batchEmbedContents",
            "text-embedding-004",
            ("https://generativelanguage.googleapis.com/v1beta/openai", "text-embedding-004"),
            id="a named model wins",
        ),
    ],
)
def test_urls(url: str, model: str, expected: tuple[str, str]) -> None:
    assert translated(url, model) == expected


def test_vectors_are_normalised_and_in_the_order_of_the_texts() -> None:
    vectors = endpoint(honest).embed(["a", "bbbb"])
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0)
    assert vectors[0][0] < vectors[1][0]


def test_many_texts_go_in_batches() -> None:
    sizes: list[int] = []

    def count(request: httpx.Request) -> httpx.Response:
        sizes.append(len(json.loads(request.content)["input"]))
        return honest(request)

    assert endpoint(count).embed([str(at) for at in range(70)]).shape == (70, 3)
    assert sizes == [32, 32, 6]


def test_dimensions_are_learned_or_cut() -> None:
    assert endpoint(honest, dims=0).dim == 3
    assert endpoint(honest, dims=2).embed(["a"]).shape == (1, 2)


def test_prefixes_stand_before_what_they_are_for() -> None:
    seen: list[str] = []

    def note(request: httpx.Request) -> httpx.Response:
        seen.extend(json.loads(request.content)["input"])
        return honest(request)

    model = endpoint(note, query_prefix="query: ", passage_prefix="passage: ")
    model.embed_query("storm")
    model.embed(["beacon"])
    assert seen == ["query: storm", "passage: beacon"]


@pytest.mark.parametrize(
    ("handler", "told"),
    [
        pytest.param(
            lambda _: httpx.Response(500, text="sk-secret"), "status 500", id="a server error"
        ),
        pytest.param(lambda _: httpx.Response(429), "status 429", id="too many requests"),
        pytest.param(
            lambda _: httpx.Response(302, headers={"Location": "http://elsewhere"}),
            "status 302",
            id="a redirect is not followed",
        ),
        pytest.param(
            lambda _: httpx.Response(200, text="<html>"), "not a list of embeddings", id="no JSON"
        ),
        pytest.param(
            lambda _: httpx.Response(200, json={"data": [{"embedding": ["x"]}]}),
            "not a list of embeddings",
            id="words for numbers",
        ),
        pytest.param(
            answering([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]), "2 vectors", id="two vectors for one text"
        ),
        pytest.param(answering([]), "1 vectors of lengths [0]", id="an empty vector"),
        pytest.param(answering([1.0]), "dimensions", id="too few dimensions"),
        pytest.param(answering([0.0, 0.0, 0.0]), "points nowhere", id="nothing but zeros"),
        pytest.param(answering([1e300, 0.0, 0.0]), "points nowhere", id="beyond all measure"),
        pytest.param(
            lambda _: httpx.Response(200, text='{"data": [{"embedding": [NaN, 1, 1]}]}'),
            "not a list of embeddings",
            id="NaN",
        ),
        pytest.param(
            lambda request: (_ for _ in ()).throw(httpx.ConnectError("refused", request=request)),
            "ConnectError",
            id="nobody there",
        ),
    ],
)
def test_a_bad_answer_is_one_error_without_secrets(handler: Handler, told: str) -> None:
    with pytest.raises(ModelError) as caught:
        endpoint(handler).embed_query("storm")
    assert told in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_server_that_does_not_answer_costs_its_time_out_and_no_more() -> None:
    told = threading.Event()

    def hang(_: httpx.Request) -> httpx.Response:
        told.wait(60)
        return httpx.Response(200)

    with pytest.raises(ModelError, match=r"within 0\.05 s"):
        endpoint(hang, timeout_s=0.05).embed_query("storm")
    told.set()


def test_p11_a_dead_endpoint_is_asked_a_few_times_then_left_alone_then_probed_once() -> None:
    calls, now = [0], [0.0]

    def dead(_: httpx.Request) -> httpx.Response:
        calls[0] += 1
        return httpx.Response(
            503 if calls[0] < 7 else 200, json={"data": [{"embedding": [1.0, 0.0, 0.0]}]}
        )

    model = endpoint(dead, breaker=CircuitBreaker("test", clock=lambda: now[0]))
    for _ in range(20):
        with pytest.raises(ModelError):
            model.embed_query("storm")
    assert calls[0] == 5
    assert model.breaker.state is State.FAILED
    now[0] = 31.0
    with pytest.raises(ModelError):
        model.embed_query("storm")
    assert calls[0] == 6
    now[0] = 62.0
    assert model.embed_query("storm").shape == (3,)
    assert model.breaker.state is State.READY


def test_going_and_coming_back_are_one_line_each_without_the_password(
    caplog: pytest.LogCaptureFixture,
) -> None:
    now, up = [0.0], [False]

    def server(_: httpx.Request) -> httpx.Response:
        return httpx.Response(
            200 if up[0] else 503, json={"data": [{"embedding": [1.0, 0.0, 0.0]}]}
        )

    model = endpoint(
        server,
        CircuitBreaker("test", clock=lambda: now[0]),
        endpoint="http://lin:sesame@127.0.0.1:5001/v1",
    )
    for at in (0.0, 31.0, 62.0):  # it goes, and two probes find it gone
        now[0] = at
        for _ in range(9):
            with pytest.raises(ModelError) as caught:
                model.embed_query("storm")
            assert "sesame" not in str(caught.value)
    now[0], up[0] = 93.0, True
    model.embed_query("storm")
    model.embed_query("storm")
    assert [
        record.getMessage() for record in caplog.records if record.name.startswith("rolememory")
    ] == [
        "http://127.0.0.1:5001/v1: answered status 503; it is left alone for a while, turns go by words",
        "http://127.0.0.1:5001/v1: gives vectors again",
    ]
    assert "sesame" not in model.key


def test_the_key_comes_from_the_environment_and_a_password_from_the_url(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MY_KEY", "sk-secret")
    seen: list[tuple[str, str]] = []

    def look(request: httpx.Request) -> httpx.Response:
        seen.append((str(request.url), request.headers["Authorization"]))
        return honest(request)

    for url, key_env in ((BASE, "MY_KEY"), (BASE.replace("//", "//lin:secret@"), "")):
        settings = EmbeddingSettings(backend="endpoint", endpoint=url, api_key_env=key_env, dims=3)
        made = Endpoint(settings, client=speaking_to(look))
        made.embed_query("storm")
        assert "secret" not in made.key
    asked = f"{BASE}/embeddings"
    assert seen == [(asked, "Bearer sk-secret"), (asked, "Basic bGluOnNlY3JldA==")]


def test_an_endpoint_without_a_url_is_told_what_to_set() -> None:
    with pytest.raises(ModelError, match=r"embedding\.endpoint is empty"):
        Endpoint(EmbeddingSettings(backend="endpoint"))


def test_another_model_has_another_key() -> None:
    keys = {
        endpoint(honest, **how).key
        for how in ({}, {"model": "other"}, {"dims": 2}, {"query_prefix": "q: "}, {"revision": "2"})
    }
    assert len(keys) == 5
