"""Tools for authors: scan, lint, expectations, mutation runs, conversion, imports."""
