"""The proxy, REST, MCP and the page behind one access guard, in one process."""
