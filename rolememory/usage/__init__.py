"""Detects which memories of its prompt a reply used, and adjusts their weights."""
