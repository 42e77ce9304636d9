"""The report as text."""

from collections.abc import Iterator
from typing import Any

SHOWN = 5
"""The number of buffers and of padded arrays in the text."""


def succeeded(report: dict[str, Any]) -> bool:
    """Return whether all programs of a report compile and fit."""
    programs = [p for target in report["targets"] for p in target["programs"]]
    return bool(programs) and all(p["compiles"] and p["fits"] for p in programs)


def as_text(report: dict[str, Any]) -> str:
    """Return a report as text."""
    lines: list[str] = []
    for target in report["targets"]:
        for program in target["programs"]:
            lines += [*_program(target, program), ""]
    return "\n".join(lines[:-1])


def verdict(program: dict[str, Any]) -> str:
    """Return whether a program compiles and fits, in words."""
    if program["compiles"]:
        return "compiles and fits"
    if program["fits"] is False:
        return "does not fit"
    return "does not compile" if program["compiles"] is False else "not judged"


def heading(target: dict[str, Any], program: dict[str, Any]) -> str:
    """Return a target, a program and the verdict."""
    cores = f"{target['cores']} cores" if target["cores"] > 1 else "1 core"
    return f"{target['target']} ({cores}): {program['name']} {verdict(program)}"


def _program(target: dict[str, Any], program: dict[str, Any]) -> Iterator[str]:
    yield heading(target, program)
    yield f"  built at {program['site']}"
    if program["message"]:
        yield from (f"  {line}" for line in program["message"].splitlines())
    if program["message_site"]:
        yield f"  at {program['message_site']}"
    if program["compiles"]:
        yield from _costs(program)
    if program["buffers"]:
        yield "  largest buffers of a core:"
        for one in program["buffers"][:SHOWN]:
            where = f", {one['site']}" if one["site"] else ""
            yield f"    {size(one['bytes'])}  {one['op']}{where}"
    if program["padding"]:
        yield "  most padding by tiles:"
        for one in program["padding"][:SHOWN]:
            ratio = one["bytes"] / one["own_bytes"]
            yield f"    {ratio:.3g} times {size(one['own_bytes'])}: {one['advice']}"
            yield f"      {one['shape']} of {one['op']}  {one['site']}"
    for one in program["host_transfers"]:
        turn = "in each turn of a loop" if one["in_loop"] else "in each run"
        amounts = f"{size(one['from_host'])} to a core, {size(one['to_host'])} from it"
        yield f"  {one['kind']} {turn}: {amounts}, {one['site']}"
    if program.get("calls_per_step"):
        yield f"  calls of Session.run for each run: {program['calls_per_step']:g}"
    if program["products"]:
        yield (
            f"  {len(program['products'])} matrix products read float32; bfloat16 "
            f"halves their memory: {_lines(program['products'])}"
        )
    if program["doubles"]:
        yield (
            f"  {len(program['doubles'])} operations compute float64, of which a TPU "
            f"makes several of float32: {_lines(program['doubles'])}"
        )
    if len(program.get("shapes", ())) > 1:
        yield "  compiled again for each of these inputs:"
        yield from (f"    {shapes}" for shapes in program["shapes"])


def _lines(operations: list[dict[str, Any]]) -> str:
    return "; ".join(sorted({one["site"] for one in operations})[:SHOWN])


def _costs(program: dict[str, Any]) -> Iterator[str]:
    hbm = program["hbm"]
    split = ", ".join(f"{name} {size(hbm[name])}" for name in ("weights", "slots"))
    yield (
        f"  memory of a core: {size(hbm['peak'])} of {size(hbm['capacity'])}: "
        f"arguments {size(hbm['arguments'])} ({split}, inputs {size(hbm['inputs'])}), "
        f"outputs {size(hbm['outputs'])} ({size(hbm['shared'])} in place of "
        f"arguments), temporaries {size(hbm['temporaries'])}"
    )
    seconds, share = program["estimated_seconds"], program["share_of_peak"]
    estimate = "no estimate of its time"
    if seconds:
        estimate = (
            f"{seconds * 1e6:.4g} us by the compiler's estimate, {share:.1%} of the "
            "peak of the matrix units"
        )
    yield (
        f"  a step on a core: {program['flops']:.4g} operations, "
        f"{size(program['bytes'])} moved, {estimate}"
    )


def size(count: float) -> str:
    """Return a number of bytes in words.

    Examples
    --------
    >>> size(2_500_000)
    '2.38 MiB'
    """
    for unit in ("B", "KiB", "MiB"):
        if count < 1024:
            return f"{count:.3g} {unit}" if count < 999.5 else f"{count:.0f} {unit}"
        count /= 1024
    return f"{count:.3g} GiB"
