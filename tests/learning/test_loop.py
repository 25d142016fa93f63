"""What is injected never comes back as something new, whatever a model makes of it."""

from tests.bench.loop import measured


def test_a_chat_with_a_model_that_reads_badly_leaves_hardly_any_junk_and_nothing_grows_by_being_retold() -> (
    None
):
    found = measured(turns=150, echoes=20, seed=3)
    given = found["given"]
    junk = sum(given[kind] for kind in given if kind not in ("true", "twice", "in other words"))
    assert sum(found["junk"].values()) <= 0.05 * junk, found["junk"]
    assert found["true"] >= found["told"]
    assert found["echoes"] == {"turns": 20, "standing": 0, "in_file": 0, "surer": 0}
    assert (
        min(given[kind] for kind in ("known already", "card", "template", "order", "no quote")) > 0
    )
