"""Imports from other programs: their characters, lorebooks, personas, chats and summaries become roles, books, users, chats and memories."""
