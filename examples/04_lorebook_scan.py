"""Lorebooks only: which entries of a book enter the prompt, where they go, and why the others do not. No role, no files."""

import json

from rolememory import Message, scan
from rolememory.schema.settings import ScanSettings
from rolememory.schema.wording import word, word_gate
from rolememory.shipped import shipped

SETTINGS = ScanSettings(scan_depth=2)  # only the two newest messages are searched

book = json.loads(
    shipped("worldbook_rules", "worldbooks", "lantern-market.json").read_text(encoding="utf-8")
)
chat = [Message.user("I lied to the ferryman at the market. What is the weather tonight?")]

first = scan(
    book, chat, settings=SETTINGS, chance=3
)  # chance is a seed: the same seed, the same dice
print("active:")
for one in first.awake:
    print(f"  {one.entry.comment:<20} {word(one.why)}")

print("\nbefore the character:")
print(first.placement.before_text)
for group in first.placement.depth:
    print(f"\n{group.depth} messages from the end, as {group.role}:\n{group.text}")

print("\nnot active:")
for lore_id in ("The Lantern Market.4", "The Lantern Market.9", "The Lantern Market.11"):
    refusal = first.explain(lore_id)
    print(f"  {lore_id:<22} {word_gate(refusal) if refusal else 'active'}")

# Timers are a value: keep `state` between turns, as JSON if you like.
chat += [Message.assistant("Fog. He is rowing you back."), Message.user("Very well.")]
state = json.loads(first.state.model_dump_json())
second = scan(book, chat, settings=SETTINGS, state=state, chance=4)
print("\ntwo messages later, without a key:")
for one in second.awake:
    print(f"  {one.entry.comment:<20} {word(one.why)}")
