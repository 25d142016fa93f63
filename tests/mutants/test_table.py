"""The table of promises does not rot: every row fits the tree as it stands."""

from pathlib import Path

import pytest

from tests.mutants.table import ROOT, Mutant, StaleRowError, mutants


@pytest.mark.parametrize("one", mutants(), ids=lambda one: one.promise)
def test_a_row_fits_the_tree(one: Mutant) -> None:
    broken = one.broken((ROOT / one.file).read_text("utf-8"))
    assert one.text != one.instead
    if Path(one.file).suffix == ".py":
        compile(broken, one.file, "exec", dont_inherit=True)
    for test in one.tests:
        file, _, function = test.partition("::")
        name = function.partition("[")[0].rpartition("::")[2]
        whole = (ROOT / file).read_text("utf-8")
        assert not function or f"def {name}(" in whole, f"{one.promise}: no such test: {test}"


def test_a_row_whose_text_is_gone_is_told() -> None:
    row = Mutant("lamps burn", "lamp.py", "burn()", "pass", ())
    with pytest.raises(StaleRowError, match=r"'lamps burn': lamp\.py: .* 0 times"):
        row.broken("glow()")
    with pytest.raises(StaleRowError, match="2 times"):
        row.broken("burn(); burn()")
