"""The server: proxy, REST, MCP and page behind one access guard."""
