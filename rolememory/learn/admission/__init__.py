"""What may become a memory at all."""

from rolememory.learn.admission.filter import (
    AdmissionFilter,
    Judged,
    Passed,
    Quarantined,
    Refused,
    Saying,
)
from rolememory.learn.admission.source_index import SourceIndex

__all__ = ["AdmissionFilter", "Judged", "Passed", "Quarantined", "Refused", "Saying", "SourceIndex"]
