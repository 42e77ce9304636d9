"""Replicas that are built one by one: the towers of a strategy."""

import contextlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tpuref.engine.graph.default import get_default_graph
from tpuref.engine.graph.region import Region
from tpuref.engine.ops.collectives import Groups


@dataclass(frozen=True)
class Peers:
    """The replica that the caller builds, number `index` of `count`.

    `total` waits for all replicas, and sums a nest of tensors over each group.
    `region` is the enclosing replicated computation, if any.
    """

    count: int
    index: int
    total: Callable[[Any, Groups], Any]
    region: Region | None


class _Current(threading.local):
    peers: Peers | None = None


_current = _Current()


@contextlib.contextmanager
def among(peers: Peers) -> Iterator[None]:
    """Let the calling thread build one of the replicas in a block."""
    before, _current.peers = _current.peers, peers
    try:
        yield
    finally:
        _current.peers = before


def current_peers() -> Peers | None:
    """Return the replicas that are built one by one, if the caller builds one.

    Inside a replicated computation that a replica contains, there are none.
    """
    peers = _current.peers
    return peers if peers and peers.region is replicated_region() else None


def replicated_region() -> Region | None:
    """Return the replicated computation that is being built, if any."""
    region = get_default_graph().region
    return None if region is None else region.replicated
