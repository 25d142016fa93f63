"""Where it lives: files people edit, the journal that makes them durable, and what is derived from both."""
