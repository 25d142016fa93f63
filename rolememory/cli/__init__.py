"""What the hands do: one module per group of verbs."""
