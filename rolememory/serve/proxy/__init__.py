"""The OpenAI-compatible proxy: injects memories, relays replies unchanged, and observes the chat."""
