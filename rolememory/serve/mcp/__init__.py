"""Memories as tools and resources of the Model Context Protocol, over HTTP at /mcp and over stdio."""
