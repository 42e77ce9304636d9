"""take_shard and put_shard, each twin against NumPy's own slicing."""

import numpy as np
import pytest

from tpuref.kernels import status

RUNS = [0, 1, 2, 3, 4, 8, 16, 17, 4099]


def random_bytes(size, seed=0):
    return np.random.default_rng(seed).integers(0, 256, size, np.uint8)


@pytest.mark.parametrize("run_bytes", RUNS)
@pytest.mark.parametrize("num_shards", [1, 2, 3, 8])
@pytest.mark.parametrize("outer", [0, 1, 5])
def test_only_the_column_is_copied(kernels, memory, outer, num_shards, run_bytes):
    whole = random_bytes((outer, num_shards, run_bytes))
    source = memory(whole.size)
    source.bytes[:] = whole.reshape(-1)
    for shard in range(num_shards):
        counts, column = (outer, run_bytes, num_shards, shard), whole[:, shard]
        part, target = memory(outer * run_bytes), memory(whole.size)
        taken = kernels.sharding.take_shard(source.bytes, part.bytes, *counts)
        assert taken == status.OK
        assert part.bytes.tobytes() == column.tobytes() and part.fences_stand()
        put = kernels.sharding.put_shard(part.bytes, target.bytes, *counts)
        assert put == status.OK
        expected = np.full(whole.shape, 0xA5, np.uint8)
        expected[:, shard] = column
        assert target.bytes.tobytes() == expected.tobytes() and target.fences_stand()


@pytest.mark.parametrize(
    ("whole", "part", "outer", "run_bytes", "num_shards", "shard", "expected"),
    [
        (24, 12, -1, 4, 2, 0, "bad count"),
        (24, 12, 3, -4, 2, 0, "bad count"),
        (24, 12, 3, 4, 0, 0, "bad count"),
        (24, 12, 3, 4, -2, 0, "bad count"),
        (24, 12, 3, 4, 2, -1, "no such shard"),
        (24, 12, 3, 4, 2, 2, "no such shard"),
        (23, 12, 3, 4, 2, 1, "whole"),
        (25, 12, 3, 4, 2, 1, "whole"),
        (0, 12, 3, 4, 2, 1, "whole"),
        (24, 11, 3, 4, 2, 1, "part"),
        (24, 13, 3, 4, 2, 1, "part"),
        (24, 0, 3, 4, 2, 1, "part"),
        (24, 0, 0, 4, 2, 1, "whole"),
        # Products that are 0 in 64 bits.
        (0, 0, 2**62, 4, 2, 1, "whole or part"),
        (0, 0, 2**32, 2**32, 1, 0, "whole or part"),
    ],
)
def test_wrong_sizes_give_a_status_and_write_nothing(
    kernels, memory, whole, part, outer, run_bytes, num_shards, shard, expected
):
    counts = (outer, run_bytes, num_shards, shard)
    always = {"bad count": status.BAD_COUNT, "no such shard": status.NO_SUCH_SHARD}
    wrong_source, wrong_destination = status.SOURCE_SIZE, status.DESTINATION_SIZE

    source, destination = memory(whole), memory(part)
    take = kernels.sharding.take_shard(source.bytes, destination.bytes, *counts)
    assert take == always.get(
        expected, wrong_destination if expected == "part" else wrong_source
    )
    assert destination.untouched()

    source, destination = memory(part), memory(whole)
    put = kernels.sharding.put_shard(source.bytes, destination.bytes, *counts)
    assert put == always.get(
        expected, wrong_destination if expected == "whole" else wrong_source
    )
    assert destination.untouched()


def test_an_empty_run_outweighs_a_huge_count(kernels, memory):
    empty = memory(0)
    for kernel in (kernels.sharding.take_shard, kernels.sharding.put_shard):
        assert kernel(empty.bytes, empty.bytes, 2**62, 0, 4, 1) == status.OK


def test_memoryviews_and_read_only_sources_are_taken(kernels):
    source, destination = memoryview(bytes(range(8))), bytearray(4)
    taken = kernels.sharding.take_shard(source, memoryview(destination), 2, 2, 2, 1)
    assert taken == status.OK
    assert destination == bytes([2, 3, 6, 7])


@pytest.mark.parametrize(
    "spoil",
    [
        lambda flat: flat.reshape(2, 4),
        lambda flat: np.repeat(flat, 2)[::2],
        lambda flat: flat.view(np.int8),
        lambda flat: flat.view(np.int32),
    ],
    ids=["two dimensions", "strides", "signed", "int32"],
)
def test_other_buffers_are_refused(kernels, spoil):
    flat, half = np.zeros(8, np.uint8), np.zeros(4, np.uint8)
    with pytest.raises(ValueError):  # noqa: PT011 (the twins word it differently)
        kernels.sharding.take_shard(spoil(flat), half, 1, 4, 2, 0)
    with pytest.raises(ValueError):  # noqa: PT011
        kernels.sharding.put_shard(half, spoil(flat), 1, 4, 2, 0)


def test_a_read_only_destination_is_refused(kernels):
    destination = np.zeros(4, np.uint8)
    destination.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        kernels.sharding.take_shard(np.zeros(8, np.uint8), destination, 1, 4, 2, 0)
