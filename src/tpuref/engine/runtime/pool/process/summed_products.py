"""Sums of products of matrices that are not written to memory, as in gradients.

The gradient of a weight is such a sum, over replicas and over the steps of a
recurrence.  If few rows are multiplied at a time, a product is larger than both
matrices.

The bits are those of the products by themselves: BLAS adds the products of elements in
the same order, unless there are many; random numbers tell.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache

import numpy as np

from tpuref.base.dtypes import float32
from tpuref.base.spec import TensorSpec
from tpuref.engine.ops.definition import OpDef, Operand
from tpuref.engine.ops.meaning import Array
from tpuref.engine.program import HOST, Instr, Program
from tpuref.engine.runtime.pool.process.addition import Numbered
from tpuref.engine.runtime.pool.process.product import MOST_COMPARED, turns
from tpuref.kernels import products
from tpuref.kernels.fold import fold
from tpuref.kernels.parts import in_parts
from tpuref.kernels.status import FLAT_LIMIT

Made = Mapping[int, Instr]
"""The instructions by the slots of their outputs."""


def over_replicas(
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


class _SumOfProducts(Instr):
    """The sum of the products of the first half of the inputs and the second."""

    @property
    def definition(self) -> OpDef:
        """The definition of the operation, which no graph has."""
        return _SUM_OF_PRODUCTS


def over_operands(
    numbered: Sequence[Numbered], wanted: Collection[int]
) -> list[Numbered]:
    """Replace sums of products that no other instruction reads, and their products."""
    readers = Counter([*wanted, *(slot for i, _ in numbered for slot in i.inputs)])
    made = {slot: instr for instr, _ in numbered for slot in instr.outputs}
    replaced: list[Numbered] = []
    gone: set[int] = set()
    for instr, number in numbered:
        factors = [made[slot] for slot in instr.inputs if slot in made]
        if (
            instr.definition.batching.of_two is not None
            and 1 < len(factors) == len(instr.inputs)
            and all(readers[slot] == 1 for slot in instr.inputs)
            and len({_sizes(factor, made) for factor in factors}) == 1
            and _is_large(factors[0], made)
        ):
            gone.update(map(id, factors))
            lefts, rights = zip(*[factor.inputs for factor in factors], strict=True)
            instr = _SumOfProducts(**{**vars(instr), "inputs": (*lefts, *rights)})
        replaced.append((instr, number))
    return [each for each in replaced if id(each[0]) not in gone]


def add_up(
    lefts: Sequence[Array], rights: Sequence[Array], rows: slice, result: Array
) -> None:
    """Write some rows of the sum of products to `result`."""
    lefts, rights = (list(map(np.ascontiguousarray, each)) for each in (lefts, rights))

    def compute(first: int, last: int) -> None:
        products.add_up(lefts, rights, rows.start + first, rows.start + last, result)

    count, (inner, columns) = rows.stop - rows.start, rights[0].shape
    in_parts(compute, count, len(lefts) * inner * count * columns)


def _infer(*operands: Operand) -> TensorSpec:
    left, right = operands[0], operands[-1]
    return TensorSpec([left.shape[1], right.shape[1]], left.dtype)


def _compute(*matrices: Array, out: Array | None = None) -> Array:
    count = len(matrices) // 2
    lefts, rights = matrices[:count], matrices[count:]
    shape = lefts[0].shape[1], rights[0].shape[1]
    result: Array = np.empty(shape, np.float32) if out is None else out
    add_up(lefts, rights, slice(0, shape[0]), result)
    return result


_SUM_OF_PRODUCTS = OpDef("SumOfProducts", _infer, compute=_compute)


def _is_large(instr: Instr, made: Made) -> bool:
    """Whether a product of a transposed matrix is larger than both matrices.

    Sums of few numbers travel in the messages of the cores.
    """
    sizes = _sizes(instr, made)
    if sizes is None:
        return False
    inner, rows, columns = sizes
    large = max(2 * inner * (rows + columns), FLAT_LIMIT // 4) <= rows * columns
    return large and _is_exact(*sizes)


def _sizes(instr: Instr, made: Made) -> tuple[int, int, int] | None:
    """Return inner size, rows and columns of a product of a transposed matrix."""
    if not instr.definition.batching.product or turns(instr) != (True, False):
        return None
    (spec,) = instr.specs
    factors = [made[slot].specs[0].shape for slot in instr.inputs if slot in made]
    static = [s for s in (*factors, spec.shape) if s.rank == 2 and s.is_fully_defined()]
    if spec.dtype != float32 or len(static) <= len(factors) or not factors:
        return None
    rows, columns = spec.shape.as_list()
    return factors[0].as_list()[0] or 0, rows or 0, columns or 0


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
