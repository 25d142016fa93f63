"""The real SillyTavern in a browser, the real server behind it, a scripted model behind that: `make e2e`."""

import pytest

pytest.register_assert_rewrite(
    *(f"tests.e2e.{name}" for name in ("panel", "remembering", "server", "tavern", "turns"))
)
