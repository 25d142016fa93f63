"""Whether a model that repeats what it sees is led in circles. Prints one JSON object for each language.

    python -m tests.bench.parrot [--turns 500] [--closed 2000] [--language en|zh] [--set KEY=VALUE]

A scripted character answers with new prose, and after it with every line of its own that stands in our block. The same chat is played with
memory off: how many different runs of four words (eight characters) its replies have of all they have is compared. The user tells things,
asks for them later, and makes small talk. Words alone: no embedding model.

    distinct  share of different runs among all, with memory as a part of that without
    unasked   turns of a hundred without a question in which a line of the character's own stands in the block
    asked     ... with a question

Then the loop is closed: the reply is what the block shows and nothing else. Every quarter of the way the same questions are asked aside.

    weight    the heaviest of ten memories that were written by hand, with what use adds
    score     mean of the best line's
    block     mean length in characters
    copies    most lines of one block that say the same
"""

import argparse
import json
import random
import re
import statistics
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from rolememory import Home, Message, RoleMemory
from rolememory.recall.allowance import asks
from rolememory.recall.turn import Turn
from rolememory.schema.passage import Passage
from tests.bench.conversation import NO_MODEL, WORDS_ALONE, letters, setting
from tests.bench.hidden import facts, named, to_the_character
from tests.bench.prose import JOIN, LANGUAGES, SMALL_TALK, prose

WINDOW = 24  # messages that the frontend shows
IDLE: Mapping[str, tuple[str, ...]] = {
    "en": (
        "I am back from {town}, and my boots are soaked.",
        "Somebody left a {thing} on the doorstep this morning.",
        "My {kin} sends you greetings.",
        "I could do with a bowl of {food} now.",
        "They are mending the roof of the {shop} again.",
        "It will be {feast} before we know it.",
        "My {limb} hurts when the weather turns.",
        "I saw {who} in the street, we only waved.",
        "The children next door are chasing the {animal}.",
        "I should like to try {skill} one day.",
    ),
    "zh": (
        "我刚从{town}回来，靴子全湿了。",
        "今早有人在门口放了一个{thing}。",
        "我{kin}问你好。",
        "现在真想吃一碗{food}。",
        "他们又在修{shop}的屋顶。",
        "一转眼就要到{feast}了。",
        "一变天，我的{limb}就疼。",
        "我在街上看见{who}了，只挥了挥手。",
        "隔壁的孩子在追{animal}。",
        "哪天我也想学学{skill}。",
    ),
}
"""Talk that names what was told of, and asks nothing."""
RUN = {"en": 4, "zh": 8}
_WORD = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+")
Answer = Callable[[Turn, str], str]
"""What the character answers: from the turn, and the prose that it would say by itself."""


def parrot(turn: Turn, own: str) -> str:
    """Its own prose, and every line of its own in the block."""
    return "\n\n".join([own, *(one.content for one in own_lines(turn))])


def closed(turn: Turn, own: str) -> str:
    """What it was shown, else its own prose."""
    return "\n\n".join(one.memory.content for one in turn.recalled) or own


def own_lines(turn: Turn) -> list[Passage]:
    """What the character said itself, as far as it stands in the block."""
    told = [one.memory for one in turn.recalled]
    return [one for one in told if isinstance(one, Passage) and one.role == "assistant"]


def talk(language: str, seed: int) -> Iterator[tuple[str, str]]:
    """What the user says and what the character would answer by itself, without end."""
    chance = random.Random(seed)
    source, before = facts(chance, language), list[str]()
    for number in count():
        small, own = chance.choice(SMALL_TALK[language]), prose(chance, language, 200)
        kind = number % 4
        if kind == 0:
            fact, asked = next(source)
            before.append(asked)
            said = f"{small}{JOIN[language]}{fact}"
        elif kind == 1 and len(before) > 10:
            said = chance.choice(before)
        elif kind == 2:
            fact, asked = next(source)
            before.append(to_the_character(asked, language))
            said, own = small, f"{own}{JOIN[language]}{fact}"
        else:
            said = chance.choice(IDLE[language]).format(**named(chance, language))
        yield said, own


def played(
    role: RoleMemory, language: str, turns: int, answer: Answer
) -> Iterator[tuple[str, Turn, str]]:
    """What was said, recalled and answered, turn by turn."""
    window: list[Message] = []
    for number, (said, own) in enumerate(talk(language, 7)):
        if number == turns:
            return
        window = [*window, Message.user(said)][-WINDOW:]
        turn = role.recall(window, chat="loop", user="Lin")
        reply = answer(turn, own)
        role.observe(window, reply, chat="loop", user="Lin")
        window.append(Message.assistant(reply))
        yield said, turn, reply


def distinct(replies: Sequence[str], language: str) -> float:
    """How many of all runs of so many words are different ones, as a share.

    >>> distinct(["a b c d e", "a b c d f"], "en")
    0.75
    """
    found: Counter[tuple[str, ...]] = Counter()
    for reply in replies:
        words = _WORD.findall(reply.casefold())
        found.update(zip(*(words[at:] for at in range(RUN[language])), strict=False))
    return len(found) / max(found.total(), 1)


def open_loop(language: str, turns: int, changed: Mapping[str, Any]) -> dict[str, Any]:
    """The figures of a parrot."""
    told: dict[str, list[tuple[str, Turn, str]]] = {}
    for name, own in (("on", {}), ("off", {"recall.enabled": False})):
        with tempfile.TemporaryDirectory() as folder, a_home(folder, {**changed, **own}) as home:
            told[name] = list(played(home.create("Mira"), language, turns, parrot))
    shares = {name: distinct([reply for *_, reply in told[name]], language) for name in told}
    asked = [(asks(said), bool(own_lines(turn))) for said, turn, _ in told["on"]]
    return {
        "turns": turns,
        "distinct": round(shares["on"] / shares["off"], 4),
        "unasked": per_hundred([own for question, own in asked if not question]),
        "asked": per_hundred([own for question, own in asked if question]),
        "characters": statistics.median(len(turn.text) for _, turn, _ in told["on"]),
    }


def per_hundred(some: Sequence[bool]) -> float:
    """How many of a hundred are true."""
    return round(100.0 * sum(some) / max(len(some), 1), 2)


def closed_loop(language: str, turns: int, changed: Mapping[str, Any]) -> dict[str, Any]:
    """What grows of a quarter of the turns to all of them."""
    chance, samples = random.Random(3), list[dict[str, Any]]()
    written = [next(facts(chance, language)) for _ in range(10)]
    with tempfile.TemporaryDirectory() as folder, a_home(folder, changed) as home:
        role = home.create("Mira")
        for fact, _ in written:
            role.remember(fact, source="user_input")
        questions = [asked for _, asked in written]
        probes = [
            asked for asked, _ in zip(map(_question, talk(language, 7)), range(60), strict=False)
        ]
        questions += [asked for asked in probes if asked][:10]
        for number, _ in enumerate(played(role, language, turns, closed), 1):
            if number % max(turns // 4, 1) == 0:
                samples.append({"turns": number, **aside(role, questions)})
    return {"turns": turns, "samples": samples}


def _question(turn: tuple[str, str]) -> str:
    return turn[0] if asks(turn[0]) else ""


def aside(role: RoleMemory, questions: Sequence[str]) -> dict[str, Any]:
    """What the same questions get now, in a new chat."""
    turns = [role.recall(one, chat="aside", user="Lin", dry_run=True) for one in questions]
    texts = [Counter(letters(one.memory.content) for one in turn.recalled) for turn in turns]
    best = [turn.recalled[0].score for turn in turns if turn.recalled]
    return {
        "weight": round(max(role.weight(one) for one in role.memories), 3),
        "salience": round(max(one.salience for one in role.memories.values()), 3),
        "memories": len(role.memories),
        "score": round(statistics.mean(best), 3) if best else 0.0,
        "block": round(statistics.mean(len(turn.text) for turn in turns), 1),
        "copies": max((most for text in texts for _, most in text.most_common(1)), default=0),
    }


def a_home(folder: str | Path, changed: Mapping[str, Any]) -> Home:
    """A home without any model."""
    return Home.open(folder, {**NO_MODEL, **WORDS_ALONE, **changed})


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--turns", type=int, default=500)
    parser.add_argument("--closed", type=int, default=2_000)
    parser.add_argument("--language", choices=LANGUAGES)
    parser.add_argument("--set", action="append", default=[], type=setting, metavar="KEY=VALUE")
    given = parser.parse_args()
    for language in [given.language] if given.language else LANGUAGES:
        changed = dict(given.set)
        found: dict[str, Any] = {"language": language}
        if given.turns:
            found |= open_loop(language, given.turns, changed)
        if given.closed:
            found |= {"closed": closed_loop(language, given.closed, changed)}
        print(json.dumps(found, ensure_ascii=False, indent=1), flush=True)


if __name__ == "__main__":
    main()
