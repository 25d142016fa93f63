"""Expectations: read from TOML, played, and told when they are not met."""

import re
from pathlib import Path

import pytest

from rolememory.authoring.books import BookFile
from rolememory.authoring.expectation_run import Failure, check
from rolememory.authoring.expectations import beside, read_expectations
from rolememory.errors import FileError
from tests.authoring.books import BEACON, STORM, world

BOOK = world(
    {**BEACON, "order": 20},
    {**STORM, "order": 10, "sticky": 3},
    {"comment": "Always", "constant": True, "order": 30, "content": "The harbour is small."},
    {"comment": "Luck", "key": ["luck"], "probability": 30, "content": "A coin lies there."},
    {
        "comment": "Deep",
        "key": ["deep"],
        "position": 4,
        "depth": 1,
        "role": 2,
        "content": "The sea is deep.",
    },
    {"comment": "Swiped", "key": ["tide"], "triggers": ["swipe"], "content": "It turns."},
    {"comment": "Named", "key": ["{{char}}"], "content": "For whom?"},
)


def failed(toml: str, book: BookFile = BOOK) -> list[Failure]:
    cases = read_expectations(toml, "harbour.test.toml")
    return [one for _, some in check(book.book, cases, "harbour.test.toml") for one in some]


def case(*lines: str) -> str:
    return "\n".join(["[[case]]", 'name = "c"', *lines])


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(['messages = ["The beacon!"]', 'fires = ["Beacon"]'], id="it fires"),
        pytest.param(['messages = ["The beacon!"]', 'fires = ["0"]'], id="named by uid"),
        pytest.param(['messages = "The beacon!"', 'not_fires = ["Storm"]'], id="it does not; one message may be a text"),
        pytest.param(['messages = ["The beacon!"]', 'exactly = ["beacon", "always"]'], id="these and no others"),
        pytest.param(['messages = ["The beacon in the storm"]', 'order = ["Storm", "Beacon", "Always"]'], id="in this order"),
        pytest.param(['messages = ["deep"]', 'places = { Deep = "depth 1 assistant", Always = "before" }'], id="in these places"),
        pytest.param(['messages = ["The beacon!"]', 'contains = ["whale oil"]', 'lacks = ["storm"]'], id="these words, not those"),
        pytest.param(['messages = ["Hm."]', "costs_at_most = 8"], id="it costs so much"),
        pytest.param(['messages = ["luck"]', "chance = [0.2]", 'fires = ["Luck"]'], id="a number decides"),
        pytest.param(['messages = ["luck"]', "chance = [0.9]", 'not_fires = ["Luck"]'], id="another number"),
        pytest.param(['each = ["beacon", "BEACON"]', 'fires = ["Beacon"]'], id="each of these"),
        pytest.param(['each = ["beacon", "beacons"]', 'settings = { match_whole_words = false }', 'fires = ["Beacon"]'], id="other settings"),
        pytest.param(['messages = [{ role = "assistant", name = "Mira", text = "The beacon." }, "Hm."]', 'fires = ["Beacon"]'], id="a dialogue"),
        pytest.param(['rules = "sillytavern"', 'messages = ["beacon"]', 'fires = ["Beacon"]'], id="by other rules"),
        pytest.param(['character = { name = "Asha" }', 'messages = ["Asha waits."]', 'fires = ["Named"]'], id="a character"),
        pytest.param(['trigger = "swipe"', 'messages = ["The tide."]', 'fires = ["Swiped"]'], id="a kind of generation"),
        pytest.param(['messages = ["The tide."]', 'not_fires = ["Swiped"]'], id="another kind of generation"),
        pytest.param(
            ["settings = { scan_depth = 1 }", 'turns = [{ messages = ["storm"], fires = ["Storm"] }, { messages = ["a", "b"], fires = ["Storm"] },',
             '{ messages = ["c"], not_fires = ["Storm"] }]'],
            id="timers run from turn to turn",
        ),
    ],
)  # fmt: skip
def test_what_is_met(lines: list[str]) -> None:
    assert failed(case(*lines)) == []


@pytest.mark.parametrize(
    ("lines", "en", "zh"),
    [
        pytest.param(
            ['messages = ["Hm."]', 'fires = ["Beacon"]'],
            "'Beacon' did not fire: none of its keys is in the messages read; say 'beacon'",
            "“Beacon”没有激活：读到的消息里没有它的关键词；可在消息里提到“beacon”",
            id="no key",
        ),
        pytest.param(
            ['messages = ["luck"]', "chance = [0.9]", 'fires = ["Luck"]'],
            "'Luck' did not fire: the dice said 90.00, it needed 30 or less; set its probability to 100",
            "“Luck”没有激活：掷出 90.00，不超过 30 才会激活；可把它的 probability 改为 100",
            id="bad luck",
        ),
        pytest.param(['messages = ["beacon"]', 'not_fires = ["Beacon"]'], "'Beacon' fired: 'beacon'", "“Beacon”激活了：“beacon”", id="it does"),
        pytest.param(['messages = ["beacon"]', 'exactly = ["Always"]'], "'Beacon' fired besides: 'beacon'", "“Beacon”也激活了：“beacon”", id="and another"),
        pytest.param(['messages = ["Hm."]', 'contains = ["oil"]'], "the prompt does not contain 'oil'", "提示词里没有“oil”", id="words that lack"),
        pytest.param(['messages = ["beacon"]', 'lacks = ["oil"]'], "the prompt contains 'oil'", "提示词里有“oil”", id="words too many"),
        pytest.param(
            ['messages = ["beacon"]', 'order = ["Always", "Beacon"]'],
            "expected the order Always < Beacon, got Beacon < Always",
            "顺序应为 Always < Beacon，实际是 Beacon < Always",
            id="another order",
        ),
        pytest.param(
            ['messages = ["deep"]', 'places = { Deep = "before" }'],
            "'Deep' goes to depth 1 assistant, not to before",
            "“Deep”放在 depth 1 assistant，应为 before",
            id="another place",
        ),
        pytest.param(['messages = ["Hm."]', "costs_at_most = 2"], "it costs 7 tokens, at most 2 are expected", "共 7 tokens，应不超过 2", id="too dear"),
    ],
)  # fmt: skip
def test_what_is_not_met_says_why(lines: list[str], en: str, zh: str) -> None:
    told = failed(case(*lines))
    assert [(one.text(), one.text("zh")) for one in told] == [(en, zh)]


@pytest.mark.parametrize(
    ("toml", "told"),
    [
        pytest.param("case = [", "harbour.test.toml:1:9: not TOML: invalid value", id="no TOML"),
        pytest.param(
            case("messages = [“那个灯塔”]"),
            """harbour.test.toml:3:13: not TOML: invalid value; write " in place of the full-width “""",
            id="full-width quotes",
        ),
        pytest.param(
            case('messages = ["他说“好”"] 对'),
            "compare with the example that `rolememory book new` writes",
            id="full-width quotes inside a text are its own",
        ),
        pytest.param("rules = 'default'", "case: no cases; write [[case]]", id="no cases"),
        pytest.param(
            "rule = 'x'\n" + case('messages = ["a"]'),
            "rule: no such field; did you mean 'rules'?",
            id="a field of the file",
        ),
        pytest.param(
            case('messages = ["a"]', "fire = ['x']"),
            "c: fire: no such field; did you mean 'fires'?",
            id="a field of a case",
        ),
        pytest.param(
            case('turns = [{ says = ["a"] }]'),
            "c: turns[0].says: no such field",
            id="a field of a turn",
        ),
        pytest.param(
            case('turns = ["a"]'),
            'c: turns[0]: expected an object, got "a"',
            id="a turn that is none",
        ),
        pytest.param(
            case('messages = ["a"]', "fires = 'Beacon'"),
            'c: fires: expected a list of strings, got "Beacon"; write ["Beacon"]',
            id="a list",
        ),
        pytest.param(
            case("fires = ['Beacon']"),
            "c: messages: no messages; write messages = ",
            id="no messages",
        ),
        pytest.param(
            case('messages = [{ role = "ghost", text = "boo" }]'),
            "c: messages[0]: message: role: 'ghost' is not read; roles are",
            id="no such speaker",
        ),
        pytest.param(
            case('messages = [{ txt = "boo" }]'),
            "write 'content' in place of 'txt'",
            id="a message without a text",
        ),
        pytest.param(
            case('messages = ["a"]', 'trigger = "nightly"'),
            'c: trigger: "nightly" is none of normal, swipe',
            id="no such generation",
        ),
        pytest.param(
            case('messages = ["a"]', 'rules = "sillytaven"'),
            "harbour.test.toml: c: rules: no set of lore rules named 'sillytaven'",
            id="no such rules",
        ),
        pytest.param(
            case('messages = ["a"]', "chance = [5.0]"),
            "c: chance: expected numbers from 0 up to 1, or a seed, got [5.0]; write [0.1], or 7",
            id="no such chance",
        ),
        pytest.param(
            case('messages = ["a"]', 'turns = [{ messages = ["b"] }]'),
            "c: messages and turns in one case; write one of them",
            id="two kinds of chat in one case",
        ),
        pytest.param(
            case('messages = ["a"]'),
            "c: expects nothing; write what should fire, as fires = [...], or one of not_fires, exactly,",
            id="a case that would pass whatever fires",
        ),
        pytest.param(
            case('turns = [{ messages = ["a"] }, { messages = ["b"] }]'),
            "c: expects nothing; write what should fire",
            id="turns that would pass whatever fires",
        ),
        pytest.param(
            case('turns = [{ messages = ["a"], exactly = [] }]', 'fires = ["Beacon"]'),
            "c: fires: stands beside turns; write it into the turn that it is for",
            id="an expectation that no turn would check",
        ),
        pytest.param(
            case('messages = ["a"]', "settings = { scan_deep = 1 }"),
            "c: settings.scan_deep: ",
            id="a setting",
        ),
        pytest.param(
            case('messages = ["a"]', "settings = { scan_deep = 1 }"),
            "did you mean 'scan_depth'?",
            id="the setting that is meant",
        ),
        pytest.param(
            case('messages = ["a"]', "character = { nam = 'x' }"),
            "did you mean 'name'?",
            id="a field of the character",
        ),
        pytest.param(
            case('messages = ["a"]', "places = ['x']"),
            "c: places: expected an object, got",
            id="places are a table",
        ),
        pytest.param(
            case('messages = ["a"]', "fires = ['Baecon']"),
            "c: no entry named 'Baecon'",
            id="no such entry",
        ),
    ],
)
def test_mistakes_name_the_case_and_the_way_out(toml: str, told: str) -> None:
    with pytest.raises(FileError, match=re.escape(told)):
        failed(toml)


def test_what_is_no_toml_is_told_in_chinese() -> None:
    with pytest.raises(FileError) as error:
        failed(case("messages = [“灯塔”]"))
    assert error.value.text("zh") == (
        'harbour.test.toml:3:13：不是 TOML：值无效；请把全角的 “ 改成 "'
    )


def test_what_stands_at_the_top_holds_for_all() -> None:
    top = (
        'seed = 3\nrules = "sillytavern"\n[settings]\nscan_depth = 1\n[character]\nname = "Mira"\n'
    )
    made = read_expectations(top + case('messages = ["a"]', "exactly = []"), "x")[0]
    assert (
        made.settings.rules,
        made.settings.scan_depth,
        made.character.name,
        made.steps[0].chance,
    ) == ("sillytavern", 1, "Mira", 3)


def test_an_entry_without_a_title_goes_by_its_key() -> None:
    assert failed(case('messages = ["oil"]', 'fires = ["oil"]'), world({"key": ["oil"]})) == []


def test_where_they_stand() -> None:
    assert beside(Path("a/灯塔.json")) == Path("a/灯塔.test.toml")


def test_two_failures_are_two() -> None:
    assert len(failed(case('messages = ["Hm."]', 'fires = ["Beacon", "Storm"]'))) == 2
