"""Reads a SillyTavern data folder: characters, chats, groups, lorebooks, personas, and summaries of memory extensions. Never writes."""
