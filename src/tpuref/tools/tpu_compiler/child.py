"""The process of the TPU compiler: compiles one program for one target.

``python -m tpuref.tools.tpu_compiler.child REQUEST TARGET RESULT``
"""

import json
import os
import pickle
import re
import sys
from collections.abc import Sequence
from math import prod
from pathlib import Path
from typing import Any

# Without these, libtpu asks a metadata server for its TPU, and logs what it misses.
os.environ.update(
    JAX_PLATFORMS="cpu",
    TPU_SKIP_MDS_QUERY="1",
    TPU_ACCELERATOR_TYPE="v3-8",
    TPU_WORKER_HOSTNAMES="localhost",
    ALLOW_MULTIPLE_LIBTPU_LOAD="1",
    TPU_MIN_LOG_LEVEL="4",
    TF_CPP_MIN_LOG_LEVEL="4",
)

import jax
from jax.experimental import topologies

from tpuref.base import error_codes as codes
from tpuref.base.errors import OpError
from tpuref.engine.program import Instr
from tpuref.engine.runtime.xla.executor import enable_x64
from tpuref.tools.tpu_compiler import hlo
from tpuref.tools.tpu_compiler.lowering import (
    TAG,
    TargetPlacement,
    TargetProgram,
    Transfer,
)
from tpuref.tools.tpu_compiler.request import Request
from tpuref.tools.tpu_compiler.targets import TARGETS, Target

LISTED = 10
"""The number of largest buffers, and of arrays with most padding, in a report."""

_NUMBER = re.compile(TAG + r"(\d+)")


def main(request: str, target: str, result: str) -> None:
    """Compile, and write the report of one program."""
    asked: Request = pickle.loads(Path(request).read_bytes())
    Path(result).write_text(json.dumps(compiled(asked, TARGETS[target])))


def compiled(request: Request, target: Target) -> dict[str, Any]:
    """Return the report of one program on one target."""
    if request.refused:
        return _refusal_report(*request.refused)
    report: dict[str, Any] = {}
    topology = topologies.get_topology_desc(target.topology, "tpu")
    place = TargetPlacement(
        *(request.replicas, topology.devices),
        *(request.core, request.program.num_cores),
    )
    try:
        with enable_x64(True):
            program = _lower(request, place)
            lowered = program.lowered()
            report |= _host_side(request, place, program.fetched(lowered))
            executable = lowered.compile()
    except OpError as error:
        return report | _refusal_report(error.message, error.site)
    except jax.errors.JaxRuntimeError as error:
        return report | _failure(str(error), target, place)
    return report | _figures(executable, target, place, program)


def _refusal_report(message: str, site: object) -> dict[str, Any]:
    """Return the report of a program that the lowering refuses."""
    # Sizes that depend on data, and text, are no programs of a TPU either.
    never = codes.XLA_DATA_DEPENDENT in message or "text" in message
    said = message.partition(". The executor 'xla' cannot")[0]
    return {
        "compiles": False if never else None,
        "message": said if never else f"not judged: {said}",
        "message_site": None if site is None else str(site),
    }


def _lower(request: Request, place: TargetPlacement) -> TargetProgram:
    """Lower, with static values of small integers if shapes need them."""
    try:
        return TargetProgram(request.signature(place, False))
    except OpError as error:
        if codes.XLA_DATA_DEPENDENT not in error.message:
            raise
        return TargetProgram(request.signature(place, True))


def _host_side(
    request: Request, place: TargetPlacement, fetched: int
) -> dict[str, Any]:
    """Return the transfers with the host, and the products in float32."""
    transfers = [
        {**t._asdict(), "instr": t.instr.name, "site": str(t.instr.site)}
        for t in place.transfers.values()
    ]
    own = [one for one in request.inputs if one.stacked]
    fed = sum(one.dtype.itemsize * prod(one.shape) for one in own)
    for kind, one, taken in (("feeds", fed, 0), ("fetches", 0, fetched)):
        if one or taken:
            transfer = Transfer(kind, place.instrs[0], one, taken, False)
            named = {"instr": request.name, "site": request.site}
            transfers.append({**transfer._asdict(), **named})
    rows = [one.shape[0] for one in own if one.shape]
    one = [form.shape for form, stacked in place.forms.values() if stacked]
    rows += [shape[1] for shape in one if len(shape) > 1]
    return {
        "host_transfers": transfers,
        "examples": max(rows, default=0) * request.replicas or None,
        "products": [_of(instr) for instr in place.products.values()],
        "doubles": [_of(instr) for instr in place.doubles.values()],
    }


def _failure(message: str, target: Target, place: TargetPlacement) -> dict[str, Any]:
    """Return the report of a program that the compiler refuses."""
    report: dict[str, Any] = {"compiles": False, "message": message, "buffers": []}
    needed = re.search(r"\(([\d.]+)([KMGT])\) exceeds available HBM", message)
    if needed:
        largest = sorted(place.sizes.values(), key=lambda one: -one[0])[:LISTED]
        report["fits"] = False
        report["buffers"] = [{**_of(i), "bytes": size} for size, i in largest]
        report["message_site"] = report["buffers"][0]["site"] if largest else None
        unit = 2 ** (10 * (1 + "KMGT".index(needed[2])))
        needs = int(float(needed[1]) * unit)
        report["hbm"] = {"arguments": None, "outputs": None, "temporaries": needs}
        report["hbm"] |= {"peak": needs, "capacity": target.capacity}
    instr = _instr(message, place)
    if instr is not None:
        report["message_site"] = str(instr.site)
    return report


def _figures(
    executable: Any, target: Target, place: TargetPlacement, program: TargetProgram
) -> dict[str, Any]:
    """Return the compiler's memory and cost figures of a compiled program."""
    memory, costs = executable.memory_analysis(), executable.cost_analysis()
    costs = costs if isinstance(costs, dict) else costs[0]
    listed = list(hlo.instructions(executable.as_text()))
    arguments, outputs, temporaries, shared = (
        getattr(memory, f"{name}_size_in_bytes")
        for name in ("argument", "output", "temp", "alias")
    )
    split = dict.fromkeys(("weights", "slots", "inputs"), 0)
    parameters = program.parameters()
    for instr in listed:
        if instr.in_entry and instr.number is not None:
            split[parameters[instr.number][0]] += sum(a.held for a in instr.arrays)
    peak = arguments + outputs + temporaries - shared
    seconds = _seconds(costs.get("optimal_seconds", -1.0), listed, target)
    flops = costs.get("flops", 0.0)
    return {
        "compiles": True,
        "fits": peak <= target.capacity,
        "hbm": {
            "arguments": arguments,
            "outputs": outputs,
            "shared": shared,
            "temporaries": temporaries,
            "peak": peak,
            "capacity": target.capacity,
            **split,
        },
        "flops": flops,
        "bytes": costs.get("bytes accessed", 0.0),
        "estimated_seconds": seconds,
        "share_of_peak": flops / (seconds * target.peak) if seconds else None,
        **_arrays(listed, place, parameters),
    }


def _seconds(
    optimal: float, listed: Sequence[hlo.Instruction], target: Target
) -> float | None:
    """Return the estimate of a step: the compiler's, or the sum of its cycles."""
    # The compiler adds -1 for each operation whose cost it does not know.
    if optimal > 0:
        return optimal
    return sum(instr.cycles for instr in listed) / target.clock or None


def _arrays(
    listed: Sequence[hlo.Instruction],
    place: TargetPlacement,
    parameters: Sequence[tuple[str, str, str]],
) -> dict[str, Any]:
    """Return the largest arrays, and those with most padding, with their lines."""
    entries: dict[tuple[Any, ...], dict[str, Any]] = {}
    for one in listed:
        if one.opcode == "parameter" and not one.in_entry:
            continue
        instr = _instr(one.op_name, place)
        for array in one.arrays:
            shape = f"{array.dtype}{list(array.shape)}"
            name, site = one.op_name or one.opcode, ""
            if one.number is not None:
                _, name, site = parameters[one.number]
            line = _of(instr) if instr else {"op": name, "site": site}
            key = (array.in_hbm, shape, *line.values())
            entries[key] = {
                **line,
                "shape": shape,
                "sizes": list(array.shape),
                "padded": list(array.padded),
                "tiles": array.tiles,
                "bytes": array.held,
                "own_bytes": array.own,
                "advice": _advice(array),
            }
    arrays = [entry for key, entry in entries.items() if key[0]]
    waste = [e for e in entries.values() if e["bytes"] > e["own_bytes"] > 4]
    return {
        "buffers": sorted(arrays, key=lambda e: -e["bytes"])[:LISTED],
        "padding": sorted(waste, key=lambda e: e["own_bytes"] - e["bytes"])[:LISTED],
    }


def _advice(array: hlo.Tiled) -> str:
    grown = [
        f"a size of {size} is padded to {padded}"
        for size, padded in zip(array.shape, array.padded, strict=True)
        if padded > size
    ]
    return " and ".join(grown)


def _instr(text: str, place: TargetPlacement) -> Instr | None:
    numbers = _NUMBER.findall(text)
    return place.instrs[int(numbers[-1])] if numbers else None


def _of(instr: Instr) -> dict[str, Any]:
    return {"op": f"{instr.op} {instr.name}", "site": str(instr.site)}


if __name__ == "__main__":
    main(*sys.argv[1:])
