"""The gate between what was found in a chat and what is remembered."""

from rolememory.learn.admission.filter import AdmissionFilter, Judged, Saying
from rolememory.learn.admission.source_index import SourceIndex

__all__ = ["AdmissionFilter", "Judged", "Saying", "SourceIndex"]
