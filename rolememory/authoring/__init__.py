"""Tools for authors: scan, lint, expectations, conversion, imports."""
