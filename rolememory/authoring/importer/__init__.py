"""Imports from other programs: their characters, lorebooks, personas and chats become roles, books, users and chats."""
