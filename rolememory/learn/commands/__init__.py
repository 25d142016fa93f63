"""Explicit commands to the memory in what a user writes."""

from rolememory.learn.commands.find import Command, commands
from rolememory.learn.commands.rules import Kind

__all__ = ["Command", "Kind", "commands"]
