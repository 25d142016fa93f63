"""A memory for role-play characters: lorebook triggers, semantic recall, time and feeling, in files you can edit."""
