"""Age of memories in a role's story, and their freshness."""

from datetime import datetime
from typing import Literal

from rolememory.engine.role import RoleMemory
from rolememory.schema.memory import Memory
from rolememory.schema.settings import RecencySettings
from rolememory.schema.value_class import value_class
from rolememory.triggers.recency import days_between, freshness

Unit = Literal["turns", "days"]


@value_class
class Ageing:
    """Ages and freshness by a role's settings."""

    role_memory: RoleMemory
    rules: RecencySettings

    @classmethod
    def of(cls, role_memory: RoleMemory) -> "Ageing":
        """By the current settings."""
        return cls(role_memory, role_memory.settings.triggers.recency)

    @property
    def unit(self) -> Unit:
        """The unit of ages."""
        return "turns" if self.rules.clock == "turns" else "days"

    @property
    def half_life(self) -> float:
        """In `unit`."""
        return self.rules.half_life_turns if self.unit == "turns" else self.rules.half_life_days

    def age(self, created: datetime | None, at: datetime) -> float:
        """The age at a moment, in `unit`; 0 without a date."""
        if created is None:
            return 0.0
        if self.unit == "days":
            return round(days_between(created, at), 3)
        turn_at = self.role_memory.parts.recall.turn_at
        return float(max((turn_at(at) or 0) - (turn_at(created) or 0), 0))

    def fades(self, memory: Memory) -> bool:
        """Whether the memory decays with time."""
        lasting = not memory.fades and (self.rules.spares_lasting or memory.decay <= 0)
        return memory.since is not None and self.rules.enabled and not lasting

    def left(self, memory: Memory, age: float) -> float:
        """The freshness at an age."""
        return (
            round(freshness(age * memory.decay, self.half_life, self.rules.curve), 4)
            if self.fades(memory)
            else 1.0
        )
