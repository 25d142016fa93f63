"""What becomes of a chat when a frontend shows it again: a row per behaviour of regenerate, swipe, edit, cut and the like."""

import random
from itertools import pairwise
from pathlib import Path

import pytest

from rolememory.chats import Chats
from rolememory.schema.learning import Observed
from tests.chats.talk import STOCK, chats_at, group, said, shown, story

GREETING, ASKED, TOLD = (
    "a: *The door creaks.* You are soaked.",
    "u: Is the lamp wound?",
    "a: It burns until four.",
)
MORE = ("u: My sister Anna keeps the other light.", "a: Then she knows the winters here.")
LINES = [GREETING, ASKED, TOLD, *MORE]
LONG = [GREETING, *story(12)]

Looks = list[list[str]]


def looked(folder: Path, looks: Looks, *, restart: bool) -> tuple[Chats, Observed]:
    chats = chats_at(folder)
    for look in looks:
        observed = chats.observe(said(*look), chat="harbour")
        assert shown(chats.preview(said(*look), chat="harbour").path) == shown(
            chats.path("harbour")
        )
        chats = chats_at(folder) if restart else chats
    return chats, observed


@pytest.mark.parametrize(
    "restart", [False, True], ids=["one process", "a restart between any two looks"]
)
@pytest.mark.parametrize(
    ("looks", "path", "entered", "left"),
    [
        pytest.param([LINES], LINES, LINES, [], id="a first look keeps everything"),
        pytest.param([LINES, LINES], LINES, [], [], id="the same messages twice change nothing"),
        pytest.param([LINES[:3], LINES], LINES, MORE, [], id="a new exchange is added"),
        pytest.param([LINES, LINES[:4], [*LINES[:4], "a: Who?"]], [*LINES[:4], "a: Who?"], ["a: Who?"], [], id="regenerate: asked without the old reply, then with another"),
        pytest.param([LINES, [*LINES[:4], "a: Who?"]], [*LINES[:4], "a: Who?"], ["a: Who?"], [MORE[1]], id="swipe: another reply in its place"),
        pytest.param([LINES, [*LINES[:4], "a: Who?"], LINES], LINES, [], ["a: Who?"], id="swipe back: the first reply stands again"),
        pytest.param([LINES, [*LINES[:4], "a: Who?", "u: Anna."]], [*LINES[:4], "a: Who?", "u: Anna."], ["a: Who?", "u: Anna."], [MORE[1]], id="swiped and answered between two looks"),
        pytest.param([[*LINES[:4], "a: Then she"], LINES], LINES, [MORE[1]], ["a: Then she"], id="continue: a partial reply goes on"),
        pytest.param([[*LINES[:4], "a: Then she", "a: knows the winters here."], [*LINES, "u: Yes."]], [*LINES, "u: Yes."], [MORE[1], "u: Yes."], ["a: Then she", "a: knows the winters here."], id="continue: the rest came as a message of its own, then joined"),
        pytest.param([[*LINES[:4], "a: 那她知道", "a: 这里的冬天。"], [*LINES[:4], "a: 那她知道这里的冬天。"]], [*LINES[:4], "a: 那她知道这里的冬天。"], ["a: 那她知道这里的冬天。"], ["a: 那她知道", "a: 这里的冬天。"], id="continue in Chinese: joined without a blank"),
        pytest.param([LINES, [GREETING, "u: Is the lamp lit?", *LINES[2:]]], [GREETING, "u: Is the lamp lit?", *LINES[2:]], ["u: Is the lamp lit?"], [ASKED], id="edit: what follows stays"),
        pytest.param([LINES, [GREETING, "u: Is the lamp lit?", *LINES[2:], "u: So?"]], [GREETING, "u: Is the lamp lit?", *LINES[2:], "u: So?"], ["u: Is the lamp lit?", "u: So?"], [ASKED], id="edit and go on between two looks"),
        pytest.param([LINES, ["a: Another greeting altogether.", *LINES[1:]]], ["a: Another greeting altogether.", *LINES[1:]], ["a: Another greeting altogether."], [GREETING], id="the greeting is swiped"),
        pytest.param([LINES, LINES[:3]], LINES[:3], [], MORE, id="delete: the newest exchange is gone"),
        pytest.param([LINES, [*LINES[:1], *LINES[3:]]], [*LINES[:1], *LINES[3:]], [], [ASKED, TOLD], id="delete: an exchange in the middle is gone"),
        pytest.param([LINES, LINES[:3], LINES], LINES, [], [], id="what was deleted comes back"),
        pytest.param([LINES, [*LINES[:1], *LINES[3:]], LINES], LINES, [], [], id="what was deleted in the middle comes back"),
        pytest.param([LONG, LONG[5:]], LONG, [], [], id="cut: the oldest are absent, and stay"),
        pytest.param([LONG, [*LONG[5:], "u: And?"]], [*LONG, "u: And?"], ["u: And?"], [], id="cut and gone on"),
        pytest.param([LONG, LONG[5:], LONG[9:], LONG], LONG, [], [], id="cut twice, then shown whole again"),
        pytest.param([LONG, [*LONG[5:-1], "a: Hm."]], [*LONG[:-1], "a: Hm."], ["a: Hm."], [LONG[-1]], id="cut and swiped"),
        pytest.param([LONG, LONG[5:-2]], LONG[:-2], [], LONG[-2:], id="cut, and the newest exchange deleted"),
        pytest.param([LONG, ["a: Edited.", *LONG[7:]]], [*LONG[:6], "a: Edited.", *LONG[7:]], ["a: Edited."], [LONG[6]], id="cut, and the oldest visible one edited"),
        pytest.param([LONG, [LONG[5], LONG[6], *LONG[9:]]], [*LONG[:7], *LONG[9:]], [], LONG[7:9], id="cut, and one exchange in the middle deleted"),
        pytest.param([LONG, [f"a: {LONG[6][20:]}", *LONG[7:]]], LONG, [], [], id="cut inside a message: what is left of it is the message"),
        pytest.param([[*LONG[:6], "a: 灯一直亮到四点，海雾散了。", *LONG[7:]], ["a: 到四点，海雾散了。", *LONG[7:]]], [*LONG[:6], "a: 灯一直亮到四点，海雾散了。", *LONG[7:]], [], [], id="cut inside a message in Chinese"),
        pytest.param([LONG[5:], LONG], LONG, LONG[:5], [], id="older messages come into view that were never seen"),
        pytest.param([LINES, [*LINES[:3], "u: Wait.", *LINES[3:]]], [*LINES[:3], "u: Wait.", *LINES[3:]], ["u: Wait."], [], id="insert: a message between two"),
        pytest.param([[GREETING]], [GREETING], [GREETING], [], id="no user message at all"),
        pytest.param([[GREETING], LINES[:2]], LINES[:2], [ASKED], [], id="the greeting first, then the user"),
        pytest.param([LINES[:2], [*LINES[:2], "u: Hello?", TOLD]], [*LINES[:2], "u: Hello?", TOLD], ["u: Hello?", TOLD], [], id="two user messages in a row, after a reply that failed"),
        pytest.param([["u: ok", "a: ok"], ["u: ok", "a: ok", "u: ok", "a: ok"]], ["u: ok", "a: ok", "u: ok", "a: ok"], ["u: ok", "a: ok"], [], id="the same words again are said again"),
        pytest.param([["u: ok", "a: ok", "u: ok", "a: ok"], ["u: ok", "a: ok", "u: ok"]], ["u: ok", "a: ok", "u: ok"], [], ["a: ok"], id="the last of many alike is gone"),
        pytest.param([["u: ok", "a: One.", "u: ok", "a: Two.", "u: ok", "a: Three."], ["u: ok", "a: Three.", "u: ok"]], ["u: ok", "a: One.", "u: ok", "a: Two.", "u: ok", "a: Three.", "u: ok"], ["u: ok"], [], id="cut among messages that are alike"),
        pytest.param([["u: ok", "a: One.", "u: ok", "a: Two."], ["u: ok", "a: Other."]], ["u: ok", "a: Other."], ["a: Other."], ["a: One.", "u: ok", "a: Two."], id="deleted back to the beginning, among messages that are alike"),
        pytest.param([[*LINES, "u: One.", "u: Two.", "a: Three."], [*LINES, "u: One.\n\nTwo.", "a: Three."]], [*LINES, "u: One.", "u: Two.", "a: Three."], [], [], id="joined: two user messages in one, both are known"),
        pytest.param([[*LINES, "u: One.", "u: Two."], [*LINES, "u: One.\nTwo."]], [*LINES, "u: One.", "u: Two."], [], [], id="joined by a single line break"),
        pytest.param([[*LINES, "u: One."], [*LINES, "u: One.\n\nTwo.", "a: Three."]], [*LINES, "u: One.", "u: Two.", "a: Three."], ["u: Two.", "a: Three."], [], id="joined: the second one is new"),
        pytest.param([[*LINES, "u: One."], [*LINES, "u: One.\n\nTwo."], [*LINES, "u: One.\n\nTwo."]], [*LINES, "u: One.", "u: Two."], [], [], id="joined twice changes nothing more"),
        pytest.param([[*LINES, "u: One.\n\nStay in role."], [*LINES, "u: One.", "a: Two."], [*LINES, "u: One.\n\nStay in role."]], [*LINES, "u: One.\n\nStay in role."], [], ["u: One.", "a: Two."], id="joined with an instruction, without it, with it again: as it was before"),
        pytest.param([[*LINES, "u: One.\n\nTwo."], [*LINES, "u: One.", "u: Two.", "a: Three."]], [*LINES, "u: One.\n\nTwo.", "a: Three."], ["a: Three."], [], id="parted: what came joined comes apart"),
        pytest.param([[*LINES, "a: One.", "a: Two."], [*LINES, "a: One.\n\nTwo.", "u: Three."]], [*LINES, "a: One.", "a: Two.", "u: Three."], ["u: Three."], [], id="joined: two replies in one"),
        pytest.param([LINES, [f"{line[:3]}{'Asha' if line[0] == 'a' else 'Lin'}: {line[3:]}" for line in LINES]], [f"{line[:3]}{'Asha' if line[0] == 'a' else 'Lin'}: {line[3:]}" for line in LINES], [f"{line[:3]}{'Asha' if line[0] == 'a' else 'Lin'}: {line[3:]}" for line in LINES], LINES, id="names are put in front of every message: nothing is doubled"),
        pytest.param([LINES, ["s: Rules.", *LINES[:3], "s: Stay.", *LINES[3:], "t: 42", "a: "]], LINES, [], [], id="instructions, tools and empty replies are not kept"),
        pytest.param([["u: My name is Tom."], ["u: My name is Tim."]], ["u: My name is Tim."], ["u: My name is Tim."], ["u: My name is Tom."], id="the only message is edited"),
        pytest.param([["u: 我叫小明，今年二十岁。", "a: 你好，小明。"], ["u: 我叫小红，今年二十岁。", "a: 你好，小红。"]], ["u: 我叫小红，今年二十岁。", "a: 你好，小红。"], ["u: 我叫小红，今年二十岁。", "a: 你好，小红。"], ["u: 我叫小明，今年二十岁。", "a: 你好，小明。"], id="the only exchange is edited, in Chinese"),
        pytest.param([LONG, ["a: Another evening, another guest.", "u: Good evening."]], ["a: Another evening, another guest.", "u: Good evening."], ["a: Another evening, another guest.", "u: Good evening."], LONG, id="begun again under the old name, with another greeting"),
        pytest.param([LONG, ["u: Good evening.", "a: And to you."]], ["u: Good evening.", "a: And to you."], ["u: Good evening.", "a: And to you."], LONG, id="begun again under the old name, without a greeting"),
        pytest.param([LONG, [GREETING, "u: Good evening.", "a: And to you."]], [GREETING, "u: Good evening.", "a: And to you."], ["u: Good evening.", "a: And to you."], LONG[1:], id="begun again with the same greeting"),
        pytest.param([LONG, ["u: " + "A very long letter. " * 60, "a: I read it."]], [*LONG, "u: " + ("A very long letter. " * 60).strip(), "a: I read it."], ["u: " + ("A very long letter. " * 60).strip(), "a: I read it."], [], id="one long message drives everything else out of the context: it was cut"),
        pytest.param([LONG, story(12, 50)], [*LONG, *story(12, 50)], story(12, 50), [], id="as much as before and nothing known: looks were missed, and the context was cut"),
        pytest.param([LINES[1:3], list(MORE), ["u: Third.", "a: Fourth."]], [*LINES[1:], "u: Third.", "a: Fourth."], ["u: Third.", "a: Fourth."], [], id="who passes only the newest exchange each time loses nothing"),
        pytest.param([LONG, ["u: What about the storm?"]], [*LONG, "u: What about the storm?"], ["u: What about the storm?"], [], id="a question alone begins nothing"),
        pytest.param([LONG, []], LONG, [], [], id="nothing visible says nothing"),
    ],
)  # fmt: skip
def test_what_becomes_of_a_chat(
    tmp_path: Path,
    looks: Looks,
    path: list[str],
    entered: list[str],
    left: list[str],
    restart: bool,
) -> None:
    chats, observed = looked(tmp_path, looks, restart=restart)
    assert shown(chats.path("harbour")) == path
    assert shown(observed.entered) == list(entered)
    versions = chats.versions("harbour")
    assert shown(versions[version] for version in observed.left) == list(left)
    assert all(earlier.at <= later.at for earlier, later in pairwise(chats.path("harbour")))
    before = chats.info("harbour").file.read_bytes()
    assert not chats.observe(said(*looks[-1]), chat="harbour").entered
    assert chats.info("harbour").file.read_bytes() == before


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("moved", [9, 22, 24, 40])
def test_a_window_that_moves_on_among_lines_that_repeat_hides_nothing(
    tmp_path: Path, moved: int, language: str, seed: int
) -> None:
    lines, chats, seen = group(language, seed, 24 + 3 * moved), chats_at(tmp_path), set[int]()
    for end in range(24, len(lines) + 1, moved):
        observed = chats.observe(said(*lines[end - 24 : end]), chat="tavern")
        assert not observed.left
        seen |= {*range(end - 24, end)}
    kept, told = shown(chats.path("tavern")), [lines[at] for at in sorted(seen)]
    stock = {f"{voice}: {line}" for voice in "ua" for line in STOCK[language]}
    assert [one for one in kept if one not in stock] == [one for one in told if one not in stock]
    assert len(told) - len(kept) <= 3  # the end of one window may be how the next one begins


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_window_that_shrinks_and_grows_while_it_moves_on_hides_nothing(
    tmp_path: Path, language: str
) -> None:
    lines, chats, sizes = group(language, 3, 300), chats_at(tmp_path), random.Random(language)
    for end in range(20, len(lines), 12):
        assert not chats.observe(
            said(*lines[max(end - sizes.randint(13, 40), 0) : end]), chat="tavern"
        ).left
    stock = {f"{voice}: {line}" for voice in "ua" for line in STOCK[language]}
    kept = [one for one in shown(chats.path("tavern")) if one not in stock]
    assert kept == [one for one in lines[:end] if one not in stock]


@pytest.mark.parametrize("head", [GREETING, "u: 你是灯塔的守夜人，四十岁，话少而耐心。"])
def test_a_first_message_that_stays_at_the_top_hides_nothing_below_it(
    tmp_path: Path, head: str
) -> None:
    lines, chats = story(20), chats_at(tmp_path)
    for end in range(2, len(lines) + 1, 2):
        window = [head, *lines[max(end - 12, 0) : end]]
        for reply in ("a: Another reply.", window[-1]):  # a swipe
            chats.observe(said(*window[:-1], reply), chat="tavern")
    assert shown(chats.path("tavern")) == [head, *lines]


def test_what_is_deleted_below_the_first_message_is_gone_a_turn_later(tmp_path: Path) -> None:
    chats, left = chats_at(tmp_path), [LONG[0], *LONG[3:]]
    chats.observe(said(*LONG[:-4]), chat="tavern")
    for end in (-2, len(left)):
        chats.observe(said(*left[:end]), chat="tavern")
    assert shown(chats.path("tavern")) == left


def test_a_deletion_is_seen_in_a_full_window_too(tmp_path: Path) -> None:
    lines, chats = group("en", 7, 40), chats_at(tmp_path)
    chats.observe(said(*lines[16:]), chat="tavern")
    chats.observe(said(*lines[4:28], "a: It goes on from here."), chat="tavern")
    assert shown(chats.path("tavern")) == [*lines[4:28], "a: It goes on from here."]
