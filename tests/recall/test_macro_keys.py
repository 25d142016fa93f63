"""Macros in a memory's own keys are said as in those of lorebooks: by who speaks and who is spoken to."""

from pathlib import Path

import pytest

from rolememory.engine import Home
from tests.serve.houses import WORDS_ONLY


@pytest.mark.parametrize(
    ("key", "said", "user", "found"),
    [
        pytest.param("{{user}}", "They say Ann left the harbour.", "Ann", True, id="the user"),
        pytest.param("{{user}}", "听说小林离开了港口。", "小林", True, id="the user in Chinese"),
        pytest.param("{{USER}}'s boat", "Is that Ann's boat?", "Ann", True, id="within a key"),
        pytest.param("{{char}}", "Where is Mira tonight?", "Ann", True, id="the character"),
        pytest.param("<BOT>", "Where is Mira tonight?", "Ann", True, id="the old way"),
        pytest.param("{{user}}", "They say Ann left.", "Bo", False, id="somebody else"),
        pytest.param("{{user}}", "They say Ann left.", None, False, id="nobody"),
        pytest.param("/boat of {{user}}\\b/i", "The boat of ann?", "Ann", True, id="a pattern"),
        pytest.param("/{{user}}的船/", "小林的船呢？", "小林", True, id="a pattern in Chinese"),
        pytest.param("/<USER>'s/", "Is that A.b's?", "A.b", True, id="a name with signs"),
        pytest.param("/<USER>'s/", "Is that Axb's?", "A.b", False, id="signs are no pattern"),
        pytest.param("/{{user}}/", "They say Ann left.", "Bo", False, id="a pattern, another"),
        pytest.param("/(?<user>x)\\k<user>/", "They say xx.", "Ann", True, id="a named group"),
        pytest.param("/a{2}\\{/", "It says aa{ there.", "Ann", True, id="braces of a pattern"),
        pytest.param("{{user}}", "What does {{user}} mean?", "Ann", True, id="as it is written"),
    ],
)
def test_a_key_is_said(tmp_path: Path, key: str, said: str, user: str | None, found: bool) -> None:
    with Home.open(tmp_path, WORDS_ONLY) as home:
        role = home.role("Mira", create=True)
        role.remember("The tide comes at six.", keys=[key])
        for _ in range(2):
            turn = role.recall(said, user=user, dry_run=True)
            assert [one.memory.content for one in turn.recalled] == [
                "The tide comes at six."
            ] * found
        (known,) = role.memories
        role.edit(known, keys=["squid"])
        assert not role.recall(said, user=user, dry_run=True).recalled
