"""Storage: files that people edit, the journal that makes changes durable, and caches derived from both."""
