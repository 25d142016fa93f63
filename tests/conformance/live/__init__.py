"""The scan against the real SillyTavern, asked live over fresh random cases: `make conformance-live`."""
