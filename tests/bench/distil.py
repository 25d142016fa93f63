"""What a model makes of chats: precision and recall on sixty labelled exchanges, what it costs, what trouble does. Prints one JSON object.

    python -m tests.bench.distil --endpoint http://127.0.0.1:11434/v1 --model qwen3:8b [--preset koishi]
    python -m tests.bench.distil --scripted [--turns 500]

With an endpoint every exchange is a chat of its own in a real home, read through the real admission filter. `precision` is the share of
what was remembered that the labels know, `recall` the share of the labelled facts that were remembered; `wrong` and `missed` show the rest.

`--scripted` needs no model: a scripted server gives one right fact for each line that tells one. It prints calls and prompt tokens per 100
turns; how many turns had to wait for a model (a server that never answers is behind them); and what is lost or doubled in so many turns with
a server that hangs, dies and answers garbage in between, of facts and of chapters.
"""

import argparse
import json
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from rolememory.engine import Home, RoleMemory
from rolememory.llm.servers import ModelServers
from rolememory.schema.memory import Memory
from rolememory.schema.message import Message
from rolememory.text.lengths import TokenEstimate
from tests.bench.exchanges import CHAR, ROWS, USER, Row
from tests.endpoint import Behaviour, Endpoint, Line, answers, status, then_cuts, then_hangs
from tests.learning.teller import opened, settled, tale, tells

_LINE = re.compile(r"^\[(\d+)\] Lin: I own boat number (\d+)\.", re.MULTILINE)
_tokens = TokenEstimate()


def met(fact: Sequence[str], content: str) -> bool:
    """Whether a content tells a labelled fact: one alternative of each group stands in it.

    >>> met(("tom|brother", "marr"), "Lin's brother gets married in June."), met(("tom|brother", "marr"), "Tom sings.")
    (True, False)
    """
    even = content.casefold()
    return all(any(word in even for word in group.split("|")) for group in fact)


def judged(found: Mapping[int, Sequence[str]], rows: Sequence[Row] = ROWS) -> dict[str, Any]:
    """The figures for what was remembered of each row, by its place."""
    right, stored, facts, known = 0, 0, 0, 0
    wrong: list[str] = []
    missed: list[str] = []
    for place, row in enumerate(rows):
        contents = found.get(place, ())
        good = [one for one in contents if any(met(fact, one) for fact in row.facts)]
        lost = [fact for fact in row.facts if not any(met(fact, one) for one in contents)]
        right, stored = right + len(good), stored + len(contents)
        facts, known = facts + len(row.facts), known + len(row.facts) - len(lost)
        wrong += [one for one in contents if one not in good]
        missed += [row.user for _ in lost]
    return {
        "stored": stored,
        "precision": round(right / stored, 3) if stored else None,
        "facts": facts,
        "recall": round(known / facts, 3),
        "wrong": wrong,
        "missed": missed,
    }


def labelled(url: str, model: str, preset: str = "default", **learn: Any) -> dict[str, Any]:
    """The sixty exchanges, each a chat of its own, read by this model."""
    with _home(url, model, preset=preset, batch_size=1, **learn) as home:
        found: dict[int, list[str]] = {}
        refused: list[str] = []
        for language in ("en", "zh"):
            mind = home.create(CHAR[language])
            for place, row in enumerate(ROWS):
                if row.language == language:
                    said = [Message.user(row.user), Message.assistant(row.reply)]
                    mind.observe(said, chat=f"row {place}", user=USER[language])
            report = mind.learner.worker.run(force=True)
            for one in _learned(mind):
                place = int(one.evidence[0].chat.removeprefix("row "))
                found.setdefault(place, []).append(one.content)
            refused += [f"{one.reason.code}: {one.draft.content}" for one in mind.refused()]
            if report.left or report.notes:
                refused += [note.text() for note in report.notes]
        calls, tokens = home.upstreams.spending.today()
        parts = {
            language: judged(found, [row if row.language == language else _NONE for row in ROWS])
            for language in ("en", "zh")
        }
        return {
            "model": model,
            "preset": preset,
            **judged(found),
            **{f"{name}_{language}": part[name] for language, part in parts.items() for name in ("precision", "recall")},
            "calls": calls,
            "tokens": tokens,
            "refused": refused,
        }  # fmt: skip


_NONE = Row("", "", "")


def _learned(mind: RoleMemory) -> list[Memory]:
    return [one for one in mind.memories.values() if one.evidence and not one.archived]


@contextmanager
def _home(url: str, model: str, preset: str = "default", **learn: Any) -> Iterator[Home]:
    rows = {"endpoint": url, "model": model, "summarize.enabled": False, **learn}
    settings = {f"learn.{name}": value for name, value in rows.items()}
    fixed = {"embedding.backend": "off", "preset": preset}
    with (
        tempfile.TemporaryDirectory() as folder,
        Home.open(Path(folder), {**fixed, **settings}) as home,
    ):
        yield home


def right(line: Line) -> None:
    """A model that reads well: one fact for each numbered line that tells of a boat."""
    told = _LINE.findall(line.request.said)
    facts = [
        {"line": int(at), "content": f"Lin owns boat number {number}.", "about": "user", "when": "", "replaces": 0}
        for at, number in told
    ]  # fmt: skip
    asked = line.request.json.get("response_format", {}).get("json_schema", {}).get("name", "")
    if asked == "decision":
        answers({"should_remember": bool(told), "reason": "a boat"})(line)
    elif asked == "summary":
        answers(
            {**(facts[0] if facts else {}), "memory": (facts or [{"content": "-"}])[0]["content"]}
        )(line)
    else:
        answers({"facts": facts})(line)


def exchange(number: int) -> list[Message]:
    """A turn that tells one thing, in a reply of ordinary length."""
    reply = (
        f"*She counts the masts.* So that makes {number}. "
        + "The harbour lies still tonight. " * 12
    )
    return [
        Message.user(f"I own boat number {number}. " + "The rope was wet again. " * 6),
        Message.assistant(reply),
    ]


def costs(turns: int = 100, preset: str = "default") -> dict[str, Any]:
    """Calls and prompt tokens of so many turns, per 100."""
    with Endpoint(right) as server, _home(server.url, "scripted", preset) as home:
        mind = home.create("Mira")
        _talk(mind, turns, settle=True)
        mind.learner.worker.run(force=True)
        prompts = sum(_tokens(request.said) for request in server.requests)
        return {
            "preset": preset,
            "turns": turns,
            "calls_per_100_turns": round(100 * len(server.requests) / turns, 1),
            "prompt_tokens_per_100_turns": round(100 * prompts / turns),
            "facts": len(_learned(mind)),
        }


def on_the_path(turns: int = 100) -> dict[str, Any]:
    """Turns, each recalled and observed, with a server behind them that never answers: all that came to an end waited for no model."""
    with (
        Endpoint(then_hangs()) as server,
        _home(server.url, "scripted", batch_size=1, timeout_s=600.0) as home,
    ):
        mind = home.create("Mira")
        done = _talk(mind, turns, recall=True)
        assert server.wait_for(1), "the model was asked"
        return {
            "turns": turns,
            "waited_for_a_model": turns - done,
            "requests_open": len(server.requests),
        }


GARBAGE = (
    "No.",
    '{"facts": "many"}',
    "<think>and on and on",
    '{"facts": [{"content": "Lin ow',
    "[[[[",
)


def trouble(turns: int = 500) -> dict[str, Any]:
    """So many turns with a server that hangs, dies and answers garbage between good answers; in the end it is well. Nothing lost, nothing doubled?"""
    bad: tuple[Behaviour, ...] = (
        then_hangs(),
        then_cuts(b"HTTP/1.1 200 OK\r\n"),
        status(500),
        *map(answers, GARBAGE),
    )
    asked, seconds = count(), [0.0]

    def moody(line: Line) -> None:
        at = next(asked)
        (right if at % 3 == 2 else bad[at % len(bad)])(line)

    with Endpoint(moody) as server, _home(server.url, "scripted", timeout_s=0.2) as home:
        home.context.upstreams = ModelServers(clock=lambda: seconds[0])
        mind = home.create("Mira")
        for start in range(0, turns, 5):
            _talk(mind, min(start + 5, turns), settle=True, since=start)
            seconds[0] += 40.0  # what rests has rested
        asked_in_trouble = len(server.requests)
        server.now(right)
        for _ in range(20):
            seconds[0] += 3601.0
            if not mind.learner.worker.run(force=True).left:
                break
        contents = [one.content for one in _learned(mind)]
        unread = [one for one in mind.refused() if one.reason.code == "unread"]
        wanted = {f"Lin owns boat number {number}." for number in range(1, turns + 1)}
        return {
            "turns": turns,
            "requests_in_trouble": asked_in_trouble,
            "requests": len(server.requests),
            "lost": len(wanted - {*contents}) - len(unread),
            "unread": len(unread),
            "doubled": len(contents) - len({*contents}),
            "unasked": len({*contents} - wanted),
            "left": sum(mind.learner.worker.status()["queue"].values()),
        }


def chapters_in_trouble(turns: int = 500) -> dict[str, Any]:
    """Chapters of so many turns with the same trouble; in the end the server is well. Is every message that left the window told once?"""
    bad = (then_hangs(), then_cuts(b"HTTP/1.1 200 OK\r\n"), status(500), *map(answers, GARBAGE))
    asked, seconds, good = count(), [0.0], tells()

    def moody(line: Line) -> None:
        at = next(asked)
        (good if at % 3 == 2 else bad[at % len(bad)])(line)

    with (
        tempfile.TemporaryDirectory() as folder,
        Endpoint(moody) as server,
        opened(Path(folder), server.url, learn__timeout_s=0.2) as home,
    ):
        home.context.upstreams = ModelServers(clock=lambda: seconds[0])
        mind = home.create("Mira")
        for number in range(5, turns + 1, 5):
            mind.observe(tale(number), chat="harbour", user="lin")
            settled(mind)
            seconds[0] += 40.0  # what rests has rested
        asked_in_trouble = len(server.requests)
        server.now(good)
        for _ in range(20):
            seconds[0] += 3601.0
            mind.learner.worker.run(force=True)
        place = {said.version: at for at, said in enumerate(mind.chats.path("harbour"))}
        told = [place[version] for one in mind.chapters("harbour") for version in one.stretch]
        return {
            "turns": turns,
            "requests_in_trouble": asked_in_trouble,
            "chapters": len(mind.chapters("harbour")),
            "told_twice": len(told) - len({*told}),
            "left_out": len({*range(max(told, default=-1) + 1)} - {*told}),
            "newest_told": max(told, default=-1) + 1,
            "refused": len([one for one in mind.refused() if one.reason.code == "unread"]),
        }


def _talk(
    mind: RoleMemory, turns: int, *, settle: bool = False, recall: bool = False, since: int = 0
) -> int:
    """Turns of one chat up to this number; how many came to an end."""
    for number in range(since + 1, turns + 1):
        shown = [one for at in range(max(number - 4, 1), number + 1) for one in exchange(at)]
        if recall:
            mind.recall(shown[:-1], chat="harbour", user="Lin")
        mind.observe(shown, chat="harbour", user="Lin")
        if settle:
            mind.learned(60.0)
            mind.learner.worker.settle(60.0)
    return turns - since


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--endpoint",
        default="",
        help="base URL of an OpenAI-compatible server; its key in ROLEMEMORY_LEARN_KEY",
    )
    parser.add_argument("--model", default="default")
    parser.add_argument("--preset", default="default")
    parser.add_argument("--timeout", type=float, default=120.0)
    parser.add_argument("--scripted", action="store_true")
    parser.add_argument("--turns", type=int, default=500)
    asked = parser.parse_args()
    if bool(asked.endpoint) == asked.scripted:
        parser.error("give either --endpoint URL or --scripted")
    if asked.endpoint:
        found = labelled(asked.endpoint, asked.model, asked.preset, timeout_s=asked.timeout)
    else:
        found = {
            "costs": [costs(), costs(preset="koishi")],
            "path": on_the_path(),
            "trouble": trouble(asked.turns),
            "chapters": chapters_in_trouble(asked.turns),
        }
    print(json.dumps(found, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
