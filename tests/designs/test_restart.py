"""What a server that went away has left unread is read when it is back, without a word in the chat."""

import threading
from pathlib import Path

import pytest

from tests.designs.chats import chatting
from tests.endpoint import Line, answers, status

TOLD = {
    "en": ("My sister Anna keeps bees in Riga.", "Lin's sister Anna is a beekeeper."),
    "zh": ("我妹妹安娜在里加养蜂。", "林的妹妹安娜是养蜂人。"),
}


@pytest.mark.parametrize("language", TOLD)
def test_a_restart_learns_what_was_left(tmp_path: Path, language: str) -> None:
    said, fact = TOLD[language]
    settings = {"learn.delay_s": 0.05, "learn.batch_size": 1, "learn.idle_minutes": 0.001}
    settings |= {"embedding.backend": "off"}
    dead = {"extraction": status(500)}
    with chatting(tmp_path, language=language, steps=dead, settings=settings) as mira:
        mira.say(said)
        assert [one.content for one in mira.mind.memories.values()] == []
    asked = threading.Event()

    def extraction(line: Line) -> None:
        asked.set()
        answers({"facts": [{"turn": 1, "content": fact, "about": "user"}]})(line)

    steps = {"extraction": extraction}
    with chatting(tmp_path, language=language, steps=steps, settings=settings) as mira:
        assert asked.wait(60), "it asks by itself"
        mira.mind.learner.worker.run()  # waits for whoever reads
        assert [one.content for one in mira.mind.memories.values()] == [fact]
