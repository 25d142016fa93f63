"""A character remembers, and every line says why it is there."""

from datetime import UTC, datetime
from tempfile import TemporaryDirectory

from rolememory import Home

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)  # only so that the output is the same every day

with TemporaryDirectory() as folder, Home.open(folder, {"embedding.backend": "off"}) as home:
    mira = home.role("Mira", create=True)
    mira.remember_all(
        [
            {
                "id": "storm",
                "content": "The lamp went out in the great storm.",
                "keys": ["storm"],
                "created": "1887-11-02",
            },
            {
                "id": "oil",
                "type": "semantic",
                "content": "The beacon burns whale oil.",
                "keys": ["beacon"],
                "created": "1888-01-09",
            },
            {
                "id": "patient",
                "type": "trait",
                "content": "Patient and dry.",
                "constant": True,
                "created": None,
            },
            {
                "id": "tea",
                "type": "semantic",
                "content": "Takes her tea with salt.",
                "created": None,
            },
        ]
    )

    turn = mira.recall("Why is the beacon dark?", now=NOW)
    print("what the model reads:")
    for message in turn.messages:
        print(f"[{message.role}] {message.content}")

    print("\nwhy:")
    print(turn.explain())

    print("\nand why not:")
    print(turn.explain("storm", "tea"))

    print("\na date recalls what happened then:")
    print(mira.recall("What happened in November 1887?", now=NOW).explain())

    print("\nsearch asks the same ranker without thresholds:")
    for found in mira.search("storm at sea", now=NOW):
        print(f"{found.relevance:.2f}  {found.memory.id}")
