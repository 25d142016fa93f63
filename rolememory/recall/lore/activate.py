"""The lorebook scan: passes over the entries until nothing new is activated. Source: spec/worldinfo.md 4.

Only entries with evidence are evaluated (a key in a text, a constant, a timer, a decorator, the outside); all others are
explained on demand. Pure: randomness, costs, timers and texts are passed in.
"""

from collections.abc import Sequence
from dataclasses import replace
from operator import itemgetter

from rolememory.errors import UnknownNameError
from rolememory.recall.lore.activation import Activation, Awake, LoreScene, PassTrace
from rolememory.recall.lore.chance import Dice
from rolememory.recall.lore.gates import (
    STAGES,
    EntryEvaluation,
    EntryEvaluator,
    Pass,
    Phase,
    ScanContext,
)
from rolememory.recall.lore.groups import GroupContext, Rivals, choose, grouped
from rolememory.recall.lore.index import Lore, LoreIndex
from rolememory.recall.lore.place import placed
from rolememory.recall.lore.remedies import changed, ways
from rolememory.recall.lore.scan_buffer import ScanBuffer
from rolememory.recall.lore.timers import begun, running
from rolememory.recall.lore.token_budget import Cost, TokenBudget, lore_budget
from rolememory.schema.evidence import Change, Reason, Refusal
from rolememory.schema.value_class import value_class
from rolememory.text.pattern import PatternBudget


def activate(
    index: LoreIndex,
    scene: LoreScene,
    *,
    dice: Dice,
    cost: Cost,
    patterns: PatternBudget | None = None,
) -> Activation:
    """The activated entries, their places and reasons. Cost: O(texts + entries with evidence)."""
    scan = _LoreScan(index, scene, dice, cost, patterns or PatternBudget())
    scan.run()
    return scan.answer()


@value_class
class _LoreCandidate:
    lore: Lore
    verdict: EntryEvaluation


class _LoreScan:
    def __init__(
        self, given: LoreIndex, scene: LoreScene, dice: Dice, cost: Cost, patterns: PatternBudget
    ) -> None:
        index = given.speaking(scene.macros)
        self.macros = scene.macros.started(dice)
        self.given, self.index, self.scene, self.dice, self.patterns = (
            given,
            index,
            scene,
            dice,
            patterns,
        )
        self.rules, self.settings = index.rules, index.settings
        self.visibility = ScanBuffer(index, scene.texts, patterns)
        self.timers = running(scene.state, index, scene.texts.count, dry_run=scene.dry_run)
        self.judge = EntryEvaluator(self._occasion(), self.visibility, index, self.macros)
        self.tokens = TokenBudget(
            lore_budget(index.settings, scene.context_tokens),
            cost,
            index.rules,
            index.settings.book_percent,
        )
        self.levels = list(index.levels)
        self.awake: dict[str, Awake] = {}
        self.searched: dict[str, str] = {}  # what other keys see of those that were tried
        self.failed: set[str] = set()  # chance was against them
        self.barred: set[str] = set()  # not asked again in this scan
        self.refused: dict[str, Reason] = {}
        self.passes: list[PassTrace] = []
        self.overflowed = False
        self.pointed = self._pointed_at()

    def _occasion(self) -> ScanContext:
        scene = self.scene
        return ScanContext(
            rules=self.rules,
            character=scene.character,
            running=self.timers,
            count=scene.texts.count,
            replies=scene.texts.said_by_character,
            trigger=scene.trigger,
            recursive=self.settings.recursive,
            outside=scene.outside,
            greeting=scene.greeting,
            user_icon=scene.user_icon,
        )

    def _pointed_at(self) -> frozenset[int]:
        """Ranks of entries that are evaluated in every pass, whatever keys are seen."""
        timers = self.timers
        ids = timers.sticky | timers.kept | self.scene.outside
        return frozenset(self.index.unkeyed) | {
            self.index.rank[one] for one in ids if one in self.index.rank
        }

    # ── passes ──

    def run(self) -> None:
        level = self.levels.pop(0) if self.levels else 0
        turn: Pass | None = Pass(1, Phase.INITIAL, level, self.settings.scan_depth, 0)
        self.visibility.look(self.visibility.recent(self.index.deepest))
        limit = self.settings.max_recursion_steps
        while turn and not 0 < limit < turn.number:
            self.visibility.look(self.visibility.recent(turn.depth) | self.visibility.others)
            turn = self._next(turn, self._pass(turn))

    def _pass(self, turn: Pass) -> list[Lore]:
        """One pass; the entries whose text may activate others."""
        candidates = self._candidates(turn)
        before = len(self.awake)
        living = (
            [one for one in candidates if self._lucky(one)]
            if self.rules.chance_first
            else candidates
        )
        chosen = self._without_rivals(living, turn)
        self._admit(chosen, turn)
        admitted = tuple(self.awake)[before:]
        self.passes.append(PassTrace(turn, tuple(one.lore.id for one in candidates), admitted))
        survivors = [one.lore for one in chosen if one.lore.id not in self.failed]
        if self.rules.smaller_may_fit:
            survivors = [lore for lore in survivors if lore.id in self.awake]
        return [lore for lore in survivors if not lore.silent]

    def _candidates(self, turn: Pass) -> list[_LoreCandidate]:
        """The candidates of this pass, in the order they are tried."""
        entries, verdict = self.index.entries, self.judge.verdict
        found: list[tuple[int, _LoreCandidate]] = []
        asked = self.pointed.union(self.visibility.heard, self.visibility.hinted)
        for rank in sorted(asked) if self.index.changing else asked:
            lore = entries[rank]
            if lore.id in self.awake or lore.id in self.barred:
                continue
            given = verdict(rank, turn)
            if given.awake:
                found.append((self._place(lore, rank, given.code), _LoreCandidate(lore, given)))
        found.sort(key=itemgetter(0))
        return [candidate for _, candidate in found]

    def _place(self, lore: Lore, rank: int, code: str) -> int:
        """Its order of trial: sticky ones first, then by the list; under exact rules those from outside before the rest."""
        size = len(self.index.entries)
        if self.rules.outside_first and code == "outside":
            rank -= size
        elif lore.asked.ignore_on_max_context:
            rank += size
        return rank - 3 * size if self.judge.sticky(lore) else rank

    def _next(self, turn: Pass, feeding: Sequence[Lore]) -> Pass | None:
        """The next pass, or None; adds its recursion text to the buffer."""
        stopped = self.overflowed and not self.rules.smaller_may_fit
        phase, level, depth = self._next_phase(turn, bool(feeding), stopped)
        if phase is None:
            return None
        block = "\n".join(self.searched.get(lore.id, lore.content) for lore in feeding)
        if block:
            self.visibility.add_block(block)
            self.tokens.remember(block)
        recursion = 0 if phase is Phase.WIDENING else self.visibility.recursion
        return Pass(turn.number + 1, phase, level, depth, recursion)

    def _next_phase(
        self, turn: Pass, feeding: bool, stopped: bool
    ) -> tuple[Phase | None, int, int]:
        recursive = self.settings.recursive and not stopped
        after_widening = turn.phase is Phase.WIDENING and self.visibility.recursion != 0
        if recursive and (feeding or after_widening):
            return Phase.RECURSION, turn.level, turn.depth
        if not stopped and self._may_widen(turn):
            return Phase.WIDENING, turn.level, turn.depth + 1
        if not self.rules.first_level_waits and turn.level and not self._recursed():
            return Phase.RECURSION, turn.level, turn.depth
        if self.levels:
            return Phase.RECURSION, self.levels.pop(0), turn.depth
        return None, turn.level, turn.depth

    def _may_widen(self, turn: Pass) -> bool:
        if len(self.awake) >= self.settings.min_activations:
            return False
        reached = turn.depth if self.rules.widens_past_limit else turn.depth + 1
        limit = self.settings.max_depth
        return not (0 < limit < reached) and reached <= self.scene.texts.count

    def _recursed(self) -> bool:
        return any(trace.turn.phase is Phase.RECURSION for trace in self.passes)

    # ── from candidates to activations ──

    def _without_rivals(
        self, candidates: Sequence[_LoreCandidate], turn: Pass
    ) -> list[_LoreCandidate]:
        exact = self.rules.group_quirks
        groups = grouped((one.lore for one in candidates), exact=exact)
        if not groups:
            return list(candidates)
        rivals = Rivals([one.lore for one in candidates], quirks=exact)
        asked = GroupContext(
            self.judge.sticky,
            self.timers.cooldown,
            self.settings.use_group_scoring,
            lambda lore: self.judge.score(lore, turn),
        )
        choose(rivals, groups, [one.lore for one in self.awake.values()], asked, self.dice)
        self.refused = {**rivals.reasons, **self.refused}  # the first reason stands
        left = {lore.id for lore in rivals.left}
        return [one for one in candidates if one.lore.id in left]

    def _lucky(self, candidate: _LoreCandidate) -> bool:
        """Whether it passes its probability; no roll at 100 percent, nor while sticky."""
        entry = candidate.lore.entry
        if (
            not entry.use_probability
            or entry.probability == 100
            or self.judge.sticky(candidate.lore)
        ):
            return True
        roll = self.dice() * 100
        if roll < entry.probability or (
            roll == entry.probability and self.rules.zero_chance_may_pass
        ):
            return True
        self._unlucky(candidate, roll)
        return False

    def _unlucky(self, candidate: _LoreCandidate, roll: float) -> None:
        name = candidate.lore.id
        self.failed.add(name)
        if not (self.rules.outside_first and candidate.verdict.code == "outside"):
            self.barred.add(
                name
            )  # by exact rules what came from outside is another object, and asked again
        self.refused[name] = Reason(
            "chance", (("roll", round(roll, 2)), ("probability", candidate.lore.entry.probability))
        )

    def _admit(self, chosen: Sequence[_LoreCandidate], turn: Pass) -> None:
        """Activate them one by one, within the budget."""
        self.tokens.open_pass()
        ignoring = sum(one.lore.entry.ignore_budget for one in chosen)
        for candidate in chosen:
            ignores = candidate.lore.entry.ignore_budget
            if self.overflowed and not ignores and not self.rules.smaller_may_fit:
                self._over_budget(candidate.lore)
                if not ignoring:
                    break
                continue
            ignoring -= ignores
            if self.rules.chance_first or self._lucky(candidate):
                self._try(candidate, turn)

    def _try(self, candidate: _LoreCandidate, turn: Pass) -> None:
        lore = candidate.lore
        content, self.searched[lore.id] = self.macros.say(lore.content)
        if not self.tokens.fits(lore, content):
            self.overflowed = True
            self._over_budget(lore)
            return
        self.refused.pop(lore.id, None)
        why = self.judge.reason(candidate.verdict, lore, turn)
        self.awake[lore.id] = Awake(
            lore, content, why, turn.number, self.tokens.take(lore, content)
        )

    def _over_budget(self, lore: Lore) -> None:
        self.refused[lore.id] = self.tokens.full()
        if self.rules.smaller_may_fit:
            self.barred.add(lore.id)

    # ── the answer ──

    def answer(self) -> Activation:
        awake = tuple(self.awake.values())
        lores = [one.lore for one in awake]
        state = (
            self.scene.state
            if self.scene.dry_run
            else begun(self.timers.state, self.index, lores, self.scene.texts.count)
        )
        return Activation(
            awake=awake,
            placement=placed(
                [(one.lore, one.content) for one in awake],
                self.rules,
                self.scene.texts.count,
                self.scene.author_note,
            ),
            state=state,
            variables=self.scene.macros.variables if self.scene.dry_run else self.macros.variables,
            budget=self.tokens.limit,
            used=self.tokens.used,
            overflowed=self.overflowed,
            rolls=self.dice.thrown,
            passes=tuple(self.passes),
            segments=tuple(self.visibility.segments),
            refused=self.refused,
            notes=self.patterns.notes,
            _why_not=self.why_not,
        )

    def why_not(self, lore_id: str, remedy: bool = True) -> Refusal | None:
        """The gate that refused an entry, in the pass where it came furthest, and the change that would open it."""
        lore = self.index.lore(lore_id)
        if lore is None:
            raise UnknownNameError("lorebook entry", lore_id, self.index.rank)
        if lore_id in self.awake:
            return None
        reason = self.refused.get(lore_id) or self._furthest(lore)
        tried = ways(lore, reason) if remedy else []
        return Refusal(
            lore_id,
            reason.code,
            reason,
            next((change for change in tried if self._lets_in(lore_id, change)), None),
        )

    def _lets_in(self, lore_id: str, change: Change) -> bool:
        """Whether the entry would be activated with this change: repeats the scan with the same random numbers."""
        index, scene = self.given, self.scene
        if change.target == "message":
            scene = replace(scene, texts=scene.texts.with_message(str(change.value)))
        else:
            index = changed(index, change)
        again = _LoreScan(index, scene, self.dice.again(), self.tokens.cost, PatternBudget())
        again.run()
        return lore_id in again.awake

    def _furthest(self, lore: Lore) -> Reason:
        rank = self.index.rank[lore.id]
        verdicts = [(self.judge.verdict(rank, trace.turn), trace.turn) for trace in self.passes]
        asleep = [pair for pair in verdicts if not pair[0].awake]
        if not asleep:
            return Reason("no_pass")
        verdict, turn = max(asleep, key=lambda pair: STAGES.index(pair[0].code))
        return self.judge.reason(verdict, lore, turn)
