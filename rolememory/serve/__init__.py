"""The server: proxy, REST, MCP and page behind one access guard."""

import sys

sys.modules.setdefault("httpx._main", None)  # type: ignore[arg-type]  # httpx's command line would load click, rich and pygments
