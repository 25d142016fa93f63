"""What is told in one chat and known in another: to whom, by which way, in which layout, after which start."""

from dataclasses import dataclass
from itertools import count

from tests.e2e.tavern import Stage


@dataclass(frozen=True)
class Tongue:
    """A fact in a language: told, known by a word, asked for. And one that is asked for with no word in common."""

    code: str
    name: str
    fact: str
    word: str
    question: str
    meant: str
    sense: str
    other_words: str


EN = Tongue(
    "en",
    "Asha",
    "My sister Anna keeps bees in Riga.",
    "bees",
    "What does my sister Anna do in Riga these days?",
    "My puppy is ill and hardly eats.",
    "puppy",
    "How is the dog's health?",
)
ZH = Tongue(
    "zh",
    "明月",
    "我妹妹安娜在里加养蜂。",
    "养蜂",
    "我妹妹安娜在里加做什么？",
    "我的小狗生病了，几乎不吃东西。",
    "小狗",
    "那只幼犬现在感觉如何？",
)
_NUMBERS = count(1)


def fresh(name: str) -> str:
    """A name nobody had before."""
    return f"{name} {next(_NUMBERS)}"


def recalled_in_a_new_chat(stage: Stage, way: str, tongue: Tongue) -> None:
    stage.through(way)
    name = fresh(tongue.name)
    stage.tell(name, tongue.fact, tongue.word)
    stage.chat(name)
    asked = stage.comes_to_mind(tongue.question, tongue.word)
    assert [message for message in asked["messages"] if message["role"] == "user"][-1][
        "content"
    ] == tongue.question
    assert stage.call("prompts") == [], "the block stayed in the page"


def from_an_empty_home(stage: Stage, way: str, tongue: Tongue) -> None:
    stage.home_anew()
    assert stage.memory.everything() == []
    recalled_in_a_new_chat(stage, way, tongue)


def others_do_not_know(stage: Stage, way: str, tongue: Tongue) -> None:
    stage.through(way)
    name, other = fresh(tongue.name), fresh(tongue.name)
    stage.tell(name, tongue.fact, tongue.word)
    stage.chat(other)
    assert not stage.recalls(tongue.question, tongue.word), "another character knows it"
    stage.chat(name)
    stage.call("persona", "Mei")
    assert not stage.recalls(tongue.question, tongue.word), "another persona is told"
    stage.call("persona", "Lin")
    stage.chat(name)
    stage.comes_to_mind(tongue.question, tongue.word)


def two_cards_of_one_name(stage: Stage, way: str) -> None:
    stage.through(way)
    name = fresh("Bo")
    stage.character(name)
    stage.character(name, card=f"{name}, another one")
    stage.tell(name, EN.fact, EN.word)
    stage.chat(f"{name}, another one")
    assert not stage.recalls(EN.question, EN.word), "another card of that name knows it"
    stage.chat(name)
    stage.comes_to_mind(EN.question, EN.word)


def names_of_any_kind(stage: Stage, way: str, character: str, persona: str) -> None:
    stage.through(way)
    stage.call("persona", persona)
    try:
        name = fresh(character)
        stage.tell(name, EN.fact, EN.word)
        stage.chat(name)
        stage.comes_to_mind(EN.question, EN.word)
    finally:
        stage.call("persona", "Lin")


def layouts(stage: Stage, way: str, processing: str) -> None:
    stage.through(way)
    stage.call("processing", processing)
    try:
        _known_and_clean(stage, fresh("Eve"))
    finally:
        stage.call("processing", "")


def names_before_words(stage: Stage, way: str, behaviour: int) -> None:
    stage.through(way)
    stage.call("names", behaviour)
    try:
        _known_and_clean(stage, fresh("江"))
    finally:
        stage.call("names", 0)


def _known_and_clean(stage: Stage, name: str) -> None:
    stage.tell(name, EN.fact, EN.word)
    stage.chat(name)
    stage.comes_to_mind(EN.question, EN.word)
    heard = [
        text
        for text in (*stage.said(name), *stage.contents(name))
        if "[" in text or "next reply" in text or "keeps the lighthouse" in text
    ]
    assert heard == [], "lines of the frontend were heard"


def text_completion(stage: Stage, way: str) -> None:
    """One prompt instead of messages."""
    stage.through(way)
    stage.call("text", {"url": stage.memory.url})
    try:
        name = fresh("Flo")
        stage.tell(name, EN.fact, EN.word)
        stage.chat(name)
        asked = stage.comes_to_mind(EN.question, EN.word)
        assert asked["prompt"].rstrip().endswith(f"{name}:")
    finally:
        stage.through(way)


def by_meaning(stage: Stage, way: str, tongue: Tongue) -> None:
    """No word in common."""
    with_meaning(stage, tongue)
    stage.through(way)
    name = fresh(tongue.name)
    stage.tell(name, tongue.meant, tongue.sense)
    stage.chat(name)
    stage.comes_to_mind(tongue.other_words, tongue.sense)


def all_of_it_started_anew(stage: Stage, way: str, tongue: Tongue) -> None:
    """Frontend, server and browser; by words and by meaning."""
    with_meaning(stage, tongue)
    stage.through(way)
    name = fresh(tongue.name)
    stage.tell(name, tongue.fact, tongue.word)
    stage.tell(name, tongue.meant, tongue.sense)
    stage.restart()
    stage.memory.understands()
    stage.through(way)
    stage.chat(name)
    stage.comes_to_mind(tongue.question, tongue.word)
    stage.comes_to_mind(tongue.other_words, tongue.sense)


def with_meaning(stage: Stage, tongue: Tongue) -> None:
    """The model of meaning that comes along knows English; for Chinese there is a server."""
    if tongue is ZH:
        stage.home_anew(
            embedding__backend="endpoint",
            embedding__endpoint=stage.model.endpoint.url,
            embedding__model="scripted",
        )
    else:
        stage.home_anew()
    stage.memory.understands()
