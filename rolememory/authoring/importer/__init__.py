"""Bringing a life along: what another program kept of characters becomes roles, lorebooks, users, chats and memories here."""
