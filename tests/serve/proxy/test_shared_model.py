"""`learn.endpoint = "upstream"`: the model behind the proxy distils as well, and a chat never waits for it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

import httpx

from rolememory.llm.traffic import Spending, Traffic
from rolememory.storage.files.space import FileSpace
from tests.endpoint import Behaviour, Endpoint, Line, answers, then_hangs
from tests.serve.houses import Served, served

FACTS = {"facts": [{"line": 1, "content": "Lin moved from Rome to Paris.", "about": "user"}]}
MOVED = "I moved from Rome to Paris."


def distils(line: Line) -> None:
    """What a model does that reads: the move is a fact, where it stands in a numbered line."""
    told = f"[1] Lin: {MOVED}" in line.request.said
    answers(FACTS if told else {"facts": []})(line)


class Model:
    """One model for both: replies to chats, distils when it is asked to, and waits there as long as it is told to."""

    def __init__(self) -> None:
        self.facts: Behaviour = distils
        self.distilled = threading.Semaphore(0)  # released whenever it is asked to distil
        self.asked: list[str] = []

    def __call__(self, line: Line) -> None:
        if "response_format" not in line.request.json:
            self.asked.append("chat")
            return answers("That is quite a move.")(line)
        self.asked.append("distil")
        self.distilled.release()
        return self.facts(line)


@contextmanager
def house(folder: Path, model: Model, **learn: Any) -> Iterator[tuple[Served, Endpoint]]:
    """A proxy whose model also distils; a moment after the reply everything is final."""
    rows = {"endpoint": "upstream", "idle_s": 0.05, "delay_s": 0.01, "batch_size": 1, **learn}
    with Endpoint(model) as server:
        settings = {f"learn.{name}": value for name, value in rows.items()}
        with served(folder, {"serve.upstream": server.url, **settings}) as opened:
            opened.home.role("Mira", create=True)
            yield opened, server


def say(opened: Served, *words: str) -> str:
    """One turn through the proxy; what the character replies."""
    messages = [
        {"role": ("user", "assistant")[at % 2], "content": word} for at, word in enumerate(words)
    ]
    answer = httpx.post(
        f"{opened.url}/r/Mira/v1/chat/completions",
        json={"model": "qwen", "messages": messages, "user": "Lin"},
        timeout=60.0,
        verify=False,
    )
    return str(answer.json()["choices"][0]["message"]["content"])


def contents(opened: Served) -> list[str]:
    return [one.content for one in opened.home.role("Mira").memories.values()]


def until_learned(opened: Served) -> threading.Event:
    """Set once something was learned."""
    learned = threading.Event()
    opened.home.role("Mira").learner.on_learned(
        lambda chat, one: learned.set() if one.memories else None
    )
    return learned


def test_when_nobody_speaks_the_model_of_the_chats_distils_too(tmp_path: Path) -> None:
    model = Model()
    with house(tmp_path, model) as (opened, server):
        learned = until_learned(opened)
        assert say(opened, MOVED) == "That is quite a move."
        assert learned.wait(30.0)
        assert contents(opened) == ["Lin moved from Rome to Paris."]
        distilled = [one for one in server.requests if "response_format" in one.json]
        assert {one.json["model"] for one in distilled} == {"qwen"}, "the chat's own model"
        status = opened.home.role("Mira").learner.worker.status()
        assert (status["shared"], status["today"]["calls"]) == (True, len(distilled))
        assert status["today"]["tokens"] > 0


def test_a_chat_cuts_what_learning_asks_and_nothing_is_lost_or_doubled(tmp_path: Path) -> None:
    model = Model()
    model.facts = then_hangs()  # it never ends by itself
    with house(tmp_path, model, timeout_s=600.0) as (opened, _server):
        learned = until_learned(opened)
        say(opened, MOVED)
        assert model.distilled.acquire(timeout=30.0)
        assert say(opened, MOVED, "That is quite a move.", "Is it?") == "That is quite a move."
        model.facts = distils
        assert learned.wait(30.0)
        assert opened.home.role("Mira").learner.worker.settle(30.0)
        assert contents(opened) == ["Lin moved from Rome to Paris."]
        upstreams = opened.home.upstreams.all().values()
        assert {str(one.breaker.state) for one in upstreams} == {"ready"}, (
            "giving way is no failure"
        )


def test_while_somebody_speaks_nothing_is_asked(tmp_path: Path) -> None:
    model = Model()
    with house(tmp_path, model, idle_s=3600.0) as (opened, _server):
        say(opened, MOVED)
        mind = opened.home.role("Mira")
        mind.observe([MOVED], "Oh.", chat="another", user="Lin")
        report = mind.learner.worker.run(force=True)
        assert (report.read, model.asked) == (0, ["chat"])
        assert "learn.idle_s" in report.notes[0].text()
        assert "learn.idle_s" in report.notes[0].text("zh")


def test_one_request_at_a_time_whatever_the_number_of_roles(tmp_path: Path) -> None:
    def slow(line: Line) -> None:
        line.wait(0.02)
        answers({"facts": []})(line)

    with Endpoint(slow) as server:
        settings = {"serve.upstream": server.url, "learn.endpoint": "upstream"}
        more = {"learn.model": "qwen", "learn.idle_s": 0.001, "learn.batch_size": 1}
        with served(tmp_path, {**settings, **more}) as opened:
            roles = [opened.home.role(name, create=True) for name in ("Mira", "Kai", "Jo")]
            for role in roles:
                role.observe([MOVED], "Oh.", chat="a", user="Lin")
            threads = [
                threading.Thread(target=role.learner.worker.run, kwargs={"force": True})
                for role in roles
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert (len(server.requests), server.most_at_once) == (3, 1)


def test_a_day_costs_no_more_than_it_may(tmp_path: Path) -> None:
    model = Model()
    with house(tmp_path, model, daily_tokens=1, idle_s=0.001) as (opened, _server):
        learned = until_learned(opened)
        say(opened, MOVED)
        assert learned.wait(30.0)
        mind = opened.home.role("Mira")
        mind.observe([MOVED], "Oh.", chat="another", user="Lin")
        report = mind.learner.worker.run(force=True)
        assert report.read == 0
        assert "learn.daily_tokens" in report.notes[0].text()
        assert model.asked.count("distil") == 1


def learning(opened: Served) -> dict[str, Any]:
    """What the page is told of it."""
    url = f"{opened.url}/api/roles/Mira/learning"
    told: dict[str, Any] = httpx.get(
        url, headers=opened.auth, timeout=60, trust_env=False, verify=False
    ).json()
    return told


def test_off_until_somebody_says_yes(tmp_path: Path) -> None:
    model = Model()
    with house(tmp_path / "yes", Model()) as (opened, _server):
        say(opened, "Good evening.")  # its request names the model
        assert (learning(opened)["on"], learning(opened)["offered"]) == (True, False)
    with house(tmp_path, model, endpoint="") as (opened, _server):
        assert (learning(opened)["on"], learning(opened)["offered"]) == (False, True)
        say(opened, MOVED)
        mind = opened.home.role("Mira")
        mind.observe([MOVED], "Oh.", chat="another", user="Lin")
        mind.learner.worker.run(force=True)
        assert model.asked == ["chat"]


def test_chats_come_first_by_an_injected_clock() -> None:
    seconds, cuts = [0.0], list[str]()
    traffic = Traffic(lambda: seconds[0])
    assert traffic.wait_s(60.0) == 60.0, "a server that has just begun waits as well"
    seconds[0] = 60.0
    with traffic.given(60.0, lambda: cuts.append("cut")) as free:
        assert free
        traffic.begins()
        assert cuts == ["cut"]
    assert traffic.turned_away == 1
    with traffic.given(60.0, lambda: cuts.append("cut")) as free:
        assert not free
    traffic.ends()
    seconds[0] = 119.0
    assert traffic.wait_s(60.0) == 1.0
    assert cuts == ["cut"]


def test_what_days_cost_is_kept(tmp_path: Path) -> None:
    day = [date(2026, 3, 1)]
    spending = Spending(FileSpace(tmp_path), lambda: day[0])
    spending.add(100)
    spending.add(20)
    spending.close()
    again = Spending(FileSpace(tmp_path), lambda: day[0])
    assert again.today() == (2, 120)
    day[0] = date(2026, 3, 2)
    assert again.today() == (0, 0)
    again.add(5)
    assert dict(again.days()) == {"2026-03-01": (2, 120), "2026-03-02": (1, 5)}
    again.close()
