"""Your own strategy. First: pip install examples/strategy_package

Its entry point is all that rolememory needs; from then on it works in every role, has its own switch and weight
in rolememory.toml ([triggers.others.moon]), and speaks in explanations like any other.
"""

from datetime import UTC, datetime
from tempfile import TemporaryDirectory

from rolememory import Home

with TemporaryDirectory() as folder, Home.open(folder, {"embedding.backend": "off"}) as home:
    mira = home.role("Mira", create=True)
    mira.remember(
        "On a bright night the seals sang on the ledge until morning.",
        id="seals",
        tags=["moon"],
        keys=["seals"],
    )

    for now in (datetime(2026, 5, 1, 22, tzinfo=UTC), datetime(2026, 5, 16, 22, tzinfo=UTC)):
        print(now.date(), "|", mira.recall(["Shall we go out?"], now=now).explain())

    print("\ntwo reasons are better than one:")
    print(
        mira.recall(["Did you hear the seals?"], now=datetime(2026, 5, 1, 22, tzinfo=UTC)).explain()
    )
