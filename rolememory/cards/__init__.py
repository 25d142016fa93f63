"""Card and lorebook formats, read and written without loss."""
