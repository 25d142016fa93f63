"""Which of the memories in its prompt a reply used, and what that adds to their weight."""
