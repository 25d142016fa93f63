"""observe, review, sessions, story, forget, chat, infer: learning by hand, as a person types it."""

import json
from pathlib import Path
from typing import Any

import pytest

from rolememory.engine import Home
from tests.cli.running import Command, process
from tests.endpoint import Endpoint, Line, answers
from tests.serve.proxy.upstreams import streams

CHAT = [
    {"role": "assistant", "content": "Sit down."},
    {"role": "user", "content": "My sister Anna keeps bees in Riga. Correction: I live in Rome."},
    {"role": "assistant", "content": "Tell me more."},
]

ROOT = Path(__file__).parents[2]
BOATS = """
from rolememory.schema.evidence import Reason
from rolememory.schema.learning import Draft
from rolememory.schema.memory import Evidence, MemoryType, Source

class Boats:
    name = "boats"
    def __init__(self, means): pass
    def extract(self, batch):
        proof = Evidence(chat=batch.chat, version=batch.said[0].version)
        because = Reason("extracted")
        return [Draft("Lin's sister keeps a boat.", MemoryType.SEMANTIC, Source.SUMMARY, (proof,), because, user="lin")]
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    folder = tmp_path / "home"
    with Home.open(folder, {"embedding.backend": "off"}) as opened:
        opened.create("Mira")
    (folder / "rolememory.toml").write_text('[embedding]\nbackend = "off"\n', encoding="utf-8")
    (tmp_path / "chat.json").write_text(json.dumps(CHAT), encoding="utf-8")
    return Command(folder, monkeypatch)


def run(home: Command, *line: str, given: str = "", language: str = "en", code: int = 0) -> str:
    """One command line; what it says."""
    done = home(*line, stdin=given.encode(), lang=language)
    assert done.code == code, done.err
    return done.out + done.err


def file_of(home: Command) -> str:
    """The chat that is observed."""
    return str(home.home.parent / "chat.json")


def test_observe_tells_what_was_learned_and_a_second_time_that_nothing_is_new(
    home: Command,
) -> None:
    file = file_of(home)
    first = json.loads(
        run(home, "observe", "Mira", file, "--chat", "one", "--user", "lin", "--json")
    )
    assert first["entered"] == 3
    assert any("Rome" in memory["content"] for memory in first["learned"])
    again = json.loads(
        run(home, "observe", "Mira", file, "--chat", "one", "--user", "lin", "--json")
    )
    assert (again["entered"], again["learned"]) == (0, [])


def test_a_sillytavern_chat_is_observed_with_its_dates(home: Command, tmp_path: Path) -> None:
    sent = {"en": "June 19, 2023 2:20pm", "zh": "2023-07-02T09:00:00.000Z"}
    lines = [
        {"user_name": "Lin", "character_name": "Mira"},
        {"name": "Lin", "is_user": True, "mes": "The mill burns.", "send_date": sent["en"]},
        {"name": "Mira", "is_user": False, "mes": "磨坊着火了。", "send_date": sent["zh"]},
    ]
    file = tmp_path / "Mira - 2023.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    run(home, "observe", "Mira", str(file), "--user", "lin")
    june = run(home, "recall", "Mira", "What did I tell you in June 2023?", "--user", "lin")
    july = run(home, "recall", "Mira", "2023年7月2日我们说了什么？", "--user", "lin")
    assert ("mill burns" in june, "磨坊" in june) == (True, False)
    assert ("mill burns" in july, "磨坊" in july) == (False, True)


def test_what_is_hidden_in_a_sillytavern_chat_is_not_observed(
    home: Command, tmp_path: Path
) -> None:
    lines = [
        {"user_name": "Lin", "character_name": "Mira"},
        {"name": "Lin", "is_user": True, "is_system": True, "mes": "The granary burns."},
        {"name": "Lin", "is_user": True, "mes": "The mill burns."},
    ]
    file = tmp_path / "Mira.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    run(home, "observe", "Mira", str(file), "--user", "lin")
    told = run(home, "recall", "Mira", "What did I say that burns?", "--user", "lin")
    assert ("mill" in told, "granary" in told) == (True, False)


@pytest.mark.parametrize(("language", "word"), [("en", "new messages"), ("zh", "条新消息")])
def test_observe_speaks_both_languages(home: Command, language: str, word: str) -> None:
    assert word in run(home, "observe", "Mira", file_of(home), "--chat", "one", language=language)


@pytest.mark.parametrize(("language", "word"), [("en", "1 new message\n"), ("zh", "1 条新消息\n")])
def test_one_message_is_no_messages(home: Command, language: str, word: str) -> None:
    line = ("observe", "Mira", "-", "--chat", "one")
    one = json.dumps([{"role": "user", "content": "The mill burns."}]).encode()
    ran = home(*line, stdin=one, lang=language)
    assert word in ran.out, ran.err


def test_sessions_list_show_rename_and_remove(home: Command) -> None:
    run(home, "observe", "Mira", file_of(home), "--chat", "one", "--user", "lin")
    run(home, "sessions", "Mira", "one", "--title", "Bees")
    (only,) = json.loads(run(home, "sessions", "Mira", "--json"))
    assert (only["id"], only["title"], only["user"], only["messages"]) == ("one", "Bees", "lin", 3)
    assert "Riga" in run(home, "sessions", "Mira", "one")
    run(home, "sessions", "Mira", "one", "--remove", "--yes")
    assert json.loads(run(home, "sessions", "Mira", "--json")) == []


@pytest.mark.parametrize(
    ("language", "words"), [("en", "say which chat is meant"), ("zh", "请指明是哪个会话")]
)
@pytest.mark.parametrize(
    "change",
    [
        ("--title", "Bees"),
        ("--archive",),
        ("--mode", "off"),
        ("--story", "own"),
        ("--remove", "--yes"),
    ],
    ids=lambda change: change[0],
)
def test_a_change_that_names_no_chat_asks_which_is_meant(
    home: Command, language: str, words: str, change: tuple[str, ...]
) -> None:
    run(home, "observe", "Mira", file_of(home), "--chat", "one", "--user", "lin")
    before = run(home, "sessions", "Mira", "--json")
    assert words in run(home, "sessions", "Mira", *change, language=language, code=1)
    assert run(home, "sessions", "Mira", "--json") == before


def test_a_story_is_begun_and_merged(home: Command) -> None:
    run(home, "observe", "Mira", file_of(home), "--chat", "one", "--user", "lin")
    run(home, "story", "begin", "Mira", "what if", "--chat", "one")
    assert json.loads(run(home, "sessions", "Mira", "--json"))[0]["story"] == "what if"
    run(home, "story", "merge", "Mira", "what if")
    rows = json.loads(run(home, "story", "list", "Mira", "--json"))
    assert {row["name"]: row["merged"] for row in rows} == {"": ["what if"], "what if": []}
    for option, wanted, story in (
        ("--story", "own", "own"),
        ("--story", "what if", "what if"),
        ("--mode", "here", "what if"),
        ("--story", "default", ""),
    ):
        run(home, "sessions", "Mira", "one", option, wanted)
        assert json.loads(run(home, "sessions", "Mira", "--json"))[0]["story"] == story


def test_how_chats_of_a_user_begin_is_chosen(home: Command) -> None:
    run(home, "observe", "Mira", file_of(home), "--chat", "one", "--user", "lin")
    assert "share one life" in run(home, "story", "default", "Mira", "--user", "lin")
    assert "各成一个故事" in run(
        home, "story", "default", "Mira", "each", "--user", "lin", language="zh"
    )
    assert json.loads(run(home, "sessions", "Mira", "--json"))[0]["story"] == "own"
    run(home, "settings", "chats.stories", "each")
    run(home, "story", "default", "Mira", "one", "--user", "lin")
    told = [
        json.loads(run(home, "story", "default", "Mira", *user, "--json"))["stories"]
        for user in (("--user", "lin"), ("--user", "wu"), ())
    ]
    assert told == ["one", "each", "each"]


def told_in(home: Command, chat: str, question: str) -> str:
    """What the model is sent when somebody asks this in a chat of the terminal."""
    with Endpoint(streams("Hm.")) as model:
        line = ("chat", "Mira", "--upstream", model.url, "--user", "lin", "--chat", chat)
        run(home, *line, given=f"{question}\n")
        return model.requests[-1].said


@pytest.mark.parametrize(
    ("order", "question", "word"),
    [
        pytest.param("My sister Anna keeps bees in Riga.", "What does my sister keep?", "bees", id="en"),
        pytest.param("我姐姐安娜在里加养蜜蜂。", "我姐姐养什么？", "蜜蜂", id="zh"),
    ],
)  # fmt: skip
def test_what_a_chat_is_set_to_decides_what_others_hear_of_it(
    home: Command, order: str, question: str, word: str
) -> None:
    chat = [{"role": "user", "content": order}, {"role": "assistant", "content": "..."}]
    Path(file_of(home)).write_text(json.dumps(chat), encoding="utf-8")
    run(home, "observe", "Mira", file_of(home), "--chat", "one", "--user", "lin")
    assert word in told_in(home, "two", question)
    run(home, "story", "begin", "Mira", "dream")
    for place, known in (
        (("one", "--story", "dream"), False),
        (("two", "--story", "dream"), True),
        (("one", "--story", "default"), False),
        (("two", "--story", "default"), True),
        (("two", "--story", "own"), False),
        (("two", "--story", "default"), True),
        (("two", "--mode", "off"), False),
        (("two", "--mode", "on"), True),
    ):
        run(home, "sessions", "Mira", *place)
        assert (word in told_in(home, "two", question)) is known, place
    for name, of, known in (("later", ("--of", ""), True), ("apart", (), False)):
        run(home, "story", "begin", "Mira", name, *of, "--chat", "two")
        assert (word in told_in(home, "two", question)) is known, name
    run(home, "story", "merge", "Mira", "", "--into", "apart")
    assert word in told_in(home, "two", question)


def test_an_archived_chat_is_put_away_and_brought_back(home: Command) -> None:
    run(home, "observe", "Mira", file_of(home), "--chat", "one", "--user", "lin")
    for option, listed in (("--archive", []), ("--unarchive", ["one"])):
        run(home, "sessions", "Mira", "one", option)
        rows = json.loads(run(home, "sessions", "Mira", "--json"))
        every = json.loads(run(home, "sessions", "Mira", "--archived", "--json"))
        assert [row["id"] for row in rows] == listed
        assert [row["id"] for row in every] == ["one"]


def test_what_waits_is_shown_and_accepted(home: Command) -> None:
    with Home.open(home.home, {"embedding.backend": "off"}) as opened:
        opened.role("Mira").remember("I live in Oslo.", "semantic", subject="user", id="author")
    run(home, "observe", "Mira", file_of(home), "--chat", "one", "--user", "lin")
    (waiting,) = json.loads(run(home, "review", "Mira", "--json"))
    assert waiting["content"] == "I live in Rome"
    accepted = run(home, "review", "Mira", "--accept", waiting["id"], "--json")
    assert json.loads(accepted) == []
    assert "I live in Rome" in run(home, "list", "Mira")
    assert "nobody" in run(home, "review", "Mira", "--accept", "nobody", code=1)


def test_what_is_rejected_stays_away_and_what_is_accepted_stays(home: Command) -> None:
    told = ["I live in Rome.", "I was born in Turin."]
    with Home.open(home.home, {"embedding.backend": "off"}) as opened:
        for content in ("I live in Oslo.", "I was born in Bergen."):
            opened.role("Mira").remember(content, "semantic", subject="user")

    def observed(*lines: str) -> list[dict[str, Any]]:
        chat = [{"role": "user", "content": line} for line in lines]
        Path(file_of(home)).write_text(json.dumps(chat), encoding="utf-8")
        run(home, "observe", "Mira", file_of(home), "--chat", "two", "--user", "lin")
        found: list[dict[str, Any]] = json.loads(run(home, "review", "Mira", "--json"))
        return found

    rows = observed(*(f"Correction: {one}" for one in told))
    rome, turin = sorted(rows, key=lambda row: "Turin" in row["content"])
    run(home, "review", "Mira", "--reject", rome["id"], "--accept", turin["id"])
    assert observed("Hello.", "Hm.") == []
    assert observed(*(f"Correction: {one}" for one in told)) == []
    listed = run(home, "list", "Mira")
    assert "I was born in Turin" in listed
    assert "I live in Rome" not in listed


def test_forget_says_first_what_would_go(home: Command) -> None:
    run(home, "observe", "Mira", file_of(home), "--chat", "one", "--user", "lin")
    look = json.loads(run(home, "forget", "Mira", "--user", "lin", "--dry-run", "--json"))
    assert look["roles"][0]["chats"] == 1
    assert look["roles"][0]["memories"] > 0
    refused = run(home, "forget", "Mira", "--user", "lin", code=1)
    assert "--yes" in refused
    assert len(json.loads(run(home, "sessions", "Mira", "--json"))) == 1
    run(home, "forget", "Mira", "--user", "lin", "--yes")
    assert json.loads(run(home, "sessions", "Mira", "--json")) == []
    left = b"".join(path.read_bytes() for path in home.home.rglob("*") if path.is_file())
    assert b"Riga" not in left


def test_forget_tells_of_a_name_that_nobody_has(home: Command) -> None:
    run(home, "observe", "Mira", file_of(home), "--chat", "one", "--user", "lin")
    for line in (("Mira", "--user", "Linn"), ("--user", "Linn")):
        said = home("forget", *line, "--yes", lang="zh")
        assert "没有 'Linn' 的任何内容（已知：lin）" in said.err
    assert home("forget", "--user", "lin", "--yes").err == ""


def test_who_is_forgotten_everywhere_leaves_no_persona(home: Command) -> None:
    people = home.home / "personas.json"
    people.write_text(
        json.dumps({"personas": [{"name": "lin", "description": "A sailor."}, {"name": "wu"}]}),
        "utf-8",
    )
    run(home, "forget", "Mira", "--user", "lin", "--yes")
    assert len(json.loads(people.read_text("utf-8"))["personas"]) == 2
    run(home, "forget", "--user", "lin", "--yes")
    assert json.loads(people.read_text("utf-8"))["personas"] == [{"name": "wu"}]


def test_talking_in_the_terminal_streams_the_reply_and_shows_what_was_learned(
    home: Command,
) -> None:
    with Endpoint(streams("Bees", " are", " kind.")) as model:
        said = run(
            home,
            "chat",
            "Mira",
            "--upstream",
            model.url,
            "--user",
            "lin",
            given="Remember that my dog is called Rex.\n/why\n/quit\n",
        )
        assert "Mira: Bees are kind." in said
        assert "Rex" in said.partition("Bees are kind.")[2]
        line = ("chat", "Mira", "--upstream", model.url, "--user", "lin")
        for pane, shown in (("--pane", True), ("--no-pane", False)):
            place = ("--chat", pane)  # where the words do not stand in view
            again = run(home, *line, *place, pane, given="What is my dog called?\n")
            assert ("~ my dog is called Rex" in again) is shown
            assert "Rex" in model.requests[-1].said


@pytest.mark.parametrize(
    ("language", "off"),
    [("en", "memory is off in this chat"), ("zh", "这个会话已关闭记忆")],
)
def test_talking_tells_that_memory_is_off_and_which_commands_there_are(
    home: Command, language: str, off: str
) -> None:
    with Endpoint(streams("Hm.")) as model:
        line = ("chat", "Mira", "--upstream", model.url)
        first = run(home, *line, given="/memory off\nHello.\n/help\n", language=language)
        assert first.count(off) == 2
        assert first.count("/help") == 2
        assert [one.json["messages"][-1]["content"] for one in model.requests] == [
            "/memory off",
            "Hello.",
        ]
        assert off in run(home, *line, given="Good evening.\n", language=language)


def test_talking_without_a_server_says_what_to_do(home: Command) -> None:
    assert "--upstream URL" in run(home, "chat", "Mira", code=1)


@pytest.mark.parametrize(
    ("language", "word", "none"),
    [("en", "nothing new to remember", "no new conclusions"), ("zh", "没有新的内容", "没有推出")],
)
def test_a_model_is_asked_when_it_is_wanted_and_concludes(
    home: Command, language: str, word: str, none: str
) -> None:
    facts = [
        {"line": 1, "content": "Lin's sister Anna keeps bees in Riga.", "about": "Anna"},
        {"line": 1, "content": "Lin's sister Anna owns a shop in Riga.", "about": "Anna"},
    ]
    drawn = {"conclusion": "Anna sells honey in Riga.", "confidence": 0.8, "basedOn": [1, 2]}

    def by_step(line: Line) -> None:
        step = line.request.json["response_format"]["json_schema"]["name"]
        answers({"conclusions": [drawn]} if step == "inference" else {"facts": facts})(line)

    said = "My sister Anna keeps bees in Riga, and she owns a shop there."
    chat = [{"role": "user", "content": said}, {"role": "assistant", "content": "Tell me more."}]
    Path(file_of(home)).write_text(json.dumps(chat), encoding="utf-8")
    observe = ("observe", "Mira", file_of(home), "--chat", "one", "--user", "lin")
    with Endpoint(by_step) as model:
        run(home, "settings", "learn.endpoint", model.url)
        run(home, "settings", "learn.model", "small")
        assert word in run(home, *observe, language=language)
        assert not model.requests
        waited = run(home, *observe, "--wait", language=language)
        assert all(f"+ {fact['content']}" in waited for fact in facts)
        assert "+ Anna sells honey in Riga." in run(home, "infer", "Mira", language=language)
        assert none in run(home, "infer", "Mira", language=language)


def test_what_was_refused_is_shown_with_its_reason_and_stored_on_request(home: Command) -> None:
    fact = {"line": 9, "content": "Lin has a boat.", "about": "user"}  # a line that nobody said
    with Endpoint(answers({"facts": [fact]})) as model:
        run(home, "settings", "learn.endpoint", model.url)
        run(home, "settings", "learn.model", "small")
        run(home, "observe", "Mira", file_of(home), "--chat", "one", "--user", "lin", "--wait")
    refused = json.loads(run(home, "review", "Mira", "--refused", "--json"))
    (boat,) = [one for one in refused if one["content"] == fact["content"]]
    assert boat["why"]
    assert "boat" not in run(home, "review", "Mira")
    run(home, "review", "Mira", "--accept", boat["id"])
    assert fact["content"] in run(home, "list", "Mira")


def test_an_extractor_of_another_package_learns_without_any_model(home: Command) -> None:
    package = home.home.parent / "package"
    told = package / "boats-1.0.dist-info"
    told.mkdir(parents=True)
    (package / "boats.py").write_text(BOATS, "utf-8")
    (told / "METADATA").write_text("Name: boats\nVersion: 1.0\n", "utf-8")
    (told / "entry_points.txt").write_text(
        "[rolememory.extractors]\nboats = boats:Boats\n", "utf-8"
    )
    line = ("observe", "Mira", file_of(home), "--chat", "one", "--user", "lin", "--wait")
    environment = {"ROLEMEMORY_HOME": str(home.home), "PYTHONPATH": f"{package}:{ROOT}"}
    done = process(*line, environment=environment)
    assert "+ Lin's sister keeps a boat." in done.out, done.err


def test_conclusions_without_a_model_say_so(home: Command) -> None:
    assert "learn." in run(home, "infer", "Mira", code=1)


def test_what_undo_takes_back_is_not_recalled_from_the_order_either(home: Command) -> None:
    run(home, "observe", "Mira", file_of(home), "--chat", "one", "--user", "lin")
    asked = ("search", "Mira", "live in Rome", "--user", "lin", "--json")
    assert "I live in Rome" in run(home, *asked)
    run(home, "undo", "Mira")
    assert "I live in Rome" not in run(home, *asked)


def test_what_was_said_in_chats_is_found_by_who_was_there_and_a_look_for_nobody_says_so(
    home: Command, tmp_path: Path
) -> None:
    talk = tmp_path / "talk.txt"
    talk.write_text("Lin: Where is the map?\nMira: Under the third hearthstone.\n", "utf-8")
    run(home, "observe", "Mira", str(talk), "--chat", "one", "--user", "lin")
    found = home("search", "Mira", "map", "--user", "lin")
    assert "Where is the map? - Under the third hearthstone." in found.out
    assert "--user" not in found.err
    for verb in ("search", "recall", "explain"):
        assert "by who was there: lin" in home(verb, "Mira", "map").err, verb
        assert "--user 指明在场的人" in home(verb, "Mira", "map", lang="zh").err, verb


@pytest.mark.parametrize(
    ("text", "learned"),
    [
        pytest.param("Tess: Well?\nLin: Remember that my boat is Heron.\nTess: I will.", "Heron", id="en"),
        pytest.param("米拉：怎么了？\n小林：记住，我的船叫苍鹭。\n米拉：好。", "苍鹭", id="zh"),
    ],
)  # fmt: skip
def test_a_chat_in_plain_text_is_observed(
    home: Command, tmp_path: Path, text: str, learned: str
) -> None:
    with Home.open(home.home) as opened:
        opened.create("Tess", aliases=["米拉"])
    talk = tmp_path / "talk.txt"
    talk.write_text(text, "utf-8")
    assert learned in run(home, "observe", "Tess", str(talk), "--chat", "one")
    shown = home("sessions", "Tess", "one", "--json").json
    assert [said["role"] for said in shown] == ["assistant", "user", "assistant"]


def test_plain_text_in_which_the_role_says_nothing_is_refused(
    home: Command, tmp_path: Path
) -> None:
    talk = tmp_path / "talk.txt"
    talk.write_text("Ann: Is it dark?\nBob: It is.", "utf-8")
    said = run(home, "observe", "Mira", str(talk), code=1)
    assert "nobody in it is Mira: Ann, Bob speak; write Mira before" in said
    talk.write_text("", "utf-8")
    said = run(home, "observe", "Mira", str(talk), code=1)
    assert "give a chat as JSON, JSON lines, or lines `Name: text`" in said


@pytest.mark.parametrize(("language", "words"), [("en", "counts no longer"), ("zh", "不再有效")])
def test_a_list_marks_what_was_learned_from_a_message_that_was_deleted(
    home: Command, language: str, words: str
) -> None:
    chat = Path(file_of(home))
    run(home, "observe", "Mira", str(chat), "--chat", "harbour", "--user", "lin")
    assert words not in run(home, "list", "Mira", language=language)
    told = [CHAT[0], {**CHAT[1], "content": "My sister Anna keeps bees in Riga."}, CHAT[2]]
    chat.write_text(json.dumps(told), encoding="utf-8")
    run(home, "observe", "Mira", str(chat), "--chat", "harbour", "--user", "lin")
    assert words in run(home, "list", "Mira", language=language)
