"""Which lorebook entries come into a prompt: keys, gates, groups, budget, passes, timers, placing."""
