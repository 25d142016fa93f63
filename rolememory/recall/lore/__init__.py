"""Lorebook activation: keys, gates, groups, budget, passes, timers, placement."""
