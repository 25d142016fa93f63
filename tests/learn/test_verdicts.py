"""What becomes of drafts: only a person who corrects, or a model that names both, outdates a memory."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from rolememory.learn.admission import SourceIndex
from rolememory.learn.verdicts import edits, judge
from rolememory.schema.evidence import Reason
from rolememory.schema.learning import Draft, Verdict
from rolememory.schema.memory import Evidence, Memory, MemoryType, Source

START = datetime(2025, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)


def support(version: str) -> tuple[Evidence, ...]:
    return (Evidence(chat="harbour", version=version, quote="said"),)


def known(content: str, memory_id: str = "old", *, day: int = 0, **fields: Any) -> Memory:
    given = {
        "type": "semantic",
        "source": "user_input",
        "evidence": support(memory_id),
        "subject": "user",
        "user": "lin",
        "created": START + day * DAY,
        **fields,
    }
    return Memory(id=memory_id, content=content, **given)


def draft(content: str, *, day: int = 1, **fields: Any) -> Draft:
    given = {"subject": "user", "user": "lin", "created": START + day * DAY, **fields}
    return Draft(
        content=content,
        type=MemoryType.SEMANTIC,
        source=Source.USER_INPUT,
        evidence=support("new"),
        because=Reason("asked", (("quote", content),)),
        **given,
    )


def verdict(one: Draft, *memories: Memory) -> Verdict:
    return judged([one], *memories)["d0"]


def judged(drafts: Sequence[Draft], *memories: Memory) -> dict[str, Verdict]:
    held = {one.id: one for one in memories}
    return judge({f"d{at}": one for at, one in enumerate(drafts)}, SourceIndex(memories), held)


@pytest.mark.parametrize(
    ("said", "memory", "corrects"),
    [
        pytest.param("I live in Turin", "I live in Oslo", True, id="one place differs"),
        pytest.param("my cat is nine", "My cat is eight.", True, id="a number"),
        pytest.param("my name is Lin, not Lynn", "my name is Lynn", True, id="it says what is not"),
        pytest.param("It's Nora, not Dora", "My sister is Dora", False, id="it names no subject"),
        pytest.param("I have two sisters, not three", "I have three sisters", True, id="not three"),
        pytest.param("I live in Turin", "I love Oslo", False, id="another thing"),
        pytest.param("I am allergic to nuts", "I am a baker", False, id="grammar alone is shared"),
        pytest.param("I live in Turin", "I live in Turin", False, id="the same is no correction"),
        pytest.param("我住在都灵", "我住在奥斯陆。", True, id="zh, one place differs"),
        pytest.param("我妹妹叫小禾，不叫小何", "我妹妹叫小何", True, id="zh, it says what is not"),
        pytest.param("我的猫九岁", "我的猫八岁。", True, id="zh, a number"),
        pytest.param("我住在都灵", "我喜欢奥斯陆", False, id="zh, another thing"),
    ],
)
def test_a_correction_takes_the_place_of_what_it_repeats_but_for_one_place(
    said: str, memory: str, corrects: bool
) -> None:
    found = verdict(draft(said, corrects=True), known(memory))
    assert ((found.action, found.others) == ("supersede", ("old",))) is corrects
    assert verdict(draft(said), known(memory)).action != "supersede", "without the order nothing is"


def test_of_several_the_newest_is_corrected_and_none_that_is_outdated() -> None:
    memories = (
        known("I live in Rome.", "first"),
        known("I live in Riga.", "second", day=1, supersedes=("first",)),
        known("I live in Oslo.", "away", day=2, archived=True),
    )
    assert verdict(draft("I live in Turin", day=3, corrects=True), *memories).others == ("second",)
    assert verdict(draft("I live in Turin", day=1, corrects=True), memories[0]).others == ("first",)
    later = known("I live in Rome.", day=5)
    assert verdict(draft("I live in Turin", corrects=True), later).action == "add", "told after it"


@pytest.mark.parametrize(
    ("fields", "action"),
    [
        pytest.param({}, "supersede", id="a learned memory"),
        pytest.param({"evidence": (), "source": "manual"}, "review", id="an author's waits"),
        pytest.param({"locked": True}, "review", id="a locked one waits"),
        pytest.param({"archived": True}, "add", id="one put away stands for nothing"),
        pytest.param({"user": None}, "supersede", id="what all share, about himself"),
        pytest.param({"user": None, "subject": None}, "add", id="what all share about the role"),
        pytest.param({"user": "mei"}, "add", id="another user's"),
        pytest.param({"created": START + 9 * DAY}, "add", id="told later"),
    ],
)
def test_what_a_model_names_gives_way(fields: dict[str, Any], action: str) -> None:
    memory = known("Lin rents a flat by the river.", **fields)
    one = draft("Lin bought a house.", replaces="old", subject=memory.subject)
    assert verdict(one, memory).action == action
    assert verdict(draft("Lin bought a house.", replaces="nobody"), memory).action == "add"


@pytest.mark.parametrize(
    ("content", "fields", "action"),
    [
        pytest.param("I hid the key under the mat!", {}, "merge", id="the same words"),
        pytest.param("我把钥匙藏在垫子下面", {}, "add", id="other words"),
        pytest.param("I never hid the key under the mat.", {}, "add", id="the contrary"),
        pytest.param("I hid the key under the mat.", {"user": "mei"}, "add", id="another user"),
        pytest.param("I hid the key under the mat.", {"subject": "Ana"}, "add", id="of another"),
    ],
)
def test_what_says_the_same_is_one_memory(
    content: str, fields: dict[str, Any], action: str
) -> None:
    old = known("I hid the key under the mat.")
    assert verdict(draft(content, **fields), old).action == action


def test_what_an_author_said_is_not_learned_again_and_a_pin_stays() -> None:
    authored = known("I hid the key.", evidence=(), source="manual")
    assert verdict(draft("I hid the key!"), authored).action == "ignore"
    pinned = known("I hid the key.", constant=True)
    assert verdict(draft("I hid the key!"), pinned).action == "add"
    assert verdict(draft("I hid the key!", constant=True), pinned).action == "merge"


@pytest.mark.parametrize(
    ("fact", "said", "hardly"),
    [
        pytest.param("Ines keeps a candle.", "What does Hugo keep?", "Ines still keeps her candle", id="en"),
        pytest.param("林舟养了一只叫团子的猫。", "你养过鸟吗", "团子是我养的猫", id="zh"),
    ],
)  # fmt: skip
def test_what_a_model_tells_again_is_merged_where_the_chat_says_it_again(
    fact: str, said: str, hardly: str
) -> None:
    def told(quote: str, chat: str = "harbour") -> str:
        evidence = (Evidence(chat=chat, version="new", quote=quote),)
        again = replace(draft(fact), source=Source.SUMMARY, evidence=evidence)
        return verdict(again, known(fact, source="summary")).action

    assert (told(said), told(hardly)) == ("ignore", "merge")
    assert told(said, chat="elsewhere") == "merge", "there it may be all that is known"


def test_what_was_told_earlier_is_merged_into_the_later() -> None:
    late = known("I hid the key.", day=9, supersedes=("x",))
    found = judged([draft("I hid the key!")], late)
    assert found["d0"].outdated_by == ("old",)
    written = edits(found, {"old": late})
    assert [(one.op, one.id, one.fields.get("supersedes")) for one in written] == [
        ("add", "d0", None),
        ("set", "old", ["x", "d0"]),
    ]


def test_drafts_of_one_batch_meet_each_other() -> None:
    drafts = [
        draft("I live in Rome", day=1),
        draft("I live in Rome!", day=2),
        draft("I live in Riga", day=3, corrects=True),
    ]
    found = judged(drafts)
    assert [one.action for one in found.values()] == ["add", "merge", "supersede"]
    assert found["d2"].others == ("d1",)
