"""Embedding models: in this process or behind an endpoint, loaded in the background, or none."""
