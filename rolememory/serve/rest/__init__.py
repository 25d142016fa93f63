"""REST under `/api`: everything the page, extensions and scripts ask for, in one voice. `door.rest` adds it; docs/en/rest.md lists it."""
