"""Whether what was said in long conversations is found again: heard through `observe`, asked through `recall`. One JSON object per file.

    python -m tests.bench.conversation FILE.json [...] [--long] [--words-only] [--limit N] [--roles N] [--keep FOLDER] [--set KEY=VALUE]

The memories of a set (format: `tests.bench.data_set`) are the lines of a talk of two people. Each entry of `roles` gets a home and a
role of its own: who speaks first is the user, the other one the character; each session is a chat, sent as a frontend sends it.
Then every question is asked in a new chat. Only the parts that users have play: no line is stored by hand.

    recall@10   share of gold lines among the first ten that a search without thresholds finds; what rests on the same line counts once
    injected    share of gold lines that the prompt holds under the default settings
    partly      ... or a sentence of them
    precision   share of injected lines that hold gold
    characters  of the block; `empty`: share of turns without one

Under `--long` every line stands in the middle of a reply of 2,000 characters of prose. Then a passage counts for a line only if it holds a
sentence of it, and a line is injected only if the block holds all of its sentences.
"""

import argparse
import json
import re
import statistics
import tempfile
import time
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from rolememory import Home, Memory, Message, RoleMemory
from rolememory.schema.memory import Evidence
from rolememory.text.embed.base import Embedder
from tests.bench.data_set import APART, NO_LIMITS, RANKED, messages, moment
from tests.bench.kept import kept_model
from tests.bench.prose import buried

WINDOW = 60  # messages that the frontend shows
EXCHANGE = 6  # messages at most between two calls of `observe`
PLACES = 10
LENGTH = 2000  # characters of a long reply
SAYS_SOMETHING = 8  # letters below which a sentence proves nothing
NO_MODEL = {"learn.extractor": "rules"}
WORDS_ALONE = {"embedding.backend": "off"}
_SENTENCE = re.compile(r"[^.!?。！？…\n\[\]]+")
_NO_LETTER = re.compile(r"[\W_]+")


# ── the talk ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Line:
    """One turn of the talk."""

    id: str
    text: str  # what the data set says
    said: str  # what is played
    by_user: bool
    session: str
    sent: datetime | None

    def message(self) -> Message:
        """As a frontend sends it."""
        make = Message.user if self.by_user else Message.assistant
        return make(self.said, sent=self.sent)


@dataclass(frozen=True, slots=True)
class Talk:
    """A role of a data set as a talk of two."""

    user: str
    character: str
    lines: Mapping[str, Line]

    @classmethod
    def of(cls, raw: Mapping[str, Any], long: bool = False) -> "Talk":
        """Who speaks first is the user; where nobody is named, the user says everything."""
        speakers = [name for one in raw["memories"] if (name := one.get("speaker"))]
        user, *others = dict.fromkeys([*speakers, raw.get("user") or "Lin"])
        character = next((name for name in others if name in speakers), str(raw["role"]))
        language = next((query["lang"] for query in raw["queries"] if query.get("lang")), "en")
        lines = [_line(one, user, character, language if long else None) for one in raw["memories"]]
        return cls(user, character, {one.id: one for one in lines})

    def chats(self) -> dict[str, list[Line]]:
        """The lines by session, in order."""
        found: dict[str, list[Line]] = defaultdict(list)
        for line in self.lines.values():
            found[line.session].append(line)
        return found

    @property
    def ended(self) -> datetime | None:
        """When the last line was said."""
        return max((line.sent for line in self.lines.values() if line.sent), default=None)


def _line(raw: Mapping[str, Any], user: str, character: str, long: str | None) -> Line:
    by_user, line_id, text = raw.get("speaker") in (user, None), str(raw["id"]), raw["text"]
    who, other = (user, character) if by_user else (character, user)
    said = buried(text, line_id, long, LENGTH, who, other) if long else text
    sent = datetime.fromisoformat(raw["timestamp"]) if raw.get("timestamp") else None
    return Line(line_id, text, said, by_user, f"session-{raw.get('session') or 0}", sent)


def exchanges(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """Parts of a chat that end with a reply, and are never long."""
    part: list[Line] = []
    for line in lines:
        part.append(line)
        if not line.by_user or len(part) == EXCHANGE:
            yield part
            part = []
    if part:
        yield part


def heard(role: RoleMemory, talk: Talk) -> "Heard":
    """Play all chats; which line each (chat, version) is."""
    versions: dict[tuple[str, str], list[str]] = {}
    for chat, lines in talk.chats().items():
        window: list[Message] = []
        alike: dict[tuple[bool, str], list[str]] = defaultdict(list)
        for line in lines:
            alike[line.by_user, line.said].append(line.id)
        for part in exchanges(lines):
            window = [*window, *(line.message() for line in part)][-WINDOW:]
            seen = role.observe(window, chat=chat, user=talk.user, now=part[-1].sent)
            for said in seen.entered:
                key = (said.role == "user", said.raw or said.text)
                versions[seen.chat, said.version] = alike.get(key) or _nearest(said.text, part)
    role.learned()
    return Heard(talk, versions)


def _nearest(text: str, part: Sequence[Line]) -> list[str]:
    """The line that holds a text that cleaning changed."""
    return [line.id for line in part if letters(text) in letters(line.said)]


# ── what a memory stands for ─────────────────────────────────────────────────────────────────────────────────────────


def letters(text: str) -> str:
    """A text as comparisons see it: letters and digits alone.

    >>> letters("Hey, Mel!  It's 5."), letters("灯塔，灭了。")
    ('heymelits5', '灯塔灭了')
    """
    return _NO_LETTER.sub("", unicodedata.normalize("NFKC", text).casefold())


def parts(text: str) -> list[str]:
    """The sentences of a text, as letters; those that say too little to prove anything are left out, unless all do.

    >>> parts("Wow! I sold the boat. [photo: a boat at sea]")
    ['isoldtheboat', 'photoaboatatsea']
    >>> parts("Wow!")
    ['wow']
    """
    found = [said for part in _SENTENCE.findall(text) if (said := letters(part))]
    return [said for said in found if _weight(said) >= SAYS_SOMETHING] or found


def _weight(said: str) -> int:
    return sum(3 if letter > "⺀" else 1 for letter in said)


def share(text: str, among: str) -> float:
    """How many of a text's sentences stand in another text.

    >>> share("I sold the boat. It was old and leaky.", '- Lin said: "… I sold the boat."')
    0.5
    """
    said, whole = parts(text), letters(among)
    return sum(part in whole for part in said) / len(said) if said else 0.0


@dataclass(frozen=True, slots=True)
class Heard:
    """A talk that was played, and what can be told from a memory about it."""

    talk: Talk
    versions: Mapping[tuple[str, str], Sequence[str]]

    def stands_for(self, memory: Memory, long: bool = False) -> set[str]:
        """The lines that a memory rests on: by its evidence; by its words where it has none, or where a message is long."""
        found = {line for one in _all(memory.evidence) for line in self._behind(one)}
        if not found and not memory.evidence:
            return {line.id for line in self.talk.lines.values() if _within(memory.content, line)}
        if not long:
            return found
        words = "\n".join([memory.content, *(one.quote for one in _all(memory.evidence))])
        return {line for line in found if self._holds(words, self.talk.lines[line])}

    def _behind(self, one: Evidence) -> Iterator[str]:
        for version in one.version.split("+"):
            yield from self.versions.get((one.chat, version), ())

    @staticmethod
    def _holds(words: str, line: Line) -> bool:
        """Whether it holds a sentence of the line; or is a piece of it, where the line has been cut or told in other words."""
        pieces = (letters(piece) for piece in words.split("\n"))
        whole = letters(line.text)
        return share(line.text, words) > 0.0 or any(
            piece in whole for piece in pieces if _weight(piece) >= SAYS_SOMETHING
        )


def _all(evidence: Iterable[Evidence]) -> Iterator[Evidence]:
    for one in evidence:
        yield one
        yield from _all(one.also)


def _within(content: str, line: Line) -> bool:
    whole, said = letters(content), letters(line.said)
    return _weight(whole) >= SAYS_SOMETHING and (whole in said or letters(line.text) in whole)


# ── the measures ─────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(slots=True)
class Asked:
    """What one question gave."""

    category: str
    recalled: float  # share of gold among the first ten
    injected: float
    partly: float
    lines: int  # in the prompt
    right: int  # ... that hold gold
    characters: int


def first_places(found: Iterable[set[str]], gold: set[str], places: int = PLACES) -> float:
    """Share of gold that the first so many hold; one that brings nothing new takes no place.

    >>> first_places([{"a"}, {"a"}, {"x"}, {"b"}], {"a", "b"}, places=2), first_places([{"x"}], {"a"})
    (0.5, 0.0)
    """
    seen: set[str] = set()
    for stands in found:
        if stands - seen:
            places -= 1
            seen |= stands
        if not places:
            break
    return len(gold & seen) / len(gold)


def asked(role: RoleMemory, heard: Heard, query: Mapping[str, Any], long: bool) -> Asked:
    """Ask one question in a new chat."""
    gold = {one for one in map(str, query["gold"]) if one in heard.talk.lines}
    now = moment(query) or (heard.talk.ended and heard.talk.ended + timedelta(days=1))
    turn = role.recall(
        messages(query),
        chat=f"asking-{query['id']}",
        user=heard.talk.user,
        now=now,
        dry_run=True,
    )
    stand = [heard.stands_for(one.memory, long) for one in turn.recalled]
    shown = {one: share(heard.talk.lines[one].text, turn.text) for one in gold}
    whole = {one for one in gold if shown[one] == 1.0}
    injected = whole if long else whole | {one for lines in stand for one in lines & gold}
    partly = injected | {one for one in gold if shown[one] > 0.0}
    return Asked(
        category=query.get("category") or "",
        recalled=first_places(_ranked(role, heard, query, now, long), gold),
        injected=len(injected) / len(gold),
        partly=len(partly) / len(gold),
        lines=len(stand),
        right=sum(bool(lines & gold) for lines in stand),
        characters=len(turn.text),
    )


def _ranked(
    role: RoleMemory, heard: Heard, query: Mapping[str, Any], now: datetime | None, long: bool
) -> Iterator[set[str]]:
    """What stands in the order of the score, without thresholds and budget."""
    if query.get("history"):
        turn = role.recall(
            messages(query),
            chat=f"asking-{query['id']}",
            user=heard.talk.user,
            now=now,
            dry_run=True,
            settings=NO_LIMITS,
        )
        found = sorted((one.scored for one in turn.recalled), key=lambda one: -one.score)
    else:
        found = role.search(query["text"], limit=RANKED, user=heard.talk.user, now=now)
    for one in found:
        yield heard.stands_for(one.memory, long) or {_nothing(one.memory)}


def _nothing(memory: Memory) -> str:
    """The place of what stands for no line: one for each message."""
    return f"beside {[(one.chat, one.version) for one in memory.evidence] or memory.id}"


def judged(raw: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The questions that count."""
    known = {str(one["id"]) for one in raw["memories"]}
    return [
        query
        for query in raw["queries"]
        if known & set(map(str, query["gold"])) and query.get("category") != APART
    ]


def sample(roles: Sequence[Mapping[str, Any]], most: int | None) -> list[list[Mapping[str, Any]]]:
    """The questions of each role: all, or so many in fair shares of roles and categories."""
    wanted = [
        (number, query)
        for number, raw in enumerate(roles)
        for query in sorted(judged(raw), key=lambda query: query.get("category") or "")
    ]
    if most is not None and most < len(wanted):
        wanted = [wanted[at * len(wanted) // most] for at in range(most)]
    return [[query for of, query in wanted if of == number] for number in range(len(roles))]


@dataclass(slots=True)
class Report:
    """All answers of a file, and what was heard for them."""

    answers: list[Asked] = field(default_factory=list)
    turns: int = 0
    memories: int = 0
    model: str = ""
    hearing_s: float = 0.0

    def figures(self) -> dict[str, Any]:
        """The measures."""
        answers, lines = self.answers, sum(one.lines for one in self.answers)
        characters = [one.characters for one in answers]
        categories = sorted({one.category for one in answers if one.category})
        return {
            "queries": len(answers),
            **_means(answers),
            "precision": round(sum(one.right for one in answers) / lines, 4) if lines else None,
            "lines": round(lines / len(answers), 2),
            "characters": {
                "median": statistics.median(characters),
                "mean": round(statistics.mean(characters), 1),
            },
            "empty": round(sum(not one for one in characters) / len(answers), 4),
            "categories": {
                name: _means([one for one in answers if one.category == name])
                for name in categories
            },
        }


def _means(answers: Sequence[Asked]) -> dict[str, float]:
    named = {"recall@10": "recalled", "injected": "injected", "partly": "partly"}
    return {
        name: round(statistics.mean(getattr(one, attribute) for one in answers), 4)
        for name, attribute in named.items()
    }


def run(
    file: Path,
    *,
    long: bool = False,
    embedder: Embedder | None = None,
    limit: int | None = None,
    most_roles: int | None = None,
    changed: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """All measures of one file; without an embedder by words alone. `changed`: settings other than the default ones."""
    own = {**NO_MODEL, **({} if embedder else WORDS_ALONE), **(changed or {})}
    roles = json.loads(file.read_text(encoding="utf-8"))["roles"][:most_roles]
    report = Report()
    for raw, queries in zip(roles, sample(roles, limit), strict=True):
        if queries:
            _of_role(raw, queries, long, (own, embedder), report)
    settings = {"long": long, "limit": limit, "roles": len(roles), "model": report.model}
    settings |= {"set": dict(changed)} if changed else {}
    settings |= {"turns": report.turns, "memories": report.memories}
    return {
        "file": file.name,
        **report.figures(),
        "settings": settings | {"hearing_s": round(report.hearing_s, 1)},
    }


def _of_role(
    raw: Mapping[str, Any],
    queries: Sequence[Mapping[str, Any]],
    long: bool,
    opened: tuple[Mapping[str, Any], Embedder | None],
    report: Report,
) -> None:
    talk = Talk.of(raw, long)
    with tempfile.TemporaryDirectory() as scratch, Home.open(scratch, *opened) as home:
        role, began = home.create(talk.character), time.perf_counter()
        played = heard(role, talk)
        role.ready(3600.0)
        report.hearing_s += time.perf_counter() - began
        report.answers += [asked(role, played, query, long) for query in queries]
        report.turns, report.memories = (
            report.turns + len(talk.lines),
            report.memories + len(role.memories),
        )
        report.model = home.loader.state


def setting(told: str) -> tuple[str, Any]:
    """A setting from the command line: a number, true, a list as JSON; else a word.

    >>> setting("recall.max_items=3"), setting("recall.passages.recall=all")
    (('recall.max_items', 3), ('recall.passages.recall', 'all'))
    """
    key, _, value = told.partition("=")
    try:
        return key, json.loads(value)
    except json.JSONDecodeError:
        return key, value


def main() -> None:
    """Print the measures of each file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--long", action="store_true", help="every line inside a long reply")
    parser.add_argument("--words-only", action="store_true", help="without an embedding model")
    parser.add_argument("--limit", type=int, help="so many questions, in fair shares")
    parser.add_argument("--roles", type=int, help="only so many roles of each file")
    parser.add_argument("--keep", type=Path, help="a folder for vectors between runs")
    parser.add_argument("--set", action="append", default=[], help="a setting: KEY=VALUE")
    given = parser.parse_args()
    changed = dict(map(setting, given.set))
    for file in given.files:
        with kept_model(None if given.words_only else given.keep, given.words_only) as embedder:
            report = run(
                file,
                long=given.long,
                embedder=embedder,
                limit=given.limit,
                most_roles=given.roles,
                changed=changed,
            )
        print(json.dumps(report, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
