"""The models on the page: what is offered, and what makes meaning quicker."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from rolememory.storage.home import init
from tests.hashing import HashingEmbedder
from tests.page.visitors import EITHER, Visitor
from tests.serve.houses import Served, served


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Served]:
    """A house of its own, whose file names a model that is not there."""
    init(tmp_path, "en")
    with served(tmp_path, embedder=HashingEmbedder()) as open_house:
        (tmp_path / "rolememory.toml").write_text(
            '[embedding]\nmodel = "/no/such/folder"\n', "utf-8"
        )
        yield open_house


@EITHER
def test_what_makes_meaning_quicker_is_told(visitor: Visitor) -> None:
    visitor.goes("settings", "models")
    expect(visitor.page.get_by_text("rolememory model export")).to_be_visible()
    expect(visitor.page.locator(".ladder")).not_to_contain_text(HashingEmbedder().key)


@EITHER
def test_the_model_behind_the_proxy_is_offered_and_taken_with_one_click(visitor: Visitor) -> None:
    home = visitor.served.home
    home.role("Mira", create=True)
    (home.path / "rolememory.toml").write_text(
        '[serve]\nupstream = "http://127.0.0.1:9/v1"\n', "utf-8"
    )
    visitor.goes("settings", "models")
    visitor.button("offer.yes").click()
    expect(visitor.page.locator("#offer")).to_have_count(0)
    learn = home.settings.learn
    assert (learn.endpoint, learn.daily_tokens) == ("upstream", 200_000)
