"""How it is said: sandboxed templates, lines, fences, and the place in the messages."""
