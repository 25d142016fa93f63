"""Explicit commands to the memory in what a user writes."""

from rolememory.learn.commands.find import commands, scope
from rolememory.learn.commands.rules import Kind, Scope
from rolememory.learn.commands.sentence import Command

__all__ = ["Command", "Kind", "Scope", "commands", "scope"]
