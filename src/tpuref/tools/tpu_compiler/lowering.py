"""Lowering of programs for the TPU compiler, on that of the executor on XLA.

Nothing runs, so what the host gives and takes is a parameter or a result of the
compiled program, random numbers are drawn on the cores, and values are not checked.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from tpuref.base import error_codes as codes
from tpuref.base.dtypes import as_dtype
from tpuref.base.spec import TensorSpec
from tpuref.engine.ops.arithmetic import widened
from tpuref.engine.program import HOST, Instr
from tpuref.engine.runtime.pool.host.program_facts import ProgramFacts
from tpuref.engine.runtime.xla.compiled import Compiled
from tpuref.engine.runtime.xla.context import Context, Describe
from tpuref.engine.runtime.xla.errors import refusal
from tpuref.engine.runtime.xla.host_parts import HostPart
from tpuref.engine.runtime.xla.lowering import Lowering
from tpuref.engine.runtime.xla.placement import AXIS, Placement
from tpuref.engine.runtime.xla.signature import Signature
from tpuref.engine.runtime.xla.slots import Slots
from tpuref.engine.runtime.xla.value import Value
from tpuref.tools.tpu_compiler.cores import on_core, runs_on
from tpuref.tools.tpu_compiler.towers import merged

TAG = "tpuref"
"""The names of operations contain it with the number of their instruction."""

_PRODUCTS = ("MatMul", "BatchMatMul", "Einsum", "Conv2D")


class Transfer(NamedTuple):
    """What the host and a core exchange at one place of a program, in bytes."""

    kind: str
    instr: Instr
    from_host: int
    to_host: int
    in_loop: bool


class TargetPlacement(Placement):
    """One replica on each of the first cores of a TPU, or on each `logical` ones.

    Of its logical cores, the program is that of number `core`; `elsewhere` are the
    names of the operations of the others.
    `instrs` are the instructions by their numbers in names, `sizes` the bytes of their
    largest output on a core, `products` read float32, and `doubles` compute float64;
    `transfers` are those with the host, by the names of the
    instructions.  `given` are the parameters that stand for what the host gives, None
    until their `forms` are known; `taken` are results that the host takes.
    """

    def __init__(
        self, replicas: int, devices: Sequence[Any], core: int = 0, logical: int = 1
    ) -> None:
        self.replicas, self.processes, self.own = replicas, 1, range(replicas)
        self._devices = replicas
        self.core, self.elsewhere = core, set[str]()
        own = np.array(devices[: replicas * logical]).reshape(replicas, logical)
        self._mesh = Mesh(own[:, core], (AXIS,))
        self.stacked = NamedSharding(self._mesh, PartitionSpec(AXIS))
        self.shared = NamedSharding(self._mesh, PartitionSpec())
        self.instrs: list[Instr] = []
        self.sizes: dict[str, tuple[int, Instr]] = {}
        self.products: dict[str, Instr] = {}
        self.doubles: dict[str, Instr] = {}
        self.transfers: dict[str, Transfer] = {}
        self.forms: dict[str, tuple[jax.ShapeDtypeStruct, bool]] = {}
        self.given: dict[str, Any] | None = None
        self.taken: list[tuple[Any, bool]] = []

    def total(self, rows: Any) -> Any:
        """Return the sum over all replicas, by the TPU's all-reduce."""
        if self.replicas == 1:
            return rows[0]

        def summed(own: Any) -> Any:
            return jnp.asarray(jax.lax.psum(widened(own[0]), AXIS), rows.dtype)

        return self._on_each(summed, PartitionSpec(AXIS), PartitionSpec())(rows)

    def from_host(self, name: str, form: jax.ShapeDtypeStruct, stacked: bool) -> Any:
        """Return the parameter that stands for an array of the host."""
        self.forms[name] = form, stacked
        if self.given is None:
            return jnp.zeros(form.shape, form.dtype)
        return self.given[name]

    def random(self, form: jax.ShapeDtypeStruct, seed: Any, stacked: bool) -> Any:
        """Return random bits, of which each core draws its own rows."""
        if not stacked or self.replicas == 1:
            return _bits(seed, form.shape)

        def own(row: Any) -> Any:
            return _bits(seed + row[0], (1, *form.shape[1:]))

        rows = PartitionSpec(AXIS)
        return self._on_each(own, rows, rows)(jnp.arange(self.replicas, dtype="uint32"))


def _bits(seed: Any, shape: Sequence[int]) -> Any:
    key = jnp.broadcast_to(jnp.asarray(seed, jnp.uint32), (4,))
    return jax.lax.rng_bit_generator(key, tuple(shape))[1]


class TargetPart(HostPart):
    """A host part whose results are parameters of the program, and operands results."""

    def lower(self, context: Context) -> dict[int, Value]:
        """Return the slots that it sets."""
        place = context.placement
        assert isinstance(place, TargetPlacement)
        first, last = self._program.instrs[0], self._program.instrs[-1]
        name = f"{first.name}/{first.replica}/{last.name}"
        sent = [value for value in self._values if not value.is_known]
        rows = []
        for number, spec in enumerate(self._specs):
            leading = (self._count,) if self._stacked else ()
            shape = (*leading, *spec.shape.as_list())
            form = jax.ShapeDtypeStruct(shape, spec.dtype.np)
            rows.append(place.from_host(f"{name}/{number}", form, self._stacked))
        # The barrier makes what the host gives depend on the state of a loop, or the
        # compiler would move it out; and it keeps what the host takes.
        failure, flags = context.failure
        tied, _ = jax.lax.optimization_barrier(
            ((failure, *rows), [value.array for value in sent])
        )
        context.failure = tied[0], flags
        if not context.depth:
            place.taken += [(value.array, value.stacked) for value in sent]
        place.transfers[name] = Transfer(
            _kind(self._program.instrs, place.elsewhere),
            first,
            sum(map(_bytes, self._specs)),
            sum(_bytes(TensorSpec(v.shape, as_dtype(v.dtype))) for v in sent),
            context.depth > 0,
        )
        values = {
            slot: Value(array, self._stacked)
            for slot, array in zip(self._program.results, tied[1:], strict=False)
        }
        kept = {slot: Value(result, True) for slot, result in self._kept.items()}
        return {**values, **kept}


def _kind(instrs: Sequence[Instr], elsewhere: set[str]) -> str:
    if any(instr.name in elsewhere for instr in instrs):
        return "other logical cores"
    fed = any(instr.definition.effects.drains is not None for instr in instrs)
    return "infeed" if fed else "host call"


def _bytes(spec: TensorSpec) -> int:
    return prod(size or 1 for size in spec.shape.as_list()) * spec.dtype.np.itemsize


class TargetLowering(Lowering):
    """One trace of a program for a TPU."""

    host_part = TargetPart
    assumes_limit = True

    def fail_where(self, instr: Instr, wrong: Value, describe: Describe) -> None:
        """Check nothing: a TPU does not."""

    def _draw_ahead(self, program: Any) -> dict[int, Value]:
        return {}

    def _folds(self, instr: Instr, slots: Slots) -> bool:
        """Whether an instruction is computed during lowering; of text on the host."""
        if not super()._folds(instr, slots):
            return False
        values = [slots.value_for(slot, instr) for slot in instr.inputs]
        computes = instr.core != HOST and not instr.definition.traits.asserts
        if computes and any(value.dtype == object for value in values):
            raise refusal(instr, "it takes text", codes.XLA_OPERATION)
        return True

    def _on_host(self, instr: Instr, slots: Slots) -> bool:
        if not instr.definition.traits.random:
            return super()._on_host(instr, slots)
        return not all(
            slot in slots and slots.value_for(slot, instr).is_known
            for slot in instr.inputs
        )

    def _lower(self, instr: Instr, operands: list[Value]) -> Sequence[Value]:
        place = self.placement
        assert isinstance(place, TargetPlacement)
        place.instrs.append(instr)
        with jax.named_scope(f"{TAG}{len(place.instrs) - 1}"):
            lower = self._draw if instr.op.startswith("Stateless") else super()._lower
            values = lower(instr, operands)
        sizes = [prod(v.shape) * v.dtype.itemsize for v in values]
        place.sizes[instr.name] = max([0, *sizes]), instr
        if instr.op.startswith(_PRODUCTS) and operands[0].dtype == np.float32:
            place.products[instr.name] = instr
        if any(value.dtype == np.float64 for value in values):
            place.doubles[instr.name] = instr
        return values

    def _draw(self, instr: Instr, operands: Sequence[Value]) -> Sequence[Value]:
        """Draw on the cores."""
        place = self.placement
        assert isinstance(place, TargetPlacement)
        stacked = self.replicas > 1 and instr.replica is None
        known = [TensorSpec(v.shape, as_dtype(v.dtype)) for v in operands]
        (spec,) = self.specs(instr, known, list(operands))
        shape = tuple(spec.shape.as_list())
        form = jax.ShapeDtypeStruct(
            (self.replicas, *shape) if stacked else shape, spec.dtype.np
        )
        seed = jnp.asarray(self.failure[0] + len(place.instrs), jnp.uint32)
        bits = place.random(form, seed, stacked)
        if spec.dtype.np.kind in "iub":
            return [Value(bits.astype(spec.dtype.np), stacked)]
        uniform = (bits >> 9).astype(jnp.float32) * np.float32(2**-23)
        if "Normal" in instr.op:
            uniform = np.float32(2**0.5) * jax.lax.erf_inv(2 * uniform - 1)
        return [Value(uniform.astype(spec.dtype.np), stacked)]


class TargetProgram(Compiled):
    """A program lowered for a TPU.

    A variable with a component on each replica is one stacked variable: each core holds
    its own component.
    """

    lowering = TargetLowering
    precision = "default"  # a TPU multiplies float32 as bfloat16

    def __init__(self, signature: Signature) -> None:
        place, whole = signature.placement, signature.program
        assert isinstance(place, TargetPlacement)
        if whole.num_cores > 1:
            place.elsewhere = {
                i.name for i in whole.all_instrs() if not runs_on(i, place.core)
            }
            whole = on_core(whole, place.core)
        program, replicas = merged(whole), place.replicas
        common = {h: own[0] for own in program.components for h in own}
        self._own = set(common.values())
        kept = [
            held._replace(shape=(replicas, *held.shape)) if h in self._own else held
            for held in signature.variables
            if held.handle in ProgramFacts(whole).variables
            and common.get(h := held.handle, h) == h
        ]
        whole = replace(program, components=())
        super().__init__(signature._replace(program=whole, variables=tuple(kept)))

    def _stack(self, held: dict[str, Value]) -> dict[str, Value]:
        return {h: v._replace(stacked=h in self._own) for h, v in held.items()}

    def _unstack(self, held: dict[str, Value]) -> dict[str, Value]:
        # Those in `_own` are kept whole: a value that is not stacked has no rows.
        return {
            h: Value(v.rows(self._replicas), False) if h in self._own else v
            for h, v in held.items()
        }

    def _layouts(self, handles: Sequence[str]) -> list[Any]:
        return [self._placement.layout(handle in self._own) for handle in handles]

    def parameters(self) -> list[tuple[str, str, str]]:
        """Return each parameter's kind, its name, and the line that first reads it."""
        handles = [*self._changed, *self._constant]
        kinds = ["slots" if _is_slot(h, handles) else "weights" for h in handles]
        place = self._placement
        assert isinstance(place, TargetPlacement)
        instrs = list(reversed([*self._program.all_instrs()]))
        lines = {i.attrs[i.definition.reads]: i for i in instrs if i.definition.reads}
        readers = {slot: instr for instr in instrs for slot in instr.inputs}

        def line(instr: Instr | None) -> str:
            return str(instr.site) if instr else ""

        slots = self._program.parameters
        inputs = [
            ("inputs", f"input {number}", line(readers.get(slots[number])))
            for number, _ in self._inputs
        ]
        held = [(k, h, line(lines.get(h))) for k, h in zip(kinds, handles, strict=True)]
        given = [("inputs", name.partition("/")[0], "") for name in place.forms]
        return [*inputs, *held, *given]

    def fetched(self, lowered: Any) -> int:
        """Return the bytes that the host fetches from each core."""
        kept = [value for value in self._results if value.array is None]
        return sum(
            form.size * form.dtype.itemsize // (self._replicas if value.stacked else 1)
            for form, value in zip(lowered.out_info[1], kept, strict=True)
        )

    def lowered(self) -> Any:
        """Return the program as JAX lowers it for the TPU."""
        place = self._placement
        assert isinstance(place, TargetPlacement)
        forms = dict(place.forms)

        def function(inputs: Any, changed: Any, constant: Any, given: Any) -> Any:
            place.given, place.taken = dict(zip(forms, given, strict=True)), []
            place.instrs = []
            _, *kept = self._outputs([], inputs, changed, constant, [])
            results, variables, _, failure = kept
            return variables, results, [array for array, _ in place.taken], failure[0]

        taken = [place.layout(stacked) for _, stacked in place.taken]
        held = {h.handle: h for h in self._signature.variables}
        return jax.jit(
            function,
            in_shardings=(
                self._input_layouts(),
                self._layouts(self._changed),
                self._layouts(self._constant),
                [place.layout(stacked) for _, stacked in forms.values()],
            ),
            out_shardings=(
                self._layouts([*self._changed, *self._written]),
                self._result_layouts(),
                taken,
                place.shared,
            ),
            donate_argnums=(1,),
            keep_unused=True,
        ).lower(
            self._signature.traced_inputs(),
            *(
                [jax.ShapeDtypeStruct(held[h].shape, held[h].dtype) for h in handles]
                for handles in (self._changed, self._constant)
            ),
            [form for form, _ in forms.values()],
        )


def _is_slot(handle: str, handles: Sequence[str]) -> bool:
    """Return whether a variable is named after another, as optimizers name slots."""
    # Variables of TensorFlow 2 have a number at the end of their handles.  Keras writes
    # the path of a layer, the name of its variable and that of the slot with "_".
    others = [other.partition("#")[0] for other in handles if other != handle]
    return any(handle.startswith(f"{other}/") for other in others) or (
        "#" in handle and any(f"_{other}_" in handle for other in others)
    )
