"""Real processes, real kills, replayed power cuts: small sizes in the suite, long runs by command (`python -m tests.durability.kill`, ...)."""
