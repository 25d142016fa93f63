"""Words of texts and BM25 over them, in both languages."""

import threading
from collections import Counter
from itertools import chain, cycle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolememory.text.terms import BARELY, ENOUGH, K1, UNKNOWN_PAIR, B, TermIndex
from rolememory.text.words import is_pair, stem, term_query, tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "The beacons were failing.",
            ("beacon", "fail"),
            id="Latin words are stemmed, stop words are out",
        ),
        pytest.param(
            "She went and bought mice",
            ("go", "buy", "mous"),
            id="irregular forms count as their base",
        ),
        pytest.param("Nora's husband's", ("nora", "husband"), id="a possessive is the word"),
        pytest.param(
            "ＢＥＡＣＯＮ Café", ("beacon", "cafe"), id="width, case and accents fold away"
        ),
        pytest.param("灯塔", ("灯", "塔", "灯塔"), id="Chinese: every character and every pair"),
        pytest.param("他的猫", ("猫", "的猫"), id="function characters say nothing alone"),
        pytest.param("ひかり", ("ひか", "かり"), id="kana: pairs"),
        pytest.param("등대지기", ("등대", "대지", "지기"), id="hangul: pairs"),
        pytest.param("on 3.5 of 12:30", ("3.5", "12:30"), id="numbers stay whole"),
        pytest.param("room101灯", ("room", "101", "灯"), id="scripts part without a blank"),
        pytest.param(
            "Who are you?", ("who", "are", "you"), id="stop words stay where nothing else is"
        ),
        pytest.param("谁", ("谁",), id="one character is a text"),
        pytest.param(
            "燈塔", ("燈", "塔", "燈塔"), id="traditional characters are read as they are"
        ),
        pytest.param("", (), id="nothing gives nothing"),
        pytest.param("?!… 🌊", (), id="marks and emoji are no words"),
    ],
)
def test_tokens(text: str, expected: tuple[str, ...]) -> None:
    assert tokens(text) == expected


def ranked(index: TermIndex, ids: list[str], query: str) -> list[str]:
    scores = index.among().scores(term_query(query))[index.rows(ids)]
    return [ids[place] for place in np.argsort(-scores, kind="stable") if scores[place] > 0]


def indexed(**texts: str) -> TermIndex:
    index = TermIndex()
    for entry_id, text in texts.items():
        index.add(entry_id, text)
    return index


@pytest.mark.parametrize(
    ("query", "best"),
    [
        pytest.param(
            "Why did the beacon fail?", "storm", id="a question finds the line that answers it"
        ),
        pytest.param("any cats?", "cat", id="plural finds singular"),
        pytest.param("那只猫去哪了", "mao", id="one Chinese character is enough"),
        pytest.param("灯塔为什么灭了", "deng", id="a Chinese word in a sentence"),
    ],
)
def test_the_right_line_comes_first(query: str, best: str) -> None:
    index = indexed(
        storm="The beacon failed in the storm.",
        cat="A grey cat.",
        tea="Tea at five.",
        mao="猫在睡觉。",
        deng="灯塔的灯灭了。",
    )
    assert ranked(index, ["tea", "cat", "storm", "mao", "deng"], query)[0] == best


@pytest.mark.parametrize(
    ("query", "other"),
    [
        pytest.param("Who dressed the wounds?", "Mind the wind.", id="wound, wind"),
        pytest.param("Roses, again?", "Prices rise.", id="rose, rise"),
        pytest.param(
            "Where did the admirals sail?", "They admire paintings.", id="admiral, admire"
        ),
        pytest.param("The importance of minerals?", "Miners import coal.", id="mineral, miner"),
        pytest.param("Which experiments failed?", "An experience.", id="experiment, experience"),
        pytest.param("Do elves trade with dwarves?", "Eleven dwell here.", id="elf, dwarf"),
    ],
)
def test_words_that_are_only_spelt_alike_do_not_find_each_other(query: str, other: str) -> None:
    own = "A wound, a rose, an admiral, an elf, a dwarf; an important mineral, an experiment."
    found, nothing = indexed(own=own, other=other).among().scores(term_query(query)).tolist()
    assert found > nothing == 0.0


def test_scores_are_shares_of_what_was_asked() -> None:
    index = indexed(all="beacon storm harbour", half="beacon lily garden", none="tea at five")
    all_, half, none = index.among().scores(term_query("beacon storm harbour"))[
        index.rows(["all", "half", "none"])
    ]
    assert none == 0.0
    assert 0.2 < half < 0.6 < all_ <= 1.3


def test_a_long_message_is_not_measured_by_all_its_words() -> None:
    index = indexed(storm="The beacon failed in the great storm.", tea="Tea at five.")
    row = index.rows(["storm"])
    short = index.among().scores(term_query("the beacon in the storm"))[row]
    long = index.among().scores(
        term_query(
            "I walked past the mill, talked to Anna about flour prices, rain and cattle; then the beacon failed in that storm"
        )
    )[row]
    assert long > 0.5 * short


def test_one_memory_alone_still_answers() -> None:
    index = indexed(only="The beacon failed in the storm.")
    assert index.among().scores(term_query("storm"))[0] > 0.5
    assert index.among().scores(term_query("tea"))[0] == 0.0


def test_words_held_are_named_as_they_were_asked() -> None:
    texts = {"a": "Storm over the harbour", "b": "A cat", "c": "灯塔在风暴中熄灭"}
    index = indexed(**texts)
    named = [
        index.among().shared(term_query("storms and harbours"), text) for text in texts.values()
    ]
    assert named == ["storms harbours", "", ""]
    assert "灯塔" in index.among().shared(term_query("灯塔怎么了"), texts["c"])


TEXTS = st.sampled_from(
    [
        "the beacon failed",
        "a storm, a storm",
        "灯塔灭了",
        "风暴里的灯塔",
        "tea at five with Nora",
        "Nora went home",
        "",
        "grey cats sleep",
        "猫在睡觉",
    ]
)
WEIGHTS = st.sampled_from((1.0, 0.85, 0.5, 0.15))
STEPS = st.lists(st.tuples(st.sampled_from("abcdef"), st.one_of(st.none(), TEXTS)), max_size=30)


@given(STEPS, TEXTS)
def test_an_updated_index_equals_a_rebuilt_one(
    steps: list[tuple[str, str | None]], query: str
) -> None:
    updated, texts = TermIndex(), dict[str, str]()
    for entry_id, text in steps:
        if text is None:
            updated.remove(entry_id)
            texts.pop(entry_id, None)
        else:
            updated.add(entry_id, text)
            texts[entry_id] = text
    rebuilt = indexed(**texts)
    for index in (updated, rebuilt):
        assert set(texts) == {entry_id for entry_id in "abcdef" if entry_id in index}
    ids = sorted(texts)
    first, second = (
        updated.among().scores(term_query(query)),
        rebuilt.among().scores(term_query(query)),
    )
    np.testing.assert_allclose(first[updated.rows(ids)], second[rebuilt.rows(ids)], rtol=1e-5)
    updated.compact()
    np.testing.assert_allclose(
        updated.among().scores(term_query(query))[updated.rows(ids)],
        second[rebuilt.rows(ids)],
        rtol=1e-5,
    )


def reopened(index: TermIndex) -> TermIndex:
    """As another process has it that read what was sealed, before it knows any text."""
    raw = index.sealed(0, -1.0)
    found = TermIndex()
    found.adopt(lambda: raw)
    return found


@given(STEPS, STEPS, st.sets(st.sampled_from("abcdef")), TEXTS)
def test_an_index_that_goes_on_from_what_was_sealed_equals_a_rebuilt_one(
    before: list[tuple[str, str | None]],
    after: list[tuple[str, str | None]],
    heard: set[str],
    query: str,
) -> None:
    indexes = [TermIndex()]
    for steps in (before, after, after[::-1]):
        texts = dict[str, str]()
        for entry_id, text in steps:
            if text is None:
                indexes[-1].remove(entry_id)
                texts.pop(entry_id, None)
            else:
                indexes[-1].add(entry_id, text)
                texts[entry_id] = text
        rebuilt, ids = indexed(**texts), sorted(texts)
        seen = []
        for index in (indexes[-1], rebuilt):
            rows = index.rows(ids)
            mask = np.zeros(index.n_rows, dtype=np.bool_)
            mask[index.rows(sorted(heard & texts.keys()))] = True
            for asked in (index.among(), index.among(mask)):
                seen.append([asked.holders(token) for token in tokens(query)])
                seen.append(asked.scores(term_query(query))[rows].tolist())
        assert seen[:4] == seen[4:]
        indexes.append(reopened(indexes[-1]))


@given(STEPS, STEPS, TEXTS)
def test_texts_that_are_known_by_their_digests_make_the_same_index(
    before: list[tuple[str, str | None]], after: list[tuple[str, str | None]], query: str
) -> None:
    texts = {one: text for one, text in dict(before).items() if text is not None}
    first = indexed(**texts)
    for index in (reopened(first), reopened(indexed(g="tea", **texts)), TermIndex()):
        index.add_known(texts, first.digests(texts))
        now = dict(texts)
        for one, text in after:
            if text is None:
                index.remove(one)
                now.pop(one, None)
            else:
                index.add(one, text)
                now[one] = text
        asked, rebuilt = term_query(query), indexed(**now)
        scores = [one.among().scores(asked)[one.rows(sorted(now))] for one in (index, rebuilt)]
        assert np.array_equal(*scores)
        held = [list(map(one.among().holders, tokens(query))) for one in (index, rebuilt)]
        assert held[0] == held[1]


def test_what_another_version_sealed_is_read_again() -> None:
    index = TermIndex()
    index.adopt(lambda: b"something else")
    index.add("a", "the beacon failed")
    assert ranked(index, ["a"], "beacon") == ["a"]


@given(st.lists(TEXTS, min_size=1, max_size=8), TEXTS, st.sampled_from((0, 30)))
def test_scores_are_those_of_the_formula(texts: list[str], query: str, others: int) -> None:
    texts += [f"Nora keeps the beacon number {at}" for at in range(others)]
    index = indexed(**{str(at): text for at, text in enumerate(texts)})
    counts = [Counter(tokens(text)) for text in texts]
    lengths = [len(text.encode()) for text in texts]
    once = [len(text.encode()) for text in set(texts)]
    usual = max(sum(once) / len(once), 1e-6)
    norms = [K1 * (1 - B + B * length / usual) for length in lengths]
    question = term_query(query)
    unit = index.among().rare_word
    mass = sum(
        weight
        * index.among().information(token)
        * (UNKNOWN_PAIR if is_pair(token) and not any(token in one for one in counts) else 1.0)
        for token, weight in question.weights.items()
    )
    expected = [
        sum(
            weight
            * index.among().information(token)
            * (K1 + 1)
            * min(one[token], 15)
            / (one[token] + norm)
            for token, weight in question.weights.items()
            if one[token] and weight * index.among().information(token) > BARELY * unit
        )
        / min(max(mass, unit), ENOUGH * unit)
        for one, norm in zip(counts, norms, strict=True)
    ]
    np.testing.assert_allclose(
        index.among().scores(question)[index.rows(map(str, range(len(texts))))], expected, rtol=1e-4
    )


@given(st.lists(TEXTS, max_size=12), st.lists(WEIGHTS, min_size=1), st.integers(1, 5))
def test_the_most_telling_words_are_found_without_counting_the_others(
    texts: list[str], weights: list[float], most: int
) -> None:
    index = indexed(**{str(at): text for at, text in enumerate(texts)})
    known = dict.fromkeys([*chain.from_iterable(map(tokens, texts)), "comet", "彗星"])
    asked = dict(zip(known, cycle(weights), strict=False))
    tells = index.among().informing(asked)
    every = sorted(asked, key=lambda token: (-tells[token], token))
    assert index.among().most_telling(asked, most) == every[:most]


def test_who_repeats_a_text_makes_no_word_of_it_more_common() -> None:
    index = indexed(a="the beacon failed", b="a storm came", c="the beacon sank")
    once = index.among()
    for number in range(50):
        index.add(f"again{number}", "the beacon failed")
    heard = np.ones(index.n_rows, dtype=np.bool_)
    some = heard.copy()
    some[1] = False
    index.remove("again7")
    for again in (index.among(), index.among(heard)):
        assert again.holders("beacon") == 2
        assert again.information("beacon") == once.information("beacon")
    without = index.among(some)
    assert (without.holders("beacon"), without.holders("storm")) == (2, 0)
    alone = np.zeros(index.n_rows, dtype=np.bool_)
    alone[index.rows(["again3", "again9"])] = True  # repeats alone, of what is not heard
    assert index.among(alone).holders("beacon") == 1


def test_a_pair_that_was_forgotten_counts_as_never_seen() -> None:
    updated = indexed(a="灯塔灭了", b="风暴里的海")
    updated.remove("a")
    rebuilt = indexed(b="风暴里的海")
    question = term_query("灯塔与海")
    assert (
        updated.among().scores(question)[updated.rows(["b"])]
        == rebuilt.among().scores(question)[rebuilt.rows(["b"])]
    )


def test_an_unknown_id_has_no_row() -> None:
    assert indexed(a="tea").rows(["a", "nobody"]).tolist() == [0, -1]


def test_stemming_from_many_threads_gives_what_one_thread_gives() -> None:
    nouns = [
        f"{start}{end}"
        for start in ("walk", "sail", "storm", "light")
        for end in ("ing", "ed", "s", "er", "ers", "ness")
    ]
    alone = {word: stem.__wrapped__(word) for word in nouns}
    wrong: list[str] = []

    def work() -> None:
        wrong.extend(
            word for _ in range(20) for word in nouns if stem.__wrapped__(word) != alone[word]
        )

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_pair_of_characters_is_held_once_however_many_texts_have_it() -> None:
    texts = [f"灯塔{tail}" for tail in ("亮", "灭了", "的光", "下面")]
    found = [token for text in texts for token in tokens(text) if token in ("灯", "灯塔")]
    assert (len(found), len({id(token) for token in found})) == (8, 2)


SAID = ("The beacon failed.", "A storm over the harbour.", "Tea in the storm.", "灯塔的灯灭了。")


HEARD = ("abcdef0123456789", "abcdef", "bg012", "")
CHANGED = st.tuples(
    st.sampled_from("abcdefg"), st.sampled_from((*SAID, None)), st.sampled_from(HEARD)
)


@given(st.lists(CHANGED, max_size=12))
def test_what_was_looked_up_before_others_came_or_asked_is_the_same(
    changes: list[tuple[str, str | None, str]],
) -> None:
    index, before, question = TermIndex(), None, term_query("beacon storm tea number 灯塔")
    others = {str(at): f"Tea of number {at}." for at in range(12)}
    sealed = indexed(a=SAID[0], b=SAID[1], **others).sealed(1, 0.0)
    index.adopt(lambda: sealed)
    index.add_all(others.items())
    for entry_id, text, ids in changes:
        if text is None:
            index.remove(entry_id)
        else:
            index.add(entry_id, text)
        heard = np.zeros(index.n_rows, dtype=np.bool_)
        rows = index.rows(ids)
        heard[rows[rows >= 0]] = True
        before = index.among(heard, before)
        scores = before.scores(question)
        assert np.array_equal(scores, index.among(heard).scores(question))
        assert not scores[~heard].any()
