"""Promises that are broken on purpose: for each, a test must notice."""
