"""What `make quick` picks for a change."""

import pytest

from tests.quick import picked


@pytest.mark.parametrize(
    ("changed", "test"),
    [
        pytest.param("rolememory/recall/gates.py", "tests/recall/test_gates.py", id="what imports it"),
        pytest.param("rolememory/recall/gates.py", "tests/recall", id="its package"),
        pytest.param("tests/recall/test_fit.py", "tests/recall/test_fit.py", id="the test itself"),
        pytest.param("tests/endpoint.py", "tests/test_scope.py", id="who uses a helper"),
        pytest.param("docs/en/files.md", "tests/docs", id="pages"),
        pytest.param("rolememory/errors.py", "tests/test_layers.py", id="the layers, always"),
        pytest.param(
            "rolememory/cli/serve.py",
            "tests/cli/test_serving.py::test_as_a_service_nobody_is_let_in_without_a_key",
            id="what holds its promises",
        ),
    ],
)  # fmt: skip
def test_a_change_picks(changed: str, test: str) -> None:
    assert test in picked([changed])


def test_the_nearest_come_first() -> None:
    found = picked(["rolememory/recall/gates.py"])
    assert found.index("tests/recall/test_gates.py") < found.index("tests/recall")
