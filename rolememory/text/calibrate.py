"""Calibrates word coverage and cosines to one unit: evidence in nats, then a strength in 0..1.

    words   coverage of the question's information (`terms`)      ─ lexical ─┐
    meaning cosine, seen against the model's and the role's noise ─ dense  ──┴─ evidence ─ strength ─▶ 0..1

Evidence is never negative, so a signal that finds nothing cannot lower the other (ranks and plain sums can).
One set of constants serves both languages and every model: coverage has no unit, and a cosine is only ever seen
relative to what this model gives to unrelated texts.
"""

from math import sqrt

from rolememory.text.arrays import Floats, Mask, np

FULL_COVERAGE = 5.0  # nats for all words of the question
NOISE = 1.5  # deviations above the background that count as noise, for a question ...
LEAST_DEVIATION = 1e-3  # of cosines: int8 vectors do not resolve smaller ones
NOISE_IN_TALK = 1.0  # ... for a message that continues a talk, which rarely shares words ...
NOISE_BEFORE = 1.8  # ... and for earlier messages
PER_DEVIATION = 1.0  # nats for each further one ...
PER_DEVIATION_IN_TALK = 1.5
MOST_DEVIATIONS = 8.0  # saturates there
BACKGROUND_WEIGHT = 50.0  # pseudo-count of the everyday sentences, in own texts
UNSEEN_MEAN, UNSEEN_DEVIATION = (
    0.1,
    0.1,
)  # assumed cosines of unrelated texts, without measured ones
HARDLY = 0.001  # strength of similarity 0, so that the order is kept
MIDDLE = 2.6  # nats at which relevance has probability 0.5


def lexical(coverage: Floats) -> Floats:
    """Evidence of shared words in nats, from the share of the question's information; shape kept.

    >>> import numpy as np
    >>> lexical(np.array([0.0, 0.5, 1.0], dtype=np.float32)).tolist()
    [0.0, 2.5, 5.0]
    """
    return FULL_COVERAGE * coverage


def above(values: Floats, among: Mask, share: float) -> Floats:
    """Values minus a background: `share` of mean and deviation of the masked ones; never negative.

    With few texts less is subtracted, since the estimate is poor.

    >>> import numpy as np
    >>> above(np.array([0.2] * 50 + [0.8], dtype=np.float32), np.arange(51) < 50, 1.0)[-1].round(2)
    np.float32(0.7)
    """
    known = values.compress(among)
    mean, deviation = _moments(known) if len(known) else (0.0, 0.0)
    usual = share * (mean + deviation) * len(known) / (len(known) + BACKGROUND_WEIGHT)
    found: Floats = np.maximum(values - np.float32(usual), 0.0)
    return found


def noise(
    own_mean: float, own_deviation: float, n_own: int, mean: float, deviation: float
) -> tuple[float, float]:
    """Mean and standard deviation of noise cosines: the role's own, shrunk to those of everyday sentences while few.

    Source: adaptive score normalisation against a cohort, as in speaker verification (R. Auckenthaler, M. Carey,
    H. Lloyd-Thomas, 2000); the shrinkage is the usual pseudo-count.

    >>> noise(0.5, 0.1, 0, 0.1, 0.2)
    (0.1, 0.2)
    >>> noise(0.5, 0.1, 50, 0.1, 0.1)[0]
    0.3
    """
    share = n_own / (n_own + BACKGROUND_WEIGHT)
    return share * own_mean + (1.0 - share) * mean, sqrt(
        share * own_deviation**2 + (1.0 - share) * deviation**2
    )


def noise_of(own: Floats, everyday: Floats | None) -> tuple[float, float]:
    """`noise` of the cosines with the role's own texts, (n_own,), and with everyday sentences, (n,), if the model gave them."""
    mean, deviation = _moments(own)
    if everyday is None or not len(everyday):
        return noise(mean, deviation, len(own), UNSEEN_MEAN, UNSEEN_DEVIATION)
    return noise(mean, deviation, len(own), *_moments(everyday))


def _moments(values: Floats) -> tuple[float, float]:
    """Mean and standard deviation, in double precision so that row order has no effect."""
    wide = values.astype(np.float64)
    mean = np.add.reduce(wide) / len(wide)
    wide -= mean
    wide *= wide
    return float(mean), sqrt(float(np.add.reduce(wide)) / len(wide))


def dense(
    cosines: Floats, mean: float, deviation: float, talk: float = 0.0, noise: float = NOISE
) -> Floats:
    """Evidence of similar meaning in nats: deviations of a cosine above the noise; shape kept.

    `talk`: how much the message continues a talk, 0..1; 0 = it stands alone, with this `noise`.

    >>> import numpy as np
    >>> dense(np.array([0.1, 0.25, 0.5], dtype=np.float32), 0.1, 0.1).astype(float).round(2).tolist()
    [0.0, 0.0, 2.5]
    """
    deviations = (cosines - np.float32(mean)) / np.float32(max(deviation, LEAST_DEVIATION))
    noise += talk * (NOISE_IN_TALK - noise)
    each = PER_DEVIATION + talk * (PER_DEVIATION_IN_TALK - PER_DEVIATION)
    deviations -= np.float32(noise)
    np.maximum(deviations, 0.0, out=deviations)
    np.minimum(deviations, MOST_DEVIATIONS - noise, out=deviations)
    evidence: Floats = deviations
    evidence *= np.float32(each)
    return evidence


def similarity(found: Floats) -> Floats:
    """Cosines, or shares of words, as strengths in 0..1; values up to 0 become tiny, order kept.

    >>> import numpy as np
    >>> similarity(np.array([-0.5, 0.0, 0.4, 1.2], dtype=np.float32)).astype(float).round(5).tolist()
    [0.00075, 0.001, 0.4, 1.0]
    """
    least: Floats = HARDLY * (1.0 + np.clip(found, -0.99, 0.0) / 2.0)
    strengths: Floats = np.clip(np.maximum(found, least), 0.0, 1.0).astype(np.float32)
    return strengths


def strength(evidence: Floats) -> Floats:
    """Evidence in nats as a strength in 0..1: 0 for none, 0.30 at 1.7, 0.5 at `MIDDLE`, below 1; shape and order kept.

    Source: logistic regression on the logarithm of fused evidence (after W. Cooper et al., SIGIR 1992); constants
    by `tests.bench.retrieval` on the probes of both languages, one set for all.

    >>> import numpy as np
    >>> strength(np.array([0.0, 1.7, MIDDLE, 8.0], dtype=np.float32)).astype(float).round(2).tolist()
    [0.0, 0.3, 0.5, 0.9]
    """
    squared: Floats = evidence * evidence
    return squared / (squared + np.float32(MIDDLE * MIDDLE))
