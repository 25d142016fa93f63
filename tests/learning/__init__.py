"""Learning as a whole: through a role, its chats and its files, as a frontend lives with it."""
