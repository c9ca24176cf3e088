"""Distributes works of different sizes over tasks."""

from collections.abc import Sequence
from heapq import heapify, heapreplace


def pack(weights: Sequence[int], bins: int) -> list[list[int]]:
    """The numbers of the works in each of at most ``bins`` bins: heaviest bin first, heaviest work first in each.

    Each work, from the heaviest on, goes to the bin that is lightest then (longest processing time first), so that the
    heaviest bin is at most 4/3 of the best possible one. Every work weighs at least 1.
    """
    packed: list[list[int]] = [[] for _ in range(min(bins, len(weights)))]
    loads = [(0, number) for number in range(len(packed))]
    heapify(loads)
    for work in sorted(range(len(weights)), key=lambda number: -weights[number]):
        load, lightest = loads[0]
        packed[lightest].append(work)
        heapreplace(loads, (load + max(weights[work], 1), lightest))
    return [packed[number] for _, number in sorted(loads, reverse=True)]
