"""What a SillyTavern data folder holds: characters, chats, groups, lorebooks, personas, and what memory extensions left. Only read, never written."""
