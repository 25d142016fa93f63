"""Explicit memory commands in user messages."""

from rolememory.learn.commands.find import chapter_commands, chat_commands, commands, scopes
from rolememory.learn.commands.patterns import Kind
from rolememory.learn.commands.sentence import Command

__all__ = ["Command", "Kind", "chapter_commands", "chat_commands", "commands", "scopes"]
