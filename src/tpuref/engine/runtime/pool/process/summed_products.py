"""Sums over replicas of products that are not written to memory.

The gradient of a weight is such a sum.  If a replica has few samples, its product is
larger than both matrices.

The bits are those of the products by themselves: BLAS adds the products of elements in
the same order, unless there are many of them.  A comparison of random matrices decides.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

import numpy as np

from tpuref.base.dtypes import float32
from tpuref.engine.ops.meaning import Array
from tpuref.engine.program import HOST, Instr, Program
from tpuref.engine.runtime.pool.process.product import MOST_COMPARED, turns
from tpuref.kernels import products
from tpuref.kernels.fold import fold
from tpuref.kernels.parts import in_parts
from tpuref.kernels.status import FLAT_LIMIT


def summed_products(
    program: Program,
    order: Sequence[Sequence[Instr]],
    moves: Callable[[Instr], Sequence[object]],
) -> dict[int, Instr]:
    """Return the products that only a sum over replicas reads, by the id of the sum.

    `order` has the sums of each exchange; those that are joined stay as they are.
    `moves` returns the inputs that move from one logical core to another before an
    instruction.
    """
    readers = Counter(program.results)
    made: dict[int, Instr] = {}
    for instr in program.instrs:
        readers.update(instr.inputs)
        made.update(dict.fromkeys(instr.outputs, instr))
    summed = {}
    for instr, *others in order:
        if instr.definition.collective is None or others or instr.core == HOST:
            continue
        factor = made.get(instr.inputs[0])
        if factor is None or readers[factor.outputs[0]] > 1:
            continue
        places = factor.core, factor.replica, instr.replica
        stays = places == (instr.core, None, None) and not moves(factor)
        if stays and _is_large(factor, made):
            summed[id(instr)] = factor
    return summed


def add_up(
    lefts: Sequence[Array], rights: Sequence[Array], rows: slice, result: Array
) -> None:
    """Write some rows of the sum of products to `result`."""

    def compute(first: int, last: int) -> None:
        products.add_up(lefts, rights, rows.start + first, rows.start + last, result)

    count, (inner, columns) = rows.stop - rows.start, rights[0].shape
    in_parts(compute, count, len(lefts) * inner * count * columns)


def _is_large(instr: Instr, made: Mapping[int, Instr]) -> bool:
    """Whether an instruction multiplies matrices that are smaller than the product.

    `made` has the instructions by the slots of their outputs.  A small sum is `flat`:
    it needs the products.
    """
    if not instr.definition.batching.product or turns(instr) != (True, False):
        return False
    (spec,) = instr.specs
    factors = [made[slot].specs[0].shape for slot in instr.inputs if slot in made]
    static = all(s.rank == 2 and s.is_fully_defined() for s in (*factors, spec.shape))
    if spec.dtype != float32 or not factors or not static:
        return False
    sizes = factors[0].as_list()[0], *spec.shape.as_list()
    inner, rows, columns = (size or 0 for size in sizes)
    least = max(2 * inner * (rows + columns), FLAT_LIMIT // 4)
    return rows * columns >= least and _is_exact(inner, rows, columns)


@lru_cache(maxsize=1024)
def _is_exact(inner: int, rows: int, columns: int) -> bool:
    """Whether the kernel gives the bits of products by themselves."""
    if columns % 16 or not 0 < inner * rows * columns <= MOST_COMPARED:
        return False
    draw = np.random.default_rng(0)
    lefts = draw.standard_normal((2, inner, rows)).astype(np.float32)
    rights = draw.standard_normal((2, inner, columns)).astype(np.float32)
    result = np.empty((rows, columns), np.float32)
    add_up([*lefts], [*rights], slice(0, rows), result)
    apart = [x.T @ y for x, y in zip(lefts, rights, strict=True)]
    return result.tobytes() == fold(apart).tobytes()
