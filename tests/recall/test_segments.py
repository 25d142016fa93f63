"""What a turn reads, and in which order."""

from rolememory.recall.prepared_chat import segments
from rolememory.schema.message import Message
from rolememory.schema.role import Character
from rolememory.text.clean import Cleaner, load_rules

HISTORY = [
    Message.system("Be kind."),
    Message.user("Why is it dark?"),
    Message.assistant("  <think>hm</think>The storm. "),
    Message.user(""),
]
MIRA = Character(
    name="Mira",
    user="Lin",
    description="A keeper.",
    personality=" ",
    scenario="Harbour.",
    persona="A sailor.",
    depth_prompt="Slow.",
    creator_notes="v2",
)


def test_messages_come_newest_first_and_empty_ones_keep_their_place() -> None:
    read = segments(HISTORY)
    assert [(one.text, one.index, one.role) for one in read] == [
        ("", 3, "user"),
        ("<think>hm</think>The storm.", 2, "assistant"),
        ("Why is it dark?", 1, "user"),
        ("Be kind.", 0, "system"),
    ]


def test_card_texts_follow_in_their_order_and_empty_ones_are_left_out() -> None:
    read = segments(HISTORY[:1], character=MIRA)
    assert [(one.source, one.text) for one in read[1:]] == [
        ("description", "A keeper."),
        ("depth_prompt", "Slow."),
        ("scenario", "Harbour."),
        ("creator_notes", "v2"),
        ("persona", "A sailor."),
    ]
    assert all(one.index == -1 for one in read[1:])


def test_messages_are_cleaned_before_they_are_read() -> None:
    assert segments(HISTORY, cleaner=Cleaner(load_rules()))[1].text == "The storm."


def test_only_the_newest_messages_are_read() -> None:
    read = segments([Message.user(str(number)) for number in range(1002)])
    assert (len(read), read[0].text, read[-1].text) == (1000, "1001", "2")
    assert segments([]) == ()


def test_an_unchanged_message_is_cleaned_once() -> None:
    cleaner = Cleaner(load_rules())
    segments(HISTORY[:3], cleaner=cleaner)
    segments(HISTORY, cleaner=cleaner)
    assert cleaner._kept.cache_info()[:2] == (3, 4)
