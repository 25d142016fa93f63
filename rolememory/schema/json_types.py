"""What JSON documents are made of: bodies, rows of a file, state."""

from collections.abc import Mapping
from typing import Any

JsonObject = dict[str, Any]
"""An object of a JSON document."""

JsonMapping = Mapping[str, Any]
"""One that is only read."""
