"""Client of OpenAI-compatible language models: requests, answers parsed as values, circuit breakers, daily cost."""
