"""What a user of SillyTavern lives through, as rows. Each story brings its own characters, so one stage serves all."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from tests.e2e import panel, remembering, turns
from tests.e2e.remembering import EN, ZH
from tests.e2e.tavern import Stage

Lives = Callable[[Stage], None]
WAYS = ("nothing", "pasted", "extension", "direct")
OPEN = ("extension", "direct")  # ways with the panel
TOLD = {  # how a way is called in a story's name
    "nothing": "with no hint",
    "pasted": "with the pasted hint",
    "extension": "with the extension",
    "direct": "with the extension and no proxy",
}
LAYOUTS = ("none", "merge", "merge_tools", "semi", "semi_tools", "strict", "strict_tools", "single")
BONES, ACE = 'Dr. "Bones" O\'Hara: the 2nd', 'Al "Ace" Roe: x'
BOAT, WOODS = "江 - “船”: 夫", "# 林 {x} 'y'"


@dataclass(frozen=True)
class Story:
    """One row."""

    told: str
    lives: Lives
    quick: bool = False  # part of the ordinary suite


def _each_way(
    told: str,
    lives: Callable[..., None],
    *values: object,
    quick: str = "",
    ways: tuple[str, ...] = WAYS,
) -> Iterator[Story]:
    """The same story by several ways; `quick`: the way that is part of the ordinary suite."""
    for way in ways:
        yield Story(
            f"{told}, {TOLD[way]}", lambda stage, way=way: lives(stage, way, *values), way == quick
        )  # type: ignore[misc]


def _remembering() -> Iterator[Story]:
    for tongue, told, quick in ((EN, "in English", "nothing"), (ZH, "in Chinese", "pasted")):
        yield from _each_way(
            f"a fact told {told} in one chat is recalled in a new one",
            remembering.recalled_in_a_new_chat,
            tongue,
            quick=quick,
        )
    for tongue, told in ((EN, "in English"), (ZH, "in Chinese")):
        ways = ("nothing", "direct") if tongue is EN else ("pasted", "extension")
        yield from _each_way(
            f"told {told}, another role and another persona do not know it",
            remembering.others_do_not_know,
            tongue,
            ways=ways,
        )
    yield from _each_way(
        "another card of the same name does not know it",
        remembering.two_cards_of_one_name,
        ways=OPEN,
    )
    for character, persona, quick in ((BONES, ACE, "extension"), (BOAT, WOODS, "")):
        yield from _each_way(
            f"{character} remembers what {persona} told",
            remembering.names_of_any_kind,
            character,
            persona,
            quick=quick,
        )
    yield from _each_way(
        "one long prompt instead of messages is understood",
        remembering.text_completion,
        ways=("nothing",),
    )
    yield from _each_way(
        "a fact told in Chinese is recalled from an empty home", remembering.from_an_empty_home, ZH
    )
    yield from _each_way(
        "what means the same in English is recalled", remembering.by_meaning, EN, ways=("nothing",)
    )
    yield from _each_way(
        "what means the same in Chinese is recalled", remembering.by_meaning, ZH, ways=("direct",)
    )
    for tongue, told, ways in (
        (EN, "English", ("nothing", "direct")),
        (ZH, "Chinese", ("pasted", "extension")),
    ):
        yield from _each_way(
            f"everything is started again and {told} words are recalled as said and as meant",
            remembering.all_of_it_started_anew,
            tongue,
            ways=ways,
        )


def _layouts() -> Iterator[Story]:
    for mode in LAYOUTS:
        told = f"prompt post-processing {mode!r} hides nothing and teaches nothing"
        ways = ("extension",) if mode == "single" else ("nothing", "extension")
        yield from _each_way(
            told, remembering.layouts, "" if mode == "none" else mode, ways=ways
        )  # names within one user message are nobody's word
    yield from _each_way(
        "one user message for everything holds the block once",
        remembering.layouts,
        "single",
        ways=("direct",),
    )
    for behaviour, told in ((1, "as a field"), (2, "in the text")):
        yield from _each_way(
            f"names before words {told} are not part of them",
            remembering.names_before_words,
            behaviour,
            ways=("nothing", "extension"),
        )
    for mode in (each for each in LAYOUTS if each == "none" or each.endswith("_tools")):
        told = f"a tool is asked under {mode!r} and its answer teaches nothing"
        yield from _each_way(
            told, turns.a_tool, "" if mode == "none" else mode, ways=("extension",)
        )


def _turns() -> Iterator[Story]:
    yield from _each_way(
        "what was swiped away or generated again teaches nothing, what stands teaches once",
        turns.swiped_and_regenerated,
        quick="extension",
    )
    yield from _each_way(
        "impersonation and quiet prompts teach nothing", turns.not_the_characters_words
    )
    yield from _each_way("a continued reply is one reply", turns.continued)
    yield from _each_way("an edited message teaches what it says now", turns.edited)
    yield from _each_way("a deleted message counts no more", turns.deleted)
    yield Story(
        "a chat deleted down to its greeting counts no more, with the extension and no proxy",
        turns.deleted_to_the_greeting,
    )
    yield from _each_way(
        "a deleted chat is forgotten where somebody wants it",
        turns.chat_deleted,
        quick="extension",
        ways=OPEN,
    )
    yield from _each_way("a branch takes nothing away", turns.branched, ways=OPEN)
    yield from _each_way(
        "the stop button stops the model and the chat goes on", turns.stopped, quick="extension"
    )
    yield from _each_way(
        "the model's error reaches the user and the chat goes on",
        turns.refused,
        ways=("nothing", "direct"),
    )
    yield from _each_way(
        "a group shares what was told to it and others do not know it", turns.a_group
    )
    yield from _each_way(
        "a member of a group that was muted does not know what was said meanwhile",
        turns.muted_in_a_group,
        ways=("pasted", *OPEN),
    )


def _panel() -> Iterator[Story]:
    for told, lives, quick in (
        ("what was learned is shown once", panel.shown_once, ""),
        ("what was learned can be taken back", panel.taken_back, ""),
        ("what was learned is shown no longer without its message", panel.withdrawn, "direct"),
        ("a role deleted meanwhile begins again", panel.a_role_deleted_meanwhile, ""),
        ("what was learned in one go is taken back in one go", panel.taken_back_together, ""),
        ("what was learned can be pinned to every turn", panel.pinned, ""),
        ("what was learned can be put in other words", panel.changed, ""),
        ("a corrected reply is written again with the correction", panel.written_again, ""),
        ("a chapter is ended by a command and recalled", panel.a_chapter, ""),
        ("what was learned can be forgotten", panel.forgotten, ""),
        ("what was learned is shown as text and never as HTML", panel.only_text, ""),
        ("what was recalled is shown with its reason", panel.shown_with_its_reason, ""),
        ("a new persona is asked about once", panel.asked_about_a_new_persona, "extension"),
        ("a persona that is renamed is still known", panel.a_persona_renamed, "direct"),
        ("slash commands remember, recall, list and forget", panel.commands, "direct"),
    ):
        yield from _each_way(told, lives, quick=quick, ways=OPEN)
    yield Story(
        "in a group the panel shows what the last speaker was given", panel.shown_of_a_group
    )
    for language, told in (("en", "English"), ("zh-cn", "Chinese")):
        yield Story(
            f"panel, reasons and commands speak {told}",
            partial(panel.in_ones_own_language, language=language),
        )
    yield Story("switched off, nothing is recalled and nothing is learned", panel.switched_off)
    yield Story(
        "without the proxy, the block stands at the depth that was chosen", panel.at_a_depth
    )
    yield Story("who wants no notices is shown none", panel.without_notices)
    yield Story("a wrong token or address is told and the chat goes on", panel.what_is_wrong)
    yield Story(
        "a home that lets no page in says how to, and the chat goes on", panel.without_leave
    )
    yield Story("the server is away and the chat goes on", panel.without_the_server)


def _leaving() -> Iterator[Story]:
    yield from _each_way(
        "the URL taken out, nothing of ours is left in chats and settings",
        panel.the_url_taken_out,
        quick="extension",
        ways=OPEN,
    )
    yield Story("the extension deleted with its data, not even its name is left", panel.uninstalled)


STORIES = [*_remembering(), *_layouts(), *_turns(), *_panel(), *_leaving()]
