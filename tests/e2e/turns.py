"""What is no turn, what is a turn once more, and what no longer stands."""

from functools import partial

from tests.e2e.model import block, said_in
from tests.e2e.remembering import EN, fresh
from tests.e2e.server import until
from tests.e2e.tavern import Stage


def swiped_and_regenerated(stage: Stage, way: str) -> None:
    stage.through(way)
    name, word = fresh("Fay"), fresh("orchids")
    stage.chat(name)
    stage.say(f"My uncle Tom grows {word} in Oslo.", "I was born in Holm.")
    for act, town in (("swipe", "Bath"), ("regenerate", "York")):
        asked = stage.asked(partial(stage.call, act), f"I was born in {town}.")
        assert word in said_in(asked)
        assert block(asked).count(word) == 0, "what stands in the chat is told twice"
    stage.say("It is late.")
    stage.heard(word, name)
    stage.heard("York", name)
    known = stage.said(name)
    assert len([text for text in known if f"grows {word}" in text]) == 1, known
    assert not [text for text in known if "Holm" in text or "Bath" in text], (
        "a reply that was swiped away teaches"
    )
    assert stage.call("texts")[2] == "I was born in York."


def not_the_characters_words(stage: Stage, way: str) -> None:
    """Impersonation, quiet prompts and what is left of them."""
    stage.through(way)
    name, word = fresh("Gil"), fresh("clocks")
    stage.chat(name)
    stage.say("Good evening.", "Good evening to you.")
    stage.asked(lambda: stage.call("impersonate"), f"My brother Otto repairs {word} in Lyon.")
    asked = stage.asked(
        lambda: stage.call("quiet", "Summarize the story so far."), f"Otto repairs {word} in Lyon."
    )
    assert block(asked) == "", "a summary is given memories"
    later = fresh("tulips")
    stage.say(f"My aunt Rosa sells {later} in Porto.")
    stage.heard(later, name)
    assert not [text for text in stage.said(name) if word in text]


def continued(stage: Stage, way: str) -> None:
    stage.through(way)
    stage.tell(fresh("Hal"), EN.fact, EN.word)
    asked = stage.asked(lambda: stage.call("continueIt"), " And the lamp burns.")
    assert block(asked).count(EN.word) == 0
    shown = stage.call("texts")
    assert (shown[-1].startswith("Mm."), shown[-1].endswith("And the lamp burns."), len(shown)) == (
        True,
        True,
        3,
    ), shown


def edited(stage: Stage, way: str) -> None:
    stage.through(way)
    name = fresh("Ida")
    stage.chat(name)
    stage.say(
        fresh("It is the evening of day")
    )  # nobody can tell a chat without a name by a first message that is another one now
    stage.say("My cousin Eva paints ships in Turku.")
    stage.heard("paints ships", name)
    stage.call("edit", 3, "My cousin Eva carves spoons in Turku.")
    stage.say("It is late.")
    stage.heard("carves spoons", name)
    stage.chat(name)
    asked = stage.comes_to_mind("What does my cousin Eva do in Turku?", "carves spoons")
    assert "paints ships" not in block(asked), "what was edited away is told"


def deleted(stage: Stage, way: str) -> None:
    stage.through(way)
    name = fresh("Ora")
    stage.chat(name)
    stage.say(fresh("It is the evening of day"))
    stage.say("My nephew Finn mends nets in Faro.")
    stage.heard("mends nets", name)
    stage.call("remove", 3)
    stage.say("My niece Ella tunes pianos in Graz.")  # a proxy hears of it with the next turn
    stage.heard("tunes pianos", name)
    stage.chat(name)
    assert not stage.recalls("What does my nephew Finn do in Faro?", "mends nets"), (
        "what was deleted is told"
    )
    stage.comes_to_mind("What does my niece Ella do in Graz?", "tunes pianos")


def deleted_to_the_greeting(stage: Stage) -> None:
    """Where the page tells what stands, it tells also that nothing does."""
    stage.through("direct")
    name = fresh("Sol")
    stage.tell(name, "My nephew Finn mends nets in Faro.", "mends nets")
    stage.call("remove", 2)
    stage.call("remove", 1)
    stage.chat(name)
    assert not stage.recalls("What does my nephew Finn do in Faro?", "mends nets"), (
        "what was deleted is told"
    )


def chat_deleted(stage: Stage, way: str) -> None:
    """The server is told of no deletion; the page asks. Kept, the chat is recalled; forgotten, it is not."""
    stage.through(way)
    name = fresh("Zoe")
    stage.tell(name, "My nephew Finn mends nets in Faro.", "mends nets")
    _delete_chat(stage, "Keep")
    stage.tell(name, "My niece Ella tunes pianos in Graz.", "tunes pianos")
    _delete_chat(stage, "Forget")
    until(lambda: not _holds(stage, name, "tunes pianos"), lambda: f"{stage.said(name)}")
    stage.comes_to_mind("What does my nephew Finn do in Faro?", "mends nets")
    stage.chat(name)
    assert not stage.recalls("What does my niece Ella do in Graz?", "tunes pianos")


def _delete_chat(stage: Stage, answer: str) -> None:
    stage.call("deleteChat")
    asked = stage.page.locator("dialog.popup[open]", has_text="is still remembered")
    asked.get_by_text(answer, exact=True).click()
    asked.wait_for(state="detached")


def _holds(stage: Stage, name: str, words: str) -> bool:
    return any(words in text for text in stage.said(name))


def branched(stage: Stage, way: str) -> None:
    stage.through(way)
    name = fresh("Rex")
    stage.tell(name, "My nephew Finn tunes pianos in Graz.", "tunes pianos")
    stage.call("branch", 0)
    stage.say("Good evening.")
    stage.chat(name)
    stage.comes_to_mind("What does my nephew Finn do in Graz?", "tunes pianos")


def stopped(stage: Stage, way: str) -> None:
    stage.through(way)
    name, word = fresh("Jon"), fresh("canaries")
    stage.chat(name)
    with stage.model.hanging("It will never "):
        stage.call("begin", f"My friend Ada breeds {word} in Genoa.")
        stage.call("stop")
        assert stage.model.idle(), "the model is still being waited for"
    stage.say("Go on.")
    stage.heard(word, name)


def refused(stage: Stage, way: str) -> None:
    """The model's own trouble reaches the user as the model told it; what the user said is kept with the next turn."""
    stage.through(way)
    name, word = fresh("Kay"), fresh("ferrets")
    stage.chat(name)
    with stage.model.refusing("the moon is down"):
        stage.call("fail", f"My friend Ada breeds {word} in Genoa.")
    assert any("the moon is down" in toast for toast in stage.call("toasts")), stage.call("toasts")
    stage.say("Go on.")
    stage.heard(word, name)


def a_tool(stage: Stage, way: str, processing: str) -> None:
    """The model asks a tool of the frontend; what the tool says is nobody's word."""
    stage.through(way)
    stage.call("processing", processing)
    stage.call("tools", "My brother Otto repairs clocks in Lyon.")
    try:
        name = fresh("Lea")
        stage.tell(name, EN.fact, EN.word)
        stage.chat(name)
        stage.model.will_call("almanac", {"name": "Otto"})
        before = len(stage.model.asked)
        stage.call("say", EN.question)
        first, second = stage.model.asked[before:]
        assert first["tools"][0]["function"]["name"] == "almanac"
        assert EN.word in block(first)
        assert EN.word in block(second)
        answer = next(message for message in second["messages"] if message["role"] == "tool")
        call = next(message for message in second["messages"] if message.get("tool_calls"))
        assert answer["tool_call_id"] == call["tool_calls"][0]["id"]
        stage.say("It is late.")
        stage.say("Good night.")
        assert not [text for text in stage.said(name) if "Otto" in text]
    finally:
        stage.call("tools", None)
        stage.call("processing", "")


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
    for name in (one, two):
        stage.heard(EN.word, name)
    for name in (one, two):
        stage.chat(name)
        stage.comes_to_mind(EN.question, EN.word)
    stage.chat(outside)
    assert not stage.recalls(EN.question, EN.word), "somebody outside knows it"


def muted_in_a_group(stage: Stage, way: str) -> None:
    """Who joins later is shown the whole chat by the frontend, and knows only what was said from then on."""
    stage.through(way)
    one, later = fresh("Kim"), fresh("Noa")
    for name in (one, later):
        stage.chat(name)
    stage.group(one, later)
    stage.mute(later)
    stage.say("My brother Otto repairs clocks in Lyon.")
    stage.heard("repairs clocks", one)
    stage.mute(later, muted=False)
    stage.call("say", EN.fact)
    for name in (one, later):
        stage.heard(EN.word, name)
        stage.chat(name)
        stage.comes_to_mind(EN.question, EN.word)
        knows = stage.recalls("What does my brother Otto do in Lyon?", "repairs clocks")
        assert knows is (name == one), name
