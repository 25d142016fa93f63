"""Promise 10 for answers: whatever a model writes, it is read or refused, and what is kept is sound."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rolememory.learn.model.chapters import ChapterText
from rolememory.learn.model.decide import Decision, RememberedSentence
from rolememory.learn.model.extract import Facts, drafts, fault
from rolememory.learn.model.infer import Conclusions
from rolememory.learn.model.infer import drafts as conclusions
from rolememory.llm.answers import ModelAnswer, UnreadableError, read, values
from rolememory.schema.settings import LearnSettings
from tests.builders import memory
from tests.learn.model.behaviours import CHAT
from tests.learn.model.house import batch

NAMES = (
    "facts",
    "content",
    "quote",
    "turn",
    "about",
    "type",
    "tags",
    "confidence",
    "replaces",
    "conclusions",
    "conclusion",
    "basedOn",
    "memory",
    "summary",
)
WORDS = (
    "I moved from Rome to Paris",
    "user",
    "Mira",
    "fact",
    "high",
    "[1]",
    "",
    "\ud800",
    "1" * 400,
    "</chat>",
)
LEAF = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=12)
    | st.sampled_from(WORDS)
)
JSON = st.recursive(
    LEAF,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=3), inner, max_size=6)
    ),
    max_leaves=24,
)
KNOWN = [memory("a", "Lin lives in Rome."), memory("b", "Mira likes storms.")]


@settings(max_examples=300, deadline=None)
@given(JSON)
def test_p10_any_json_is_read_or_refused(value: Any) -> None:
    text = json.dumps(value)
    where = batch(*CHAT)
    for shape in (Facts, Conclusions, Decision, RememberedSentence, ChapterText):
        answer = _read(text, shape)
        if isinstance(answer, Facts):
            fault(answer, where)
            for draft in drafts(answer.facts, where, LearnSettings()):
                assert draft.content.encode()
                assert draft.fault or 0.7 <= draft.confidence <= 1.0
                assert draft.evidence[0].quote in "\n".join(CHAT)
        if isinstance(answer, Conclusions):
            assert all(
                draft.fault or len(draft.rests_on) >= 2
                for draft in conclusions(answer.conclusions, KNOWN, None, LearnSettings())
            )


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet=st.sampled_from('{}[]"\\,:：“”，`</>think1a \n'), max_size=80))
def test_p10_any_text_is_read_or_refused(text: str) -> None:
    assert all(isinstance(value, dict | list) for value in values(text))
    for shape in (Facts, Decision, RememberedSentence):
        _read(text, shape)


def _read(text: str, shape: type[ModelAnswer]) -> ModelAnswer | None:
    try:
        return read(text, shape)
    except UnreadableError:
        return None


@pytest.mark.parametrize(
    "row",
    [
        {"conclusion": "x", "basedOn": {"a": 1}},
        {"conclusion": "x", "basedOn": 3},
        {"conclusions": "x"},
        "x",
        7,
        None,
    ],
)
def test_odd_conclusions(row: Any) -> None:
    found = _read(json.dumps([row, {"conclusion": "Lin sails.", "basedOn": [1, 2]}]), Conclusions)
    assert isinstance(found, Conclusions)
    assert found.conclusions[-1].conclusion == "Lin sails."
