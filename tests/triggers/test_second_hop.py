"""The best first hits lead to others by their rare words: in a question, damped, explained, among what is heard alone."""

import pytest

from rolememory import Home
from rolememory.schema.wording import word

TOLD = {
    "en": (
        "The 4th of May is Ines's birthday.",
        "Ines spends every free hour on old maps.",
        "Hugo spends every free hour on knitting.",
        "Greta gave me a drum.",
    ),
    "zh": (
        "五月四号是秀英的生日。",
        "秀英一有空就看旧地图。",
        "志明一有空就织毛线。",
        "阿兰送了我一面鼓。",
    ),
}
ASKED = {"en": "What is the hobby of the one whose birthday is the 4th of May?", "zh": "五月四号过生日的那个人有什么爱好？"}  # fmt: skip
PASSING = {
    "en": "It is the 4th of May, somebody has a birthday.",
    "zh": "今天是五月四号，有人过生日。",
}
FILLER = {
    "en": [f"Barrel {n} in the cellar holds salted fish." for n in range(30)],
    "zh": [f"地窖里第{n}只桶装着咸鱼。" for n in range(30)],
}
LANGUAGES = ["en", "zh"]


@pytest.fixture
def home(tmp_path):
    with Home.open(tmp_path, {"embedding.backend": "off"}) as opened:
        yield opened


def told(home, language, **more):
    role = home.create("Mira")
    lines = [*TOLD[language], *FILLER[language]]
    role.remember_all([{"content": one, "source": "user_input", **more} for one in lines])
    return role


def contents(turn):
    return [one.memory.content for one in turn.recalled]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_question_for_one_thing_by_another_finds_it(home, language):
    first, second, other, _ = TOLD[language]
    turn = told(home, language).recall(ASKED[language])
    found = contents(turn)
    assert first in found
    assert second in found
    assert other not in found


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_first_hit_is_named_as_the_reason(home, language):
    turn = told(home, language).recall(ASKED[language])
    first, second = (
        next(one for one in turn.recalled if one.memory.content == text)
        for text in TOLD[language][:2]
    )
    (hit,) = second.scored.hits
    assert hit.because.get("of") == first.memory.id
    assert TOLD[language][0][:10] in word(hit.because, language)
    assert {"en": "ines", "zh": "秀英"}[language] in word(hit.because, language)
    assert second.scored.relevance < first.scored.relevance


@pytest.mark.parametrize(
    ("language", "again"),
    [
        ("en", "Hugo, what birthday is on the 4th of May?"),
        ("zh", "志明，五月四号过生日的那个人是谁？"),
    ],
)
def test_who_says_the_same_leads_once(home, language, again):
    role = told(home, language)
    role.remember_all([{"content": again, "source": "user_input"} for _ in range(5)])
    turn = role.recall(ASKED[language])
    assert TOLD[language][1] in contents(turn)
    left = [one.scored for one in turn.left_out() if one.scored]
    copies = [hit for one in left if one.memory.content == again for hit in one.hits]
    assert copies
    assert not any("hit" in dict(hit.because.values) for hit in copies)  # nor to each other


@pytest.mark.parametrize("language", LANGUAGES)
def test_who_asks_nothing_is_led_nowhere(home, language):
    assert TOLD[language][1] not in contents(told(home, language).recall(PASSING[language]))


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_can_be_switched_off(home, language):
    off = {"triggers.semantic.bridge": 0.0}
    turn = told(home, language).recall(ASKED[language], settings=off)
    assert TOLD[language][1] not in contents(turn)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_only_others_hear_neither_leads_nor_makes_a_word_common(home, language):
    role = told(home, language, user="lin")
    before = role.recall(ASKED[language], user="lin")
    name = {"en": "Ines", "zh": "秀英"}[language]
    hidden = [f"{name} {n}." for n in range(40)]
    role.remember_all([{"content": one, "source": "user_input", "user": "ann"} for one in hidden])
    after = role.recall(ASKED[language], user="lin")
    assert TOLD[language][1] in contents(before)
    assert TOLD[language][1] in contents(after)
    assert not {*hidden} & {*contents(after)}
    (hit,) = next(
        one for one in after.recalled if one.memory.content == TOLD[language][1]
    ).scored.hits
    assert hit.because.get("of") in {one.memory.id for one in after.recalled}


HEARD = {
    "en": (
        "My brother Karl lives in Graz. He repairs clocks.",
        "I am allergic to walnuts.",
        "Where does my brother Karl live?",
    ),
    "zh": ("我哥哥住在苏州。他会修钟表。", "我对核桃过敏。", "我哥哥住在哪里？"),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_who_says_both_joins_nothing(home, language):
    """What one person said in two chats of few is not brought by their name alone."""
    first, second, asked = HEARD[language]
    role = home.create("Mira")
    for chat, said in enumerate((first, second)):
        role.observe([{"role": "user", "content": said}], user="Lin", chat=str(chat))
    turn = role.recall([{"role": "user", "content": asked}], user="Lin", chat="asking")
    assert contents(turn) == [first]


NEAR = {
    "en": (
        "Lin is afraid of deep water since the ice broke.",
        "Lin takes tea with ginger.",
        "Who in this town is afraid of deep water?",
    ),
    "zh": ("林墨自从冰裂了就怕深水。", "林墨喝茶要放姜。", "这镇上谁怕深水？"),
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("there", [True, False], ids=["present", "away"])
def test_the_name_of_who_is_there_joins_nothing(home, language, there):
    """What is known of the one who asks is not brought by their name alone; of somebody else it is."""
    first, second, asked = NEAR[language]
    role = home.create("Mira")
    role.remember_all([first, second, *FILLER[language]])
    name = {"en": "Lin", "zh": "林墨"}[language]
    turn = role.recall(asked, user=name if there else "Ann")
    assert first in contents(turn)
    assert (second in contents(turn)) is not there


@pytest.mark.parametrize("language", LANGUAGES)
def test_only_what_asks_is_led(home, language):
    """A message that tells, with a question at its end that names nothing, leads nowhere."""
    passing = f"{PASSING[language]} {({'en': 'Is it?', 'zh': '是吗？'})[language]}"
    role = told(home, language)
    assert TOLD[language][1] not in contents(role.recall(passing))
    assert TOLD[language][1] in contents(role.recall(ASKED[language]))


def test_only_names_lead_on_where_names_are_written_large(home):
    """What two lines share in small letters joins nothing, though it begins a sentence in one of them."""
    first = "On the 4th of May Ines baked a walnut cake."
    others = ["The walnut tree fell over.", "Walnut oil is dear."]
    role = home.create("Mira")
    role.remember_all([first, *others, TOLD["en"][1], *FILLER["en"]])
    asked = "What is the hobby of the one who baked on the 4th of May?"
    found = contents(role.recall(asked, settings={"recall.relevance_threshold": 0.1}))
    assert first in found
    assert TOLD["en"][1] in found
    assert not {*others} & {*found}


def test_what_joins_lines_that_tell_the_same_of_others_leads_nowhere(home):
    people = ("文斌", "晓燕", "国强", "大伟", "林小雨")
    places = ("鱼市", "果园", "澡堂", "采石场", "教堂")
    hobbies = ("织毛线", "看旧地图", "养蜂", "刻木勺", "放风筝")
    role, lines = home.create("Mira"), list(FILLER["zh"])
    for who, place, hobby in zip(people, places, hobbies, strict=True):
        lines += [
            f"说起来我跟{who}头一回见面是在{place}，当时谁也没想到。",
            f"{who}一有空就{hobby}。",
        ]
    role.remember_all([{"content": one, "source": "user_input"} for one in lines])
    for who, place, hobby in zip(people, places, hobbies, strict=True):
        turn = role.recall(f"我在{place}认识的那个人有什么爱好？")
        assert f"{who}一有空就{hobby}。" in contents(turn)
        led = [
            one.memory.content
            for one in turn.recalled
            if any(hit.because.get("via") for hit in one.scored.hits)
        ]
        assert led
        assert all(who in content for content in led)
