"""The nodes of a graph in the order in which backward would come to them.

That is the order in which they are drawn: each before its inputs, the newest
first, a leaf right behind the last node that needs it. A node that is added
never moves those that were there, so that a step costs what it added.
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heapify, heappop, heappush

from inplace_tui.common.run.snapshot import Node

Nodes = dict[int, Node]

_FIRST = 2**32


def targets_of(key: int, nodes: Nodes) -> tuple[int, ...]:
    """Return the nodes that a node sends gradients to, each once, in the order of its inputs."""
    found = [edge.node for edge in nodes[key].inputs if edge and edge.node in nodes]
    return tuple(dict.fromkeys(found) if len(found) > 1 else found)


class NodeOrder:
    """The nodes of a snapshot, in order; `follow` brings it to another snapshot."""

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
        replaced = [key for key, node in nodes.items() if before.get(key) is not node]
        again = [key for key in replaced if key not in added and _differs(before[key], nodes[key])]
        if not (added or lost or again):
            return False
        if (
            again
            or (added and lost)
            or not (self._shrink(lost, before) if lost else self._grow(added))
        ):
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


def _differs(before: Node, now: Node) -> bool:
    return (before.name, before.line, before.inputs) != (now.name, now.line, now.inputs)
