"""What a user of SillyTavern lives through, as rows. Each story brings its own characters, so one stage serves all."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.e2e.model import block, said_in
from tests.e2e.tavern import Stage

WAYS = ("nothing", "pasted", "extension", "direct")


@dataclass(frozen=True)
class Tongue:
    """One fact in a language: told, learned as, asked for."""

    code: str
    fact: str
    word: str
    question: str


EN = Tongue("en", "My sister Anna keeps bees in Riga.", "bees", "What does my sister Anna do in Riga these days?")
ZH = Tongue("zh", "我妹妹安娜在里加养蜂。", "养蜂", "我妹妹安娜在里加做什么？")
FRESH = iter(range(10_000))


def fresh(name: str) -> str:
    """A name nobody had before."""
    return f"{name} {next(FRESH)}"


# ── remembering ──


def recalled_in_a_new_chat(stage: Stage, way: str, tongue: Tongue) -> None:
    stage.through(way)
    name = fresh("明月" if tongue is ZH else "Asha")
    stage.tell(name, tongue.fact, tongue.word)
    stage.chat(name)
    asked = stage.say(tongue.question)
    assert tongue.word in block(asked), block(asked)
    assert "rolememory" not in asked, "the hint went on to the model"
    assert [message for message in asked["messages"] if message["role"] == "user"][-1]["content"] == tongue.question
    assert stage.call("prompts") == [], "the block stayed in the page"


def others_do_not_know(stage: Stage, way: str) -> None:
    stage.through(way)
    name, other = fresh("Bo"), fresh("Cy")
    stage.tell(name, EN.fact, EN.word)
    stage.chat(other)
    assert not stage.recalls(EN.question, EN.word), "another character knows it"
    stage.chat(name)
    stage.call("persona", "Mei")
    assert not stage.recalls(EN.question, EN.word), "another persona is told"
    stage.call("persona", "Lin")
    stage.chat(name)
    assert stage.recalls(EN.question, EN.word), "the one who told it is not"


def names_of_any_kind(stage: Stage, way: str, character: str, persona: str) -> None:
    stage.through(way)
    stage.call("persona", persona)
    name = fresh(character)
    stage.tell(name, EN.fact, EN.word)
    stage.chat(name)
    assert stage.recalls(EN.question, EN.word)
    stage.call("persona", "Lin")


def all_of_it_started_anew(stage: Stage) -> None:
    stage.through("extension")
    name = fresh("Dee")
    stage.tell(name, ZH.fact, ZH.word)
    stage.restart()
    stage.through("extension")
    stage.chat(name)
    assert stage.recalls(ZH.question, ZH.word)


def layouts(stage: Stage, way: str, processing: str) -> None:
    stage.through(way)
    stage.call("processing", processing)
    try:
        name = fresh("Eve")
        stage.tell(name, EN.fact, EN.word)
        stage.chat(name)
        assert stage.recalls(EN.question, EN.word)
        learned = [text for text in stage.memory.contents() if "[" in text or "next reply" in text]
        assert learned == [], "lines of the frontend were learned"
    finally:
        stage.call("processing", "")


# ── what is no turn, and what is a turn once more ──


def swiped_and_regenerated(stage: Stage, way: str) -> None:
    stage.through(way)
    name, word = fresh("Fay"), fresh("orchids")
    stage.chat(name)
    stage.say(f"My uncle Tom grows {word} in Oslo.", "A fine thing.")
    for act in ("swipe", "regenerate"):
        asked = stage.asked(lambda act=act: stage.call(act), "Another thing.")
        assert word in said_in(asked)
        assert block(asked).count(word) == 0, "what stands in the chat is told twice"
    stage.say("It is late.")
    stage.memory.learned(word)
    told = [text for text in stage.memory.contents() if f"grows {word}" in text]
    assert len(told) == 1, told
    assert stage.call("texts")[2] == "Another thing."


def not_the_characters_words(stage: Stage, way: str) -> None:
    """Impersonation, quiet prompts and what is left of them."""
    stage.through(way)
    name, word = fresh("Gil"), fresh("clocks")
    stage.chat(name)
    stage.say("Good evening.", "Good evening to you.")
    stage.asked(lambda: stage.call("impersonate"), f"My brother Otto repairs {word} in Lyon.")
    stage.asked(lambda: stage.call("quiet", "Summarize the story so far."), f"Otto repairs {word} in Lyon.")
    later = fresh("tulips")
    stage.say(f"My aunt Rosa sells {later} in Porto.")
    stage.memory.learned(later)
    assert not [text for text in stage.memory.contents() if word in text]


def continued(stage: Stage, way: str) -> None:
    stage.through(way)
    stage.tell(fresh("Hal"), EN.fact, EN.word)
    asked = stage.asked(lambda: stage.call("continueIt"), " And the lamp burns.")
    assert block(asked).count(EN.word) == 0
    shown = stage.call("texts")
    assert (shown[-1].startswith("Mm."), shown[-1].endswith("And the lamp burns."), len(shown)) == (True, True, 3), shown


def edited(stage: Stage, way: str) -> None:
    stage.through(way)
    name = fresh("Ida")
    stage.chat(name)
    stage.say(fresh("It is the evening of day"))  # nobody can tell a chat without a name by a first message that is another one now
    stage.say("My cousin Eva paints ships in Turku.")
    stage.memory.learned("paints ships")
    stage.call("edit", 3, "My cousin Eva carves spoons in Turku.")
    stage.say("It is late.")
    stage.memory.learned("carves spoons")
    stage.chat(name)
    asked = stage.say("What does my cousin Eva do in Turku?")
    assert "carves spoons" in block(asked), block(asked)
    assert "paints ships" not in block(asked), "what was edited away is told"


def stopped(stage: Stage, way: str) -> None:
    stage.through(way)
    name, word = fresh("Jon"), fresh("canaries")
    stage.chat(name)
    with stage.model.hanging("It will never "):
        stage.call("begin", f"My friend Ada breeds {word} in Genoa.")
        stage.call("stop")
        assert stage.model.idle(), "the model is still being waited for"
    stage.say("Go on.")
    stage.memory.learned(word)


def a_group(stage: Stage, way: str) -> None:
    stage.through(way)
    one, two, outside = fresh("Kit"), fresh("Lou"), fresh("Max")
    for name in (one, two, outside):
        stage.chat(name)
    stage.group(one, two)
    before = len(stage.model.asked)
    stage.call("say", EN.fact)
    asked = stage.model.asked[before:]
    assert len(asked) == 2, "each member answers"
    stage.memory.learned(EN.word)
    for name, knows in ((one, True), (two, True), (outside, False)):
        stage.chat(name)
        assert stage.recalls(EN.question, EN.word) is knows, (name, knows)


# ── the extension ──


def taken_back(stage: Stage, way: str) -> None:
    """What was learned is shown once; "take back" takes it back."""
    stage.through(way)
    name, word = fresh("Nan"), fresh("<img src=x onerror=document.title='hurt'> lilies")
    stage.tell(name, f"My niece Ella keeps {word} in Bergen.", word.rpartition(" ")[2])
    row = stage.page.locator("#rolememory_learned .rolememory-line", has_text=word).first
    row.wait_for(state="attached")
    assert stage.page.title() != "hurt", "a memory ran as HTML"
    row.locator("button").first.evaluate("button => button.click()")
    row.wait_for(state="detached")
    stage.chat(name)
    asked = stage.say("What does my niece Ella keep in Bergen?")
    assert word not in block(asked)


def shown_with_its_reason(stage: Stage, way: str) -> None:
    stage.through(way)
    name = fresh("Pia")
    stage.tell(name, EN.fact, EN.word)
    stage.chat(name)
    stage.say(EN.question)
    row = stage.page.locator("#rolememory_turn .rolememory-line", has_text=EN.word).first
    row.wait_for(state="attached")
    assert row.locator("small").text_content()


def commands(stage: Stage) -> None:
    stage.through("extension")
    name = fresh("Quin")
    stage.chat(name)
    assert stage.call("command", "/remember The spare key lies under the blue jar.") == "The spare key lies under the blue jar."
    assert stage.call("command", "/recall Where is the spare key?") == "The spare key lies under the blue jar."
    assert stage.call("command", "/memory blue jar") == "The spare key lies under the blue jar."
    assert stage.recalls("Where is the spare key?", "blue jar")
    assert stage.call("command", "/forget blue jar") == "The spare key lies under the blue jar."
    assert "blue jar" not in stage.call("command", "/memory")


def deleted_and_branched(stage: Stage) -> None:
    """Without the proxy: what no longer stands does not count."""
    stage.through("direct")
    name = fresh("Rex")
    stage.tell(name, "My nephew Finn tunes pianos in Graz.", "tunes pianos")
    stage.call("branch", 0)
    stage.say("Good evening.")
    stage.chat(name)
    assert stage.recalls("What does my nephew Finn do in Graz?", "tunes pianos"), "a branch took it away"
    other = fresh("Sol")
    stage.tell(other, "My nephew Finn mends nets in Faro.", "mends nets")
    stage.call("remove", 1)
    stage.chat(other)
    assert not stage.recalls("What does my nephew Finn do in Faro?", "mends nets"), "what was deleted is told"


def without_the_server(stage: Stage) -> None:
    """The chat goes on, and the panel says what to do."""
    stage.through("direct")
    name = fresh("Tom")
    stage.chat(name)
    stage.memory.stop()
    try:
        assert block(stage.say("Good evening.")) == ""
        stage.page.locator("#rolememory_status[data-kind=bad]").wait_for(state="attached")
        assert "rolememory serve" in stage.page.locator("#rolememory_status").text_content()
    finally:
        stage.memory.start()
    stage.memory.contents()
    stage.tell(name, EN.fact, EN.word)


def the_url_taken_out(stage: Stage) -> None:
    """Nothing of ours stays in the frontend."""
    stage.through("extension")
    name = fresh("Una")
    stage.tell(name, EN.fact, EN.word)
    stage.chat(name)
    assert stage.recalls(EN.question, EN.word)
    stage.through("gone")
    asked = stage.say("And now?")
    assert block(asked) == ""
    assert "rolememory" not in asked
    kept = stage.chat_files()
    assert EN.question in kept
    assert "<rolememory" not in kept


def by_meaning(stage: Stage) -> None:
    """No word in common."""
    stage.through("extension")
    stage.memory.understands()
    name = fresh("Vic")
    stage.tell(name, "My puppy is ill and hardly eats.", "puppy")
    stage.chat(name)
    assert stage.recalls("How might the little dog be feeling?", "puppy")


@dataclass(frozen=True)
class Story:
    """One row."""

    told: str
    lives: Callable[[Stage], None]
    quick: bool = False  # part of the ordinary suite


def _rows() -> list[Story]:
    rows = [
        Story(
            f"told in one chat, recalled in a new one: {way}, {tongue.code}",
            lambda s, w=way, t=tongue: recalled_in_a_new_chat(s, w, t),
            (way, tongue.code) in (("nothing", "en"), ("pasted", "zh"), ("direct", "zh")),
        )
        for way in WAYS
        for tongue in (EN, ZH)
    ]
    rows += [
        Story(f"another character and another persona do not know it: {way}", lambda s, w=way: others_do_not_know(s, w)) for way in WAYS
    ]
    rows += [
        Story(
            f"a character {character!r} and a persona {persona!r}: {way}",
            lambda s, w=way, c=character, p=persona: names_of_any_kind(s, w, c, p),
            quick,
        )
        for way, character, persona, quick in (
            ("pasted", 'Dr. "Bones" O\'Hara: the 2nd', 'Al "Ace" Roe: x', False),
            ("extension", 'Dr. "Bones" O\'Hara: the 2nd', 'Al "Ace" Roe: x', True),
            ("direct", 'Dr. "Bones" O\'Hara: the 2nd', 'Al "Ace" Roe: x', False),
            ("pasted", "江 - “船”: 夫", "# 林 {x} 'y'", False),
            ("extension", "江 - “船”: 夫", "# 林 {x} 'y'", False),
        )
    ]
    rows += [
        Story(f"prompt post-processing {processing or 'none'}: {way}", lambda s, w=way, p=processing: layouts(s, w, p))
        for way in ("nothing", "extension")
        for processing in ("", "merge", "semi", "strict", "single")
    ]
    for told, story in (
        ("swipe and regenerate teach once", swiped_and_regenerated),
        ("impersonation and quiet prompts teach nothing", not_the_characters_words),
        ("a continued reply is one reply", continued),
        ("an edited message teaches what it says now", edited),
        ("the stop button stops the model and the chat goes on", stopped),
        ("a group shares what was told to it, others do not", a_group),
    ):
        rows += [
            Story(
                f"{told}: {way}", lambda s, f=story, w=way: f(s, w), quick=way == "extension" and story in (swiped_and_regenerated, stopped)
            )
            for way in WAYS
        ]
    rows += [
        Story(f"what was learned is shown as text and can be taken back: {way}", lambda s, w=way: taken_back(s, w))
        for way in ("extension", "direct")
    ]
    rows += [
        Story(f"what was recalled is shown with its reason: {way}", lambda s, w=way: shown_with_its_reason(s, w))
        for way in ("extension", "direct")
    ]
    return [
        *rows,
        Story("slash commands", commands, quick=True),
        Story("without the proxy, a deleted message counts no more and a branch takes nothing away", deleted_and_branched),
        Story("without the proxy, the chat goes on while the server is away", without_the_server),
        Story("taking the URL out leaves nothing behind", the_url_taken_out, quick=True),
        Story("recalled by meaning", by_meaning),
        Story("everything is started anew and it is still known", all_of_it_started_anew),
    ]


STORIES = _rows()
