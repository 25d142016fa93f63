"""How it grows: what becomes memory, and how memory is kept in order."""
