"""Sums across cores: tpuref's algorithms, MPICH, Gloo and JAX."""

import statistics
from collections.abc import Callable, Mapping, Sequence

import tpuref as tf
from tpuref.tools.benchmarks.chain import COMPUTED, FED, READ_AGAIN, Chain
from tpuref.tools.benchmarks.contest import Samples, interleaved
from tpuref.tools.benchmarks.extent import Extent
from tpuref.tools.benchmarks.machine import MemoryCopy
from tpuref.tools.benchmarks.peers.process import Peer, absent, running_peers
from tpuref.tools.benchmarks.system import running_system
from tpuref.tools.benchmarks.table import Goal, Row, Table, fastest, times_as_fast
from tpuref.tools.benchmarks.units import size_text

CORES = (2, 4, 8)
SIZES = (4, 1 << 10, 1 << 16, 1 << 20, 16 << 20, 64 << 20)
QUICK_SIZES = (4, 1 << 16, 1 << 20)
NARROW_SIZE = 16 << 20
QUICK_NARROW_SIZE = 1 << 20

OWN = (FED, COMPUTED, READ_AGAIN)
"""The columns of tpuref; the slowest is judged."""

RING, MEMORY = "tpuref ring", "memory"
PEERS = {
    "MPICH": ("mpich", "sum"),
    "Gloo": ("gloo", "sum"),
    "JAX": ("jax", "sum"),
    "JAX, one program": ("jax", "chain"),
}
"""The peer and its task, by column."""


def counts(size: int) -> tuple[int, int]:
    """Return the number of sums to time, in tpuref and in a peer."""
    if size <= 1 << 10:
        return 1000, 100
    if size <= 1 << 16:
        return 300, 50
    if size <= 1 << 20:
        return 40, 20
    return (12, 6) if size <= 16 << 20 else (6, 3)


def target(cores: int, size: int) -> float:
    """Return the target of the speed relative to the fastest peer."""
    if size <= 1 << 16:
        return 2.0 if cores >= 4 else 1.0
    medium = 3.0 if cores >= 8 else 1.5
    return {1 << 20: 3.0, 16 << 20: medium, 64 << 20: 5.0}[size]


def floor_bytes(cores: int, size: int) -> dict[str, int]:
    """Return the bytes to read and write, by table.

    Every vector is read once and one result is written; in a ring each core reads two
    chunks and writes one in N - 1 steps, then reads and writes one in N - 1 more.
    """
    return {"all-reduce": (cores + 1) * size, "ring": 5 * (cores - 1) * size}


def samples(
    session: tf.Session,
    cores: int,
    size: int,
    extent: Extent,
    peers: Mapping[str, Peer],
) -> Samples:
    """Return seconds for one sum of each contestant, and for one byte of memory."""
    elements = size // 4
    own, theirs = counts(size)
    contestants: dict[str, Callable[[], float]] = {}
    for of in OWN:
        chain = Chain(session, cores, elements, tf.float32, own, "auto", of)
        contestants[of] = chain.seconds
    contestants[RING] = Chain(session, cores, elements, tf.float32, own, "ring").seconds
    for name, (peer, task) in PEERS.items():
        if peer in peers:
            contestants[name] = peers[peer].asked(task, elements, theirs)
    with MemoryCopy(size) as copy:
        contestants[MEMORY] = copy.seconds_per_byte
        return interleaved(contestants, extent.rounds)


def tables(extent: Extent) -> list[Table]:
    """Measure, and return the tables of ``auto``, of ``ring`` and of bfloat16."""
    missing = absent({peer for peer, _ in PEERS.values()}, extent.peers)
    lost = {name: missing[p] for name, (p, _) in PEERS.items() if p in missing}
    auto = Table("all-reduce", "All-reduce, float32", [*OWN, *PEERS], missing=lost)
    ring = Table("ring", "All-reduce by ring alone", [RING, *PEERS], missing=lost)
    narrow = Table("bfloat16", "All-reduce, bfloat16", ["bfloat16", "float32"])
    names = [peer for peer in ("mpich", "gloo", "jax") if peer not in missing]
    for cores in CORES:
        with (
            running_system(cores) as session,
            running_peers(names, cores, extent.report) as peers,
        ):
            for size in QUICK_SIZES if extent.quick else SIZES:
                point = samples(session, cores, size, extent, peers)
                for table, own in ((auto, OWN), (ring, [RING])):
                    table.add(_row(table, own, point, cores, size), extent.report)
            narrow.add(_bfloat16(session, cores, extent), extent.report)
    return [auto, ring, narrow]


def _row(
    table: Table, own: Sequence[str], measured: Samples, cores: int, size: int
) -> Row:
    """Compare the slowest of tpuref's columns with the fastest peer."""
    judged = max(own, key=lambda name: statistics.median(measured[name]))
    best = fastest(measured, PEERS)
    factor = None if best is None else times_as_fast(measured, judged, best)
    names = (judged, *own, *PEERS, MEMORY)
    bytes_moved = floor_bytes(cores, size)[table.name]
    return Row(
        point={"cores": str(cores), "bytes": size_text(size)},
        samples={name: measured[name] for name in names if name in measured},
        floor=bytes_moved * statistics.median(measured[MEMORY]),
        goals=[Goal(best or "fastest peer", factor, target(cores, size))],
    )


def _bfloat16(session: tf.Session, cores: int, extent: Extent) -> Row:
    """Compare elements per second for vectors with the same number of bytes."""
    size = QUICK_NARROW_SIZE if extent.quick else NARROW_SIZE
    count, _ = counts(size)
    narrow = Chain(session, cores, size // 2, tf.bfloat16, count, "auto")
    wide = Chain(session, cores, size // 4, tf.float32, count, "auto")
    with MemoryCopy(size) as copy:
        measured = interleaved(
            {
                "bfloat16": narrow.seconds,
                "float32": wide.seconds,
                MEMORY: copy.seconds_per_byte,
            },
            extent.rounds,
        )
    factor = 2 * times_as_fast(measured, "bfloat16", "float32")
    return Row(
        point={"cores": str(cores), "bytes": size_text(size)},
        samples=measured,
        floor=(cores + 1) * size * statistics.median(measured[MEMORY]),
        goals=[Goal("float32, elements/s", factor, 1.5)],
    )
