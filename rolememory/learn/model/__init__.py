"""Learning by a language model behind an OpenAI-compatible endpoint: in the background, in batches, never blocking."""
