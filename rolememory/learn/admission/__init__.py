"""The admission filter between drafts found in a chat and memories."""

from rolememory.learn.admission.filter import AdmissionFilter, Judged, Saying
from rolememory.learn.admission.source_index import SourceIndex

__all__ = ["AdmissionFilter", "Judged", "Saying", "SourceIndex"]
