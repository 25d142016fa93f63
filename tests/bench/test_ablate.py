"""The table of parts: each row is the engine with one thing less, beside peers that were asked the same."""

import json
from pathlib import Path

import pytest

from tests.bench.ablate import run

FOX = {
    "role": "Mira",
    "memories": [
        {"id": "1", "text": "The fox sleeps under the bridge.", "entity": "fox"},
        {"id": "2", "text": "Tea is served at five.", "entity": "tea"},
        {"id": "3", "text": "The harbour froze over.", "entity": "harbour"},
    ],
    "queries": [
        {"id": "a", "text": "Where does it sleep?", "gold": ["1"], "history": ["I saw the fox."]},
        {"id": "b", "text": "When is tea served?", "gold": ["2"]},
        {"id": "c", "text": "Who knows?", "gold": []},
    ],
}


def test_every_part_and_peer_has_its_row(tmp_path: Path) -> None:
    file = tmp_path / "fox.json"
    file.write_text(json.dumps({"roles": [FOX]}), encoding="utf-8")
    rows = run(file, None, None)
    assert {"BM25 alone", "everything", "without history", "without topics"} <= rows.keys()
    assert "without vectors" not in rows, "there is no model that could be left out"
    assert rows["everything"][:2] == pytest.approx((1.0, 1.0))
    assert rows["BM25 alone"][:2] == pytest.approx((1.0, 1.0))
    one = run(file, 1, None)
    assert one["everything"][0] == 1.0
