"""The extension: what its panel shows in which words, what can be done there, and what it leaves behind."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.conformance.live.server import free_port
from tests.e2e.model import block, said_in
from tests.e2e.remembering import EN, ZH, fresh
from tests.e2e.server import until
from tests.e2e.tavern import ROOT, Stage
from tests.learning.teller import CHAPTER

WORDS: dict[str, str] = json.loads(
    (ROOT / "examples" / "integrations" / "sillytavern" / "i18n" / "zh-cn.json").read_text(
        encoding="utf-8"
    )
)
CJK = re.compile(r"[\u4e00-\u9fff]")
ORDER = {  # read as one: said, asked for, and a word of it
    "en": (
        "Remember that my niece Ella lives in Graz.",
        "Where does my niece Ella live?",
        "Graz",
    ),
    "zh": ("记住，我侄女艾拉住在格拉茨。", "我侄女艾拉住在哪里？", "格拉茨"),
}
BUTTONS = {"take back": 0, "pin": 1, "edit": 2, "forget": 3}


def learned(stage: Stage, words: str) -> Any:
    """The lines about these words among what was just learned."""
    return stage.page.locator("#rolememory_learned .rolememory-line", has_text=words)


def press(line: Any, name: str) -> None:
    """Press a button of a line; the drawer may be closed."""
    line.locator("button").nth(BUTTONS[name]).evaluate("button => button.click()")


def told(stage: Stage, way: str, name: str) -> tuple[str, Any]:
    """A word that a new character has learned, and its line in the panel."""
    stage.through(way)
    word = fresh("lilies")
    stage.tell(name, f"Remember that my niece Ella keeps {word} in Bergen.", word)
    line = learned(stage, word)
    line.first.wait_for(state="attached")
    return word, line


def shown_once(stage: Stage, way: str) -> None:
    name = fresh("Nan")
    word, line = told(stage, way, name)
    stage.asked(lambda: stage.call("swipe"), "Another thing.")
    stage.say(f"My niece Ella keeps {word} in Bergen.")
    late = fresh("tulips")
    stage.say(f"Remember that my aunt Rosa sells {late} in Porto.")
    learned(stage, late).first.wait_for(state="attached")
    assert (line.count(), learned(stage, late).count()) == (1, 1)


def taken_back(stage: Stage, way: str) -> None:
    name = fresh("Nan")
    word, line = told(stage, way, name)
    press(line, "take back")
    line.wait_for(state="detached")
    assert not [text for text in stage.contents(name) if word in text]


def withdrawn(stage: Stage, way: str) -> None:
    """The message deleted, what was learned from it is shown no longer."""
    stage.through(way)
    name, word = fresh("Nan"), fresh("lilies")
    stage.chat(name)
    stage.say(fresh("It is the evening of day"))
    stage.say(f"Remember that my niece Ella keeps {word} in Bergen.")
    line = learned(stage, word)
    line.wait_for(state="attached")
    stage.call("remove", 3)
    stage.say("It is late.")  # a proxy hears of it with the next turn
    line.wait_for(state="detached")


def a_role_deleted_meanwhile(stage: Stage, way: str) -> None:
    """The role deleted on the server's page, the open chat begins it again."""
    stage.through(way)
    name, word = fresh("Nan"), fresh("lilies")
    stage.tell(name, EN.fact, EN.word)
    stage.delete(name)
    stage.say(f"My niece Ella keeps {word} in Bergen.")
    stage.heard(word, name)


def taken_back_together(stage: Stage, way: str) -> None:
    """What was learned in one go is taken back in one go."""
    stage.through(way)
    name = fresh("Nan")
    one, two = fresh("lilies"), fresh("herons")
    stage.tell(
        name,
        f"Remember that my niece Ella keeps {one} in Bergen. Remember that my uncle Tom draws {two} in Oslo.",
        two,
    )
    for word in (one, two):
        learned(stage, word).wait_for(state="attached")
    press(learned(stage, one), "take back")
    for word in (one, two):
        learned(stage, word).wait_for(state="detached")
    assert stage.contents(name) == []


def pinned(stage: Stage, way: str) -> None:
    name = fresh("Nan")
    word, line = told(stage, way, name)
    press(line, "pin")
    stage.page.locator("#rolememory_learned .rolememory-pinned", has_text=word).wait_for(
        state="attached"
    )
    stage.chat(name)
    stage.comes_to_mind("Good evening.", word)


def changed(stage: Stage, way: str) -> None:
    name = fresh("Nan")
    word, line = told(stage, way, name)
    press(line, "edit")
    better = f"Lin's niece Ella keeps {fresh('orchids')} in Bergen."
    corrected(stage, better, "cancel")
    learned(stage, better).wait_for(state="attached")
    stage.chat(name)
    asked = stage.comes_to_mind("What does my niece Ella keep in Bergen?", better)
    assert word not in block(asked)


def corrected(stage: Stage, better: str, again: str) -> None:
    """Write other words into the open dialog; `again`: the button pressed when asked whether to have the last reply written again."""
    first = stage.page.locator("dialog.popup[open]", has=stage.page.locator("textarea:visible"))
    first.locator("textarea").fill(better)
    first.locator(".popup-button-ok").click()
    asks = stage.page.locator("dialog.popup[open]", has_text="written again")
    asks.locator(f".popup-button-{again}").click()


def written_again(stage: Stage, way: str) -> None:
    """The reply after a correction is written with it in mind."""
    name = fresh("Nan")
    _, line = told(stage, way, name)
    press(line, "edit")
    better = f"Lin's niece Ella keeps {fresh('orchids')} in Bergen."
    before = len(stage.model.asked)
    corrected(stage, better, "ok")
    until(lambda: len(stage.model.asked) > before, lambda: "no reply was written again")
    assert better in block(stage.model.newest)


def a_chapter(stage: Stage, way: str) -> None:
    """`/chapter` ends one; the model's words for it come back, and the next chat begins with it."""
    stage.home_anew(learn__endpoint=stage.model.endpoint.url, learn__model="scripted")
    stage.through(way)
    name = fresh("Uma")
    frost = fresh("The mill burned down at first frost")
    stage.model.steps = {CHAPTER: {"title": "First frost", "chapter": f"{frost}."}}
    stage.tell(name, "The mill is burning!", "burning")
    stage.say("We stood there until dawn.")
    assert frost in stage.call("command", "/chapter The burning mill")
    assert [text for text in stage.contents(name) if frost in text]
    stage.chat(name)
    assert f"The burning mill: {frost}" in said_in(stage.say("How did the mill burn down?"))


def forgotten(stage: Stage, way: str) -> None:
    """The words that asked for it with it; not what was said beside them."""
    stage.through(way)
    name, word, beside = fresh("Nan"), fresh("lilies"), fresh("herons")
    order = f"Remember that my niece Ella keeps {word} in Bergen."
    stage.tell(name, f"{order} My uncle Tom draws {beside} in Oslo.", word)
    line = learned(stage, word)
    line.wait_for(state="attached")
    press(line, "forget")
    line.wait_for(state="detached")
    stage.chat(name)
    assert not stage.recalls("What does my niece Ella keep in Bergen?", word)
    stage.comes_to_mind("What does my uncle Tom draw in Oslo?", beside)


def only_text(stage: Stage, way: str) -> None:
    stage.through(way)
    name, word = fresh("Nan"), fresh("<img src=x onerror=document.title='hurt'> lilies")
    order = f"Remember that my niece Ella keeps {word} in Bergen."
    stage.tell(name, order, word.rpartition(" ")[2])
    learned(stage, word).wait_for(state="attached")
    assert stage.page.title() != "hurt", "a memory ran as HTML"


def shown_with_its_reason(stage: Stage, way: str) -> None:
    stage.through(way)
    name = fresh("Pia")
    stage.tell(name, EN.fact, EN.word)
    stage.chat(name)
    stage.comes_to_mind(EN.question, EN.word)
    line = stage.page.locator("#rolememory_turn .rolememory-line", has_text=EN.word)
    line.wait_for(state="attached")
    assert line.locator("small").text_content()
    stage.chat(name)
    line.wait_for(state="detached")


def shown_of_a_group(stage: Stage) -> None:
    """What the last speaker was given, in another chat of those who heard it."""
    stage.through("extension")
    one, two = fresh("Kit"), fresh("Lou")
    order, question, word = ORDER["en"]
    for name in (one, two):
        stage.chat(name)
    stage.group(one, two)
    stage.call("say", order)
    for name in (one, two):
        stage.heard(word, name)
    stage.group(one, two)
    stage.call("say", question)
    stage.page.locator("#rolememory_turn .rolememory-line", has_text=word).wait_for(
        state="attached"
    )
    assert word in str(stage.call("command", f"/memory {word}"))


@contextmanager
def speaking(stage: Stage, language: str) -> Iterator[None]:
    """SillyTavern in a language."""
    stage.speak(language)
    try:
        yield
    finally:
        stage.speak("en")


def in_ones_own_language(stage: Stage, language: str) -> None:
    tongue = {"en": EN, "zh-cn": ZH}[language]
    order, question, word = ORDER[tongue.code]
    with speaking(stage, language):
        stage.through("extension")
        name = fresh(tongue.name)
        stage.tell(name, order, word)
        learned(stage, word).wait_for(state="attached")
        stage.chat(name)
        stage.comes_to_mind(question, word)
        line = stage.page.locator("#rolememory_turn .rolememory-line", has_text=word)
        line.wait_for(state="attached")
        shown = [
            *stage.call("panel"),
            *stage.call("help"),
            stage.call("command", "/forget nothing of the kind"),
        ]
        if language == "en":
            assert not [text for text in shown if CJK.search(text)]
            assert set(WORDS) & set(shown)
        else:
            assert not set(WORDS) & set(shown), "words that stay English"
            assert set(WORDS.values()) & set(shown)
            assert CJK.search(line.locator("small").text_content()), "the reason stays English"


def commands(stage: Stage, way: str) -> None:
    stage.through(way)
    name = fresh("Quin")
    stage.chat(name)
    key = "The spare key lies under the blue jar."
    assert stage.call("command", f"/remember {key}") == key
    assert stage.call("command", "/recall Where is the spare key?") == key
    stage.page.locator(".rolememory-told", has_text=re.compile(f"^{key}$")).first.wait_for()
    assert stage.call("command", "/memory blue jar") == key
    assert stage.call("command", "/memory") == key
    stage.comes_to_mind("Where is the spare key?", "blue jar")
    assert stage.call("command", "/remember The cellar key hangs behind the stove.")
    assert "write more of one" in stage.call("command", "/forget key")
    assert stage.call("command", "/forget blue jar") == key
    assert "blue jar" not in stage.call("command", "/memory")
    assert "No memory" in stage.call("command", "/forget blue jar")
    assert "Write what to remember" in stage.call("command", "/remember")


def asked_about_a_new_persona(stage: Stage, way: str) -> None:
    """It stands apart until somebody answers; the answer is remembered."""
    stage.home_anew()
    questions = stage.page.locator("#rolememory_people .rolememory-line")
    stage.through(way)
    name = fresh("Yara")
    stage.tell(name, EN.fact, EN.word)
    try:
        for persona, button, known in (("Mei", 1, False), ("Traveller", 0, True)):
            if known:  # a home that knew one person
                stage.rolememory("users", "link", "Lin", "Mei")
            stage.call("persona", persona)
            stage.chat(name)
            assert not stage.recalls(EN.question, EN.word), "not asked yet"
            questions.filter(has_text=persona).wait_for(state="attached")
            questions.locator("button").nth(button).evaluate("button => button.click()")
            questions.wait_for(state="detached")
            stage.load()
            stage.through(way)
            stage.call("persona", persona)
            stage.chat(name)
            if known:
                stage.comes_to_mind(EN.question, EN.word)
            else:
                assert not stage.recalls(EN.question, EN.word)
            assert questions.count() == 0, "asked again"
    finally:
        stage.call("persona", "Lin")


def a_persona_renamed(stage: Stage, way: str) -> None:
    """It is known under its new name, but not under one that was another persona's."""
    stage.through(way)
    name, other = fresh("Zora"), fresh("Bob")
    stage.call("newPersona", other)
    stage.tell(name, "My brother Otto repairs clocks in Lyon.", "repairs clocks")
    stage.call("newPersona", fresh("Ada"))
    try:
        stage.tell(name, EN.fact, EN.word)
        stage.call("renamePersona", fresh('Ada "the old", 阿黛'))
        stage.chat(name)
        stage.comes_to_mind(EN.question, EN.word)
        stage.call("renamePersona", other)
        stage.chat(name)
        assert not stage.recalls(EN.question, EN.word), "two persons became one"
    finally:
        stage.call("persona", "Lin")


def switched_off(stage: Stage) -> None:
    stage.through("direct")
    name = fresh("Ula")
    stage.tell(name, EN.fact, EN.word)
    stage.call("extension", {"mode": "off"})
    stage.chat(name)
    assert not stage.recalls(EN.question, EN.word)
    stage.page.locator("#rolememory_status", has_text="Switched off here.").wait_for(
        state="attached"
    )
    stage.say("My aunt Rosa sells tulips in Porto.")
    stage.call("extension", {"mode": "auto"})
    stage.chat(name)
    stage.comes_to_mind(EN.question, EN.word)
    assert not [text for text in stage.said(name) if "tulips" in text]


def at_a_depth(stage: Stage) -> None:
    stage.through("direct")
    stage.call("extension", {"depth": 3})
    try:
        name = fresh("Wes")
        stage.tell(name, EN.fact, EN.word)
        stage.chat(name)
        stage.say("Good evening.")
        asked = stage.comes_to_mind(EN.question, EN.word)
        chat = [
            message
            for message in asked["messages"]
            if message["role"] != "system" or block({"messages": [message]})
        ]
        assert [bool(block({"messages": [message]})) for message in chat] == [
            False,
            True,
            False,
            False,
            False,
        ]
    finally:
        stage.call("extension", {"depth": 1})


def without_notices(stage: Stage) -> None:
    stage.through("extension")
    stage.call("extension", {"notices": False})
    name = fresh("Xan")
    try:
        stage.tell(name, "Remember that my aunt Rosa sells tulips in Porto.", "tulips")
        stage.chat(name)
        stage.comes_to_mind("What does my aunt Rosa sell in Porto?", "tulips")
        stage.page.locator("#rolememory_turn .rolememory-line", has_text="tulips").wait_for(
            state="attached"
        )
        assert learned(stage, "tulips").count() == 0
    finally:
        stage.call("extension", {"notices": True})
    order, _, word = ORDER["en"]
    stage.tell(name, order, word)
    learned(stage, word).wait_for(state="attached")
    assert learned(stage, "tulips").count() == 0


def status(stage: Stage, words: str) -> None:
    """Wait until the panel says this."""
    stage.page.locator("#rolememory_status[data-kind=bad]", has_text=words).wait_for(
        state="attached"
    )


def what_is_wrong(stage: Stage) -> None:
    """The chat goes on, and the panel says what to do."""
    stage.through("direct")
    name, nobody = fresh("Tom"), f"http://127.0.0.1:{free_port()}"
    stage.chat(name)
    for values, words in (
        ({"token": ""}, "Paste the token"),
        ({"token": "another"}, "does not know this token"),
        ({"token": stage.memory.token, "server": nobody}, f"Nobody answers at {nobody}"),
    ):
        stage.call("extension", values)
        status(stage, words)
        assert block(stage.say("Good evening.")) == ""
    stage.through("direct")
    stage.page.locator("#rolememory_status[data-kind=good]").wait_for(state="attached")
    stage.tell(name, EN.fact, EN.word)


def without_leave(stage: Stage) -> None:
    """A home folder that no page was let into says how to let it in."""
    stage.home_anew(integrated=False)
    stage.through("direct")
    stage.chat(fresh("Tia"))
    assert block(stage.say("Good evening.")) == ""
    status(stage, f'allowed_origins = ["{stage.address}"]')
    stage.home_anew()


def without_the_server(stage: Stage) -> None:
    stage.through("direct")
    name = fresh("Tom")
    stage.chat(name)
    stage.memory.stop()
    try:
        assert block(stage.say("Good evening.")) == ""
        status(stage, "rolememory serve")
    finally:
        stage.memory.start()
    stage.through("direct")
    stage.tell(name, EN.fact, EN.word)


def the_url_taken_out(stage: Stage, way: str) -> None:
    """Nothing of ours stays in the frontend but what the user wrote into the panel."""
    stage.through(way)
    name = fresh("Una")
    stage.tell(name, EN.meant, EN.sense)
    stage.tell(name, EN.fact, EN.word)
    stage.remember("Anna's hives stand behind the old mill.", name)
    stage.chat(name)
    given = block(stage.comes_to_mind(EN.question, EN.word))
    stage.through("gone")
    asked = stage.say("And now?")
    assert block(asked) == ""
    stage.call("save")
    files = stage.files()
    assert EN.question in "\n".join(files.values())
    ours = [
        "<rolememory",
        *(line.strip("- ") for line in given.splitlines()),
        *stage.contents(name),
    ]
    ours = [
        text
        for text in ours
        if len(text) > 10 and not any(said in text for said in (EN.fact, EN.meant, EN.question))
    ]
    assert any("Anna" in text for text in ours)
    assert [(path, text) for path, kept in files.items() for text in ours if text in kept] == []
    settings = json.loads(files["settings.json"])
    assert settings["oai_settings"]["custom_include_body"] == ""
    assert set(settings["extension_settings"]["rolememory"]) <= {
        "depth",
        "mode",
        "notices",
        "server",
        "token",
    }


def uninstalled(stage: Stage) -> None:
    """SillyTavern deletes the extension with its data: not even its name is left."""
    stage.through("extension")
    name = fresh("Viv")
    stage.tell(name, EN.fact, EN.word)
    try:
        with stage.page.expect_navigation():
            stage.call("uninstall")
        settings = json.loads(stage.files()["settings.json"])
        assert [
            name for name, values in settings.items() if "rolememory" in json.dumps(values)
        ] == []
    finally:
        stage.integrate()
        stage.load()
