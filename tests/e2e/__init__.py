"""The real SillyTavern in a browser, the real server behind it, a scripted model behind that: `make e2e`."""
