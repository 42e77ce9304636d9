"""Reports for several values of a script's flag, as one table."""

from collections.abc import Sequence
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.errors import coded
from tpuref.tools.tpu_compiler.text import size, verdict


def values_of(sweep: str | None) -> tuple[str | None, list[str | None]]:
    """Return the flag and the values of an option such as ``"batch_size=8,16"``.

    It raises ValueError if there is no flag, or no value.

    >>> values_of("batch_size=8,16")
    ('--batch_size', ['8', '16'])
    """
    if sweep is None:
        return None, [None]
    flag, _, listed = sweep.partition("=")
    values: list[str | None] = [value for value in listed.split(",") if value]
    if not flag.strip("-") or not values:
        raise coded(
            ValueError,
            f"--sweep needs a flag of the script and values, got {sweep!r}; write "
            "--sweep batch_size=8,16,32",
            code=codes.INVALID_SETTING,
        )
    return flag if flag.startswith("-") else f"--{flag}", values


def as_table(flag: str, reports: Sequence[dict[str, Any]]) -> str:
    """Return one line for each value, target and program."""
    rows = [(flag, "target", "program", "verdict", "memory", "us/step", "us/example")]
    for report in reports:
        for target in report["targets"]:
            for program in target["programs"]:
                peak, seconds = program["hbm"]["peak"], program["estimated_seconds"]
                examples = program.get("examples")
                each = seconds / examples if seconds and examples else None
                rows.append(
                    (
                        *(report["value"], target["target"], program["name"]),
                        verdict(program),
                        size(peak) if peak else "",
                        *(f"{s * 1e6:.4g}" if s else "" for s in (seconds, each)),
                    )
                )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    ]
    return "\n".join(line.rstrip() for line in lines)
