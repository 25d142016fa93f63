"""What the designs ask beside recall, through the proxy and REST: other roles, caches, upkeep, tools for memories, and calm where it cannot work."""

import shutil
import threading
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from rolememory.engine import Home
from rolememory.schema.evidence import Scored
from tests.designs.chats import Chatting, Script, a, chatting, u
from tests.e2e.server import Memory, until
from tests.endpoint import Endpoint, Line, answers, status
from tests.serve.houses import served

WORDS = {"embedding.backend": "off"}
LANGUAGES = pytest.mark.parametrize("language", ["en", "zh"])
BEACON = {
    "en": ("The beacon burns whale oil from Tromso.", "What oil does the beacon burn?"),
    "zh": ("灯塔烧的是特罗姆瑟来的鲸油。", "灯塔烧的是什么油？"),
}
NOISE = {"en": "The baker sells rye bread.", "zh": "面包师卖黑麦面包。"}


def rest(mira: Chatting, path: str, method: str = "GET", **asked: Any) -> Any:
    """What the REST interface answers of the role."""
    url = f"{mira.house.url}/api/roles/Mira{path}"
    answer = httpx.request(method, url, timeout=60, trust_env=False, verify=False, **asked)
    assert answer.status_code < 300, answer.text
    return answer.json()


def ids(rows: Any) -> list[str]:
    """Their ids, in order."""
    return [row.get("memory", row)["id"] for row in rows]


def found(mira: Chatting, fact: str, asked: str) -> Scored:
    """The memory as it is scored for a question."""
    scored = mira.mind.recall(asked, user="lin", dry_run=True).answer.scored
    return next(one for one in scored if one.memory.content == fact)


def used_of(scored: Scored) -> float:
    """What its use adds to the weight of a memory."""
    return sum(float(part.because.get("use") or 0) for part in scored.contributions)


def embedded(mira: Chatting) -> Counter[str]:
    """How often each text came to the embedding model."""
    asked = (one for one in mira.model.requests if one.path.endswith("/embeddings"))
    return Counter(text for one in asked for text in one.json["input"])


def _journal_is_a_file(folder: Path) -> None:
    shutil.rmtree(folder / "journal")
    (folder / "journal").write_text("", "utf-8")


def _memories_are_damaged(folder: Path) -> None:
    (folder / "memory.json").write_text('{"episodic": [{"content": ', "utf-8")


REMEMBER = {"en": "Remember that my cat Miso is afraid of gulls", "zh": "记住：我的猫味噌怕海鸥"}


@pytest.mark.parametrize("damage", [_journal_is_a_file, _memories_are_damaged])
def test_where_it_cannot_begin_the_chat_goes_on_and_the_log_stays_short(
    tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    """S0.25: nothing to read or no way to write is told once, not at every turn; each message reaches the model as it was."""
    place = tmp_path / "home"
    with Home.open(place, WORDS) as home:
        role = home.role("Mira", create=True)
        for fact, _ in BEACON.values():
            role.remember(fact)
        role.store.checkpoint(force=True)
        folder = role.folder
    damage(folder)
    (place / "rolememory.toml").write_text('embedding.backend = "off"', "utf-8")
    said = [f"{order} {turn}" for turn in range(4) for order in REMEMBER.values()]
    with Endpoint(Script()) as model:
        server = Memory(place, f"{model.url}/v1").start()
        try:
            for turn, text in enumerate(said):
                body = {
                    "messages": [{"role": "user", "content": text}],
                    "rolememory": {"role": "Mira", "user": "lin", "chat": f"c{turn}"},
                }
                answer = httpx.post(
                    f"{server.url}/v1/chat/completions",
                    json=body,
                    timeout=60,
                    trust_env=False,
                    verify=False,
                )
                assert answer.status_code == 200, answer.text
        finally:
            server.stop()
        assert [one.json["messages"][-1]["content"] for one in model.requests] == said
    log = (tmp_path / "server.log").read_text("utf-8").splitlines()
    told = [line for line in log if "journal" in line or "memory.json" in line]
    assert 1 <= len(told) <= 3, log
    assert "Traceback" not in "\n".join(log)


def test_a_broken_file_is_told_once_and_again_when_it_breaks_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """S0.25, as a library."""
    with Home.open(tmp_path, WORDS) as home:
        role = home.role("Mira", create=True)
        role.remember(BEACON["en"][0])
        role.store.checkpoint(force=True)
        whole = (role.folder / "memory.json").read_bytes()
        for number in (1, 2):
            _memories_are_damaged(role.folder)
            for _ in range(3):
                assert role.recall(BEACON["en"][1]).recalled
            told = [one.getMessage() for one in caplog.records if "until" in one.getMessage()]
            assert len(told) == number
            assert "memory.json:1:15: { that opens here is never closed" in told[-1]
            (role.folder / "memory.json").write_bytes(whole)
            assert role.recall(BEACON["en"][1]).recalled


@LANGUAGES
def test_associated_roles_hear_each_other(tmp_path: Path, language: str) -> None:
    """S1.21: once both name each other, as the other's word, and no longer when one takes it back."""
    fact, asked = BEACON[language]
    with chatting(tmp_path, language=language, settings=WORDS) as mira:
        asha = mira.house.home.role("Asha", create=True)
        asha.remember(fact)
        assert fact not in mira.say(asked)
        mira.mind.associate("Asha")
        assert fact not in mira.say(asked, chat="two")
        asha.associate("Mira")
        block = mira.say(asked, chat="three")
        assert fact in block
        assert "Asha" in block
        asha.associate("Mira", 0)
        assert fact not in mira.say(asked, chat="four")


@LANGUAGES
def test_what_a_reply_used_grows_heavier(tmp_path: Path, language: str) -> None:
    """S1.27, S1.45, S4.13: by itself, from the reply that came through the proxy."""
    fact, asked = BEACON[language]
    with chatting(tmp_path, language=language, settings=WORDS) as mira:
        mira.tell(fact, NOISE[language], source="summary")
        mira.say(asked)
        before = found(mira, fact, asked)
        used = {"en": "The whale oil comes from Tromso late.", "zh": "特罗姆瑟的鲸油来晚了。"}
        mira.say(asked, reply=used[language], chat="two")
        mira.say(u(asked), a(used[language]), "And?", chat="two")
        detail = rest(mira, f"/memories/{before.memory.id}")
        assert detail["uses"]
        after = found(mira, fact, asked)
        assert (used_of(before), used_of(after) > 0) == (0, True)


@LANGUAGES
def test_no_text_is_embedded_twice(tmp_path: Path, language: str) -> None:
    """S1.30, S1.31, S4.34: questions, memories and messages are each embedded once, also after a write, an edit and a restart."""
    fact, asked = BEACON[language]
    with chatting(tmp_path, language=language) as mira:
        mira.tell(fact)
        for turn in range(20):
            mira.say(asked, chat=f"c{turn}")
        mira.tell(NOISE[language])
        mira.say(asked, chat="after a write")
        assert mira.mind.ready(60)
        first = embedded(mira)
        assert first[fact] == 1
        assert all(count == 1 for count in first.values()), first
        mira.house.home.close()
        again = {"embedding.backend": "endpoint", "embedding.model": "hashing"}
        with Home.open(tmp_path, again | {"embedding.endpoint": mira.model.url}) as home:
            assert home.role("Mira").ready(60)
            assert home.role("Mira").recall(asked, user="lin", dry_run=True).recalled
        assert embedded(mira)[fact] == embedded(mira)[NOISE[language]] == 1


@LANGUAGES
def test_a_role_is_read_before_somebody_asks(tmp_path: Path, language: str) -> None:
    """S1.32: a server that starts embeds what its roles know; the first message waits for nothing."""
    fact, asked = BEACON[language]
    with Home.open(tmp_path, WORDS) as home:
        home.role("Mira", create=True).remember(fact)
    with chatting(tmp_path, language=language) as mira:
        mira.house.home.preload()
        until(lambda: bool(embedded(mira)[fact]), "it is embedded before anybody asks")
        assert fact in mira.say(asked)
        assert embedded(mira)[fact] == 1


@LANGUAGES
def test_a_turn_waits_for_no_model(tmp_path: Path, language: str) -> None:
    """S1.33: a learning model that does not answer holds up no chat, and what it was asked is asked again later."""
    fact, asked = BEACON[language]
    released = threading.Event()

    def hangs(line: Line) -> None:
        released.wait(60)
        answers({"facts": []})(line)

    settings = WORDS | {"learn.delay_s": 0.01, "learn.batch_size": 1}
    try:
        with chatting(
            tmp_path, language=language, steps={"extraction": hangs}, settings=settings
        ) as mira:
            mira.tell(fact)
            for turn in range(3):
                body = {
                    "messages": [{"role": "user", "content": asked}],
                    "rolememory": {"role": "Mira", "user": "lin", "chat": f"c{turn}"},
                }
                url = f"{mira.house.url}/v1/chat/completions"
                assert (
                    httpx.post(
                        url, json=body, timeout=60, trust_env=False, verify=False
                    ).status_code
                    == 200
                )
                assert not released.is_set()
                assert fact in mira.block
            released.set()
    finally:
        released.set()


@LANGUAGES
def test_limits_and_dates_put_memories_away_and_delete_none(tmp_path: Path, language: str) -> None:
    """S1.34: over the limit the weakest goes to the archive; what expired is not told; both can be listed."""
    fact, asked = BEACON[language]
    limit = {"storage.max_memories.episodic": 2}
    with chatting(tmp_path, language=language, settings=WORDS | limit) as mira:
        mira.tell(NOISE[language], weight=0.1, id="weak")
        mira.tell(fact, weight=1.9, id="strong")
        mira.tell(f"{NOISE[language]} 2", id="usual")
        assert ids(rest(mira, "/memories", params={"archived": "yes"})["items"]) == ["weak"]
        assert fact in mira.say(asked)
        gone = (datetime.now(UTC) - timedelta(days=1)).isoformat()
        rest(mira, "/memories/strong", "PATCH", json={"expires": gone})
        assert fact not in mira.say(asked, chat="two")
        assert "strong" in ids(rest(mira, "/memories", params={"archived": "all"})["items"])


@LANGUAGES
def test_it_works_without_any_setting(tmp_path: Path, language: str) -> None:
    """S1.39: a home that nobody has set up remembers what was said in one chat in the next."""
    said = {"en": "My sister Anna keeps bees in Riga.", "zh": "我妹妹安娜在里加养蜂。"}[language]
    asked = {"en": "Where does my sister keep bees?", "zh": "我妹妹在哪里养蜂？"}[language]
    with chatting(tmp_path, language=language, settings=WORDS) as mira:
        mira.say(said)
        assert said.rstrip(".。") in mira.say(asked, chat="two")


@LANGUAGES
def test_a_search_finds_by_meaning_over_rest(tmp_path: Path, language: str) -> None:
    """S1.41: ranked, the best first, without a chat."""
    fact, asked = BEACON[language]
    with chatting(tmp_path, language=language) as mira:
        mira.tell(NOISE[language], id="noise")
        mira.tell(fact, id="beacon")
        assert mira.mind.ready(60)
        found = rest(mira, "/search", "POST", json={"query": asked, "user": "lin"})
        assert ids(found["items"])[:1] == ["beacon"]


@LANGUAGES
def test_memories_are_seen_grouped_and_told_what_they_lack(tmp_path: Path, language: str) -> None:
    """S1.42, S1.43, S1.47: alike ones are joined on the map; keys are offered."""
    fact, _ = BEACON[language]
    with chatting(tmp_path, language=language, settings=WORDS) as mira:
        mira.tell(fact, id="beacon")
        mira.tell(fact[:-1] + ("!" if language == "en" else "！"), id="again")
        mira.tell(NOISE[language], id="noise")
        alike = {(one["from"], one["to"]) for one in rest(mira, "/map")["edges"]}
        assert alike == {("beacon", "again")}
        told = rest(mira, "/insight")
        assert {"beacon", "noise"} & set(ids(told["lacking"]))


@LANGUAGES
def test_a_role_goes_out_and_comes_in_again(tmp_path: Path, language: str) -> None:
    """S1.44: one file over REST; a backup brings back what was deleted."""
    fact, asked = BEACON[language]
    with chatting(tmp_path, language=language, settings=WORDS) as mira:
        mira.tell(fact, id="beacon")
        out = httpx.get(
            f"{mira.house.url}/api/roles/Mira/export", timeout=60, trust_env=False, verify=False
        )
        mira.mind.backup()
        rest(mira, "/memories/beacon", "DELETE")
        assert fact not in mira.say(asked)
        other = Home.open(tmp_path / "other", WORDS)
        with other, served(tmp_path / "other", WORDS) as house:
            taken = httpx.post(
                f"{house.url}/api/roles/import",
                json=out.json(),
                timeout=60,
                trust_env=False,
                verify=False,
            )
            assert taken.status_code in (200, 201), taken.text
            assert [one.content for one in house.home.role("Mira").memories.values()] == [fact]


@LANGUAGES
def test_a_word_against_the_authors_waits_for_a_person(tmp_path: Path, language: str) -> None:
    """S1.46: found by itself, resolved over REST."""
    lines = {
        "en": ("I live in Rome.", "Correction: I live in Paris.", "Paris"),
        "zh": ("我住在罗马。", "更正：我住在巴黎。", "巴黎"),
    }
    older, said, newer = lines[language]
    with chatting(tmp_path, language=language, settings=WORDS) as mira:
        mira.mind.remember(older, "semantic", subject="user", id="author")
        mira.say(said)
        assert mira.mind.waiting()
        (waiting,) = rest(mira, "/review", params={"user": "lin"})["items"]
        assert newer in str(waiting)
        rest(mira, "/review/accept", "POST", json={"id": waiting["id"]})
        assert not mira.mind.waiting()
        assert any(newer in one.content for one in mira.mind.memories.values())


@LANGUAGES
def test_what_will_have_faded_is_told_ahead(tmp_path: Path, language: str) -> None:
    """S1.48: how fresh a memory will be, from its age and its use."""
    fact, _ = BEACON[language]
    with chatting(tmp_path, language=language, settings=WORDS) as mira:
        mira.tell(fact, id="beacon", source="summary", created=datetime.now(UTC).isoformat())
        curve = rest(mira, "/memories/beacon")["fading"]
        left = [value for _, value in curve["points"]]
        assert left[0] == 1.0
        assert left == sorted(left, reverse=True)
        assert left[-1] < 0.5


@LANGUAGES
def test_a_turn_asks_the_models_once(tmp_path: Path, language: str) -> None:
    """S1.38, S4.34: one question to the embedding model and one to the chat's a turn, whatever is remembered; none where it was asked."""
    fact, asked = BEACON[language]
    with chatting(tmp_path, language=language) as mira:
        mira.tell(*(f"{fact} {number}" for number in range(200)))
        mira.say(asked)
        assert mira.mind.ready(60)
        before = len(mira.model.requests)
        for turn in range(10):
            mira.say(asked, chat=f"c{turn}")
        came = Counter(one.path.rsplit("/", 1)[-1] for one in mira.model.requests[before:])
        assert came["completions"] == 10
        assert came["embeddings"] == 0


def test_a_server_that_refuses_is_not_asked_at_every_turn(tmp_path: Path) -> None:
    """S0.25, S1.33: the embedding model fails; words find it, and the circuit stays open."""
    fact, asked = BEACON["en"]
    with chatting(tmp_path) as mira:
        mira.script.embedding = status(500)
        mira.house.home.role("Mira").remember(fact, user="lin")
        for turn in range(12):
            body = {
                "messages": [{"role": "user", "content": f"{asked} {turn}"}],
                "rolememory": {"role": "Mira", "user": "lin", "chat": f"c{turn}"},
            }
            url = f"{mira.house.url}/v1/chat/completions"
            assert (
                httpx.post(url, json=body, timeout=60, trust_env=False, verify=False).status_code
                == 200
            )
            assert fact in mira.block
        tries = [one for one in mira.model.requests if one.path.endswith("/embeddings")]
        assert len(tries) < 12
