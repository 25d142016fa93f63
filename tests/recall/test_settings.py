"""Each setting of recall does what its row in docs/en/settings.md says: with it the next turn holds something else."""

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import pytest

from rolememory import Home, Message, RoleMemory
from rolememory.recall.turn import Turn
from rolememory.schema.evidence import Hit, Reason
from rolememory.schema.scene import Scene
from rolememory.triggers.base import TRIGGERS

NOW = "2026-05-01T12:00:00Z"
KEYS: dict[str, Any] = {"triggers.semantic.enabled": False, "triggers.emotional.enabled": False}
"""Keys alone."""
WORDS: dict[str, Any] = {"triggers.keyword.enabled": False}
KEYLESS: dict[str, Any] = WORDS | {"triggers.semantic.enabled": False}
WALL: dict[str, Any] = {"triggers.recency.clock": "wall"}
SLOW: dict[str, Any] = WALL | {"triggers.recency.half_life_days": 300.0}
HYBRID: dict[str, Any] = {"recall.mode": "hybrid"}
BY_WORD: dict[str, Any] = {"recall.long_term_trigger": "keywords"}
REPEATED: dict[str, Any] = {"recall.skip_visible": False}
ONE: dict[str, Any] = {"recall.max_items": 1}
FAINT: dict[str, Any] = KEYS | {"recall.relevance_threshold": 0.59}
ALL: dict[str, Any] = WORDS | {"recall.relevance_threshold": 0.0}
FUZZY: dict[str, Any] = {"triggers.keyword.fuzzy": True}
SHORT_TURN: dict[str, Any] = {"triggers.pattern.turn_budget_ms": 60}
TOKENS: dict[str, Any] = {"budget.unit": "tokens", "budget.max_total_length": 130}
LEARNED, BOTH = {"source": "user_input"}, ["beacon", "tea"]
BEACON = {"id": "beacon", "content": "The beacon burns whale oil.", "keys": ["beacon"]}
TEA = {"id": "tea", "content": "Honey tea keeps her awake.", "keys": ["tea"]}
LIKE_TEA = "Honey tea keeps the old sailor awake."
OLD_TEA, FRESH_TEA = (
    TEA | LEARNED | {"created": "2025-05-01"},
    TEA | {"created": "2026-05-01T11:59:30Z"},
)
BREAD, RIVALS = TEA | {"content": "Bread."}, (BEACON | {"priority": 52}, TEA)
FOND = TEA | {"id": "fond", "content": "Fond of tea.", "type": "trait"}
GRIEF = {
    "id": "grief",
    "content": "He buried a brother.",
    "keys": ["keeper"],
    "emotions": ["grief"],
}
JOY = {"id": "joy", "content": "He danced all night.", "keys": ["keeper"], "emotions": ["joy"]}
ROSE = {"id": "rose", "content": "Her sister.", "keys": ["Rose", "龙", "lighthouse"]}
PATTERN = {"id": "pattern", "content": "Bread.", "keys": ["/te+a/"]}
NEVER_END = [{"content": f"{n}.", "keys": [rf"/(?=(a+)+b\d{{{n}}})a/"]} for n in range(1, 9)]
LONG = f"The tea, {'a' * 4000}b!"
DATED = {"id": "dated", "content": "Bread.", "created": "2026-04-19"}
SUMMER = DATED | {"created": "2026-01-15"}
OSRIC = (
    {"id": "birthday", "content": "Osric's birthday is on Sunday."},
    {"id": "hobby", "content": "Osric collects old sea charts."},
)
FINCH = (
    ("user", "The smuggler Jory Finch planted the seal."),
    ("assistant", "Keep the name of Finch to yourself."),
    ("user", "Jory Finch sleeps at the mill."),
    ("assistant", "Finch owes the mill three barrels."),
    ("user", "Old Bettany keeps ginger in the galley."),
    ("user", "Finch rides a grey mare."),
)
MOVED = (("user", "I live in Rome."), ("assistant", "Oh."), ("user", "I moved to Paris last week."))
NAMES, SOLE, TALK = ("The beacon and the tea.",), ("The tea.",), ("Finch is at the mill again.",)
LATER, HEARD = ("The tea.", "Hm.", "Well then."), ("Hello.", "Hm.", "The tea.")
AGAIN = (*TALK, "Hm.", "Hello there.", "Hm.", "Finch is at the mill, I say.")
AND_THEN = (*TALK, "Hm.", "What do you think of Finch?")
GRIEVING, MISTYPED = ("I am so terribly sad, I weep with grief!",), ("The lighthuose.",)
SAD, REMEMBER = (
    ("I weep for my dead sister, so sad.", "Hm.", "The keeper."),
    "Do you remember the honey tea?",
)
TWO_STEPS = "What is the hobby of the one whose birthday is on Sunday?"


def ids(turn: Turn) -> Any:
    return sorted(one.memory.id for one in turn.recalled)


def first(turn: Turn) -> Any:
    return turn.recalled[0].memory.id


def count(turn: Turn) -> Any:
    return len(turn.recalled)


def parts(turn: Turn) -> Any:
    return [[round(part.amount, 3) for part in one.scored.contributions] for one in turn.recalled]


def own(turn: Turn) -> Any:
    return sum(getattr(one.memory, "role", "") == "assistant" for one in turn.recalled)


def block(turn: Turn) -> Any:
    """Where it stands, and in whose voice."""
    return [(at, one.role) for at, one in enumerate(turn.messages) if "<role" in one.content]


def holds(words: str) -> Callable[[Turn], Any]:
    return lambda turn: words in turn.text


def says_something(turn: Turn) -> Any:
    return len(turn.messages) > 1


@dataclass(frozen=True)
class Row:
    """A setting, what is seen without it and with it, and the turn on which it is."""

    key: str
    value: Any
    usual: Any
    then: Any
    memories: Sequence[dict[str, Any]] = (BEACON, TEA)
    ask: Sequence[str] = NAMES  # the user's and the character's in turn, the newest the user's
    see: Callable[[Turn], Any] = ids
    beside: dict[str, Any] = field(default_factory=dict)  # settings that hold both times
    before: Sequence[Sequence[str]] = ()  # what was asked before, likewise
    told: Sequence[tuple[str, str]] = ()  # what was said in another chat: by whom, what
    by: str = "lin"  # the user who said it


def rows(*settings: tuple[str, Any, Any, Any], **turn: Any) -> Iterator[Row]:
    """Rows of the same turn."""
    return (Row(*one, **turn) for one in settings)


STRATEGIES = {
    "constant": ({"id": "one", "content": "Bread.", "constant": True}, "Hm, well."),
    "keyword": (TEA | {"content": "Bread."}, "The tea."),
    "pattern": (PATTERN, "The tea."),
    "semantic": (BEACON | {"keys": []}, "The whale oil."),
    "dates": (DATED, "What about 19 April 2026?"),
    "emotional": (GRIEF | {"triggers": ["emotional"]}, "I am so terribly sad, I weep with grief!"),
}
PER_TYPE = {"episodic": "episodic", "semantic": "semantic", "trait": "traits", "goal": "goals"}
ROWS = (
    *rows(
        ("recall.enabled", False, BOTH, []),
        ("recall.auto", False, BOTH, []),
        ("recall.relevance_threshold", 0.95, BOTH, []),
        ("recall.first_round_empty", True, BOTH, []),
        ("recall.min_query_length", 30, BOTH, []),
        ("recall.long_term_trigger", "keywords", BOTH, []),
    ),
    *rows(
        ("recall.max_items", 1, 2, 1),
        ("recall.enough", 0.3, 2, 1),
        ("recall.candidates", 1, 2, 1),
        memories=[BEACON | LEARNED, TEA | LEARNED],
        see=count,
        beside=WORDS,
    ),
    *rows(
        ("recall.tags", ["sea"], BOTH, ["tea"]),
        ("recall.exclude_tags", ["sea"], BOTH, ["beacon"]),
        ("recall.sources", ["user_input"], BOTH, ["tea"]),
        ("recall.sources", ["user_input", "ai_output"], BOTH, ["raw", "tea"]),
        memories=[
            BEACON,
            TEA | LEARNED | {"tags": ["sea"]},
            BEACON | {"id": "raw", "source": "ai_output"},
        ],
    ),
    Row("recall.long_term_keywords", ["tea"], [], ["tea"], ask=SOLE, beside=BY_WORD),
    Row("recall.scan_depth", 1, BOTH, ["tea"], ask=("The beacon.", "Hm.", "The tea."), beside=KEYS),
    Row("recall.echo_window_s", 60.0, ["tea"], [], [FRESH_TEA], (TEA["content"],), beside=REPEATED),
    Row("recall.skip_visible", False, [], ["tea"], ask=(TEA["content"], "Hm.", "The tea.")),
    Row("recall.near_duplicate", 0.5, 2, 1, [TEA, {"content": LIKE_TEA}], SOLE, count),
    Row("recall.near_duplicate", 0.5, 1, 0, [TEA], (LIKE_TEA, "Hm.", "The tea."), count),
    Row("recall.keep_margin", 0.0, "tea", "beacon", RIVALS, NAMES, first, ONE, [SOLE]),
    Row("recall.keep_margin", 0.2, [], ["tea"], [BREAD], LATER, ids, FAINT, [SOLE]),
    Row("recall.fusion", "multiply", [[-0.183]], [[-0.915]], [OLD_TEA], SOLE, parts, WALL),
    Row("recall.mode", "hybrid", BOTH, ["tea"], ask=("The honey tea, the beacon.",)),
    Row("recall.high_relevance_threshold", 0.95, ["tea"], [], [TEA], SOLE, beside=HYBRID),
    Row("recall.past_threshold", 0.99, ["tea"], [], [TEA], (REMEMBER,), beside=HYBRID),
    *(
        Row(f"{key}.{name}", 1, 2, left, [BEACON | {"type": kind}, TEA | {"type": kind}], see=count)
        for key, left in (("recall.max_per_type", 1), ("budget.per_type", 0))
        for kind, name in PER_TYPE.items()
    ),
    *rows(
        ("recall.passages.recall", "none", 4, 0),
        ("recall.passages.uninvited", 1, 4, 1),
        ("recall.passages.uninvited_length", 50, 4, 1),
        ("recall.passages.uninvited_threshold", 0.999, 4, 0),
        memories=(),
        told=FINCH,
        ask=TALK,
        see=count,
    ),
    *rows(
        ("recall.passages.recall", "user", 1, 0),
        ("recall.passages.uninvited_own", 0, 1, 0),
        memories=(),
        told=FINCH,
        ask=TALK,
        see=own,
    ),
    Row("chats.stories", "each", 4, 0, (), TALK, count, told=FINCH),
    Row("recall.passages.rest", 0, 1, 2, (), AGAIN, count, {}, (TALK, AGAIN[:3]), FINCH),
    Row("recall.passages.asked_threshold", 1.0, 6, 5, (), AND_THEN, count, told=FINCH),
    Row("recall.passages.continued_share", 0.0, 6, 0, (), AND_THEN, count, told=FINCH),
    Row("recall.passages.speaker_share", 0.01, 4, 1, (), TALK, count, told=FINCH, by="bob"),
    *(
        Row(f"triggers.{name}.{key}", value, 1, 0, [one], (ask,), count)
        for name, (one, ask) in STRATEGIES.items()
        for key, value in (("enabled", False), ("activates", False), ("weight", 0.1))
        if (name, key) != ("emotional", "weight")
    ),
    *rows(
        ("triggers.recency.enabled", False, [[-0.183]], [[]]),
        ("triggers.recency.weight", 0.3, [[-0.183]], [[-0.229]]),
        ("triggers.recency.half_life_days", 300.0, [[-0.183]], [[-0.104]]),
        ("triggers.recency.clock", "turns", [[-0.183]], [[-0.001]]),
        memories=[OLD_TEA],
        ask=SOLE,
        see=parts,
        beside=WALL,
    ),
    Row(
        "triggers.recency.curve",
        "exponential",
        [[-0.104]],
        [[-0.129]],
        [OLD_TEA],
        SOLE,
        parts,
        SLOW,
    ),
    Row(
        "triggers.recency.questions",
        1.0,
        [[]],
        [[-0.183]],
        [OLD_TEA],
        ("Where is the honey tea?",),
        parts,
        WALL,
    ),
    Row(
        "triggers.recency.half_life_turns",
        1.0,
        [[-0.001]],
        [[-0.137]],
        [OLD_TEA],
        SOLE,
        parts,
        before=[SOLE],
    ),
    Row(
        "triggers.recency.spares_lasting",
        False,
        [[]],
        [[-0.183]],
        [OLD_TEA | {"source": "manual"}],
        SOLE,
        parts,
        WALL,
    ),
    *rows(
        ("triggers.emotional.weight", 0.3, [[0.025], [-0.017]], [[0.038], [-0.026]]),
        ("triggers.emotional.mood", "off", [[0.025], [-0.017]], [[], []]),
        ("triggers.emotional.half_life_messages", 0.1, [[0.025], [-0.017]], [[], []]),
        memories=[GRIEF, JOY],
        ask=SAD,
        see=parts,
    ),
    Row("triggers.emotional.mood", "contrast", "grief", "joy", [GRIEF, JOY], SAD, first),
    *rows(
        ("triggers.emotional.wakes", False, 1, 0),
        ("triggers.emotional.wake_intensity", 1.0, 1, 0),
        memories=[GRIEF],
        ask=GRIEVING,
        see=count,
        beside=KEYLESS,
    ),
    Row("triggers.keyword.whole_words", False, 0, 1, [ROSE], ("The roses.",), count, KEYS),
    Row("triggers.keyword.cjk_words", True, 1, 0, [ROSE], ("恐龙化石",), count, KEYS),
    Row("triggers.keyword.case_sensitive", True, 1, 0, [ROSE], ("A rose.",), count, KEYS),
    Row("triggers.keyword.fuzzy", True, 0, 1, [ROSE], MISTYPED, count, KEYS),
    Row("triggers.keyword.fuzzy_cutoff", 99.0, 1, 0, [ROSE], MISTYPED, count, KEYS | FUZZY),
    Row("triggers.pattern.turn_budget_ms", 0.1, 1, 0, [PATTERN], SOLE, count),
    Row("triggers.pattern.timeout_ms", 1, 0, 1, [*NEVER_END, PATTERN], (LONG,), count, SHORT_TURN),
    Row(
        "triggers.semantic.words", False, 1, 0, [BEACON | {"keys": []}], ("The whale oil.",), count
    ),
    Row(
        "triggers.semantic.measure",
        "similarity",
        ["beacon"],
        BOTH,
        ask=("Which oil is in the lamp at the gate?",),
        beside=ALL,
    ),
    Row(
        "triggers.semantic.context",
        0.0,
        ["beacon"],
        [],
        ask=("The beacon burns oil, of whales.", "Yes.", "And then?"),
        beside=WORDS | REPEATED,
    ),
    Row(
        "triggers.semantic.neighbours", 0.0, 2, 1, (), ("Who planted the seal?",), count, told=FINCH
    ),
    Row("triggers.semantic.bridge", 0.0, 2, 1, OSRIC, (TWO_STEPS,), count),
    Row("triggers.semantic.later", 0.0, 2, 1, (), ("Where do I live?",), count, told=MOVED),
    Row(
        "triggers.dates.first_day_of_week", "sunday", 0, 1, [DATED], ("What was last week?",), count
    ),
    Row(
        "triggers.dates.hemisphere", "south", 0, 1, [SUMMER], ("What was last summer?",), count, ALL
    ),
    *(
        Row(f"weigh.{key}", 0.1, [[0.046]], [[0.083]], [TEA | {key: most}], SOLE, parts)
        for key, most in (("weight", 2.0), ("salience", 1.0), ("priority", 100))
    ),
    Row("budget.max_total_length", 330, 2, 1, [TEA, FOND], SOLE, count),
    Row("budget.unit", "tokens", 0, 2, [TEA, FOND], SOLE, count, {"budget.max_total_length": 130}),
    Row("lengths.safety", 2.0, 2, 0, [TEA, FOND], SOLE, count, TOKENS),
    *rows(
        ("inject.position", "assistant", [(2, "system")], [(0, "assistant")]),
        ("inject.depth", 0, [(2, "system")], [(3, "system")]),
        ("inject.depth_role", "assistant", [(2, "system")], [(2, "assistant")]),
        ask=HEARD,
        see=block,
    ),
    Row("inject.template", "Once: {{ memories }}", False, True, see=holds("Once: - ")),
    Row("inject.template", "anh", False, True, see=holds("## Role memory")),
    Row("inject.language", "zh", False, True, see=holds("的过往。背景参考")),
    Row("inject.separate_by_type", False, True, False, see=holds("## What has happened")),
    Row("inject.heading", "Once upon a time", False, True, see=holds("Once upon a time")),
    Row("inject.show_dates", False, True, False, [OLD_TEA], SOLE, holds("[2025-05-01]")),
    Row("inject.scene_dates", True, False, True, (), TALK, holds("chat, 20"), told=FINCH),
    Row(
        "inject.untold", False, True, False, ask=("Do you remember my uncle?",), see=says_something
    ),
    *rows(
        ("clean.enabled", False, ["tea"], BOTH),
        ("clean.rules", ["html"], ["tea"], BOTH),
        ask=("<think>the beacon</think> The tea.",),
    ),
)


def chat(said: Sequence[str]) -> list[Message]:
    roles: list[Literal["user", "assistant"]] = ["assistant", "user"]
    turns = [roles[(len(said) - place) % 2] for place in range(len(said))]
    return [Message(role=role, content=one) for role, one in zip(turns, said, strict=True)]


def seen(role: RoleMemory, row: Row, name: str) -> Any:
    """What is seen on a turn of a new chat of that name."""
    for said in row.before:
        role.recall(chat(said), chat=name, user="lin", now=NOW)
    return row.see(role.recall(chat(row.ask), chat=name, user="lin", now=NOW))


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    quiet = {"embedding.backend": "off", "learn.enabled": False}
    with Home.open(tmp_path_factory.mktemp("home"), quiet) as opened:
        yield opened


def put(home: Home, settings: dict[str, Any]) -> None:
    lines = [f"{key} = {json.dumps(value)}\n" for key, value in settings.items()]
    (home.path / "rolememory.toml").write_text("".join(lines), "utf-8")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.key} = {row.value}")
def test_a_setting_decides_what_the_next_turn_holds(home: Home, row: Row) -> None:
    said = [Message(role=who, content=words) for who, words in row.told]  # type: ignore[arg-type]
    put(home, row.beside)
    role = home.create(f"Mira {len(home.roles())}")
    role.remember_all([{"created": None} | one for one in row.memories])
    role.observe(said, chat="before", user=row.by, present=("lin", row.by))
    assert seen(role, row, "one") == row.usual
    put(home, row.beside | {row.key: row.value})
    assert seen(role, row, "two") == row.then


class Tarot:
    """A strategy of another package: it wakes everything."""

    name: ClassVar[str] = "tarot"
    activates: ClassVar[bool] = True

    def fire(self, scene: Scene, among: Collection[str]) -> Iterator[Hit]:
        return (Hit(one, self.name, 0.8, Reason("card")) for one in among)


@pytest.mark.parametrize(
    ("key", "value"), [("enabled", False), ("weight", 0.1), ("activates", False)]
)
def test_so_does_one_of_another_packages_strategy(
    home: Home, monkeypatch: pytest.MonkeyPatch, key: str, value: Any
) -> None:
    monkeypatch.setitem(TRIGGERS, Tarot.name, lambda entries, parts: Tarot())
    bread = [{"content": "Bread."}]
    test_a_setting_decides_what_the_next_turn_holds(
        home, Row(f"triggers.others.tarot.{key}", value, 1, 0, bread, ("Hm, well.",), count)
    )
