"""An index that followed its memories answers like one made again, however they came to be what they are."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rolememory.recall.candidates import between
from rolememory.recall.index import MemoryIndex
from rolememory.recall.weigh import weigh
from rolememory.schema.evidence import Scored
from rolememory.schema.memory import Evidence, Memory
from rolememory.schema.scene import Scene
from rolememory.schema.settings import Settings
from rolememory.text.affect import read_affect
from rolememory.text.affect_lexicon import load_lexicon
from rolememory.text.dates import times
from rolememory.text.vectors import VectorTable
from rolememory.triggers.base import Derive
from rolememory.triggers.semantic import reads
from tests.builders import DAY_ZERO, scene
from tests.hashing import HashingEmbedder

SETTINGS = Settings.model_validate(
    {"triggers": {"recency": {"clock": "wall"}, "keyword": {"fuzzy": True}}}
)
MODEL = HashingEmbedder(64)
SAID = (
    ("Good morning.", "Why is the beacon dark since the storm?"),
    ("I hate that quarrel at the quay, I am so furious and sad!",),
    ("What happened yesterday, and what in 1887?", "Where is the lighthous?"),
    ("早上好。", "昨天那场风暴之后，林小雨怎么样了？我好难过。"),
)


def memories_named(ids: Sequence[str]) -> st.SearchStrategy[list[Memory]]:
    """Some memories of these ids, each differing from the others of its id in anything a strategy reads."""
    one = st.builds(
        lambda name, text, keys, minute, chat, fields: Memory(
            id=name,
            content=text,
            created=None if minute is None else DAY_ZERO + timedelta(minutes=minute),
            **({"keys": tuple(keys)} if keys else {}),
            **({"evidence": (Evidence(chat=chat),)} if chat else {}),
            **fields,
        ),
        st.sampled_from(ids),
        st.sampled_from(
            [
                "The beacon failed in the storm of 1887.",
                "We quarrelled at the quay and I was furious.",
                "那场风暴毁了码头，我哭了一夜。",
                "Yes.",
            ]
        ),
        st.lists(st.sampled_from(["beacon", "lighthouse", "风暴", "/st[ou]rm/i"]), max_size=2),
        st.sampled_from([None, -60 * 24, -1, 0, 1, 2, 60 * 24]),
        st.sampled_from(["", "evening", "market"]),
        st.fixed_dictionaries(
            {},
            optional={
                "subject": st.sampled_from(["Lin", "林小雨", "user"]),
                "constant": st.booleans(),
                "triggers": st.sampled_from([("semantic",), ("emotional", "dates")]),
                "emotions": st.sampled_from([("sadness",), ("anger",)]),
                "source": st.just("summary"),
                "weight": st.sampled_from([0.5, 1.5]),
                "salience": st.sampled_from([0.1, 0.9]),
            },
        ),
    )
    return st.lists(one, max_size=6, unique_by=lambda memory: memory.id)


def scenes(index: MemoryIndex) -> list[Scene]:
    """Turns in which everything that a strategy reads is said."""
    return [
        scene(
            *texts,
            keys=index.keys,
            vector=MODEL.embed_query(texts[-1]),
            feeling=read_affect(" ".join(texts)),
            mood=read_affect(" ".join(texts)),
            times=times(" ".join(texts), DAY_ZERO, "en"),
            user="kai",
        )
        for texts in SAID
    ]


def answers(index: MemoryIndex) -> list[list[Scored]]:
    """What every turn wakes, in the order of ids."""
    notes: list[str] = []
    found = [
        weigh(
            index.table,
            index.strategies,
            turn,
            frozenset(index.memories),
            index.settings.weigh,
            note=lambda name, error: notes.append(f"{name}: {error}"),
        )
        for turn in scenes(index)
    ]
    assert not notes
    return [sorted(some, key=lambda one: one.memory.id) for some in found]


def vectors_of(memories: Sequence[Memory]) -> VectorTable:
    table = VectorTable(MODEL.dim)
    for memory in memories:
        table.set(memory.id, MODEL.embed([reads(memory)]))
    return table


def followed(steps: Sequence[Sequence[Memory]]) -> MemoryIndex:
    """An index that saw each of these sets of memories, one after the other."""
    index, table = MemoryIndex.empty(SETTINGS), VectorTable(MODEL.dim)
    index = index.with_vectors(table)
    for step in steps:
        after = {memory.id: memory for memory in step}
        fresh, gone = between(index.memories, after)
        index = index.changed(fresh, gone, memories=after)
        for memory in fresh:
            table.set(memory.id, MODEL.embed([reads(memory)]))
        for memory_id in gone:
            table.remove(memory_id)
        answers(index)
    return index


@settings(max_examples=25)
@given(st.lists(memories_named("abcdef"), min_size=2, max_size=3))
def test_an_index_that_followed_answers_like_one_made_anew(steps: list[list[Memory]]) -> None:
    before = followed(steps)
    order = [before.table.entry(row) for row in before.table.rows]
    anew = followed([order])  # type: ignore[list-item]
    assert answers(before) == answers(anew)
    assert set(before.keys) == set(anew.keys)


def derived() -> tuple[list[str], Derive]:
    """Kinds of what is found out about texts, one for each text, and what finds it out."""
    kinds: list[str] = []

    def derive(kind: str, texts: Sequence[str], make: Callable[[str], Any]) -> list[Any]:
        kinds.extend([kind] * len(texts))
        return [make(text) for text in texts]

    return kinds, derive


@pytest.mark.parametrize(("own", "remembered"), [(False, True), (True, False)])
def test_what_the_words_of_a_home_make_feel_is_not_remembered_for_others(
    own: bool, remembered: bool
) -> None:
    kinds, derive = derived()
    one = Memory(id="a", content="The beacon made me happy.")
    index = MemoryIndex.empty(SETTINGS, derive=derive)
    index = index.with_lexicon(load_lexicon() if own else None).changed([one], (), {"a": one})
    answers(index)
    assert ("felt" in kinds) is remembered


@pytest.mark.parametrize(
    ("most", "ahead"),
    [
        pytest.param(2, {"times", "felt"}, id="few texts are read before somebody asks"),
        pytest.param(1, set(), id="more wait until then"),
    ],
)
def test_reading_ahead(most: int, ahead: set[str]) -> None:
    kinds, derive = derived()
    memories = [
        Memory(id="a", content="The storm of June 1887 made me furious."),
        Memory(id="b", content="I was so happy yesterday."),
    ]
    by_id = {memory.id: memory for memory in memories}
    index = MemoryIndex.empty(SETTINGS, derive=derive).changed(memories, (), by_id)
    index.read_ahead(most)
    assert {"times", "felt"} & set(kinds) == ahead
    seen = len(kinds)
    assert answers(index.with_vectors(vectors_of(memories))) == answers(followed([memories]))
    assert (len(kinds) == seen) is bool(ahead)


@settings(max_examples=25)
@given(memories_named("abcdef"))
def test_vectors_that_come_later_are_taken_over_without_a_second_look_at_texts(
    memories: list[Memory],
) -> None:
    read, derive = derived()
    by_id = {memory.id: memory for memory in memories}
    index = MemoryIndex.empty(SETTINGS, derive=derive).changed(memories, (), by_id)
    without, seen = answers(index), len(read)
    index = index.with_vectors(vectors_of(memories))
    assert len(read) == seen
    assert answers(index) == answers(followed([memories]))
    assert answers(index.with_vectors(None)) == without


@settings(max_examples=25)
@given(memories_named("abc"), memories_named("abc"))
def test_a_supposition_leaves_everything_as_it_was(
    memories: list[Memory], supposed: list[Memory]
) -> None:
    index = followed([memories])
    before = answers(index)
    for other in supposed:
        if known := index.memories.get(other.id):
            same_text = {"content": known.content, "subject": known.subject}
            memory = other.model_copy(update=same_text)
            rest = [one for one in memories if one is not known]
            with index.supposing(memory) as changed:
                assert answers(changed) == answers(followed([[*rest, memory]]))
            assert answers(index) == before


@pytest.mark.parametrize(
    ("before", "after", "fresh", "gone"),
    [
        pytest.param("", "ab", "ab", "", id="the first ones"),
        pytest.param("ab", "ab", "", "", id="nothing"),
        pytest.param("ab", "abc", "c", "", id="one came"),
        pytest.param("abc", "aBc", "B", "", id="one was changed"),
        pytest.param("abc", "aBcd", "Bd", "", id="one was changed, one came"),
        pytest.param("abc", "bc", "", "a", id="one went"),
        pytest.param("abc", "acd", "d", "b", id="one went, one came"),
        pytest.param("abc", "cab", "", "", id="another order is no difference"),
        pytest.param("abc", "", "", "abc", id="all went"),
    ],
)
def test_differences(before: str, after: str, fresh: str, gone: str) -> None:
    def of(letters: str) -> dict[str, Memory]:
        return {letter.lower(): EACH[letter] for letter in letters}

    found, left = between(of(before), of(after))
    assert [memory.content for memory in found] == list(fresh)
    assert left == list(gone)


EACH = {letter: Memory(id=letter.lower(), content=letter) for letter in "abcdABCD"}
