"""Where the rows of a drawn graph are; what repeats is found and folded.

A layout follows the cursor from snapshot to snapshot and does again only what a
step changed: one that leaves the graph alone costs nothing, one that adds a node
costs that node.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import accumulate
from operator import attrgetter
from typing import NamedTuple

from inplace_tui.common.run.snapshot import Node, Saved, SlotState, Snapshot
from inplace_tui.tutorial.state.rails import MAX_RAILS, RailLayout

Nodes = dict[int, Node]

_FIRST = 2**32

MIN_REPEATS = 4
"""Times that something must repeat to be folded."""

LONG = 8
"""Nodes that a folded repeat must have at least: shorter ones are read sooner than opened."""

WIDEST = 200
"""Nodes of one repetition at most."""

_TRIES = 16
_DRAWN = attrgetter("name", "line", "inputs")


def targets_of(key: int, nodes: Nodes) -> tuple[int, ...]:
    """Return the nodes that a node sends gradients to, each once, in the order of its inputs."""
    found = [edge.node for edge in nodes[key].inputs if edge and edge.node in nodes]
    return tuple(dict.fromkeys(found) if len(found) > 1 else found)


class NodeOrder:
    """The nodes of a snapshot as backward would come to them; `follow` brings it to another one.

    That is the order in which they are drawn: each before its inputs, the newest
    first, a leaf right behind the last node that needs it. A node that is added
    never moves those that were there, so that a step costs what it added.
    """

    def __init__(self) -> None:
        self.nodes: Nodes = {}
        self.keys: list[int] = []
        """Every node once, each before its inputs."""

        self.users: dict[int, list[int]] = {}
        """Node -> the nodes that send it gradients; absent where there are none."""

        self.signs: list[int] = []
        """For each place in the order what kind of node stands there: nodes of one kind
        have the same name, line and number of inputs."""

        self._ends: dict[int, tuple[int, ...]] = {}
        self._kinds: dict[tuple[str, int | None, int], int] = {}

    def follow(self, nodes: Nodes) -> bool:
        """Take these nodes instead of those before; return whether anything moved."""
        before, self.nodes = self.nodes, nodes
        if nodes is before:
            return False
        added, lost = nodes.keys() - before.keys(), before.keys() - nodes.keys()
        replaced = (key for key, node in nodes.items() if before.get(key, node) is not node)
        again = any(_DRAWN(before[key]) != _DRAWN(nodes[key]) for key in replaced)
        if not (added or lost or again):
            return False
        anew = again or (added and lost)
        if anew or not (self._shrink(lost, before) if lost else self._grow(added)):
            self._begin()
        return True

    def targets(self, key: int) -> tuple[int, ...]:
        found = self._ends.get(key)
        if found is None:
            found = self._ends[key] = targets_of(key, self.nodes)
        return found

    def _begin(self) -> None:
        self._ends = {}
        self.users = self._users_in(self.nodes)
        self.keys = self._ordered(self.nodes, self.users)
        self.signs = [self._sign(key) for key in self.keys]

    def _grow(self, added: set[int]) -> bool:
        """Put new nodes in front; refuse where that is not where they belong."""
        users = self._users_in(added)
        newest = max(self.keys, default=0)
        if any(key < newest and (self.targets(key) or key not in users) for key in added):
            return False
        if any(key not in self.users and not self.targets(key) for key in users.keys() - added):
            return False  # a leaf that stood alone goes to the node that uses it
        front = self._ordered(added, {key: users[key] for key in users.keys() & added})
        for key, more in users.items():
            self.users[key] = [*self.users.get(key, ()), *more]
        self.keys = front + self.keys
        self.signs = [self._sign(key) for key in front] + self.signs
        return True

    def _shrink(self, lost: set[int], before: Nodes) -> bool:
        """Take nodes away, as a step back does; refuse where they are not those in front."""
        if set(self.keys[: len(lost)]) != lost:
            return False
        for key in lost:
            self.users.pop(key, None)
            self._ends.pop(key, None)
        for target in {each for key in lost for each in targets_of(key, before)} - lost:
            users = [user for user in self.users[target] if user not in lost]
            if users:
                self.users[target] = users
            elif self.targets(target):
                del self.users[target]
            else:
                return False  # a leaf that stands alone stands elsewhere
        self.keys, self.signs = self.keys[len(lost) :], self.signs[len(lost) :]
        return True

    def _users_in(self, keys: Iterable[int]) -> dict[int, list[int]]:
        users: dict[int, list[int]] = {}
        for key in keys:
            for target in self.targets(key):
                users.setdefault(target, []).append(key)
        return users

    def _ordered(self, keys: Iterable[int], users: dict[int, list[int]]) -> list[int]:
        """Return `keys`, users first: leaves as soon as they are ready, then the newest."""
        waiting = {key: len(users.get(key, ())) for key in keys}
        # A leaf comes as soon as it is ready, those of one node in the order of its inputs.
        ready = [(0, -key) for key, count in waiting.items() if not count]
        heapify(ready)
        found: list[int] = []
        while ready:
            key = abs(heappop(ready)[1])
            found.append(key)
            for place, target in enumerate(self.targets(key)):
                if target not in waiting:
                    continue
                waiting[target] -= 1
                if not waiting[target]:
                    inner = bool(self.targets(target))
                    heappush(ready, (0, -target) if inner else (place - _FIRST, target))
        return found

    def _sign(self, key: int) -> int:
        node = self.nodes[key]
        kind = (node.name, node.line, len(node.inputs))
        return self._kinds.setdefault(kind, len(self._kinds))


class RepeatedNodes(NamedTuple):
    """The same nodes, several times in a row."""

    start: int
    period: int
    """Nodes of one repetition."""

    times: int

    @property
    def end(self) -> int:
        return self.start + self.period * self.times


def find_repeats(signs: Sequence[Hashable]) -> list[RepeatedNodes]:
    """Return the repeats in a sequence, none of which overlap.

    >>> find_repeats([7, 1, 2, 1, 2, 1, 2, 1, 2, 3])
    [RepeatedNodes(start=1, period=2, times=4)]
    """
    again: list[int] = [0] * len(signs)
    last: dict[Hashable, int] = {}
    for place in range(len(signs) - 1, -1, -1):
        again[place] = last.get(signs[place], 0)
        last[signs[place]] = place
    found, place = [], 0
    while place < len(signs):
        repeat = _best(signs, again, place) if again[place] else None
        if repeat is None:
            place += 1
        else:
            found.append(repeat)
            place = repeat.end
    return found


def _best(signs: Sequence[Hashable], again: list[int], start: int) -> RepeatedNodes | None:
    """Return the repeat from here that takes in most; of equals the one that repeats most."""
    best: RepeatedNodes | None = None
    other = again[start]
    for _ in range(_TRIES):
        period = other - start
        if not other or period > WIDEST:
            break
        end, one = other, signs[start:other]
        while signs[end : end + period] == one:
            end += period
        times = (end - start) // period
        repeat = RepeatedNodes(start, period, times)
        if (
            times >= MIN_REPEATS
            and period * times >= LONG
            and (best is None or repeat.end > best.end)
        ):
            best = repeat
            if 2 * (repeat.end - start) > len(signs) - start:
                break
        other = again[other]
    return best


MAX_SAVED = 6
"""Slots under one node beyond this many are counted."""

GAP = -1
"""The part of a node's rows that separates it from the row above."""

OPENED = -2
"""The head of a repeat that was opened."""

NOTHING: Mapping[int, Hashable] = {}


class RowSource(NamedTuple):
    """Where a row comes from."""

    item: int
    key: int
    """Of the node; of a repeat its last node, which stays the same as a loop goes on."""

    part: int
    """0 the node itself, 1 and on what it saved, `GAP` or `OPENED`."""


class GraphLayout:
    """The drawing of one graph after the other; `follow` says which."""

    def __init__(self, *, fold: bool = True) -> None:
        self.order = NodeOrder()
        self.slots: dict[int, list[Saved]] = {}
        """Node -> what it saved."""

        self.stale: dict[int, int] = {}
        """Node -> how many of its slots are stale."""

        self.folded: dict[int, RepeatedNodes] = {}
        """Key -> the repeat that is drawn as one row."""

        self.opened: dict[int, RepeatedNodes] = {}
        """Key -> the repeat that was opened."""

        self.keys: list[int] = []
        """What is drawn, from above; the head of an opened repeat is negative."""

        self.layouts = 0
        """How often the places of nodes were worked out."""

        self._fold = fold
        self._repeats: list[RepeatedNodes] = []
        self._open: set[int] = set()
        self._saved: dict[tuple[int, str], Saved] = {}
        self._marks = NOTHING
        self._states = True
        self._member: dict[int, int] = {}
        self._ends: list[int] = []
        self._ranks: dict[int, int] = {}
        self._rails: dict[int, RailLayout] = {}
        self._joint: dict[int, tuple[int, ...]] = {}

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def follow(
        self, snapshot: Snapshot, marks: Mapping[int, Hashable] = NOTHING, *, states: bool = True
    ) -> bool:
        """Draw this graph from now on; return whether a row moved.

        A repeat is made of nodes of one mark. With `states`, a node with something stale may be
        outside a repeat.
        """
        moved = self.order.follow(snapshot.nodes)
        moved |= self._take_slots(snapshot.saved)
        marked = (marks, states) != (self._marks, self._states)
        self._marks, self._states = marks, states
        if moved or marked:
            found = find_repeats(self._signs()) if self._fold else []
            moved |= found != self._repeats
            self._repeats = found
        if moved:
            self._lay_out()
        return moved

    def toggle(self, key: int) -> None:
        self._open ^= {key}
        self._lay_out()

    def show(self, node: int) -> int:
        """Open what hides a node; return its row.

        Raises:
            KeyError: there is no such node.
        """
        if node in self._member:
            self.toggle(self._member[node])
        return self.row_of(node)

    def row_of(self, node: int) -> int:
        """Return the row of a node, or of the repeat that it is folded into.

        Raises:
            KeyError: there is no such node.
        """
        try:
            item = self.keys.index(self._member.get(node, node))
        except ValueError:
            raise KeyError(node) from None
        return self._start(item) + (1 if self._has_gap(item) else 0)

    def row_of_repeat(self, key: int) -> int:
        """Return the row of a repeat: its head, where it was opened.

        Raises:
            KeyError: there is no such repeat.
        """
        if key in self.opened:
            return self._start(self.keys.index(-key))
        return self.row_of(key)

    def at(self, row: int) -> RowSource:
        item = bisect_right(self._ends, row)
        key, part = self.keys[item], row - self._start(item)
        if key < 0:
            return RowSource(item, -key, OPENED)
        return RowSource(item, key, part - 1 if self._has_gap(item) else part)

    def rails(self, most: int = MAX_RAILS) -> RailLayout:
        if most not in self._rails:
            self._rails[most] = RailLayout(self.keys, self.targets, most=most)
        return self._rails[most]

    def targets(self, key: int) -> tuple[int, ...]:
        """Return where a node, or a folded repeat, sends gradients to, as it is drawn."""
        if key in self._joint:
            return self._joint[key]
        member = self._member
        if not member:
            return self.order.targets(key)
        return tuple(dict.fromkeys(member.get(each, each) for each in self.order.targets(key)))

    def nodes(self, key: int) -> list[int]:
        repeat = self.folded.get(key) or self.opened.get(key)
        return [key] if repeat is None else self.order.keys[repeat.start : repeat.end]

    def hidden_in(self, node: int) -> int | None:
        return self._member.get(node)

    def rank(self, node: int) -> int:
        if not self._ranks:
            self._ranks = {key: place for place, key in enumerate(self.order.keys)}
        return self._ranks.get(node, 0)

    def _start(self, item: int) -> int:
        return self._ends[item - 1] if item else 0

    def _has_gap(self, item: int) -> bool:
        """Whether a row is left free above a root that would seem to go on from a leaf."""
        key = self.keys[item]
        if not item or key < 0 or key in self.order.users:
            return False
        above = self.keys[item - 1]
        return above >= 0 and not self.targets(above)

    def _take_slots(self, saved: dict[tuple[int, str], Saved]) -> bool:
        """Sort what changed of the slots to their nodes; return whether rows moved."""
        before, self._saved = self._saved, saved
        if saved is before:
            return False
        touched = {key[0] for key, slot in saved.items() if before.get(key) is not slot}
        touched |= {key[0] for key in before.keys() - saved.keys()}
        moved = False
        fresh: dict[int, list[Saved]] = {node: [] for node in touched}
        for slot in saved.values():
            if slot.node in fresh:
                fresh[slot.node].append(slot)
        for node, slots in fresh.items():
            stale = sum(slot.state is SlotState.STALE for slot in slots)
            moved |= len(slots) != len(self.slots.get(node, ())) or stale != self.stale.get(node, 0)
            self.slots[node] = slots
            self.stale[node] = stale
            if not slots:
                del self.slots[node]
            if not stale:
                del self.stale[node]
        return moved

    def _lay_out(self) -> None:
        """Fold what repeats, and give every node its rows."""
        self.layouts += 1
        self._ranks = {}
        order, folded = self.order.keys, self.folded
        self.folded, self.opened, self._member = {}, {}, {}
        keys: list[int] = []
        at = 0
        for repeat in self._repeats:
            keys += order[at : repeat.start]
            nodes = order[repeat.start : repeat.end]
            at, key = repeat.end, nodes[-1]
            if key in self._open:
                self.opened[key] = repeat
                keys += [-key, *nodes]
            else:
                self.folded[key] = repeat
                self._member |= dict.fromkeys(nodes, key)
                keys.append(key)
        keys += order[at:]
        joint, self._joint = self._joint, {}
        self._joint = {key: self._targets_of_repeat(key) for key in self.folded}
        same = all(self._joint[k] == joint.get(k) for k in self.folded.keys() & folded.keys())
        self.keys = keys
        self._rails = {
            most: RailLayout(keys, self.targets, most=most, before=rails if same else None)
            for most, rails in self._rails.items()
        }
        more = {
            node: 1 + min(len(slots), MAX_SAVED + 1)
            for node, slots in self.slots.items()
            if node not in self._member
        }
        heights = [more.get(key, 1) for key in keys]
        for item in [item for item, key in enumerate(keys) if key not in self.order.users]:
            heights[item] += self._has_gap(item)
        self._ends = list(accumulate(heights))

    def _signs(self) -> list[Hashable]:
        """Return what must be the same in every repetition."""
        signs: list[Hashable] = list(self.order.signs)
        if self._marks or self.stale:
            marks, order = self._marks, self.order.keys
            stale = self.stale if self._states else {}
            for place, key in enumerate(order):
                if key in marks or key in stale:
                    signs[place] = (signs[place], marks.get(key), stale.get(key))
        return signs

    def _targets_of_repeat(self, key: int) -> tuple[int, ...]:
        member = self._member
        found = (to for number in self.nodes(key) for to in self.order.targets(number))
        return tuple(dict.fromkeys(member.get(to, to) for to in found if member.get(to) != key))
