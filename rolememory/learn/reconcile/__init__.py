"""What a new memory makes of the old ones: it is added, merged with what it restates, or takes the place of what it contradicts.

    draft ─ Known ─▶ candidates ─ judge (by_claims, by_words) ─▶ meetings ─ verdicts ─▶ writing ─▶ edits of the store

What was told later in the story replaces what was told earlier, in restatement and contradiction alike, and every pair is
judged by itself: so nothing depends on the order in which drafts arrive, and nothing has to be undone. Nothing that an
author wrote or somebody locked is ever replaced. Source: S1.6, S1.28, S1.46, S4.24, S4.28.
"""

from rolememory.learn.reconcile.known import Known
from rolememory.learn.reconcile.verdicts import reconcile
from rolememory.learn.reconcile.writing import edits

__all__ = ["Known", "edits", "reconcile"]
