"""What a card says of the character, as single lines."""

import pytest

from rolememory.cards.attributes import attributes
from rolememory.cards.base import load
from rolememory.cards.traits import lines_of, traits_of
from tests.cards import makers
from tests.cards.makers import as_bytes
from tests.text.prose import growth


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        pytest.param('[Character("Mira") { Age("30") Mind("kind" + "shy") Likes("tea", "rain") }]', ["Age: 30", "Mind: kind, shy", "Likes: tea, rain"], id="W++"),
        pytest.param('[character("Mira")\n{\nSpecies("Human")\nLoves("sea" + "her lamp")\n}]\nShe waits.', ["Species: Human", "Loves: sea, her lamp", "She waits."], id="W++ and prose"),
        pytest.param("[角色(“米拉”){年龄(“三十”)性格(“温柔”+“害羞”)}]", ["年龄：三十", "性格：温柔、害羞"], id="W++ in Chinese"),
        pytest.param('[ character: "Mira"; mind: "kind", "shy"; age: "30" ]', ["mind: kind, shy", "age: 30"], id="square brackets"),
        pytest.param("[Mira's personality: kind, shy; body: tall]", ["Mira's personality: kind, shy", "body: tall"], id="a list in brackets"),
        pytest.param('Mira = "kind" + "shy" + "tall"', ["kind, shy, tall"], id="Boostyle"),
        pytest.param('{"age": 30, "mind": ["kind", "shy"], "home": {"place": "tower"}, "x": null}', ["age: 30", "mind: kind, shy", "home place: tower"], id="JSON"),
        pytest.param("Mira is 30. She fears Dr. Hale, e.g. at night. It costs 3.50!", ["Mira is 30.", "She fears Dr. Hale, e.g. at night.", "It costs 3.50!"], id="English sentences"),
        pytest.param("米拉守着灯塔。她怕黑！你信吗？“当然。”她说……", ["米拉守着灯塔。", "她怕黑！", "你信吗？", "“当然。”她说……"], id="Chinese sentences"),
        pytest.param("她住在 Harbour St. 3 号。她会说 English.", ["她住在 Harbour St. 3 号。", "她会说 English."], id="both"),
        pytest.param("## Looks\n- tall\n- grey eyes\n\nLikes:\n* tea\nShe hums.", ["Looks: tall", "Looks: grey eyes", "Likes: tea", "She hums."], id="headings and bullet points"),
        pytest.param("**外貌**\n- 高个子\n爱好：\n· 喝茶\n· 听雨", ["外貌：高个子", "爱好：喝茶", "爱好：听雨"], id="Chinese headings"),
        pytest.param("Name: Mira\nAge: 30", ["Name: Mira", "Age: 30"], id="field lines"),
        pytest.param("姓名：米拉\n年齡：三十歲", ["姓名：米拉", "年齡：三十歲"], id="field lines in traditional characters"),
        pytest.param('"Stay!" she said. Then she left.', ['"Stay!" she said.', "Then she left."], id="speech inside"),
        pytest.param("...\n---\n***", [], id="nothing but marks"),
        pytest.param("{{user}} is her guest.", ["{{user}} is her guest."], id="the user stays a macro"),
        pytest.param("{{char}}'s lamp. <BOT> sings. {{ CHAR }} hums.", ["Mira's lamp.", "Mira sings.", "Mira hums."], id="the character gets a name"),
        pytest.param("She (30) likes tea (green).", ["She (30) likes tea (green)."], id="brackets of prose"),
        pytest.param("[Mira's mind= \"kind\", \"shy\"]\n<START>\n{{user}}: \"Who?\"\n{{char}}: *smiles* \"Me.\"\n[Genre: fantasy]", ["Mira's mind: kind, shy", "Genre: fantasy"], id="example dialogue is no trait"),
        pytest.param("Mira: a keeper.", ["Mira: a keeper."], id="a name with a colon"),
        pytest.param("[She whispers] and goes.", ["[She whispers] and goes."], id="stage directions"),
    ],
)  # fmt: skip
def test_a_text_gives_single_lines(text: str, lines: list[str]) -> None:
    assert list(lines_of(text, "Mira")) == lines


def test_traits_of_a_card_are_ready_to_be_remembered() -> None:
    card = load(
        as_bytes(
            makers.v3(
                description="{{char}} keeps the light. She hums.",
                personality="she  hums.\ncalm",
                nickname="",
            )
        )
    )
    assert traits_of(card) == [
        {"content": "Mira keeps the light.", "type": "trait", "tags": ["card"]},
        {"content": "She hums.", "type": "trait", "tags": ["card"]},
        {"content": "calm", "type": "trait", "tags": ["card"]},
    ]


@pytest.mark.parametrize("piece", ['"', "(", 'a("b"', "[", "[a:", "a. ", '{"a":', "- \n", "=", 'a="b"+'])  # fmt: skip
def test_the_cost_of_a_text_that_means_nothing_grows_with_its_length(piece: str) -> None:
    text = piece * (60_000 // len(piece))
    assert growth(lambda text: list(lines_of(text, "Mira")), text) < 3
    assert growth(attributes, text) < 3
