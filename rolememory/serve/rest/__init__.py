"""REST under `/api`: everything the page, extensions and scripts ask for. `router.rest` adds it; docs/en/rest.md lists it."""
