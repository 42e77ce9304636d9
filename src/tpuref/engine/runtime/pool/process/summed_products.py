"""Sums of products that are not written to memory, over replicas or in one replica.

The gradient of a weight is such a sum: over replicas, and over the uses of a weight, as
in the steps of an LSTM.  With few samples, a product is larger than both matrices.

The bits are those of the products by themselves: BLAS adds the products of elements in
the same order, unless there are many of them.  A comparison of random matrices decides.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from tpuref.base.dtypes import float32
from tpuref.base.processors import blas_threads
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
        if stays and _are_large(_sizes(factor, made)):
            summed[id(instr)] = factor
    return summed


def covered_sums(
    order: Sequence[Sequence[Instr]], products: Mapping[int, Instr]
) -> set[int]:
    """Return the ids of the sums after which the members need not wait for each other.

    Another sum of products follows that does not read them: its first wait covers them.
    `products` has the product of each sum, by id; `order` leaves the products out.
    """
    covered: set[int] = set()
    unread: set[int] = set()
    for (instr, *_), (following, *_) in pairwise(order):
        product = products.get(id(following))
        unread.update(instr.outputs)
        if (
            id(instr) in products
            and product is not None
            and following.core == instr.core
            and unread.isdisjoint(product.inputs)
        ):
            covered.add(id(instr))
        else:
            unread.clear()
    return covered


Sizes = tuple[int, int, int]
"""The inner size, the rows and the columns of a product."""


@dataclass(frozen=True)
class SumOfProducts(Instr):
    """A sum of products; its inputs are the left matrices, then the right ones."""

    @property
    def definition(self) -> OpDef:
        """The definition of this operation, which no program has."""
        return _SUM_OF_PRODUCTS


def in_one(numbered: Sequence[Numbered], wanted: Collection[int]) -> list[Numbered]:
    """Replace sums of large products that nothing else reads by one instruction.

    `wanted` are the slots that others read.
    """
    made = {slot: instr for instr, _ in numbered for slot in instr.outputs}
    readers = Counter([*wanted, *(s for instr, _ in numbered for s in instr.inputs)])
    joined: dict[int, Instr] = {}
    gone: set[int] = set()
    for instr, _ in numbered:
        products = [made[s] for s in instr.inputs if s in made and readers[s] == 1]
        adds = instr.definition.batching.of_two is not None
        if not adds or not len(products) == len(instr.inputs) > 1:
            continue
        sizes = {_sizes(each, made) for each in products}
        if len(sizes) == 1 and _are_large(sizes.pop()):
            lefts, rights = zip(*[each.inputs for each in products], strict=True)
            changed = {"inputs": (*lefts, *rights), "attrs": {}}
            joined[id(instr)] = SumOfProducts(**vars(instr) | changed)
            gone.update(map(id, products))
    return [
        (joined.get(id(instr), instr), number)
        for instr, number in numbered
        if id(instr) not in gone
    ]


def _infer(*matrices: Operand) -> TensorSpec:
    left, right = matrices[0], matrices[-1]
    return TensorSpec([left.shape[1], right.shape[1]], left.dtype)


def _compute(*matrices: Array, out: Array | None = None) -> Array:
    half = len(matrices) // 2
    lefts, rights = matrices[:half], matrices[half:]
    shape = lefts[0].shape[1], rights[0].shape[1]
    result: Array = np.empty(shape, np.float32) if out is None else out
    add_up(lefts, rights, result)
    return result


_SUM_OF_PRODUCTS = OpDef("SumOfProducts", _infer, compute=_compute)


class Tiling(NamedTuple):
    """The sizes of a sum of products, whose rows are divided into tiles.

    The factors of each product are copied in the order in which the sum reads them.
    """

    inner: int
    rows: int
    columns: int
    tiles: int

    @classmethod
    def of(cls, left: Array, right: Array, parts: int) -> "Tiling":
        """Return the tiling of a sum that is computed in equal `parts`."""
        (inner, rows), columns = left.shape, right.shape[1]
        return cls(inner, rows, columns, products.tiles(rows, parts))

    def add_up(self, copies: Sequence[Array], own: slice, result: Array) -> None:
        """Write the rows of some tiles of the sum of the products to `result`."""

        def compute(first: int, last: int) -> None:
            first, last = own.start + first, own.start + last
            products.add_up(copies, self.inner, self.tiles, first, last, result)

        count = own.stop - own.start
        work = len(copies) * self.inner * self.rows * self.columns
        in_parts(compute, count, work * count // self.tiles)


def add_up(lefts: Sequence[Array], rights: Sequence[Array], result: Array) -> None:
    """Write the sum of the products of the transposed left and the right matrices."""
    tiling = Tiling.of(lefts[0], rights[0], blas_threads())
    copies = np.empty((len(lefts), products.copied_size(*tiling)), np.float32)
    products.copy_factors(lefts, rights, tiling.tiles, copies)
    tiling.add_up([*copies], slice(0, tiling.tiles), result)


def _sizes(instr: Instr, made: Mapping[int, Instr]) -> Sizes | None:
    """Return the sizes of a product of float32 matrices, the left one transposed.

    `made` has the instructions by the slots of their outputs.
    """
    if not instr.definition.batching.product or turns(instr) != (True, False):
        return None
    (spec,) = instr.specs
    factors = [made[slot].specs[0].shape for slot in instr.inputs if slot in made]
    static = all(s.rank == 2 and s.is_fully_defined() for s in (*factors, spec.shape))
    if spec.dtype != float32 or not factors or not static:
        return None
    inner, (rows, columns) = factors[0].as_list()[0], spec.shape.as_list()
    return inner or 0, rows or 0, columns or 0


def _are_large(sizes: Sizes | None) -> bool:
    """Whether the matrices of a product are smaller than the product.

    A small sum is `flat`: it needs the products.
    """
    if sizes is None:
        return False
    inner, rows, columns = sizes
    least = max(inner * (rows + columns), FLAT_LIMIT // 4)
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
    add_up([*lefts], [*rights], result)
    apart = [products.multiply(x.T, y) for x, y in zip(lefts, rights, strict=True)]
    return result.tobytes() == fold(apart).tobytes()
