"""Evidence found on a memory that was replaced counts for the one that replaced it, and that one is told."""

import pytest

from rolememory import Home
from rolememory.schema.wording import word

LANGUAGES = ["en", "zh"]
CHAIN = {
    "en": ("Lin lives in Rome, by the tall bridge.", "Moved to Paris.", "Oslo it is."),
    "zh": ("林舟住在罗马的高桥边。", "搬到巴黎了。", "如今是奥斯陆。"),
}
ASKED = {"en": "Who lives by the tall bridge?", "zh": "谁住在高桥边？"}


@pytest.fixture
def role(tmp_path):
    with Home.open(tmp_path, {"embedding.backend": "off"}) as home:
        yield home.create("Mira")


def ids(turn):
    return [one.memory.id for one in turn.recalled]


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_replaced_it_is_found_by_its_words(role, language):
    rome, paris, oslo = CHAIN[language]
    role.remember(rome, id="rome")
    role.remember(paris, id="paris", supersedes=["rome"])
    assert ids(role.recall(ASKED[language])) == ["paris"]
    role.remember(oslo, id="oslo", supersedes=["paris"])
    assert ids(role.recall(ASKED[language])) == ["oslo"], "the last of several stands for all"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_reason_names_what_it_was_said_of(role, language):
    rome, paris, _ = CHAIN[language]
    role.remember(rome, id="rome")
    role.remember(paris, id="paris", supersedes=["rome"])
    (one,) = role.recall(ASKED[language]).recalled
    (hit,) = one.scored.hits
    assert hit.entry_id == "paris"
    assert hit.because.get("was") == "rome"
    assert "rome" in word(hit.because, language)
    assert "{" not in word(hit.because, language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_search_and_a_key_find_it_too(role, language):
    rome, paris, _ = CHAIN[language]
    role.remember(rome, id="rome", keys=["gondola", "贡多拉"])
    role.remember(paris, id="paris", supersedes=["rome"])
    (found,) = role.search(ASKED[language], limit=3)
    assert found.memory.id == "paris"
    asked = {"en": "Is there a gondola?", "zh": "有贡多拉吗？"}[language]
    assert ids(role.recall(asked)) == ["paris"]


def test_its_own_evidence_counts_where_it_is_stronger(role):
    role.remember("The bridge is long.", id="old")
    role.remember("Lin lives by the tall bridge now.", id="new", supersedes=["old"])
    (one,) = role.recall(ASKED["en"]).recalled
    assert one.scored.hits[0].because.get("was") == ""


def test_what_another_user_told_counts_for_nobody_else(role):
    role.remember("Lin lives in Rome, by the tall bridge.", id="private", user="ann")
    role.remember("Moved to Paris.", id="paris", supersedes=["private"])
    assert ids(role.recall(ASKED["en"], user="lin")) == []
    assert ids(role.recall(ASKED["en"], user="ann")) == ["paris"]


def test_what_replaced_it_must_be_heard_itself(role):
    role.remember("Lin lives in Rome, by the tall bridge.", id="rome")
    role.remember("Moved to Paris.", id="paris", supersedes=["rome"], user="ann")
    assert ids(role.recall(ASKED["en"], user="lin")) == []
    assert ids(role.recall(ASKED["en"], user="ann")) == ["paris"]


def test_a_constant_one_leaves_no_constant_behind(role):
    role.remember("Lin lives in Rome.", id="rome", constant=True)
    role.remember("Moved to Paris.", id="paris", supersedes=["rome"])
    assert ids(role.recall("Hello there, how is the weather?")) == []


def test_nothing_is_inherited_from_what_was_taken_back(role):
    rome, paris, _ = CHAIN["en"]
    role.remember(rome, id="rome")
    role.remember(paris, id="paris", supersedes=["rome"])
    role.archive("paris")
    assert ids(role.recall(ASKED["en"])) == ["rome"]


def test_a_correction_is_what_an_old_question_brings(role):
    from rolememory import Message

    said = "Remember that I live in Rome near the bridge."
    role.observe([Message.user(said)], "Nice.", chat="one", user="lin")
    role.observe([Message.user("Correction: I live in Paris.")], "Oh.", chat="two", user="lin")
    assert role.learned()
    turn = role.recall("Which bridge is it that I am near?", user="lin")
    first = next(one.memory for one in turn.recalled if not one.memory.id.startswith("p-"))
    assert "Paris" in first.content
