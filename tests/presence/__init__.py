"""Presence: who may know what was said, over a long random record."""
