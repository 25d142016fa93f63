"""What authors ask of their books: what fires and why, what can never fire, whether it still does what it should."""
