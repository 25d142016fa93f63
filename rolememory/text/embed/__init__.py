"""How meaning is read: an embedding model in this process or behind an endpoint, loaded in the background, or none."""
