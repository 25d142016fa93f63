"""Learning: extraction of memories from chats, and their maintenance."""
