"""The report on programs, as text and as JSON."""

from __future__ import annotations

import collections
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tpuref.base.texts import counted
from tpuref.tools.porting.imports import Imports, distribution
from tpuref.tools.porting.program import Name, Place, Program
from tpuref.tools.porting.release import release_of
from tpuref.tools.porting.rewrite import Rewrite

WIDTH = 80
PLACES = 10
"""The most places of a name in the text; JSON has all."""

MOST = 10
"""The most names in the list of those that most files lack."""


def program_text(program: Program) -> str:
    """Return the names of a program: missing ones by advice, then the others."""
    lines = [str(program.path), _wrap(f"written for {release_of(program).text}", 2)]
    if program.unparsed:
        lines.append("  (Python 3 cannot parse it, so its tokens were read)")
    if program.shell:
        cells = ", ".join(map(str, program.shell[:PLACES]))
        lines.append(_wrap(f"A shell runs lines of it before or between: {cells}", 2))
    by_advice: dict[str, list[str]] = {}
    for name in program.missing:
        by_advice.setdefault(_advice(name), []).append(_line(name))
    for advice, names in by_advice.items():
        lines += [_wrap(advice, 2), *names]
    if program.keras_2:
        lines.append("  Keras 3 refuses this, which Keras 2 took")
    for place, idiom in program.keras_2:
        lines.append(_wrap(f"{place}: {idiom.text}; write {idiom.instead}", 6))
    there = [name.name for name in program.names if name.missing is None]
    if there:
        lines.append(_wrap(f"tpuref has {', '.join(there)}", 2))
    return "\n".join(lines)


def _advice(name: Name) -> str:
    assert name.missing is not None
    if name.missing.origin:
        return name.missing.advice or "tpuref has nothing like it."
    return name.missing.advice or "TensorFlow has no such name either."


def _line(name: Name) -> str:
    places = [str(place) for place in name.places[:PLACES]]
    more = len(name.places) - len(places)
    return _wrap(
        f"{name.name}: {', '.join(places)}" + (f" and {more} more" if more else ""), 6
    )


def _wrap(text: str, indent: int) -> str:
    return textwrap.fill(
        text,
        WIDTH,
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + 2),
        break_on_hyphens=False,
        break_long_words=False,
    )


def imports_text(path: Path, imports: Imports, modules: Sequence[Program]) -> str:
    """Return the lines about imports that stop a script, if any."""
    lines = []
    for package, (importer, place) in imports.missing.items():
        lines.append(
            _wrap(
                f"pip install {distribution(package)}: {package} is not installed, and "
                f"{importer.name} imports it in line {place}",
                2,
            )
        )
    for module in modules:
        if module.missing:
            names = ", ".join(
                f"{name.name} in line {name.places[0]}" for name in module.missing
            )
            lines.append(_wrap(f"{module.path} lacks {names}", 2))
    if lines:
        lines.insert(0, f"{path} imports modules that stop it")
    return "\n".join(lines)


def table_text(rows: Sequence[Entry]) -> str:
    """Return a line for each script that is made to be run."""
    lines = [f"{'lacks':>5} {'in modules':>10} {'pip':>4}  script"]
    for row in rows:
        program, inside = len(row.program.missing), _lacking(row.modules)
        missing = len(row.imports.missing)
        lines.append(f"{program:5d} {inside:10d} {missing:4d}  {row.program.path}")
    whole = sum(not entry.stops for entry in rows)
    lines.append(f"{whole} of {counted(len(rows), 'script')} find all they need.")
    return "\n".join(lines)


def _lacking(modules: Sequence[Program]) -> int:
    return len({name.name for module in modules for name in module.missing})


class Entry(NamedTuple):
    """An entry script, and the modules that its imports reach."""

    program: Program
    imports: Imports
    modules: list[Program]

    @property
    def stops(self) -> bool:
        """Whether a name or a package is missing."""
        inside = any(module.missing for module in self.modules)
        return bool(self.program.missing or self.imports.missing or inside)


def rewrite_text(program: Program, rewrite: Rewrite) -> str:
    """Return the lines of a program that have changed, and those that have not."""
    lines = []
    for change in rewrite.changes:
        lines.append(f"{program.path}:{change.place}")
        lines += [f"  - {change.before}", f"  + {change.after}"]
    for refusal in rewrite.refusals:
        lines.append(f"{program.path}:{refusal.place} stays as it is")
        lines.append(_wrap(refusal.reason, 6))
    return "\n".join(lines)


def summary_text(programs: Sequence[Program]) -> str:
    """Return the number of names, and those that most files lack."""
    facts = summary(programs)
    lines = [
        f"{counted(len(programs), 'file')}, {counted(facts['names'], 'name')} taken "
        f"from tf: tpuref has {facts['there']} and lacks {facts['missing']}."
    ]
    if len(programs) > 1:
        lines[0] += f" It has all names of {counted(facts['complete'], 'file')}."
        lines += [
            f"{count:6d} files lack {name}" for name, count in facts["lacking"][:MOST]
        ]
    return "\n".join(lines)


def summary(programs: Sequence[Program]) -> dict[str, Any]:
    """Return the figures of all programs together."""
    names = {name.name for program in programs for name in program.names}
    lacking = collections.Counter(
        name.name for program in programs for name in program.missing
    )
    return {
        "files": len(programs),
        "complete": sum(not program.missing for program in programs),
        "names": len(names),
        "there": len(names) - len(lacking),
        "missing": len(lacking),
        "lacking": lacking.most_common(),
    }


def program_dict(program: Program, rewrite: Rewrite | None) -> dict[str, Any]:
    """Return a program as it stands in JSON."""
    record: dict[str, Any] = {
        "file": str(program.path),
        "parsed": not program.unparsed,
        "release": release_of(program)._asdict(),
        "shell": [_place_dict(place) for place in program.shell],
        "names": [_name_dict(name) for name in program.names],
        "keras_2": [
            _place_dict(place) | {"found": idiom.text, "instead": idiom.instead}
            for place, idiom in program.keras_2
        ],
    }
    if rewrite is not None:
        record["changed"] = [
            {
                **_place_dict(change.place),
                "before": change.before,
                "after": change.after,
            }
            for change in rewrite.changes
        ]
        record["refused"] = [
            _place_dict(refusal.place) | {"reason": refusal.reason}
            for refusal in rewrite.refusals
        ]
    return record


def imports_dict(entry: Entry) -> dict[str, Any]:
    """Return the imports of an entry script for the JSON report."""
    return {
        "file": str(entry.program.path),
        "modules": [
            {
                "file": str(module.path),
                "missing": [name.name for name in module.missing],
            }
            for module in entry.modules
        ],
        "packages": {
            package: distribution(package) for package in entry.imports.missing
        },
        "stops": entry.stops,
    }


def _name_dict(name: Name) -> dict[str, Any]:
    record: dict[str, Any] = {
        "name": name.name,
        "there": name.missing is None,
        "places": [_place_dict(place) for place in name.places],
    }
    if name.missing is not None:
        record["origin"] = name.missing.origin
        record["advice"] = name.missing.advice
    return record


def _place_dict(place: Place) -> dict[str, Any]:
    return {"cell": place.cell or None, "line": place.line}
