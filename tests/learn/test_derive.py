"""Keys, topics, emotions, tags and salience."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolememory.learn.derive import MOST_KEYS, derive, salience
from rolememory.learn.derive.english import singular
from rolememory.schema.claims import ATTRIBUTES, USER, Claim
from rolememory.text.words import words
from tests.learn import derive_rows, worth_rows

ROWS = [*derive_rows.rows(derive_rows.ENGLISH), *derive_rows.rows(derive_rows.CHINESE)]
TURNS = [
    turn
    for block in (worth_rows.ENGLISH, worth_rows.CHINESE)
    for _, _, turn, _ in worth_rows.rows(block)
]


def claim(attribute: str, value: str, *, subject: str = USER, **more: str) -> Claim:
    return Claim(subject, attribute, value, value, value, **more)


@pytest.mark.parametrize(("keys", "text"), ROWS, ids=[text for _, text in ROWS])
def test_keys(keys: tuple[str, ...], text: str) -> None:
    assert derive(text).keys == keys


def test_keys_are_few_stand_in_the_text_and_are_no_stop_words() -> None:
    stop = words("en").stop | words("zh").stop
    for text in [*TURNS, *(text for _, text in ROWS)]:
        keys = derive(text).keys
        assert len(keys) <= MOST_KEYS
        assert all(key in text or any(singular(other) == key for other in keys) for key in keys)
        assert not {key.lower() for key in keys} & stop
        assert all(len(key) > 1 for key in keys)


def test_many_names_are_cut() -> None:
    assert (
        len(derive("I met Anna, Bert, Carla, Dora, Emil, Franz, Greta and Hugo in Oslo.").keys)
        == MOST_KEYS
    )


@pytest.mark.parametrize(
    ("text", "found", "keys"),
    [
        pytest.param(
            "The user is allergic to peanuts.",
            claim("allergy", "peanuts"),
            ("peanuts", "peanut"),
            id="what a claim says",
        ),
        pytest.param(
            "用户对花生过敏。", claim("allergy", "花生"), ("花生", "过敏"), id="in Chinese"
        ),
        pytest.param(
            "The user has a dog named Rex.",
            claim("owns", "Rex", about="dog"),
            ("Rex",),
            id="an animal's name",
        ),
        pytest.param(
            "The user's name is Lin.",
            claim("name", "Lin"),
            (),
            id="the user's own name is in every chat",
        ),
        pytest.param(
            "The user moved to Rome.",
            claim("home", "Rome", former="Paris"),
            ("Rome", "Paris"),
            id="what was before too",
        ),
        pytest.param(
            "Nora lives in Rome.",
            claim("home", "Rome", subject="Nora"),
            ("Rome", "Nora"),
            id="of somebody else",
        ),
    ],
)
def test_keys_of_claims(text: str, found: Claim, keys: tuple[str, ...]) -> None:
    assert derive(text, [found]).keys == keys


def test_names_of_who_talks_wake_nothing() -> None:
    assert derive("Mira gave Anna a compass.", names=["Mira", "Lin"]).keys == ("Anna", "compass")
    assert derive("阿岚把指南针给了小雅。", names=["阿岚"]).keys == ("小雅", "指南针")


@pytest.mark.parametrize(
    ("text", "topics"),
    [
        ("My sister is getting married in June.", {"family", "love"}),
        ("I broke my ankle and went to the hospital.", {"health"}),
        ("我妹妹六月结婚。", {"家人", "爱情"}),
        ("我把猫送去看医生，花了很多钱。", {"健康"}),
        ("It is what it is.", set()),
        ("就那样吧。", set()),
    ],
)
def test_topics(text: str, topics: set[str]) -> None:
    assert set(derive(text).topics) >= topics if topics else derive(text).topics == ()


@pytest.mark.parametrize(
    ("text", "emotion"),
    [
        ("I'm terrified of deep water.", "fear"),
        ("我好难过。", "sadness"),
        ("I love you.", "love"),
        ("The door is red.", None),
        ("门是红色的。", None),
    ],
)
def test_emotions(text: str, emotion: str | None) -> None:
    assert derive(text).emotions[:1] == ((emotion,) if emotion else ())


@pytest.mark.parametrize(
    ("text", "found", "tags"),
    [
        ("I like tea.", [claim("likes", "tea")], ("preference",)),
        ("The user is a nurse.", [claim("job", "nurse")], ("fact",)),
        ("I promise to come back.", [claim("promise", "come back")], ("promise",)),
        ("我答应你一定回来。", [], ("promise",)),
        ("My dog died.", [], ("loss",)),
        ("我的狗死了。", [], ("loss",)),
        ("It was my first time at sea.", [], ("first",)),
        ("那是我第一次出海。", [], ("first",)),
        ("*I lock the door and hide the key.*", [], ("scene",)),
        ("The door is red.", [], ()),
    ],
)
def test_tags(text: str, found: list[Claim], tags: tuple[str, ...]) -> None:
    assert derive(text, found).tags == tags
    assert derive(text, found, auto_tag=False).tags == ()


@pytest.mark.parametrize(
    ("more", "less"),
    [
        pytest.param(
            "My grandmother died last night.",
            "I bought a kettle yesterday.",
            id="a loss matters more than a purchase",
        ),
        pytest.param(
            "I promise I will come back.", "I came back.", id="a promise more than a deed"
        ),
        pytest.param(
            "It was my first kiss.", "It was a kiss.", id="a first time more than another"
        ),
        pytest.param(
            "I'm absolutely terrified of dogs!",
            "I have two dogs.",
            id="strong feeling more than none",
        ),
        pytest.param(
            "We got married in June.",
            "We got up at six.",
            id="a change of life more than a morning",
        ),
        pytest.param("奶奶昨晚去世了。", "我昨天买了一把水壶。", id="失去比买东西要紧"),
        pytest.param("我答应你一定回来。", "我回来了。", id="答应比做过要紧"),
        pytest.param("我第一次出海。", "我又出海了。", id="头一回比平常要紧"),
    ],
)
def test_what_matters_more(more: str, less: str) -> None:
    assert derive(more).salience > derive(less).salience


def test_claims_and_wishes_raise_salience() -> None:
    plain = derive("The user is allergic to nuts.").salience
    claimed = derive("The user is allergic to nuts.", [claim("allergy", "nuts")]).salience
    assert (
        plain
        < claimed
        < derive(
            "The user is allergic to nuts.", [claim("allergy", "nuts")], explicit=True
        ).salience
        <= 1.0
    )
    ranked = [
        derive("x y z", [claim(name, "z")]).salience
        for name in sorted(ATTRIBUTES, key=lambda name: ATTRIBUTES[name].salience)
    ]
    assert ranked == sorted(ranked)


@given(
    st.floats(0, 1),
    st.floats(0, 1),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
def test_salience_stays_in_bounds_and_grows(
    weight: float,
    intensity: float,
    loss: bool,
    life: bool,
    promise: bool,
    first: bool,
    explicit: bool,
) -> None:
    told = salience(
        weight, intensity, loss=loss, life=life, promise=promise, first=first, explicit=explicit
    )
    assert 0.3 <= told <= 1.0
    assert told <= salience(
        weight, intensity, loss=True, life=True, promise=True, first=True, explicit=True
    )


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    derived = derive(text)
    assert len(derived.keys) <= MOST_KEYS
    assert derived == derive(text)


def test_hostile_texts_are_read_in_time() -> None:
    for hostile in (
        "灯" * 20_000,
        "A" * 20_000,
        "Ab " * 7_000,
        "the a " * 3_000,
        "叫" * 10_000,
        "在在" * 10_000,
        "《" * 20_000,
    ):
        begun = time.thread_time()
        derive(hostile)
        assert time.thread_time() - begun < 3.0
