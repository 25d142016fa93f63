"""Making meaning quicker from the page: begun by a button, followed step by step, and a failure says why."""

import time
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


def hears(visitor: Visitor) -> None:
    """Waits until the page listens."""
    last = time.monotonic() + 60
    while not visitor.served.house.bus.listeners:
        assert time.monotonic() < last, "the page does not listen"
        visitor.page.evaluate("() => new Promise(requestAnimationFrame)")


@EITHER
def test_an_export_is_followed_and_a_failure_says_why(visitor: Visitor) -> None:
    visitor.goes("settings", "models")
    told = visitor.page.locator("#drawing")
    expect(visitor.button("graph.draw")).to_be_enabled()
    hears(visitor)
    visitor.served.house.bus.tell(
        "graph", state="exporting", step=3, steps=4, text="comparing it with the original"
    )
    expect(told).to_contain_text(visitor.says("graph.exporting", step=3, steps=4))
    expect(told.get_by_role("progressbar")).to_have_attribute("value", "2")
    expect(visitor.button("graph.draw.int8")).to_be_disabled()
    visitor.served.house.bus.tell("graph", state="failed", step=3, steps=4, text="")
    visitor.button("graph.draw").click()
    expect(told).to_contain_text(visitor.says("graph.failed"))
    expect(told).to_contain_text(
        {"en": "neither a folder nor", "zh": "既不是文件夹"}[visitor.language]
    )
    expect(visitor.button("graph.draw")).to_be_enabled()


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
