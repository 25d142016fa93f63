"""A role in plots, over REST."""

from tests.serve.rest.callers import Caller, asks


def test_an_empty_role_has_empty_plots(role: Caller) -> None:
    told = role.get("/figures")
    assert (told["grown"], told["turns"], told["strategies"]) == ([], [], {})
    assert (told["unit"], told["limit"], told["caches"]["blocks"]) == ("characters", 2000, 0)


def test_memories_add_up_over_time_by_type(role: Caller) -> None:
    for number in range(60):
        role.remember(
            f"Thing {number}.",
            type="trait" if number % 3 == 0 else "episodic",
            created=f"2026-01-{number // 3 + 1:02}T10:00:00Z",
        )
    grown = role.get("/figures")["grown"]
    assert len(grown) == 40
    assert grown[-1]["by_type"] == {"trait": 20, "episodic": 40}
    sums = [sum(one["by_type"].values()) for one in grown]
    assert sums == sorted(sums)
    assert [one["at"] for one in grown] == sorted(one["at"] for one in grown)


def test_turns_tell_their_cost_their_strategies_and_whether_the_block_stood_still(
    role: Caller,
) -> None:
    role.remember("The beacon failed in the storm.", keys=["beacon"])
    for text in ("Why is the beacon dark?", "And the beacon?", "Good night."):
        role.post("/recall", {"messages": asks(text), "chat": "harbour"})
    role.post("/recall", {"messages": asks("Where is the beacon?"), "chat": "inn", "dry_run": True})
    told = role.get("/figures")
    assert [one["same"] for one in told["turns"]] == [None, True, False]
    assert [one["recalled"] for one in told["turns"]] == [1, 1, 0]
    assert told["turns"][0]["cost"] > 0 == told["turns"][2]["cost"]
    assert told["strategies"]["keyword"] == 2
    assert (told["caches"]["blocks"], told["caches"]["blocks_same"]) == (2, 1)
