"""What may become a memory at all."""

from rolememory.learn.gate.judge import Gate, Judged, Passed, Quarantined, Refused, Saying
from rolememory.learn.gate.told import Told

__all__ = ["Gate", "Judged", "Passed", "Quarantined", "Refused", "Saying", "Told"]
