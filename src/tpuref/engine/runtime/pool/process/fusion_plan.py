"""The plan of a fusion for certain layouts of its inputs.

A plan is a list of calls that read and write a table.  Each value has two entries: the
whole, an array that all cores share or the stack of their arrays, and the rows, the
arrays of the single cores.  Only the entries that a call reads are filled in.

Values that only the fusion reads lie in buffers of the plan, from run to run; once the
last reader is planned, the buffer is free for the next value of its shape.  Outputs are
allocated in each run, as their readers may keep them.  A value without a buffer is
forgotten after its last reader: the next array takes its memory, which a cache still
holds.

A call for all cores must give each core the bits of a call for it alone.  That holds
for elementwise operations, and for those whose record says so (`batched`, `stacked`).
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

from tpuref.engine.ops.definition import outputs_of
from tpuref.engine.ops.meaning import Array
from tpuref.engine.program import Instr
from tpuref.engine.runtime.pool.columns import (
    APART,
    SAME,
    STACKED,
    Layout,
    Shape,
    Stacked,
)
from tpuref.engine.runtime.pool.process import plan_calls, product
from tpuref.engine.runtime.pool.process.fusion_operation import (
    can_stack,
    elementary_of,
    function_of,
    images_of,
    is_arithmetic,
    is_batched,
    is_foldable,
    origins,
    shapes_of,
    stacking,
    stacks_rows,
)
from tpuref.engine.runtime.pool.process.fusion_value import Fresh, Part, Value
from tpuref.engine.runtime.pool.process.plan_calls import Call, Table

FORGOTTEN_BYTES = 1 << 14
"""The least size of the array of a core that is worth a call to forget it."""

Memory = Callable[[Shape, np.dtype[Any]], Sequence[Array]]
"""Return memory for the arrays of all cores."""

SharedMemory = Callable[[Shape, np.dtype[Any]], Array]
"""Return memory for an array that all cores share."""


class FusionPlan:
    """The calls that run some operations for all cores; parameters as for `Fusion`.

    `inputs` are the layouts and dtypes of the inputs, by slot; `kept_bytes` is the size
    of the memory that the plan keeps.
    """

    def __init__(
        self,
        instrs: Sequence[Instr],
        numbers: Sequence[int],
        cores: int,
        inputs: Mapping[int, tuple[Layout, np.dtype[Any]]],
        constants: Mapping[int, Array],
        wanted: Collection[int],
        memories: Mapping[int, Memory],
        shared_memories: Mapping[int, SharedMemory],
    ) -> None:
        self.kept_bytes = 0
        self._cores = cores
        self._table: Table = []
        self._calls: list[tuple[int, Call]] = []
        self._chain: list[plan_calls.Link] = []
        self._ended: set[int] = set()  # entries of values that the chain reads last
        self._allocations: list[Call] = []
        self._forgotten: list[int] = []
        self._free: dict[tuple[Shape, np.dtype[Any]], list[Array]] = {}
        self._values: dict[int, Value] = {}
        self._inputs: list[tuple[int, int, int]] = []
        for slot, ((kind, shape), dtype) in inputs.items():
            value = self._new(kind, shape, dtype, whole=kind != APART, rows=True)
            self._values[slot] = value
            self._inputs.append((slot, value.entry, kind))
        for slot, array in constants.items():
            self._values[slot] = self._constant(array)
        origin = origins(instrs)
        self._wanted = {origin.get(slot, slot) for slot in wanted}
        self._memories = {origin.get(s, s): m for s, m in memories.items()}
        self._shared = {origin.get(s, s): m for s, m in shared_memories.items()}
        self._readers: dict[int, list[Instr]] = {}
        for instr in instrs:
            if not instr.definition.traits.forwards:
                for slot in instr.inputs:
                    readers = self._readers.setdefault(origin.get(slot, slot), [])
                    readers.append(instr)
        last = {
            origin.get(slot, slot): k
            for k, instr in enumerate(instrs)
            for slot in instr.inputs
        }
        for k, (instr, number) in enumerate(zip(instrs, numbers, strict=True)):
            if instr.definition.traits.forwards:
                self._values[instr.outputs[0]] = self._values[instr.inputs[0]]
                continue
            self._number = number
            ending = [
                slot
                for slot in dict.fromkeys(origin.get(s, s) for s in instr.inputs)
                if last[slot] == k and slot not in self._wanted
            ]
            last_read = [self._values[slot] for slot in ending]
            self._add(instr, last_read)
            self._forget_large(last_read)
        self._end_chain()
        self._outputs = [(slot, *self._output(self._values[slot])) for slot in wanted]
        self._values.clear()  # with the examples of memory

    def run(self, values: list[Any], counter: memoryview) -> None:
        """Compute the columns of the outputs from those of the inputs.

        The caller has told NumPy to ignore division by zero, overflow and the like.
        """
        table = self._table.copy()
        for slot, entry, kind in self._inputs:
            column = table[entry + 1] = values[slot]
            if kind == SAME:
                table[entry] = column[0]
            elif kind == STACKED:
                table[entry] = column.stack
        for call in self._allocations:
            call(table)
        for number, call in self._calls:
            counter[0] = number
            call(table)
        for slot, entry, column_of in self._outputs:
            values[slot] = column_of(table[entry])

    # -- values ----------------------------------------------------------------

    def _new(
        self, kind: int, shape: Shape | None, dtype: np.dtype[Any], **known: Any
    ) -> Value:
        value = Value(kind, shape, dtype, len(self._table), **known)
        self._table += [None, None]
        return value

    def _constant(self, array: Array) -> Value:
        value = self._new(SAME, array.shape, array.dtype, whole=True, rows=True)
        value.known = array
        self._table[value.entry :] = [array, [array] * self._cores]
        return value

    def _output(self, value: Value) -> tuple[int, Callable[[Any], Any]]:
        """Return the entry of an output, and the function that makes a column of it."""
        if value.rows:
            return value.entry + 1, lambda rows: rows
        if value.kind == SAME:
            return value.entry, lambda array: [array] * self._cores
        return value.entry, Stacked

    def _whole(self, value: Value) -> int:
        """Return the entry of the whole; plan to gather the rows if necessary."""
        if not value.whole:
            assert value.shape is not None
            stack = self._buffer((self._cores, *value.shape), value.dtype)
            self._table[value.entry] = value.buffer = stack
            value.lasting = True
            self._call(plan_calls.gather(value.entry + 1, Stacked(stack)))
            value.whole = True
        return value.entry

    def _rows(self, value: Value) -> int:
        """Return the entry of the rows; plan to split the whole if necessary."""
        entry = value.entry
        if not value.rows:
            cores, same = self._cores, value.kind == SAME

            def spread(table: Table) -> None:
                whole = table[entry]
                table[entry + 1] = [whole] * cores if same else Stacked(whole)

            if value.buffer is None:
                self._call(spread)
            else:
                spread(self._table)
            value.rows = True
        return entry + 1

    def _align(self, value: Value, rank: int) -> int:
        """Return the entry of the stack with its arrays at a rank, for broadcasting."""
        entry = self._whole(value)
        assert value.shape is not None
        missing = rank - len(value.shape)
        if value.kind == SAME or not missing:
            return entry
        if rank not in value.aligned:
            shape = (self._cores, *(1,) * missing, *value.shape)
            aligned = value.aligned[rank] = len(self._table)
            self._table += [None, None]

            def align(table: Table) -> None:
                table[aligned] = table[entry].reshape(shape)

            if value.buffer is None:
                self._call(align)
            else:
                align(self._table)
        return value.aligned[rank]

    def _buffer(self, shape: Shape, dtype: np.dtype[Any]) -> Array:
        free = self._free.get((shape, dtype))
        if free:
            return free.pop()
        buffer: Array = np.empty(shape, dtype)
        self.kept_bytes += buffer.nbytes
        return buffer

    def _release(self, values: Sequence[Value]) -> None:
        for value in values:
            buffer = None if value.pinned else value.buffer
            value.pinned = True
            if buffer is not None:
                self._free.setdefault((buffer.shape, buffer.dtype), []).append(buffer)

    # -- operations ------------------------------------------------------------

    def _call(self, call: Call) -> None:
        self._end_chain()
        self._calls.append((self._number, call))

    def _end_chain(self) -> None:
        """Plan the calls of the open chain, and then drop the values they read last."""
        chain, self._chain = self._chain, []
        inner = self._ended & {link.entries[-1] for link in chain}
        self._ended = set()
        chain = plan_calls.joined(chain, inner)
        blocks = plan_calls.blocks_of(chain[0].shapes[-1]) if len(chain) > 1 else []
        if len(blocks) > 1:
            call = plan_calls.in_blocks(chain, blocks, self._table, inner)
            self._calls.append((chain[0].number, call))
        else:
            for link in chain:
                self._calls.append(
                    (link.number, plan_calls.once(link.function, link.entries))
                )
        if self._forgotten:
            self._calls.append((self._number, plan_calls.forget(self._forgotten)))
            self._forgotten = []

    def _forget_large(self, values: Sequence[Value]) -> None:
        """Forget values that are read no more, once the open chain has ended."""
        for value in values:
            kept = value.buffer is not None or value.known is not None
            if not kept and value.nbytes >= FORGOTTEN_BYTES:
                self._forgotten += value.entry, value.entry + 1
                self._forgotten += value.aligned.values()

    def _add(self, instr: Instr, ending: Sequence[Value]) -> None:
        """Plan an operation; the values `ending` are not read after it."""
        operands = [self._values[slot] for slot in instr.inputs]
        shapes = shapes_of(instr, operands)
        shape = shapes[0] if len(shapes) == 1 else None
        if is_foldable(instr, shape, operands):
            self._values[instr.outputs[0]] = self._fold(instr, operands)
            return
        if stacks_rows(instr, shapes, operands):
            sources = [
                value.entry if value.known is not None else self._whole(value)
                for value in operands
            ]
            function = stacking(
                instr, [(self._cores, *(each or ())) for each in shapes]
            )
            arrays = [self._table[entry] for entry in sources]
            if not self._add_views(instr, function, arrays, operands):
                self._add_returning(instr, function, STACKED, shapes, sources, operands)
            return
        elementwise = instr.definition.is_elementwise(
            [value.operand for value in operands], instr.attrs
        )
        images = images_of(instr, operands)
        kind, sources = self._sources(instr, shape, operands, elementwise, images)
        function = self._joint_product(instr, kind, operands) or function_of(
            instr, operands
        )
        if images is not None and kind == STACKED:
            function = plan_calls.joining_images(function, images)
        writes = isinstance(function, np.ufunc) or instr.definition.writes_into
        if shape is not None and writes:
            self._add_writing(
                instr, function, kind, shape, sources, operands, ending, elementwise
            )
        else:
            self._add_returning(instr, function, kind, shapes, sources, operands)

    def _add_views(
        self,
        instr: Instr,
        function: Callable[..., Any],
        arrays: Sequence[Array | None],
        operands: Sequence[Value],
    ) -> bool:
        """Plan parts of a value as they lie there, if all their readers take them.

        Where they lie is the same in every run, so there is no call for them.
        """
        source, moves = operands[0], instr.definition.batching.moves
        place = source.example if source.buffer is None else source.buffer
        if not moves or place is None or any(array is None for array in arrays[1:]):
            return False
        results = outputs_of(function(place, *arrays[1:]))
        views = dict(zip(instr.outputs, results, strict=True))
        for slot, view in views.items():
            leaves = slot in self._memories or (
                slot in self._wanted and source.fresh is None
            )
            if leaves or not np.may_share_memory(view, place):
                return False
            reads_rows = slot not in self._wanted and self._reads_rows(slot, view)
            if not (view.flags.c_contiguous or reads_rows):
                return False
        self._end_chain()
        source.pinned = True
        for slot, view in views.items():
            value = self._new(STACKED, view.shape[1:], view.dtype, whole=True)
            if source.fresh is None:
                value.buffer = self._table[value.entry] = view
                value.lasting = True
            else:
                value.fresh, value.example = source.fresh, view
                source.fresh.add(value.entry, view)
            value.pinned = True
            self._values[slot] = value
        return True

    def _reads_rows(self, slot: int, view: Array) -> bool:
        """Whether all readers take an array whose last axis alone is contiguous."""
        readers, step = self._readers.get(slot, []), view.strides[-1]
        if 0 in view.strides:
            return self._reads_repeated(slot, view.dtype)
        batchings = [reader.definition.batching for reader in readers]
        return step == view.itemsize and all(
            each.moves or each.product or each.elementwise for each in batchings
        )

    def _reads_repeated(self, slot: int, dtype: np.dtype[Any]) -> bool:
        """Whether all readers take an array that repeats elements.

        Arithmetic does: the bits of other functions, such as products, depend on how
        NumPy reads their input.
        """
        readers = self._readers.get(slot, [])
        return all(is_arithmetic(reader.definition, dtype) for reader in readers)

    def _sources(
        self,
        instr: Instr,
        shape: Shape | None,
        operands: Sequence[Value],
        elementwise: bool,
        images: int | None,
    ) -> tuple[int, list[int]]:
        """Return the layout in which to compute an operation, and its operands in it.

        The layouts in the order of preference: one call for the value that all cores
        share, one call for the stack of all cores, a call for each core.
        """
        if all(value.kind == SAME for value in operands):
            return SAME, [self._whole(value) for value in operands]
        stacks = elementwise or is_batched(instr, shape, operands)
        stacks = stacks or images is not None
        if stacks and can_stack(shape, operands):
            rank = len(shape or ())
            return STACKED, [self._align(value, rank) for value in operands]
        return APART, [self._rows(value) for value in operands]

    def _joint_product(
        self, instr: Instr, kind: int, operands: Sequence[Value]
    ) -> Callable[..., Any] | None:
        """Return the function of a product with a shared matrix, if it is one for all.

        It takes the stack of the cores and the shared matrix.
        """
        if not instr.definition.batching.product or kind != STACKED:
            return None
        left, right = operands
        turned_left, turned = product.turns(instr)
        shared = right.kind == SAME and left.kind != SAME and not turned_left
        if not shared or not left.shape or len(left.shape) != 2 or not right.shape:
            return None
        return product.joint(self._cores, left.shape, right.shape, left.dtype, turned)

    def _fold(self, instr: Instr, operands: Sequence[Value]) -> Value:
        """Return the constant result of an operation."""
        result = function_of(instr, operands)(
            *(value.any_array() for value in operands)
        )
        constant = np.array(result, instr.specs[0].dtype.np, order="C")
        self.kept_bytes += constant.nbytes
        return self._constant(constant)

    def _add_writing(
        self,
        instr: Instr,
        function: Callable[..., Any],
        kind: int,
        shape: Shape,
        sources: Sequence[int],
        operands: Sequence[Value],
        ending: Sequence[Value],
        elementwise: bool,
    ) -> None:
        """Plan an operation that writes into given memory, as ufuncs do with `out`."""
        (slot,) = instr.outputs
        batching = instr.definition.batching
        by_kernel = batching.elementwise and batching.elementary is not None
        if elementwise and (isinstance(function, np.ufunc) or by_kernel):
            self._release(ending)  # it may overwrite its inputs, element by element
        order = None
        if batching.product and kind == STACKED:
            order = self._order_read(slot, shape)
        result = self._allocate(slot, kind, shape, instr.specs[0].dtype.np, order)
        self._release(ending)
        once = (
            function if isinstance(function, np.ufunc) else plan_calls.writing(function)
        )
        if kind == APART:
            self._call(plan_calls.for_each(once, [*sources, self._rows(result)]))
        elif elementwise:
            core = (self._cores,) * (kind == STACKED)
            shapes = [
                self._aligned_shape(value, kind, len(shape)) for value in operands
            ]
            link = plan_calls.Link(
                self._number,
                once,
                [*sources, result.entry],
                [*shapes, (*core, *shape)],
                elementary_of(instr, operands),
            )
            if self._chain and self._chain[-1].shapes[-1] != link.shapes[-1]:
                self._end_chain()
            self._chain.append(link)
            self._ended.update(value.entry for value in ending)
        else:
            self._call(plan_calls.once(once, [*sources, result.entry]))
        self._values[slot] = result

    def _aligned_shape(self, value: Value, kind: int, rank: int) -> Shape:
        """Return the shape of an operand in a layout; see `_align`."""
        assert value.shape is not None
        if value.kind == SAME or kind == SAME:
            return value.shape
        return (self._cores, *(1,) * (rank - len(value.shape)), *value.shape)

    def _add_returning(
        self,
        instr: Instr,
        function: Callable[..., Any],
        kind: int,
        shapes: Sequence[Shape | None],
        sources: Sequence[int],
        operands: Sequence[Value],
    ) -> None:
        """Plan an operation that returns arrays, perhaps views of its inputs.

        So the memory of its inputs is not reused, and an output that others read is
        copied if it could be a view of a buffer.
        """
        by_core = kind == APART
        lasting = any(value.lasting for value in operands)
        for value in operands:
            value.pinned = True
        wanted: list[plan_calls.Result] = []
        targets = []
        for slot, spec, shape in zip(instr.outputs, instr.specs, shapes, strict=True):
            dtype = spec.dtype.np
            result = self._new(kind, shape, dtype, whole=not by_core, rows=by_core)
            result.lasting, self._values[slot] = lasting, result
            targets.append(result.entry)
            if kind == STACKED and shape is not None:
                shape = (self._cores, *shape)
            leaves = slot in self._wanted
            repeats = not leaves and self._reads_repeated(slot, dtype)
            wanted.append(plan_calls.Result(shape, dtype, lasting and leaves, repeats))
        once = plan_calls.returning(function, wanted)

        def each(table: Table) -> None:
            columns = [table[source] for source in sources]
            cores = [once(*arrays) for arrays in zip(*columns, strict=True)]
            for target, *rows in zip(targets, *cores, strict=True):
                table[target + 1] = rows

        def whole(table: Table) -> None:
            results = once(*[table[source] for source in sources])
            for target, result in zip(targets, results, strict=True):
                table[target] = result

        self._call(each if by_core else whole)

    def _allocate(
        self,
        slot: int,
        kind: int,
        shape: Shape,
        dtype: np.dtype[Any],
        order: Sequence[int] | None,
    ) -> Value:
        """Return a value with memory: a buffer of the plan, or new in each run.

        `order` lists its axes as they lie in memory, None for C order.
        """
        memory = self._memories.get(slot)
        if memory is not None and (kind != SAME or self._cores == 1):
            return self._take_memory(memory, kind, shape, dtype)
        full = shape if kind == SAME else (self._cores, *shape)
        result = self._new(min(kind, STACKED), shape, dtype, whole=True)
        entry = result.entry
        axes = [*range(len(full))] if order is None else order
        placed = tuple(full[axis] for axis in np.argsort(axes))
        if not self._leaves(slot):
            buffer = self._buffer(placed, dtype).transpose(axes)
            result.buffer = self._table[entry] = buffer
            result.lasting, result.pinned = True, order is not None
            return result

        new = self._shared.get(slot, np.empty) if kind == SAME else np.empty
        parts: list[Part] = []
        if kind != SAME and self._movers(slot):
            fresh = result.fresh = Fresh(placed, dtype)
            result.example, parts = fresh.example.transpose(axes), fresh.parts
            fresh.add(entry, result.example)

        def allocate(table: Table) -> None:
            table[entry] = memory = new(placed, dtype)
            for part, sizes, of, offset, strides in parts:
                table[part] = np.ndarray(sizes, of, memory, offset, strides)

        self._allocations.append(allocate)
        return result

    def _movers(self, slot: int) -> list[Instr]:
        """Return the readers of a value that move its elements."""
        readers = self._readers.get(slot, [])
        return [each for each in readers if each.definition.batching.moves]

    def _leaves(self, slot: int) -> bool:
        """Whether others may read the memory of a value, or a part of it."""
        moved = [target for each in self._movers(slot) for target in each.outputs]
        return slot in self._wanted or any(map(self._leaves, moved))

    def _order_read(self, slot: int, shape: Shape) -> Sequence[int] | None:
        """Return the order of axes in memory that saves the reader a copy, or None.

        A stack of matrices has one if its only reader moves whole rows, as a transpose
        of heads does.
        """
        readers = self._readers.get(slot, [])
        if slot in self._wanted or len(readers) != 1:
            return None
        batching = readers[0].definition.batching
        if not batching.moves or not batching.stacked or len(readers[0].inputs) > 1:
            return None
        stack = np.empty((self._cores, *shape), np.int8)
        view: Array = outputs_of(batching.stacked(stack, **readers[0].attrs))[0]
        if (view.ndim, view.size) != (stack.ndim, stack.size):
            return None
        order = sorted(range(view.ndim), key=lambda axis: -view.strides[axis])
        moves_rows = order[-1] == view.ndim - 1 and order != [*range(view.ndim)]
        return order if moves_rows else None

    def _take_memory(
        self, memory: Memory, kind: int, shape: Shape, dtype: np.dtype[Any]
    ) -> Value:
        """Return a value in the memory of the sum that reads it."""
        result = self._new(kind, shape, dtype, whole=kind != APART, rows=True)
        entry, stack = result.entry, (self._cores, *shape)

        def take(table: Table) -> None:
            arrays = memory(shape, dtype)
            if kind == STACKED:
                if not isinstance(arrays, Stacked):  # they are copied there later
                    arrays = Stacked(np.empty(stack, dtype))
                table[entry] = arrays.stack
            elif kind == SAME:
                table[entry] = arrays[0]
            table[entry + 1] = arrays

        self._allocations.append(take)
        return result
