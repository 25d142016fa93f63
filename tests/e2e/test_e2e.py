"""The quick stories are part of the whole suite; `make e2e` (ROLEMEMORY_E2E=all) lives through every one, ROLEMEMORY_E2E=none through none."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.stories import STORIES, Story
from tests.e2e.tavern import Stage, missing, stage

WANTED = os.environ.get("ROLEMEMORY_E2E", "quick")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(5400),  # workers wait for one another: one SillyTavern at a time
    pytest.mark.skipif(WANTED == "none", reason="ROLEMEMORY_E2E=none"),
    pytest.mark.skipif(missing() != "", reason=f"not here: {missing()}"),
]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with stage(tmp_path_factory.mktemp("e2e")) as made:
        yield made


if WANTED == "all":

    @pytest.mark.parametrize("story", STORIES, ids=lambda story: story.told)
    def test_story(opened: Stage, story: Story) -> None:
        assert opened.lived(story.lives) == ""

else:

    def test_quick_stories(
        tmp_path: Path,
    ) -> None:  # one test, so that one stage serves it whatever worker it is given to
        with stage(tmp_path) as made:
            failed = [
                f"{story.told}: {fault}"
                for story in STORIES
                if story.quick and (fault := made.lived(story.lives))
            ]
        assert not failed, "\n\n".join(failed)


def test_no_two_stories_are_told_alike() -> None:
    assert len({story.told for story in STORIES}) == len(STORIES)
