"""Data types: pure values used by all other packages."""
