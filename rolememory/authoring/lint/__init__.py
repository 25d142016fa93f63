"""Lint for lorebooks: one small function per rule.

check ─▶ never, keys, patterns, secondary, recursion, costs, groups, effects, texts, formats     the rules, by what they look at
      ─▶ words                                                                       severity and both languages, by code
"""
