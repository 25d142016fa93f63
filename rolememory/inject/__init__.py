"""Prompt injection of memories: sandboxed templates, rendering, fences, placement."""
