"""The measures of ranked retrieval, for one query and as means."""

from collections.abc import Collection, Mapping, Sequence
from math import log2

DEPTHS = (1, 5, 10, 20)


def measures(ranked: Sequence[str], gold: Collection[str]) -> dict[str, float]:
    """recall@k, reciprocal rank of the first gold, binary nDCG@10.

    >>> measured = measures(["a", "b", "c"], {"b", "z"})
    >>> measured["recall@5"], measured["mrr"], round(measured["ndcg@10"], 3)
    (0.5, 0.5, 0.387)
    """
    places = [place for place, found in enumerate(ranked) if found in gold]
    ideal = sum(1 / log2(place + 2) for place in range(min(len(gold), 10)))
    out = {f"recall@{k}": sum(place < k for place in places) / len(gold) for k in DEPTHS}
    out["mrr"] = 1 / (places[0] + 1) if places else 0.0
    out["ndcg@10"] = sum(1 / log2(place + 2) for place in places if place < 10) / ideal
    return out


def mean(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The mean of each measure over queries, to four places."""
    return (
        {name: round(sum(row[name] for row in rows) / len(rows), 4) for name in rows[0]}
        if rows
        else {}
    )
