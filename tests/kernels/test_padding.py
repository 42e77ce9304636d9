"""pad, each twin against NumPy's own padding."""

import math

import numpy as np
import pytest

from tpuref.kernels import status


def extents(*shape):
    return np.array(shape, np.int64)


def sampled_shapes():
    """Small and large shapes of every rank up to 6, some equal in some dimensions."""
    rng = np.random.default_rng(1)
    for rank in range(7):
        for _ in range(12):
            small = rng.integers(0 if rng.random() < 0.2 else 1, 5, rank)
            large = small + rng.integers(0, 3, rank) * rng.integers(0, 2, rank)
            yield tuple(map(int, small)), tuple(map(int, large))


SHAPES = [*sampled_shapes(), ((1,), (1,)), ((0,), (3,)), ((1023,), (4097,))]
SHAPES += [((0, 3), (2, 3)), ((2, 0), (2, 4)), ((0, 0), (0, 4))]
SHAPES += [((1,) * 32, (1,) * 31 + (2,)), ((1,) * 32, (2,) + (1,) * 31)]


@pytest.mark.parametrize("item_bytes", [0, 1, 2, 3, 8, 16])
def test_pad_keeps_the_corner_and_zeroes_the_rest(kernels, memory, item_bytes):
    rng = np.random.default_rng(2)
    for small, large in SHAPES:
        array = rng.integers(1, 256, (*small[:-1], math.prod(small[-1:]) * item_bytes))
        array = array.astype(np.uint8)
        source, whole = memory(array.size), memory(math.prod(large) * item_bytes)
        source.bytes[:] = array.reshape(-1)
        assert (
            kernels.padding.pad(
                source.bytes, extents(*small), whole.bytes, extents(*large), item_bytes
            )
            == status.OK
        )
        widths = [
            (0, (outer - inner) * (item_bytes if axis == len(small) - 1 else 1))
            for axis, (inner, outer) in enumerate(zip(small, large, strict=True))
        ]
        expected = np.pad(array, widths) if small else array
        assert whole.bytes.tobytes() == expected.tobytes(), (small, large)
        assert whole.fences_stand()


CODES = {"rank": status.BAD_RANK, "count": status.BAD_COUNT}
CODES |= {"small": status.SOURCE_SIZE, "large": status.DESTINATION_SIZE}
CODES |= {"fit": status.DOES_NOT_FIT}


@pytest.mark.parametrize(
    ("small_size", "small", "large_size", "large", "item_bytes", "expected"),
    [
        *((8, (2,), 8, (2, 1), 4, "rank"), (4, (), 8, (2,), 4, "rank")),
        (4, (1,) * 33, 4, (1,) * 33, 4, "rank"),
        *((8, (2,), 12, (3,), -4, "count"), (8, (-2,), 12, (3,), 4, "count")),
        *((8, (2,), 12, (-3,), 4, "count"), (7, (2,), 12, (3,), 4, "small")),
        *((9, (2,), 12, (3,), 4, "small"), (0, (2,), 12, (3,), 4, "small")),
        *((1, (0,), 12, (3,), 4, "small"), (8, (2,), 11, (3,), 4, "large")),
        *((8, (2,), 13, (3,), 4, "large"), (8, (2,), 0, (3,), 4, "large")),
        *((3, (), 4, (), 4, "small"), (1, (2,), 0, (3,), 0, "small")),
        *((12, (3,), 8, (2,), 4, "fit"), (24, (2, 3), 40, (5, 2), 4, "fit")),
        (0, (0, 3), 16, (2, 2), 4, "fit"),
        # Products that are 0 in 64 bits.
        (0, (2**32, 2**32), 0, (2**32, 2**32), 4, "small"),
        (0, (2**62,), 0, (2**62,), 4, "small"),
    ],
)
def test_wrong_sizes_give_a_status_and_write_nothing(
    kernels, memory, small_size, small, large_size, large, item_bytes, expected
):
    source, destination = memory(small_size), memory(large_size)
    shapes = extents(*small), extents(*large)
    outcome = kernels.padding.pad(
        source.bytes, shapes[0], destination.bytes, shapes[1], item_bytes
    )
    assert outcome == CODES[expected]
    assert destination.untouched()


def test_a_zero_dimension_outweighs_a_huge_one(kernels, memory):
    empty = memory(0)
    shape = extents(2**40, 2**40, 0)
    outcome = kernels.padding.pad(empty.bytes, shape, empty.bytes, shape, 4)
    assert outcome == status.OK
