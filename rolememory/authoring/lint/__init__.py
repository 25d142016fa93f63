"""What is wrong with a book, or most likely not meant: one small function per fault, all found at once.

check ─▶ never, keys, patterns, secondary, recursion, costs, groups, effects, texts, formats     the rules, by what they look at
      ─▶ words                                                                       severity and both languages, by code
"""
