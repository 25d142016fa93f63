"""Who wins: gates, lore in order inside the passes, memories by score after them, and the budget."""
