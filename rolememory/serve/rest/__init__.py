"""The REST API under `/api` for the page, extensions and scripts; listed in docs/en/rest.md."""
