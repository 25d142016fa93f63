"""Memories as tools of the Model Context Protocol, over HTTP at /mcp and over stdio."""
