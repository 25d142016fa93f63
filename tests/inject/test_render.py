"""Lines, blocks, their lengths; and what happens when an author's template is broken."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import cycle
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rolememory.inject.environment import Templates
from rolememory.inject.fence import CLOSE, OPEN
from rolememory.inject.meter import Limits
from rolememory.inject.render import Cast, Length, Style, in_order
from rolememory.inject.sandbox import Sandbox
from rolememory.recall.fit import fit
from rolememory.schema.evidence import Scored
from rolememory.schema.memory import Memory, MemoryType
from rolememory.schema.passage import Passage, passage
from rolememory.schema.settings import BudgetSettings, InjectSettings, Settings
from tests.builders import question

SHIPPED = Templates()
DAY = datetime(1887, 11, 2, 22, 5, tzinfo=UTC)
TYPES = list(MemoryType)


def memories(count: int) -> list[Memory]:
    return [
        Memory(
            id=f"m{number:02}",
            content=f"event number {number} 第{number}件事",
            type=TYPES[number % 4],
            created=DAY + timedelta(days=number),
        )
        for number in range(count)
    ]


def templates(folder: Path, **sources: str) -> Templates:
    """An author's templates: `default__en="..."` is inject/default.en.jinja."""
    (folder / "inject").mkdir(parents=True)
    for name, source in sources.items():
        (folder / "inject" / f"{name.replace('__', '.')}.jinja").write_text(
            source, encoding="utf-8"
        )
    return Templates(folder)


@pytest.mark.parametrize(
    ("memory", "cast", "english", "chinese"),
    [
        pytest.param(Memory(id="a", content="x"), Cast(), "- x", "- x", id="no date, no subject"),
        pytest.param(
            Memory(id="a", content="x", created=DAY),
            Cast(),
            "- [1887-11-02] x",
            "- 1887年11月2日，x",
            id="an absolute date",
        ),
        pytest.param(
            Memory(id="a", content="x", subject="Old Tom"),
            Cast(),
            "- About Old Tom: x",
            "- 关于Old Tom：x",
            id="a named third",
        ),
        pytest.param(
            Memory(id="a", content="x", subject="user"),
            Cast(user="Lin"),
            "- About Lin: x",
            "- 关于Lin：x",
            id="the user by name",
        ),
        pytest.param(
            Memory(id="a", content="x", subject="用户"),
            Cast(),
            "- About the user: x",
            "- 关于用户：x",
            id="the user without a name",
        ),
        pytest.param(
            Memory(id="a", content="x", subject="Asha"),
            Cast(char="Asha"),
            "- x",
            "- x",
            id="the role itself needs no saying",
        ),
        pytest.param(
            Memory(id="a", content="Tom left", subject="Tom"),
            Cast(),
            "- Tom left",
            "- Tom left",
            id="the text says the name already",
        ),
        pytest.param(
            Memory(id="a", content="{{user}} met {{char}}"),
            Cast("Asha", "Lin"),
            "- Lin met Asha",
            "- Lin met Asha",
            id="names for macros",
        ),
        pytest.param(
            Memory(id="a", content="x"),
            Cast(heard_from={"a": "Mira"}),
            "- (Mira remembers) x",
            "- （Mira的记忆）x",
            id="heard from another role",
        ),
        pytest.param(
            Memory(id="a", content="one\ntwo"), Cast(), "- one two", "- one two", id="one line each"
        ),
        pytest.param(
            Memory(id="a", content="x", created=datetime(1, 1, 1, tzinfo=UTC)),
            Cast(),
            "- [0001-01-01] x",
            "- 1年1月1日，x",
            id="the first day",
        ),
    ],
)
def test_line(memory: Memory, cast: Cast, english: str, chinese: str) -> None:
    assert Style(SHIPPED, language="en", cast=cast).line(memory) == english
    assert Style(SHIPPED, language="zh", cast=cast).line(memory) == chinese


def test_local_chat_says_exactly_what_its_design_says() -> None:
    said = Style(SHIPPED, InjectSettings(template="local_chat")).body(
        [Memory(id="a", content="I like tea", created=DAY, source="user_input")]
    )
    assert said == "Relevant Memories (for reference):\n- [1887-11-02 22:05][user_input] I like tea"


def test_role_memory_without_heading_is_the_full_content() -> None:
    style = Style(
        SHIPPED, InjectSettings(template="anh", heading="", separate_by_type=False), language="zh"
    )
    assert style.body([Memory(id="a", content="怕水")]) == "- 怕水"


def test_language_of_the_setting_goes_before_that_of_the_chat() -> None:
    assert "的过往" in Style(SHIPPED, InjectSettings(language="zh"), language="en").block(
        memories(1)
    )
    assert "past" in Style(SHIPPED, InjectSettings(), language="en").block(memories(1))


def test_no_memories_no_block() -> None:
    assert Style(SHIPPED).block([]) == ""
    assert Length(Style(SHIPPED)).block([]) == 0


def test_order_is_oldest_first_then_by_id() -> None:
    same = [Memory(id=name, content=name, created=DAY) for name in "cab"]
    undated = Memory(id="z", content="z")
    late = Memory(id="0", content="0", created=DAY + timedelta(days=1))
    assert [memory.id for memory in in_order([late, *same, undated])] == ["z", "a", "b", "c", "0"]


@pytest.mark.parametrize("name", SHIPPED.known("inject"))
def test_the_same_memories_are_the_same_bytes(name: str) -> None:
    known = memories(9)
    first = Style(SHIPPED, InjectSettings(template=name)).block(known)
    again = Style(Templates(), InjectSettings(template=name)).block(list(reversed(known)))
    assert first == again


def test_a_new_memory_moves_no_old_line() -> None:
    style = Style(SHIPPED, InjectSettings(separate_by_type=False))
    before, after = style.block(memories(6)).splitlines(), style.block(memories(7)).splitlines()
    assert after[: len(before) - 1] == before[:-1]


# Lengths


def bigrams(text: str) -> int:
    """A counter that does not add up: what it says of a sum is not the sum of what it says."""
    return (len(text) + 2) // 3 + text.count("\n\n") * 7


COUNTERS: list[Callable[[str], int]] = [len, bigrams]


@pytest.mark.parametrize("count", COUNTERS)
@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("name", SHIPPED.known("inject"))
def test_what_is_measured_is_what_is_said(
    name: str, together: bool, count: Callable[[str], int]
) -> None:
    rules = InjectSettings(template=name, separate_by_type=not together)
    length = Length(Style(SHIPPED, rules, cast=Cast("Asha", "Lin")), count)
    for number in range(1, 12):
        said = Style(SHIPPED, rules, cast=Cast("Asha", "Lin")).block(memories(number))
        assert length.block(memories(number)) == count(said)


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("name", SHIPPED.known("inject"))
def test_frame_and_lines_are_the_whole(name: str, together: bool, language: str) -> None:
    """The fast way (frame once per shape, lines filled in) says what the template says as a whole."""
    rules = InjectSettings(template=name, separate_by_type=not together)
    style = Style(SHIPPED, rules, language=language, cast=Cast("Asha", "Lin", {"m03": "Mira"}))
    template = style._tries[0]
    assert template.frame is not None, "shipped templates take the fast way"
    for number in (1, 2, 5, 11):
        ordered = in_order(memories(number))
        assert style._assembled(template, ordered) == style._whole(template, ordered)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.text(max_size=80), st.sampled_from(TYPES), st.floats(0.3, 1.0)), max_size=14
    ),
    st.integers(0, 900),
    st.sampled_from(SHIPPED.known("inject")),
    st.sampled_from(COUNTERS),
)
def test_the_budget_is_never_exceeded(
    known: list[tuple[str, MemoryType, float]], limit: int, name: str, count: Callable[[str], int]
) -> None:
    scored = [
        Scored(Memory(id=str(number), content=text, type=kind), score, score, ())
        for number, (text, kind, score) in enumerate(known)
    ]
    style = Style(SHIPPED, InjectSettings(template=name))
    settings = Settings(budget=BudgetSettings(max_total_length=limit))
    fitted = fit(scored, question("Where is it?", measure=Length(style, count), settings=settings))
    assert count(style.block([one.memory for one in fitted.chosen])) <= limit


ANYTHING = st.one_of(
    st.builds(
        lambda number, kind: Memory(id=f"m{number}", content="灯塔 " * number, type=kind),
        st.integers(1, 9),
        st.sampled_from(TYPES),
    ),
    st.builds(
        lambda version, place, scene, company, role: passage(
            chat="harbour",
            version=f"v{version}",
            role=role,
            text="Rain fell all day. " * 9,
            span=(19 * place, 19 * place + 18),
            speaker="Lin",
            owner="lin",
            created=DAY + timedelta(minutes=version),
            scene=scene,
            company=company,
        ),
        st.integers(1, 3),
        st.integers(0, 8),
        st.sampled_from(["", "dusk, the mill"]),
        st.sampled_from([(), ("Rafi",)]),
        st.sampled_from(["user", "assistant"]),
    ),
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(ANYTHING, max_size=10, unique_by=lambda one: one.id),
    st.sampled_from(SHIPPED.known("inject")),
    st.booleans(),
)
def test_a_block_that_grows_is_as_long_as_it_is_said(
    some: list[Memory], name: str, together: bool
) -> None:
    style = Style(SHIPPED, InjectSettings(template=name, separate_by_type=not together))
    growing = Length(style).growing(whole=False)
    for place, memory in enumerate(some):
        for other in some[place:]:
            assert growing.tried(other) == len(style.block([*some[:place], other]))
        growing.take(memory)
        assert growing.length == len(style.block(some[: place + 1]))


WALK = "{% for memory in memories %}{{ line(memory) }}\n{% endfor %}"


@pytest.mark.parametrize(
    ("body", "even"),
    [
        pytest.param(WALK, False, id="line under line"),
        pytest.param(
            "{% for group in groups %}{{ group.type }}{% if group.memories %}:{% endif %}"
            "{% for memory in group.memories %}\n- {{ line(memory) }}{% endfor %}{% endfor %}",
            True,
            id="under headings",
        ),
        pytest.param(WALK + WALK, False, id="said twice"),
        pytest.param(
            "{% for memory in memories %}{{ loop.index }}. {{ line(memory) }}\n{% endfor %}",
            False,
            id="numbered",
        ),
        pytest.param(
            WALK + "{% if memories | length > 3 %}That is much.{% endif %}",
            False,
            id="a remark about many",
        ),
        pytest.param(
            "{% for memory in memories %}{{ line(memory) }}"
            "{% for other in memories %}.{% endfor %}{% endfor %}",
            False,
            id="a list within a list",
        ),
        pytest.param(
            "{% set told = memories %}{% for memory in told[:2] %}{{ line(memory) }}{% endfor %}",
            False,
            id="only the first",
        ),
    ],
)
def test_a_block_of_an_authors_template_grows_as_it_is_said(
    tmp_path: Path, body: str, even: bool
) -> None:
    line = "{% macro line(memory) %}{{ memory.text }}{% endmacro %}"
    style = Style(templates(tmp_path, default__en=line + body))
    growing, some = Length(style).growing(whole=False), memories(12)
    assert style._is_even(style.made_of[0]) is even
    for place, memory in enumerate(some):
        assert growing.tried(memory) == len(style.block(some[: place + 1]))
        growing.take(memory)


def test_a_block_that_grows_is_not_put_together_each_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked, block = list[int](), Length.block
    monkeypatch.setattr(
        Length, "block", lambda own, some: asked.append(len(some)) or block(own, some)
    )
    growing = Length(Style(SHIPPED)).growing(whole=False)
    for memory in memories(50):
        growing.tried(memory)
        growing.take(memory)
    assert asked == []


# Authors' templates


def test_an_authors_template_wins(tmp_path: Path) -> None:
    mine = templates(
        tmp_path, default__en="{% for memory in recalled %}* {{ memory.content }}\n{% endfor %}"
    )
    style = Style(mine)
    assert (
        style.block(memories(2))
        == f"{OPEN}\n* event number 0 第0件事\n* event number 1 第1件事\n{CLOSE}"
    )
    assert style.notes == ()


def test_a_template_without_language_serves_both(tmp_path: Path) -> None:
    mine = templates(tmp_path, diary="{{ language }}: {{ memories[0].date }}")
    assert "zh: 1887年11月2日" in Style(
        mine, InjectSettings(template="diary"), language="zh"
    ).block(memories(1))
    assert "en: 1887-11-02" in Style(mine, InjectSettings(template="diary"), language="en").block(
        memories(1)
    )


def test_a_template_in_the_other_language_is_better_than_none(tmp_path: Path) -> None:
    mine = templates(tmp_path, diary__zh="日记：{{ memories[0].text }}")
    assert "日记：" in Style(mine, InjectSettings(template="diary"), language="en").block(
        memories(1)
    )


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("{% for %}", "default.en.jinja:1"),
        ("{{ memories[0].nothing }}", "default.en.jinja:1"),
        ("a\n{{ 'a' * 10 ** 9 }}", "default.en.jinja:2"),
        ("{{ ''.__class__ }}", "__class__"),
        (
            "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
            "100,000 steps",
        ),
        ("x" * 70_000, "larger than 64 KB"),
    ],
)
def test_a_broken_template_falls_back_with_a_note(tmp_path: Path, source: str, told: str) -> None:
    style = Style(templates(tmp_path, default__en=source))
    assert style.block(memories(2)) == Style(SHIPPED).block(memories(2))
    assert len(style.notes) == 1
    assert told in style.notes[0]


def test_a_broken_line_falls_back_too(tmp_path: Path) -> None:
    style = Style(
        templates(
            tmp_path,
            default__en="{% macro line(memory) %}{{ memory.nothing }}{% endmacro %}{% for m in memories %}{{ line(m) }}{% endfor %}",
        )
    )
    assert style.line(memories(1)[0]) == Style(SHIPPED).line(memories(1)[0])
    assert style.block(memories(1)) == Style(SHIPPED).block(memories(1))
    assert len(style.notes) == 1


def test_a_name_nobody_knows_falls_back_with_a_note() -> None:
    style = Style(SHIPPED, InjectSettings(template="koichi"))
    assert style.block(memories(1)) == Style(SHIPPED).block(memories(1))
    assert "did you mean 'koishi'?" in style.notes[0]


@pytest.mark.parametrize(
    "name",
    ["../secret", "/etc/passwd", "..", "a/b", "a\\b", "default.en.jinja", "", "x" * 300, "nul\x00"],
)
def test_a_name_is_no_path(tmp_path: Path, name: str) -> None:
    (tmp_path / "secret.en.jinja").write_text("SECRET")
    assert "SECRET" not in Style(
        templates(tmp_path / "home", other="x"), InjectSettings(template=name)
    ).block(memories(1))


@pytest.mark.parametrize(
    "source",
    [
        "{% for m in memories %}{{ m.text | upper }}|{% endfor %}",
        "{% macro line(m) %}{{ m.text }}{% endmacro %}{% for m in memories %}{{ line(m) | upper }}|{% endfor %}",
        "{% macro line(m) %}{{ m.text }}{% endmacro %}{% filter upper %}{% for m in memories %}{{ line(m) }}|{% endfor %}{% endfilter %}",
        "{% macro line(m) %}{{ m.text }}{% endmacro %}{% set x %}{% for m in memories %}{{ line(m) }}|{% endfor %}{% endset %}{{ x | upper }}",
        "{% macro line(m) %}{{ m.text | upper }}{% endmacro %}{% for m in memories %}{% if m.date %}{{ line(m) }}|{% endif %}{% endfor %}",
        "{% macro line(m) %}{{ m.text | upper }}{% endmacro %}{% for m in memories | sort(attribute='id') %}{{ line(m) }}|{% endfor %}",
        "{% macro line(m) %}{{ m.text | upper }}{% endmacro %}{% for m in memories %}{{ line(m) }}|{% endfor %}",
        "{% macro line(m, end='|') %}{{ m.text | upper }}{{ end }}{% endmacro %}{% for m in memories %}{{ line(m) }}{% endfor %}",
        "{% macro loud(m) %}{{ line(m) | upper }}{% endmacro %}{% macro line(m) %}{{ m.text }}{% endmacro %}{% for m in memories %}{{ loud(m) }}|{% endfor %}",
    ],
)
def test_every_way_to_write_a_template_says_what_it_says(tmp_path: Path, source: str) -> None:
    style = Style(templates(tmp_path, default__en=source))
    assert (
        style.block(memories(2))
        == f"{OPEN}\nEVENT NUMBER 0 第0件事|EVENT NUMBER 1 第1件事|\n{CLOSE}"
    )
    assert Length(style).block(memories(2)) == len(style.block(memories(2)))
    assert style.notes == ()


def test_a_line_says_of_each_memory_what_it_has(tmp_path: Path) -> None:
    line = "5% {% if m.subject and not m.tags %}{{ m.subject }}: {% endif %}{{ m.date or m.text }}"
    source = f"{{% macro line(m) %}}{line}{{% endmacro %}}{{% for m in memories %}}{{{{ line(m) }}}}|{{% endfor %}}"
    said = [
        Memory(id="a", content="half, 50 %(text)s", subject="Tom"),
        Memory(id="b", content="all of it", subject="Ann"),
        Memory(id="c", content="nothing", subject="Ann", tags=("sea",)),
        Memory(id="d", content="none"),
    ]
    style = Style(templates(tmp_path, default__en=source))
    assert style.body(said) == "5% Tom: half, 50 %(text)s|5% Ann: all of it|5% nothing|5% none|"


@pytest.mark.parametrize(
    "line",
    [
        "{% filter upper %}{{ m.text }}{% endfilter %}",
        "{% set x %}{{ m.text }}{% endset %}{{ x | upper }}",
        "{{ m.text.upper() if m.text else m.id }}",
        "{{ (m.subject or m.text) | upper }}",
        "{% set x = m.text %}{{ x | upper }}",
        "{% if m.date %}{{ m.text | upper }}{% endif %}",
    ],
)
def test_a_line_may_do_more_with_a_memory_than_to_name_it(tmp_path: Path, line: str) -> None:
    source = f"{{% macro line(m) %}}{line}{{% endmacro %}}{{% for m in memories %}}{{{{ line(m) }}}}|{{% endfor %}}"
    style = Style(templates(tmp_path, default__en=source))
    assert [style.line(one) for one in memories(2)] == [
        "EVENT NUMBER 0 第0件事",
        "EVENT NUMBER 1 第1件事",
    ]


def test_numbers_come_from_the_frame(tmp_path: Path) -> None:
    source = "{% macro line(m) %}{{ m.id }}{% endmacro %}{% for m in memories %}{{ loop.index }}.{{ line(m) }} {% endfor %}({{ memories | length }})"
    assert (
        Style(templates(tmp_path, default__en=source)).body(memories(3)) == "1.m00 2.m01 3.m02 (3)"
    )


def test_an_edited_template_is_read_again(tmp_path: Path) -> None:
    mine = templates(tmp_path, default__en="one {{ memories | length }}")
    assert Style(mine).body(memories(1)) == "one 1"
    (tmp_path / "inject" / "default.en.jinja").write_text("second {{ memories | length }}")
    assert Style(mine).body(memories(1)) == "second 1"
    (tmp_path / "inject" / "default.en.jinja").unlink()
    assert "From the character's past" in Style(mine).body(memories(1))


def test_a_template_is_compiled_once(tmp_path: Path) -> None:
    mine = templates(tmp_path, default__en="x")
    assert (
        mine.choose("inject", "default", "en").tries[0]
        is mine.choose("inject", "default", "en").tries[0]
    )


def test_a_template_that_is_no_text_is_named(tmp_path: Path) -> None:
    mine = templates(tmp_path, other="x")
    (tmp_path / "inject" / "default.en.jinja").write_bytes(b"\xff\xfe\x00")
    style = Style(mine)
    assert "not UTF-8 text" in style.notes[0]
    assert style.block(memories(1)) == Style(SHIPPED).block(memories(1))


def test_thousands_of_memories_still_say_something() -> None:
    style = Style(SHIPPED)
    block = style.block(memories(5000))
    assert block.count("event number") == 5000


@pytest.mark.parametrize("template", ["auto", "koishi", "anh", "assistant", "local_chat", "agent"])
@pytest.mark.parametrize("count", [1, 2, 7])
def test_a_length_added_up_is_the_length_of_the_block(template: str, count: int) -> None:
    style = Style(Templates(), InjectSettings(template=template))
    memories = [
        Memory(id=f"m{n}", content=f"Thing {n} 灯塔" * (n + 1), type=kind)
        for n, kind in zip(range(count), cycle(MemoryType))
    ]
    assert Length(style).block(memories) == len(style.block(memories))


def spoken(role: Literal["user", "assistant"], text: str) -> Passage:
    return passage(
        chat=role,
        version="v",
        role=role,
        text=text,
        span=(0, len(text)),
        speaker="Tom" if role == "user" else "Mira",
        owner="Tom",
        created=DAY,
    )


@pytest.mark.parametrize(
    ("language", "lines"),
    [
        ("en", ['- Tom said: "the ferry sold its nets"', "- Mira, in short: I sold mine"]),
        ("zh", ["- Tom说过：“the ferry sold its nets”", "- Mira的话，大意：I sold mine"]),
    ],
)
def test_what_was_said_is_quoted_where_no_template_works(language: str, lines: list[str]) -> None:
    spent = Templates(sandbox=Sandbox(Limits(steps=1)))
    style = Style(spent, InjectSettings(language=language), cast=Cast(char="Mira", user="Tom"))
    said = style.body(
        [spoken("user", "the ferry sold its nets"), spoken("assistant", "I sold mine")]
    )
    assert sorted(said.splitlines()) == sorted(lines)
    assert any("steps" in note for note in style.notes)
