"""What is said while somebody else asks is as private as what was said before."""

from pathlib import Path
from threading import Thread

import pytest

from rolememory import Home, Message

WORDS_ALONE = {"embedding.backend": "off"}
ASKED = {"en": "What is the password?", "zh": "密码是什么？"}
ANSWER = {"en": "The password is mango {number}.", "zh": "密码是芒果{number}号。"}
CHATS = 150


@pytest.mark.parametrize("language", ["en", "zh"])
def test_nobody_recalls_what_was_said_elsewhere_a_moment_ago(tmp_path: Path, language: str) -> None:
    asked, answer = ASKED[language], ANSWER[language]
    with Home.open(tmp_path, WORDS_ALONE) as home:
        role = home.role("Mira", create=True)

        def talk() -> None:
            for number in range(CHATS):
                messages, reply = [Message.user(asked)], answer.format(number=number)
                role.observe(messages, reply, chat=f"chat {number}", user="ann")

        talking = Thread(target=talk)
        talking.start()
        told = set[str]()
        while talking.is_alive():
            told.add(role.recall(asked, chat="own", user="bob", dry_run=True).text)
            told |= {one.memory.content for one in role.search(asked, user="bob")}
        talking.join()
        assert not [text for text in told if "mango" in text or "芒果" in text]
        assert answer.format(number=CHATS - 1) in {
            one.memory.content for one in role.search(asked, user="ann", limit=CHATS)
        }
