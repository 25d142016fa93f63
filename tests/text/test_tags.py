"""Tags of emotion and gesture: what is one, what is felt, and what is story and stays."""

import pytest

from rolememory.text.tags import strip_tags

JOY, SAD = ("joy",), ("sadness",)


@pytest.mark.parametrize(
    ("raw", "text", "emotions"),
    [
        pytest.param(
            "[happy] You came!",
            "You came!",
            JOY,
            id="a label in brackets, as VRM viewers want it",
        ),
        pytest.param("[emotion:happy] You came!", "You came!", JOY, id="a named value"),
        pytest.param(
            "[emotion=happy]You came!",
            "You came!",
            JOY,
            id="a named value with =, as speech services want it",
        ),
        pytest.param("{{emotion=sad}} Oh.", "Oh.", SAD, id="in double braces"),
        pytest.param("{{emotion::sad}} Oh.", "Oh.", SAD, id="in double braces with two colons"),
        pytest.param("<emotion>joy</emotion>You came!", "You came!", JOY, id="an element"),
        pytest.param('<gesture name="wave"/>Hello.', "Hello.", (), id="an empty element"),
        pytest.param("<|EMOTE_SAD|>Oh.", "Oh.", SAD, id="a special token"),
        pytest.param(
            '<|ACT {"emotion":"happy","motion":"wave"}|>Hey.',
            "Hey.",
            JOY,
            id="a special token with JSON",
        ),
        pytest.param(
            '<|ACT:"emotion":{"name":"happy","intensity":1}|>Hey.',
            "Hey.",
            JOY,
            id="a special token with a name inside",
        ),
        pytest.param(
            "[face:Joy]Hi![anim:waving_arm]Yes",
            "Hi! Yes",
            JOY,
            id="face and animation, and no words run together",
        ),
        pytest.param(
            "[emotion: happy, action: waves, bows] Yo",
            "Yo",
            JOY,
            id="two in one bracket, a comma in the second",
        ),
        pytest.param("[happy, 0.8] Hi", "[happy, 0.8] Hi", (), id="a number alone is no emotion"),
        pytest.param("[happy:0.8] Hi", "Hi", JOY, id="a strength behind the label"),
        pytest.param("[happy, excited] Hi", "Hi", ("joy", "anticipation"), id="two labels"),
        pytest.param("[neutral] Fine.", "Fine.", (), id="nothing felt is a label too"),
        pytest.param("(happy) Fine.", "Fine.", JOY, id="round brackets"),
        pytest.param("（开心）你来了", "你来了", JOY, id="full-width brackets"),
        pytest.param(
            "【開心/害羞】嗯", "嗯", ("joy", "shame"), id="traditional characters, two labels"
        ),
        pytest.param("【动作：点头】好的。", "好的。", (), id="a Chinese gesture"),
        pytest.param(
            "[动作:thinking,表情:neutral]让我想想",
            "让我想想",
            (),
            id="Chinese names, English values",
        ),
        pytest.param("[情緒：憤怒]滾！", "滾！", ("anger",), id="traditional names"),
        pytest.param("[表情:微笑]嗨", "嗨", JOY, id="a face that shows an emotion"),
        pytest.param(
            "Hi!\n[sad]\nI am here.",
            "Hi!\nI am here.",
            SAD,
            id="a line of its own goes with its line",
        ),
        pytest.param("I [sad] go.", "I go.", SAD, id="in the middle one blank is left"),
        pytest.param(
            "[sad] No. [happy] Yes. [sad] No.",
            "No. Yes. No.",
            ("sadness", "joy"),
            id="each emotion once, in the order told",
        ),
        pytest.param("*smiles* Hi.", "*smiles* Hi.", (), id="between stars it is story"),
        pytest.param("（她转身离开）再见。", "（她转身离开）再见。", (), id="an aside is story"),
        pytest.param("[The Lamp] burns.", "[The Lamp] burns.", (), id="a heading is story"),
        pytest.param(
            "Name: (missing)",
            "Name: (missing)",
            (),
            id="a word that only happens to name an emotion",
        ),
        pytest.param("[happy](http://example.org)", "[happy](http://example.org)", (), id="a link"),
        pytest.param("<b>bold</b> 3 < 4", "<b>bold</b> 3 < 4", (), id="other markup"),
        pytest.param(
            "[action: nods]",
            "[action: nods]",
            (),
            id="a reply that is nothing but tags keeps its words",
        ),
        pytest.param("(happy", "(happy", (), id="never closed"),
        pytest.param("", "", (), id="nothing"),
    ],
)
def test_tags(raw: str, text: str, emotions: tuple[str, ...]) -> None:
    assert strip_tags(raw) == (text, emotions)


def test_a_text_without_tags_is_the_very_same() -> None:
    raw = "*looks up* (quietly) You came back."
    assert strip_tags(raw).text is raw


@pytest.mark.parametrize(
    "piece", ["([{<【（", "[emotion:", "<|ACT", "<emotion>", "[a", "{{emotion="]
)
def test_brackets_that_never_close_cost_a_moment(piece: str) -> None:
    raw = piece * 20_000
    assert strip_tags(raw) == (raw, ())
