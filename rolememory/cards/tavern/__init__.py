"""What a SillyTavern data folder holds: characters, chats, groups, lorebooks and personas. Only read, never written."""
