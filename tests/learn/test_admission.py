"""What may become a memory at all: tables of drafts, citations, doubles, card texts, secrets, and what it costs."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolememory.inject.fence import fenced
from rolememory.learn.admission import (
    AdmissionFilter,
    Judged,
    Saying,
    SourceIndex,
)
from rolememory.learn.admission.frames import Frames
from rolememory.schema.evidence import Reason
from rolememory.schema.learning import Draft
from rolememory.schema.memory import Evidence, Memory, MemoryType, Source
from rolememory.schema.wording import word
from rolememory.storage.review.drafts import as_json
from rolememory.text.secrets import redacted, secrets_in
from tests.learn import gate_rows
from tests.text.prose import dearer, growth

WAITING = [*gate_rows.rows(gate_rows.WAITING_EN), *gate_rows.rows(gate_rows.WAITING_ZH)]
REFUSED = [*gate_rows.rows(gate_rows.REFUSED)]
HARMLESS = [*gate_rows.lines(gate_rows.HARMLESS_EN), *gate_rows.lines(gate_rows.HARMLESS_ZH)]
CARD = """Mira keeps the lighthouse of Oss. She was born in Bergen and lost her brother Jan at sea.
{{char}} is afraid of thunder and never drinks wine.
米拉守着奥斯的灯塔。她出生在卑尔根，弟弟扬死在海上。"""


def draft(
    content: str,
    *,
    quote: str = "",
    source: Source = Source.USER_INPUT,
    version: str = "v1",
    **more: Any,
) -> Draft:
    evidence = (Evidence(chat="harbour", version=version, quote=quote or content),)
    fields = {
        "type": MemoryType.EPISODIC,
        "subject": "user" if source is Source.USER_INPUT else None,
        "evidence": evidence,
        **more,
    }
    return Draft(content, source=source, because=Reason("told"), **fields)


def memory(content: str, version: str = "v1", **more: Any) -> Memory:
    return Memory(
        id=f"m-{content[:8]}",
        content=content,
        evidence=(Evidence(chat="harbour", version=version, quote="x"),),
        **more,
    )


def code(judged: Judged) -> str:
    return judged.because.code if judged.because else "pass"


def judge(
    gate: AdmissionFilter,
    one: Draft,
    known: SourceIndex | None = None,
    said: Saying | None = None,
    **more: Any,
) -> Judged:
    """The decision on a draft; without `said` its messages hold its quotes and its content."""
    words = "\n".join((*(each.quote for each in one.evidence), one.content))
    return gate.judge(one, known or SourceIndex(), said or (lambda *_: words), **more)


def saying(texts: Mapping[str, str]) -> Any:
    return lambda _, version: texts.get(version, "")


@pytest.mark.parametrize(
    ("verdict", "asked", "content"),
    WAITING,
    ids=[f"{verdict}: {content}" for verdict, _, content in WAITING],
)
def test_what_waits_for_a_person(verdict: str, asked: bool, content: str) -> None:
    judged = judge(AdmissionFilter(), draft(content, explicit=asked))
    assert code(judged) == verdict
    assert judged.waits is (verdict != "pass")


@pytest.mark.parametrize(
    ("verdict", "asked", "content"),
    REFUSED,
    ids=[f"{verdict}: {content}" for verdict, _, content in REFUSED],
)
def test_what_is_refused(verdict: str, asked: bool, content: str) -> None:
    judged = judge(AdmissionFilter(), draft(content, source=Source.SUMMARY, explicit=asked))
    assert code(judged) == verdict
    assert judged.because
    assert not judged.waits


@pytest.mark.parametrize("source", [Source.USER_INPUT, Source.SUMMARY])
def test_ordinary_prose_passes(source: Source) -> None:
    judged = {one: code(judge(AdmissionFilter(), draft(one, source=source))) for one in HARMLESS}
    assert {one: found for one, found in judged.items() if found != "pass"} == {}


def test_the_tables_are_large_enough() -> None:
    assert len(WAITING) + len(REFUSED) + len(HARMLESS) >= 150
    assert len(HARMLESS) >= 50


@pytest.mark.parametrize(
    ("quote", "version", "verdict"),
    [
        pytest.param("I lost my ring.", "v1", "pass", id="word for word"),
        pytest.param("i lost my ring", "v1", "pass", id="case and punctuation do not matter"),
        pytest.param(
            "I lost my ring. I wept.", "v1", "pass", id="sentences may have been left out between"
        ),
        pytest.param("I found my ring.", "v1", "not_said", id="what nobody said is refused"),
        pytest.param("I lost my ring.", "v2", "not_said", id="said elsewhere is not said here"),
        pytest.param("I lost my ring.", "v9", "not_said", id="an unknown message says nothing"),
        pytest.param(
            "I lost my ring. It was gold.", "v1+v2", "pass", id="two messages may support together"
        ),
        pytest.param("", "v1", "no_quote", id="no quotation"),
        pytest.param("...", "v1", "no_quote", id="dots are no quotation"),
        pytest.param("I lost my ring.", "", "unfounded", id="no message"),
    ],
)
def test_quotations(quote: str, version: str, verdict: str) -> None:
    said = saying({"v1": "I lost my ring. So sad! I wept.", "v2": "It was gold."})
    evidence = (Evidence(chat="harbour", version=version, quote=quote),)
    assert (
        code(
            judge(
                AdmissionFilter(), draft("Lin lost a golden ring.", evidence=evidence), None, said
            )
        )
        == verdict
    )


@pytest.mark.parametrize(
    ("quote", "version", "context", "verdict", "sure"),
    [
        pytest.param("I lost my ring", "v1", (), "pass", 0.9, id="a quote that stands makes it surer"),
        pytest.param("my ring was lost", "v1", (), "pass", 0.72, id="one in other words less sure, and it goes"),
        pytest.param("", "v1", (), "pass", 0.72, id="and so is none at all: the message is the evidence"),
        pytest.param("", "v1+v2", (), "pass", 0.72, id="an exchange is evidence"),
        pytest.param("", "v1+v9", (), "unfounded", 0, id="every message of it must stand"),
        pytest.param("", "", (), "unfounded", 0, id="no message is none"),
        pytest.param("", "v3", (), "not_said", 0, id="a message that speaks of something else"),
        pytest.param("", "v3", ("v1",), "pass", 0.72, id="unless the exchange around it speaks of it"),
    ],
)  # fmt: skip
def test_what_a_model_proposes_rests_on_messages(
    quote: str, version: str, context: tuple[str, ...], verdict: str, sure: float
) -> None:
    said = saying(
        {
            "v1": "I lost my ring. So sad!",
            "v2": "It was gold.",
            "v3": "The ferry to Bergen sails tomorrow morning.",
        }
    )
    judged = judge(
        AdmissionFilter(),
        draft(
            "Lin lost a golden ring.",
            source=Source.SUMMARY,
            subject="user",
            evidence=(Evidence(chat="harbour", version=version, quote=quote),),
            context=context,
            confidence=0.8,
        ),
        None,
        said,
    )
    assert code(judged) == verdict
    if judged.because is None:
        assert judged.draft.confidence == sure
        assert judged.draft.evidence[0].quote == (quote if sure == 0.9 else "")


def test_a_fault_that_its_finder_names_is_the_refusal() -> None:
    judged = judge(AdmissionFilter(), draft("Lin lost a ring.", fault=Reason("told_twice")))
    assert (code(judged), judged.waits) == ("told_twice", False)


def test_without_evidence_only_an_inference_may_stand() -> None:
    assert code(judge(AdmissionFilter(), draft("Lin lost a ring.", evidence=()))) == "unfounded"
    assert (
        code(
            judge(
                AdmissionFilter(),
                draft(
                    "Lin is often sad.", evidence=(), source=Source.INFERENCE, rests_on=("a", "b")
                ),
            )
        )
        == "pass"
    )


@pytest.mark.parametrize(
    ("content", "known", "verdict"),
    [
        pytest.param(
            "I love dogs.",
            memory("I love dogs!", subject="user"),
            "told_already",
            id="the same words again",
        ),
        pytest.param(
            "I love dogs.",
            memory("I really love dogs.", subject="user"),
            "told_already",
            id="the same without a word",
        ),
        pytest.param(
            "I love dogs.",
            memory("I love dogs.", "v2", subject="user"),
            "pass",
            id="another message may say it again",
        ),
        pytest.param(
            "I love dogs.",
            memory("I don't love dogs.", subject="user"),
            "pass",
            id="the contrary is no double",
        ),
        pytest.param(
            "Rex is 5 years old.",
            memory("Rex is 6 years old.", subject="user"),
            "pass",
            id="another number is no double",
        ),
        pytest.param(
            "I have a dog called Rex.",
            memory("I have a cat called Rex.", subject="user"),
            "pass",
            id="another animal is no double",
        ),
        pytest.param(
            "I love dogs.", memory("I love dogs."), "pass", id="another subject is no double"
        ),
        pytest.param(
            "I love dogs.",
            memory("I love dogs.", subject="user", type=MemoryType.SEMANTIC),
            "pass",
            id="a fact and the turn it was told in may stand",
        ),
        pytest.param(
            "我喜欢狗", memory("我喜欢狗。", subject="user"), "told_already", id="in Chinese"
        ),
        pytest.param(
            "I love dogs.",
            memory("I love dogs.", "v1+v2", subject="user"),
            "pass",
            id="what needs a second message may fall",
        ),
    ],
)
def test_doubles(content: str, known: Memory, verdict: str) -> None:
    assert code(judge(AdmissionFilter(), draft(content), SourceIndex([known]))) == verdict


@pytest.mark.parametrize(
    ("known", "verdict"),
    [
        pytest.param("v1", "told_already", id="known without the question"),
        pytest.param("q1+v1", "told_already", id="known behind this question"),
        pytest.param("q2+v1", "pass", id="known behind another question"),
    ],
)
def test_an_answer_rests_on_its_question(known: str, verdict: str) -> None:
    answer = draft(
        "Seven years.", evidence=(Evidence(chat="harbour", version="q1+v1", quote="Seven years."),)
    )
    assert (
        code(
            judge(
                AdmissionFilter(),
                answer,
                SourceIndex([memory("Seven years.", known, subject="user")]),
            )
        )
        == verdict
    )


def test_the_index_follows_what_is_known() -> None:
    told, one, two = (
        SourceIndex(),
        memory("I love dogs.", subject="user"),
        memory("I love cats.", "v2", subject="user"),
    )
    told.follow({one.id: one, two.id: two})
    assert code(judge(AdmissionFilter(), draft("I love dogs."), told)) == "told_already"
    moved = one.model_copy(update={"evidence": two.evidence})
    told.follow({one.id: moved})
    assert code(judge(AdmissionFilter(), draft("I love dogs."), told)) == "pass"
    assert [
        code(judge(AdmissionFilter(), draft(text, version="v2"), told))
        for text in ("I love dogs.", "I love cats.")
    ] == ["told_already", "pass"]


@pytest.mark.parametrize(
    ("content", "source", "verdict"),
    [
        pytest.param(
            "She was born in Bergen and lost her brother Jan at sea.",
            Source.SUMMARY,
            "card_text",
            id="a sentence of the card",
        ),
        pytest.param(
            "Mira lost her brother Jan at sea.",
            Source.SUMMARY,
            "card_text",
            id="part of a sentence, with her name",
        ),
        pytest.param(
            "Mira was born in Bergen, her brother Jan was lost at sea.",
            Source.SUMMARY,
            "card_text",
            id="in other words",
        ),
        pytest.param("她弟弟扬死在海上。", Source.SUMMARY, "card_text", id="in Chinese"),
        pytest.param(
            "Mira is no longer afraid of thunder.",
            Source.SUMMARY,
            "pass",
            id="what has changed is news",
        ),
        pytest.param(
            "Mira drinks wine with Lin.", Source.SUMMARY, "pass", id="the contrary is news"
        ),
        pytest.param(
            "Mira lost her sister in Oslo.",
            Source.SUMMARY,
            "pass",
            id="other people and places are news",
        ),
        pytest.param(
            "I was born in Bergen.", Source.USER_INPUT, "pass", id="the user speaks of himself"
        ),
        pytest.param(
            "She was born in Bergen and lost her brother Jan at sea.",
            Source.USER_INPUT,
            "card_text",
            id="a frontend put the card into his message",
        ),
    ],
)
def test_card_texts(content: str, source: Source, verdict: str) -> None:
    gate = AdmissionFilter([CARD], names=["Mira", "米拉"])
    assert code(judge(gate, draft(content, source=source))) == verdict
    assert code(judge(gate, draft(content, source=source, explicit=True))) == "pass", (
        "a person's word stands"
    )


@pytest.mark.parametrize(
    ("content", "source", "verdict"),
    [
        pytest.param("Lin is allergic to peanuts.", Source.SUMMARY, "echo_of", id="word for word"),
        pytest.param(
            "Lin, so I remember, is allergic to peanuts.",
            Source.SUMMARY,
            "echo_of",
            id="retold by the character",
        ),
        pytest.param(
            "Lin is allergic to peanuts and to cats.",
            Source.SUMMARY,
            "pass",
            id="something new with it",
        ),
        pytest.param(
            "Lin is allergic to peanuts.",
            Source.USER_INPUT,
            "pass",
            id="said by the user it is said again",
        ),
    ],
)
def test_echoes_of_what_was_injected(content: str, source: Source, verdict: str) -> None:
    injected = [memory("Lin is allergic to peanuts.", "v0")]
    assert (
        code(
            judge(
                AdmissionFilter(), draft(content, source=source, subject="user"), injected=injected
            )
        )
        == verdict
    )


def test_words_of_a_template_are_known_again() -> None:
    frames = Frames(
        [
            "Old friends of {{ char }}, kept in the drawer:\n{% for m in memories %}- {{ m.text }}\n{% endfor %}"
        ]
    )
    assert frames.found("old friends of mira, kept in the drawer:")
    assert not frames.found("i found old friends of my mother in a drawer.")


@pytest.mark.parametrize(
    ("content", "message", "verdict"),
    [
        pytest.param(
            "The user is allergic to peanuts.",
            "我对花生过敏，从小就这样。",
            "other_language",
            id="English from a Chinese chat",
        ),
        pytest.param(
            "用户对花生过敏。",
            "I have been allergic to peanuts all my life.",
            "other_language",
            id="Chinese from an English chat",
        ),
        pytest.param(
            "用户对花生过敏。", "我对花生过敏，从小就这样。", "pass", id="the language of the chat"
        ),
        pytest.param(
            "He loves Die Ärzte.",
            "我最喜欢的乐队是 Die Ärzte: He loves Die Ärzte.",
            "pass",
            id="a quotation in another language",
        ),
    ],
)
def test_the_language_of_the_chat(content: str, message: str, verdict: str) -> None:
    judged = judge(
        AdmissionFilter(),
        draft(content, quote=message, source=Source.SUMMARY, subject="user"),
        None,
        saying({"v1": message}),
    )
    assert code(judged) == verdict


SECRET = [(content, asked) for verdict, asked, content in WAITING if verdict == "secret"]


@pytest.mark.parametrize(("content", "asked"), SECRET, ids=[content for content, _ in SECRET])
def test_a_secret_is_hidden_unless_it_was_to_be_remembered(content: str, asked: bool) -> None:
    told = draft(
        content,
        explicit=asked,
        keys=(content.rsplit(maxsplit=1)[-1].strip(".。"), "wifi"),
    )
    judged = judge(AdmissionFilter(), told)
    assert judged.waits
    secrets = [content[found.start : found.end] for found in secrets_in(content)]
    assert secrets
    stored, reason = json.dumps(as_json(judged.draft), ensure_ascii=False), word(judged.because)
    for secret in secrets:
        assert secret not in reason
        assert (secret in stored) is asked
    assert judged.draft == told if asked else secrets_in(judged.draft.content) == []


def test_a_refused_draft_keeps_no_secret_either() -> None:
    judged = judge(AdmissionFilter(), draft("My card is 4111 1111 1111 1111.", evidence=()))
    assert judged.because
    assert not judged.waits
    assert "4111" not in repr(judged)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_verdict_has_words(language: str) -> None:
    for _, asked, content in [*WAITING, *REFUSED]:
        for source in (Source.USER_INPUT, Source.SUMMARY):
            judged = judge(AdmissionFilter(), draft(content, explicit=asked, source=source))
            if judged.because:
                assert not word(judged.because, "zh" if language == "zh" else "en").startswith(
                    judged.because.code
                )


def test_our_own_fence_never_comes_back() -> None:
    assert code(judge(AdmissionFilter(), draft(fenced("- Lin likes tea")))) == "our_marks"


@pytest.mark.parametrize("content", ["x" * 2_001, "a word " * 400])
def test_a_novel_is_no_memory(content: str) -> None:
    assert code(judge(AdmissionFilter(), draft(content))) == "too_long"


@given(st.text(max_size=120))
def test_any_text_is_judged(content: str) -> None:
    judged = judge(
        AdmissionFilter([CARD]),
        draft(content),
        SourceIndex([memory("I love dogs.")]),
        saying({"v1": content}),
    )
    assert judged.because or not judged.waits
    assert secrets_in(redacted(content)) == [] or "private" in redacted(content)


def test_ten_thousand_memories_do_not_slow_the_gate() -> None:
    def told(many: int) -> SourceIndex:
        return SourceIndex(
            memory(f"Memory number {number} of the sea.", f"v{number}") for number in range(many)
        )

    gate, many, few = AdmissionFilter([CARD * 50]), told(10_000), told(1_250)
    drafts = [
        draft(content, source=Source.SUMMARY, version=f"v{number}")
        for number, content in enumerate(HARMLESS)
    ]
    assert (
        dearer(
            lambda: [judge(gate, one, many) for one in drafts],
            lambda: [judge(gate, one, few) for one in drafts],
        )
        < 3
    )


@pytest.mark.parametrize(
    "piece", ["always ", "1 ", "忽略", '"', "password ", "a", "{", "from now on "]
)
def test_the_cost_of_a_draft_grows_with_its_length(piece: str) -> None:
    gate = AdmissionFilter([CARD])
    assert growth(lambda content: judge(gate, draft(content)), (piece * 2_000)[:2_000]) < 3
