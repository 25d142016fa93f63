"""`make e2e` lives through every story; with ROLEMEMORY_E2E=quick only the quick ones. Both need SillyTavern and a browser."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.stories import STORIES, Story
from tests.e2e.tavern import Stage, installed, stage

EVERYTHING = os.environ.get("ROLEMEMORY_E2E") == "all"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not os.environ.get("ROLEMEMORY_E2E"), reason="minutes of a real frontend: `make e2e`"),
    pytest.mark.skipif(not installed(), reason="SillyTavern or a browser is not installed; `make e2e` installs them"),
]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with stage(tmp_path_factory.mktemp("e2e")) as made:
        yield made


if EVERYTHING:

    @pytest.mark.parametrize("story", STORIES, ids=lambda story: story.told)
    def test_story(opened: Stage, story: Story) -> None:
        assert opened.lived(story.lives) == ""

else:

    def test_quick_stories(tmp_path: Path) -> None:  # one test, so that one stage serves it whatever worker it is given to
        with stage(tmp_path) as made:
            failed = {story.told: fault for story in STORIES if story.quick and (fault := made.lived(story.lives))}
        assert failed == {}
