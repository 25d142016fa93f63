"""Write a memory, edit it by hand and by code, read its history, and undo."""

import json
from datetime import UTC, datetime
from tempfile import TemporaryDirectory

from rolememory import Home

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
MADE = "2026-05-01T12:00:00Z"

with TemporaryDirectory() as folder, Home.open(folder, {"embedding.backend": "off"}) as home:
    mira = home.role("Mira", create=True)
    mira.remember(
        "The beacon burns whale oil.", "semantic", id="oil", keys=["beacon"], created=MADE
    )
    mira.edit("oil", keys=["beacon", "oil"], weight=1.2, reason="she talks of it often")

    mira.store.checkpoint()  # happens automatically after two seconds without a change
    file = mira.folder / "memory.json"
    print(file.read_text(encoding="utf-8"))

    # Any editor may do this; an entry may be as short as a string.
    document = json.loads(file.read_text(encoding="utf-8"))
    document["semantic"][0]["content"] = "The beacon burns rape oil since the whalers left."
    document["episodic"].append("A gull broke the east window of the lamp room.")
    file.write_text(json.dumps(document, indent=2), encoding="utf-8")
    print(mira.recall(["What does the beacon burn?"], now=NOW).recalled[0].memory.content)
    print(mira.recall(["Who broke the window?"], now=NOW).recalled[0].memory.content)

    mira.delete("oil")
    print("\nafter delete:", "oil" in mira.memories)
    mira.undo()
    print("after undo:", mira.memories["oil"].content)

    mira.undo()
    print("\nhistory of 'oil', newest first:")
    for line in mira.history("oil"):
        changed = ", ".join(
            name for name, (before, after) in line.fields.items() if before != after
        )
        print(
            f"  {line.actor:<8} {line.op:<6} {changed}"
            + (f"  ({line.reason})" if line.actor == "author" and line.reason else "")
        )
