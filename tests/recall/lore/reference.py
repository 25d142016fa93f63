"""A second, slow and plain telling of spec/worldinfo.md, over the raw JSON of world files: what `scan` is compared with.

Knows nothing of the product: no index, no windows, no prepared entries. Every pass asks every entry, every key searches the text.
"""

import re
from collections.abc import Callable, Iterator
from math import ceil, floor
from typing import Any

Raw = dict[str, Any]
JS_BLANK = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
SOURCES = (
    ("matchPersonaDescription", "persona"),
    ("matchCharacterDescription", "description"),
    ("matchCharacterPersonality", "personality"),
    ("matchCharacterDepthPrompt", "depth_prompt"),
    ("matchScenario", "scenario"),
    ("matchCreatorNotes", "creator_notes"),
)


def tokens(text: str) -> int:
    return ceil(len(text.encode()) / 3.35)


def say(text: str, case: Raw) -> str:
    for name, value in (("user", case["user"]), ("char", case["char"]), ("noop", "")):
        text = re.sub(
            r"\{\{" + name + r"\}\}", lambda _, value=value: value, text, flags=re.IGNORECASE
        )
    return text


def load(case: Raw) -> list[Raw]:
    """Section 3: the list."""
    by_source: dict[str, list[Raw]] = {"global": [], "character": [], "chat": [], "persona": []}
    for book in case["books"]:
        for uid in sorted(book["entries"], key=int):
            entry = dict(book["entries"][uid])
            entry["world"] = book["name"]
            entry["orders"], entry["text"] = decorators(entry.get("content") or "")
            entry["print"] = (
                repr(sorted(book["entries"][uid].items(), key=lambda pair: pair[0])) + book["name"]
            )
            by_source[book["source"]].append(entry)
    falling: Callable[[list[Raw]], list[Raw]] = lambda some: sorted(  # noqa: E731
        some, key=lambda entry: -entry["order"]
    )
    first, second = by_source["global"], by_source["character"]
    rest = [
        falling(first + second),
        falling(second) + falling(first),
        falling(first) + falling(second),
    ][case["strategy"]]
    return falling(by_source["chat"]) + falling(by_source["persona"]) + rest


def decorators(content: str) -> tuple[list[str], str]:
    if not content.startswith("@@"):
        return [], content
    orders, is_open, lines = [], False, content.split("\n")
    for at, line in enumerate(lines):
        if not line.startswith("@@"):
            return orders, "\n".join(lines[at:])
        if line.startswith("@@@") and not is_open:
            continue
        name = line[1:] if line.startswith("@@@") else line
        is_open = not name.startswith(("@@activate", "@@dont_activate"))
        if not is_open:
            orders.append(name)
    return orders, content


def buffer(case: Raw, entry: Raw, depth: int, blocks: list[str]) -> str:
    """Section 4.1."""
    own = entry.get("scanDepth")
    depth = depth if own is None else own
    if depth <= 0:
        return ""
    text = "\x01" + "\n\x01".join(shown(case)[:depth])
    for field, source in SOURCES:
        if entry.get(field) and (said := say(case["texts"].get(source, ""), case).strip(JS_BLANK)):
            text += "\n\x01" + said
    for block in [*(say(one, case) for one in case["injected"]), *blocks]:
        text += "\n\x01" + block if block else ""
    return text


def shown(case: Raw) -> list[str]:
    names = case["include_names"]
    told = [f"{one['name']}: {one['mes']}" if names else one["mes"] for one in visible(case)]
    return [text.strip(JS_BLANK) for text in reversed(told)]


def visible(case: Raw) -> list[Raw]:
    return [one for one in case["chat"] if not one.get("hidden")]


def found(text: str, key: str, entry: Raw, case: Raw) -> bool:
    """Section 4.2, for a key that is ready to be compared."""
    pattern = re.fullmatch(r"/([^/]+)/(i?)", key)
    if pattern:
        return (
            re.search(pattern[1], text, re.ASCII | (re.IGNORECASE if pattern[2] else 0)) is not None
        )
    if not wish(entry, case, "caseSensitive"):
        text, key = text.lower(), key.lower()
    if wish(entry, case, "matchWholeWords") and not any(char in JS_BLANK for char in key):
        return (
            re.search(rf"(?:\A|[^A-Za-z0-9_]){re.escape(key)}(?:\Z|[^A-Za-z0-9_])", text)
            is not None
        )
    return key in text


def wish(entry: Raw, case: Raw, field: str) -> bool:
    own = entry.get(field)
    return bool(case[field] if own is None else own)


def matches(text: str, key: str, entry: Raw, case: Raw) -> bool:
    said = say(key, case)
    return bool(said) and found(text, said.strip(JS_BLANK), entry, case)


def logic(entry: Raw, seen: list[bool]) -> bool:
    """Section 4.4."""
    return [any(seen), not all(seen), not any(seen), all(seen)][entry.get("selectiveLogic") or 0]


def key_of(entry: Raw) -> tuple[str, int]:
    return entry["world"], entry["uid"]


class Timers:
    """Section 6."""

    def __init__(self, case: Raw, entries: list[Raw], state: dict[str, dict[Any, Raw]]) -> None:
        self.n, self.state = (
            len(visible(case)),
            {kind: dict(effects) for kind, effects in state.items()},
        )
        self.running: dict[str, list[str]] = {"sticky": [], "cooldown": []}
        self.dry = case["dry_run"]
        for kind in () if self.dry else ("sticky", "cooldown"):
            self.check(kind, entries)

    def check(self, kind: str, entries: list[Raw]) -> None:
        for key, effect in list(self.state[kind].items()):
            owner = next((entry for entry in entries if entry["print"] == effect["print"]), None)
            over = self.n >= effect["end"]
            if (
                (self.n <= effect["start"] and not effect["protected"])
                or (owner and not owner.get(kind))
                or over
            ):
                del self.state[kind][key]
                gone = self.n <= effect["start"] and not effect["protected"]
                if (
                    kind == "sticky"
                    and owner
                    and owner.get("sticky")
                    and not gone
                    and owner.get("cooldown")
                ):
                    self.state["cooldown"][key] = self.effect(owner, "cooldown", protected=True)
            elif owner:
                self.running[kind].append(owner["print"])

    def effect(self, entry: Raw, kind: str, protected: bool = False) -> Raw:
        return {
            "print": entry["print"],
            "start": self.n,
            "end": self.n + entry[kind],
            "protected": protected,
        }

    def runs(self, kind: str, entry: Raw) -> bool:
        return entry["print"] in self.running[kind]

    def start(self, awake: list[Raw]) -> None:
        for entry in () if self.dry else awake:
            for kind in ("sticky", "cooldown"):
                if entry.get(kind):
                    self.state[kind].setdefault(key_of(entry), self.effect(entry, kind))


def scan(case: Raw, state: dict[str, dict[Any, Raw]]) -> Raw:
    """Section 4: one scan."""
    walk = Walk(case, state)
    while walk.phase and not (case["max_steps"] and walk.count >= case["max_steps"]):
        walk.one_pass()
    walk.timers.start(walk.awake)
    return {"awake": walk.awake, "rolls": walk.used, "timers": walk.timers.state}


class Walk:
    """What a scan carries from pass to pass."""

    def __init__(self, case: Raw, state: dict[str, dict[Any, Raw]]) -> None:
        self.case, self.entries = case, load(case)
        self.timers = Timers(case, self.entries, state)
        self.rolls, self.used = iter(case["rolls"]), 0
        budget = floor(case["budget"] * case["context"] / 100 + 0.5) or 1
        self.budget = min(budget, case["cap"]) if case["cap"] else budget
        self.levels = sorted(
            {
                int(entry["delayUntilRecursion"])
                for entry in self.entries
                if entry.get("delayUntilRecursion")
            }
        )
        self.level = self.levels.pop(0) if self.levels else 0
        self.phase, self.depth, self.count, self.overflow = "initial", case["depth"], 0, False
        self.blocks: list[str] = []
        self.awake: list[Raw] = []
        self.failed: list[Raw] = []
        self.unlucky: set[str] = set()

    def roll(self) -> float:
        self.used += 1
        return next(self.rolls)

    def sticky(self, entry: Raw) -> bool:
        return self.timers.runs("sticky", entry)

    def foreign(self, entry: Raw) -> bool:
        return key_of(entry) in self.case["outside"] and "@@activate" not in entry["orders"]

    def text(self, entry: Raw) -> str:
        return buffer(self.case, entry, self.depth, [] if self.phase == "widening" else self.blocks)

    def candidate(self, entry: Raw) -> bool:
        """4.3, from step 1."""
        done = any(entry is one for one in self.awake + self.failed)
        if (
            done
            or entry.get("disable")
            or (entry.get("triggers") and self.case["trigger"] not in entry["triggers"])
        ):
            return False
        wanted = entry.get("characterFilter") or {}
        for field, mine in (("names", [self.case["file"]]), ("tags", self.case["tags"])):
            inside = any(one in wanted.get(field, ()) for one in mine)
            if wanted.get(field) and inside == bool(wanted.get("isExclude")):
                return False
        if entry.get("delay") and self.timers.n < entry["delay"]:
            return False
        return (self.sticky(entry) or self.free(entry)) and self.woken(entry)

    def free(self, entry: Raw) -> bool:
        """Steps 6 to 9, for what is not sticky."""
        delayed = int(entry.get("delayUntilRecursion") or 0)
        if self.timers.runs("cooldown", entry) or (
            delayed and (self.phase != "recursion" or delayed > self.level)
        ):
            return False
        return not (
            self.phase == "recursion" and self.case["recursive"] and entry.get("excludeRecursion")
        )

    def woken(self, entry: Raw) -> bool:
        """Steps 10 to 17."""
        if "@@activate" in entry["orders"]:
            return True
        if "@@dont_activate" in entry["orders"]:
            return False
        if key_of(entry) in self.case["outside"] or entry.get("constant") or self.sticky(entry):
            return True
        text = self.text(entry)
        if not any(matches(text, key, entry, self.case) for key in entry.get("key") or []):
            return False
        second = (entry.get("keysecondary") or []) if entry.get("selective") else []
        return not second or logic(entry, [matches(text, key, entry, self.case) for key in second])

    def one_pass(self) -> None:
        """4.5."""
        self.count += 1
        new = [entry for entry in self.entries if self.candidate(entry)]
        new.sort(
            key=lambda entry: (
                not self.sticky(entry),
                -1 if self.foreign(entry) else self.entries.index(entry),
            )
        )
        groups(new, self)
        self.admit(new)
        feeding = [
            entry
            for entry in new
            if entry["print"] not in self.unlucky and not entry.get("preventRecursion")
        ]
        self.phase = self.next_phase(bool(feeding))
        block = "\n".join(entry["text"] for entry in feeding)
        if self.phase and block:
            self.blocks.append(block)

    def admit(self, new: list[Raw]) -> None:
        earlier, text = tokens("".join(f"{block}\n" for block in reversed(self.blocks))), ""
        ignoring = sum(bool(entry.get("ignoreBudget")) for entry in new)
        for entry in new:
            free = bool(entry.get("ignoreBudget"))
            if self.overflow and not free and not ignoring:
                break
            ignoring -= free
            if (self.overflow and not free) or not self.lucky(entry):
                continue
            entry["text"] = say(entry["text"], self.case)
            text += entry["text"] + "\n"
            if free or earlier + tokens(text) < self.budget:
                self.awake.append(entry)
            else:
                self.overflow = True

    def lucky(self, entry: Raw) -> bool:
        if not entry.get("useProbability") or entry.get("probability") == 100 or self.sticky(entry):
            return True
        if self.roll() * 100 <= (entry.get("probability") or 0):
            return True
        self.unlucky.add(entry["print"])
        self.failed += [] if self.foreign(entry) else [entry]
        return False

    def next_phase(self, feeding: bool) -> str:
        """4.7."""
        case = self.case
        if (
            case["recursive"]
            and not self.overflow
            and (feeding or (self.phase == "widening" and self.blocks))
        ):
            return "recursion"
        beyond = (
            case["max_depth"] and self.depth > case["max_depth"]
        ) or self.depth > self.timers.n
        if not self.overflow and len(self.awake) < case["min_activations"] and not beyond:
            self.depth += 1
            return "widening"
        if self.levels:
            self.level = self.levels.pop(0)
            return "recursion"
        return ""


def score(entry: Raw, text: str, case: Raw) -> int:
    primary = sum(found(text, key, entry, case) for key in entry.get("key") or [])
    seen = [found(text, key, entry, case) for key in entry.get("keysecondary") or []]
    if not entry.get("key"):
        return 0
    counts = entry.get("selectiveLogic") == 0 or (entry.get("selectiveLogic") == 3 and all(seen))
    return primary + (sum(seen) if counts else 0)


def groups(new: list[Raw], walk: Walk) -> None:
    """Section 4.6, quirks included."""
    by_name: dict[str, list[Raw]] = {}
    for entry in new:
        for name in filter(None, re.split(r",\s*", entry.get("group") or "")):
            by_name.setdefault(name, []).append(entry)
    numbers = sorted((name for name in by_name if re.fullmatch(r"0|[1-9]\d{0,8}", name)), key=int)
    order = numbers + [name for name in by_name if name not in numbers]

    def remove(entry: Raw) -> None:
        at = next((at for at, one in enumerate(new) if one is entry), -1)
        if new:
            new.pop(at)

    held = [name for name in order if hold(by_name[name], walk, remove)]
    for name in order:
        if name not in held:
            by_name[name] = best(by_name[name], walk, remove)
    for name in order:
        if name not in held:
            choose(name, by_name[name], walk, remove)


def hold(members: list[Raw], walk: Walk, remove: Callable[[Raw], None]) -> bool:
    sticky = [entry for entry in members if walk.sticky(entry)]
    for entry in members:
        if sticky and not walk.sticky(entry):
            remove(entry)
    for entry in members:
        if walk.timers.runs("cooldown", entry):
            remove(entry)
    return bool(sticky)


def best(members: list[Raw], walk: Walk, remove: Callable[[Raw], None]) -> list[Raw]:
    if not (walk.case["useGroupScoring"] or any(entry.get("useGroupScoring") for entry in members)):
        return members
    scores = {id(entry): score(entry, walk.text(entry), walk.case) for entry in members}
    most = max(scores.values())
    losers = [
        entry
        for entry in members
        if wish(entry, walk.case, "useGroupScoring") and scores[id(entry)] < most
    ]
    for entry in losers:
        remove(entry)
    return [entry for entry in members if not any(entry is one for one in losers)]


def choose(name: str, members: list[Raw], walk: Walk, remove: Callable[[Raw], None]) -> None:
    if any(entry.get("group") == name for entry in walk.awake):
        for entry in members:
            remove(entry)
        return
    if len(members) <= 1:
        return
    first = sorted(
        (entry for entry in members if entry.get("groupOverride")),
        key=lambda entry: -entry["order"],
    )
    winner = first[0] if first else weighted(members, walk.roll)
    for entry in members:
        if winner is not None and entry is not winner:
            remove(entry)


def weighted(members: list[Raw], roll: Callable[[], float]) -> Raw | None:
    weights = [
        100 if entry.get("groupWeight") is None else entry["groupWeight"] for entry in members
    ]
    reached, thrown = 0, roll() * sum(weights)
    for entry, weight in zip(members, weights, strict=True):
        reached += weight
        if thrown <= reached:
            return entry
    return None


def placed(awake: list[Raw]) -> Iterator[tuple[str, Any]]:
    """Section 5: the texts by place."""
    falling = [entry for entry in sorted(awake, key=lambda entry: -entry["order"]) if entry["text"]]
    for number, name in enumerate(
        ("before", "after", "an_top", "an_bottom", None, "em_top", "em_bottom")
    ):
        if name:
            yield (
                name,
                [entry["text"] for entry in reversed(falling) if entry.get("position") == number],
            )
    depths: dict[tuple[int, int], list[str]] = {}
    outlets: dict[str, list[str]] = {}
    for entry in falling:
        if entry.get("position") == 4:
            depths.setdefault((entry.get("depth", 4), entry.get("role") or 0), []).insert(
                0, entry["text"]
            )
        if entry.get("position") == 7 and entry.get("outletName"):
            outlets.setdefault(entry["outletName"], []).append(entry["text"])
    yield "depth", depths
    yield "outlets", outlets
