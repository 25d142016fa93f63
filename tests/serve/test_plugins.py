"""Which code of other packages a service loads: what its settings name, and nothing else is even imported."""

import sys
from pathlib import Path

import pytest

from rolememory.triggers.base import third_party
from tests.serve.houses import served

MODULE = """
class Weather:
    name, activates = "{name}", False
    def __init__(self, entries, parts): pass
    def fire(self, scene, among): return iter(())
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two packages, each with a strategy."""
    for name in ("plugin_fog", "plugin_hail"):
        (tmp_path / f"{name}.py").write_text(MODULE.format(name=name), encoding="utf-8")
        told = tmp_path / f"{name}-1.0.dist-info"
        told.mkdir()
        (told / "METADATA").write_text(f"Name: {name}\nVersion: 1.0\n", encoding="utf-8")
        points = f"[rolememory.triggers]\n{name} = {name}:Weather\n"
        (told / "entry_points.txt").write_text(points, encoding="utf-8")
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.syspath_prepend(tmp_path)


@pytest.mark.usefixtures("installed")
def test_a_service_loads_the_plugins_it_names(tmp_path: Path) -> None:
    settings = {"serve.service": True, "serve.plugins": ("plugin_fog",)}
    with served(tmp_path / "home", settings) as house:
        mira = house.home.create("Mira")
        mira.remember("It failed in the storm of 1887.", keys=["beacon"])
        assert mira.recall(["Why is the beacon dark?"]).recalled
        assert set(third_party()) & {"plugin_fog", "plugin_hail"} == {"plugin_fog"}
        assert "plugin_hail" not in sys.modules
