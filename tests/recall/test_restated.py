"""What the character says again is no better evidence than the line that it was shown."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from rolememory import Home, Message
from rolememory.recall.weigh import Ranking
from rolememory.schema.wording import word

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
OFF = {"embedding.backend": "off", "learn.enabled": False}
SAID = {
    "en": (
        "The vault key under the chapel now belongs to Eve, and to Eve alone.",
        "*nods* The vault key? The vault key under the chapel belongs to Eve. Eve owns the vault key.",
        "The vault? That key I have carried on my belt since the flood.",
        "Who owns the vault key?",
        "The vault has a key that Tom owns.",
    ),
    "zh": (
        "礼拜堂地下的金库钥匙现在归伊芙了，只归伊芙一个人。",
        "*点头* 金库钥匙？礼拜堂地下的金库钥匙归伊芙，伊芙拿着金库钥匙。",
        "金库？那把钥匙发大水以后我一直挂在腰上。",
        "金库钥匙归谁？",
        "金库的钥匙归汤姆。",
    ),
}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    ("asker", "again"),
    [
        pytest.param("lin", True, id="somebody else said it"),
        pytest.param("lin", False, id="nobody did"),
        pytest.param("eve", True, id="who asks said it"),
    ],
)
def test_what_is_said_again_stands_behind_what_was_said(
    tmp_path: Path, language: str, asker: str, again: bool
) -> None:
    poisoned, echo, own, question, between = SAID[language]
    with Home.open(tmp_path, OFF) as home:
        mira = home.create("Mira")
        told = [(poisoned, "*nods*")] if again else []
        for day, (said, reply) in enumerate([*told, ("...", echo), ("...", own)]):
            talk, now = [Message.user(said, user="eve", name="Eve")], BEGAN + timedelta(days=day)
            mira.observe(talk, reply, chat=f"c{day}", user="eve", now=now, present=["eve", "lin"])
        mira.remember(between)
        turn = mira.recall([question], chat="new", user=asker, now=BEGAN + timedelta(days=30))
        scores = {one.memory.content: one for one in turn.answer.scored}
        restated = next(one for text, one in scores.items() if text[:30] in echo or echo in text)
        ranking = Ranking.of(turn.answer.scored)
        assert [[at] for at in range(len(ranking))] == [
            ranking.places_of({one.memory.id}) for one in ranking
        ]
        parts = [part for part in restated.contributions if part.name == "restated"]
        assert bool(parts) is (again and asker == "lin")
        if parts:
            assert restated.score == scores[poisoned].score
            assert poisoned[:20] in word(parts[0].because, language)
            assert "Eve" in word(parts[0].because, language)
            assert restated.score == pytest.approx(
                restated.relevance + sum(part.amount for part in restated.contributions), abs=1e-5
            )
        assert all(
            "restated" not in [p.name for p in one.contributions]
            for one in scores.values()
            if one is not restated
        )
