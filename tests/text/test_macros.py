"""Macros: what they say, and that chance is by seed."""

from datetime import UTC, datetime

import pytest

from rolememory.schema.role import Character
from rolememory.text.macros import Macros, for_character, has_macros

NAMES = Macros({"user": "林", "char": "Mira"})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("{{user}} 和 {{char}}", "林 和 Mira", id="names"),
        pytest.param("{{USER}} <USER> <BOT>", "林 林 Mira", id="any case, and the old forms"),
        pytest.param("a{{noop}}b{{// c}}{{comment: d}}", "ab", id="what says nothing"),
        pytest.param("a{{newline}}b{{newline::2}}c", "a\nb\n\nc", id="line breaks"),
        pytest.param("a\n\n{{trim}}\n\nb", "ab", id="trim"),
        pytest.param("{{reverse:abc}}{{reverse:{{char}}}}", "cbaariM", id="reverse, nested too"),
        pytest.param("{{roll:1d1}}{{roll 1}}{{roll:2d1+3}}", "115", id="dice"),
        pytest.param(
            "{{roll:many}} {{roll:0}}", "{{roll:many}} {{roll:0}}", id="dice nobody can throw"
        ),
        pytest.param("{{random:a}}{{random::b}}{{pick: c }}", "abc", id="one of one"),
        pytest.param(
            "{{weather}} {{char.name}} {{}} {{ }}",
            "{{weather}} {{char.name}} {{}} {{ }}",
            id="unknown ones stay",
        ),
        pytest.param("{{hidden_key:cellar}}", "", id="hidden keys are not said"),
        pytest.param("{user} {{user", "{user} {{user", id="not a macro"),
    ],
)
def test_said(text: str, said: str) -> None:
    assert NAMES.expand(text) == said


def test_a_name_never_becomes_a_macro() -> None:
    assert (
        Macros({"user": "{{char}}", "char": "Mira"})
        .expand("{{user}} {{reverse:{{user}}}}")
        .startswith("{{char}} ")
    )


def test_sillytavern_leaves_what_only_cards_know() -> None:
    macros = Macros({}, card_macros=False)
    assert macros.expand("{{hidden_key:x}}{{comment: y}}{{// z}}") == "{{hidden_key:x}}"


def test_chance_is_by_seed_and_place() -> None:
    text = " ".join(["{{random:a,b,c,d,e,f}}"] * 12)
    assert Macros(seed=3).expand(text) == Macros(seed=3).expand(text)
    assert len(set(Macros(seed=3).expand(text).split())) > 1
    assert len({Macros(seed=seed).expand("{{roll:1d1000}}") for seed in range(20)}) > 10


def test_pick_stays_the_same_in_a_chat() -> None:
    text = "{{pick:a,b,c,d,e,f,g,h}}"
    assert len({Macros(seed=seed, chat=1).expand(text) for seed in range(9)}) == 1
    assert len({Macros(chat=chat).expand(text) for chat in range(30)}) > 3


def test_texts_of_the_card() -> None:
    who = Character(
        name="Mira",
        user="林",
        description=" {{char}} of the {{noop}}harbour\r\n",
        scenario="At sea.{{description}}",
    )
    macros = for_character(who, now=datetime(2025, 3, 1, 12, 5, tzinfo=UTC))
    assert macros.expand("{{notChar}} {{charScenario}}{{creatorNotes}}") == "林 At sea."
    assert (
        macros.expand("{{description}}; {{isodate}} {{time}}; {{scenario}}")
        == "Mira of the harbour; 2025-03-01 12:05; At sea."
    )


def test_outlets() -> None:
    assert Macros(outlets={"map": "North."}).expand("{{outlet::map}}|{{outlet::none}}") == "North.|"


def test_what_looks_like_a_macro() -> None:
    assert [has_macros(text) for text in ("{{x}}", "<char>", "a <b> c", "plain")] == [
        True,
        True,
        False,
        False,
    ]
