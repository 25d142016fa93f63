"""WHO MAY COME IN: the proxy, REST, MCP and the page behind one guard, in one process."""
