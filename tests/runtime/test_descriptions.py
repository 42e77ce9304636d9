"""Arrays that pass between the host and a core: what goes in comes out."""

import marshal

import numpy as np
import pytest

from tpuref.base.dtypes import DTYPES, string
from tpuref.engine.runtime.pool.arena import Arena
from tpuref.engine.runtime.pool.columns import APART, SAME, STACKED
from tpuref.engine.runtime.pool.messages import (
    array_of,
    column_of,
    describe_column,
    describe_in_arena,
    describe_inline,
    inline_array,
    offset_of,
)

PLAIN = [dtype for dtype in DTYPES if dtype != string]
SHAPES = [(), (0,), (1,), (3,), (2, 0, 3), (2, 3, 4)]


@pytest.fixture
def arena():
    made = Arena.create(64, 1)
    yield made
    made.close()


def passed(described):
    """What arrives of a description."""
    return marshal.loads(marshal.dumps(described))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", PLAIN, ids=lambda dtype: dtype.name)
def test_arrays_of_every_type_arrive(arena, dtype, shape):
    bits = np.random.default_rng(5).integers(0, 256, 24 * dtype.size, np.uint8)
    if dtype.is_bool:
        bits %= 2
    array = bits.view(dtype.np)[: int(np.prod(shape))].reshape(shape)
    offset = arena.heap(0).allocate(24 * dtype.size)
    arena.view(offset, shape, dtype.np)[...] = array
    inline, placed = describe_inline(array), describe_in_arena(array, offset)
    assert (offset_of(inline), offset_of(placed)) == (None, offset)
    for described in (inline, placed):
        arrived = array_of(passed(described), arena)
        assert arrived.dtype == dtype.np and arrived.shape == shape
        assert arrived.tobytes() == array.tobytes()


def test_an_array_that_is_not_contiguous_arrives_in_its_order(arena):
    whole = arena.view(arena.heap(0).allocate(96), (4, 6), np.dtype(np.int32))
    whole[...] = np.arange(24).reshape(4, 6)
    array = whole[::2, ::-2].T
    start = arena.start_of(array)
    assert start is not None
    for described in (describe_inline(array), describe_in_arena(array, start)):
        assert array_of(passed(described), arena).tolist() == array.tolist()


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_texts_arrive(shape):
    texts = [b"", b"\0zero\0", b"\xff\xfe", "ä".encode(), b"x" * 10_000] * 5
    array = np.empty(shape, object)
    for index, text in zip(np.ndindex(*shape), texts, strict=False):
        array[index] = text
    arrived = inline_array(passed(describe_inline(array)))
    assert arrived.dtype == object and arrived.shape == shape
    assert arrived.tolist() == array.tolist()


SMALL = np.arange(6, dtype=np.float32)
COLUMNS = {
    "one for all": ([SMALL] * 3, SAME),
    "small ones": ([SMALL.reshape(2, 3).T, SMALL.reshape(3, 2) + 1], STACKED),
    "scalars": ([np.array(2.5), np.array(-0.0), np.array(np.nan)], STACKED),
    "empty ones": ([SMALL[:0], SMALL[:0].copy()], STACKED),
    "two shapes": ([SMALL, SMALL[:4], SMALL[1:]], APART),
    "two types": ([SMALL, SMALL.astype(np.float64)], APART),
    "large ones": ([np.zeros(300), np.ones(300)], APART),
    "texts": ([np.array([b"a"], object), np.array([b"bc"], object)], APART),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_arrive(name):
    given, kind = COLUMNS[name]
    described = passed(describe_column(given, describe_inline))
    assert described[0] == kind
    arrived = column_of(described, len(given), inline_array)
    for one, other in zip(arrived, given, strict=True):
        assert isinstance(one, np.ndarray)
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        if one.dtype == object:
            assert one.tolist() == other.tolist()
        else:
            assert one.tobytes() == other.tobytes()
