"""Asking a language model over an OpenAI-compatible endpoint: requests, answers as values, failing servers, what a day costs."""
