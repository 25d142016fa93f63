"""The recall pipeline: eligibility, lorebook activation, scoring of memories, selection within the budget."""
