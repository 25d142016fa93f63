"""Who we talk to: card and lorebook formats, read and written without loss."""
