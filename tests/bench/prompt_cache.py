"""What memory costs a model server's prompt cache: `python -m tests.bench.prompt_cache [--turns 200]` prints one JSON object.

A chat of so many turns is sent through the real proxy. A server keeps what it read last, so a request is read again from the first token that
differs: the model of that here is the common prefix of a request with the request before it and its reply. The same turns are counted
without memory, with the block where the proxy puts it by default (what is pinned before the history, the rest before the newest message),
with all of it before the newest message, and with all of it in the system text (`inject.position = "after_character"`).
"""

import argparse
import json
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx

from tests.bench.made_up import memory_file, sentences
from tests.endpoint import Endpoint
from tests.serve.houses import served
from tests.serve.proxy.upstreams import streams

MEMORIES, PINNED = 1_000, 8
CARD = "Write Cold's next reply in a fictional chat between Cold and Lin. " + " ".join(
    sentences(8, seed=99)
)
Messages = list[dict[str, Any]]
_TOKENS = re.compile(r"[一-鿿]|\w+|[^\w\s]|\s+")


def tokens(messages: Messages) -> list[str]:
    """A prompt as a model reads it: who speaks and the words, a Chinese character for a word."""
    return [
        token
        for one in messages
        for token in (f"<{one['role']}>", *_TOKENS.findall(one["content"]), "</>")
    ]


def common(one: Sequence[str], other: Sequence[str]) -> int:
    """How many tokens they share from the beginning."""
    return next(
        (at for at, (mine, its) in enumerate(zip(one, other, strict=False)) if mine != its),
        min(len(one), len(other)),
    )


def counted(requests: Sequence[Messages], replies: Sequence[str]) -> dict[str, float]:
    """What the server read again, and what it had kept in vain."""
    kept: list[str] = []
    read = lost = whole = had = 0
    for messages, reply in zip(requests, replies, strict=True):
        prompt = tokens(messages)
        shared = common(kept, prompt)
        whole, read = whole + len(prompt), read + len(prompt) - shared
        had, lost = had + len(kept), lost + len(kept) - shared
        kept = prompt + tokens([{"role": "assistant", "content": reply}])
    return {
        "invalidated_per_turn": round(lost / len(replies)),
        "prompt_tokens": whole,
        "read_anew": read,
        "read_anew_share": round(read / whole, 4),
        "invalidated": lost,
        "invalidated_share": round(lost / had, 4) if had else 0.0,
    }


def replayed(turns: int, **settings: Any) -> tuple[list[Messages], list[str]]:
    """Every request as it reached the model, and every reply."""
    asked, replies = sentences(turns, seed=5), sentences(turns, seed=6)
    messages: Messages = [{"role": "system", "content": CARD}]
    with (
        tempfile.TemporaryDirectory() as folder,
        Endpoint(streams("")) as model,
        served(Path(folder), {"serve.upstream": model.url, **settings}) as house,
    ):
        role = house.home.create("Cold")
        memory_file(role.folder / "memory.json", sentences(MEMORIES))
        role.remember_all({"content": one, "constant": True} for one in sentences(PINNED, seed=7))
        for text, reply in zip(asked, replies, strict=True):
            messages.append({"role": "user", "content": text})
            model.now(streams(reply))
            hint = {"role": "Cold", "user": "Lin", "chat": "long", "type": "normal"}
            body = {"model": "m", "stream": True, "messages": messages, "rolememory": hint}
            httpx.post(
                f"{house.url}/v1/chat/completions",
                json=body,
                timeout=30,
                trust_env=False,
                verify=False,
            ).raise_for_status()
            messages.append({"role": "assistant", "content": reply})
        return [request.json["messages"] for request in model.requests], replies


def is_block(message: dict[str, Any]) -> bool:
    """Whether a message is ours."""
    return message["content"].startswith("<rolememory>")


def plain(messages: Messages) -> Messages:
    """A request without memory."""
    return [one for one in messages if not is_block(one)]


def together(messages: Messages) -> Messages:
    """A request with all of its blocks before the newest message."""
    *before, newest = plain(messages)
    blocks = "\n\n".join(one["content"] for one in messages if is_block(one))
    return [*before, *([{"role": "system", "content": blocks}] if blocks else ()), newest]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--turns", type=int, default=200)
    turns = parser.parse_args().turns
    requests, replies = replayed(turns)
    in_system_text, _ = replayed(turns, **{"inject.position": "after_character"})
    blocks = ["".join(one["content"] for one in messages if is_block(one)) for messages in requests]
    told = [block for block in blocks if block]
    figures = {
        "turns": turns,
        "memories": MEMORIES,
        "pinned": PINNED,
        "turns_with_a_block": len(told),
        "characters_of_a_block": round(sum(map(len, told)) / len(told)) if told else 0,
        "without memory": counted([plain(one) for one in requests], replies),
        "in two parts, by default": counted(requests, replies),
        "all before the newest message": counted([together(one) for one in requests], replies),
        "all in the system text": counted(in_system_text, replies),
    }
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
