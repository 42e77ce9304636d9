"""The report on programs, as text and as JSON."""

from __future__ import annotations

import collections
import textwrap
from collections.abc import Sequence
from typing import Any

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
    by_advice: dict[str, list[str]] = {}
    for name in program.missing:
        by_advice.setdefault(_advice(name), []).append(_line(name))
    for advice, names in by_advice.items():
        lines += [_wrap(advice, 2), *names]
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
        f"{_count(len(programs), 'file')}, {_count(facts['names'], 'name')} taken "
        f"from tf: tpuref has {facts['there']} and lacks {facts['missing']}."
    ]
    if len(programs) > 1:
        lines[0] += f" It has all names of {_count(facts['complete'], 'file')}."
        lines += [
            f"{count:6d} files lack {name}" for name, count in facts["lacking"][:MOST]
        ]
    return "\n".join(lines)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


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
    found: dict[str, Any] = {
        "file": str(program.path),
        "parsed": not program.unparsed,
        "release": release_of(program)._asdict(),
        "names": [_name_dict(name) for name in program.names],
    }
    if rewrite is not None:
        found["changed"] = [
            {
                **_place_dict(change.place),
                "before": change.before,
                "after": change.after,
            }
            for change in rewrite.changes
        ]
        found["refused"] = [
            _place_dict(refusal.place) | {"reason": refusal.reason}
            for refusal in rewrite.refusals
        ]
    return found


def _name_dict(name: Name) -> dict[str, Any]:
    found: dict[str, Any] = {
        "name": name.name,
        "there": name.missing is None,
        "places": [_place_dict(place) for place in name.places],
    }
    if name.missing is not None:
        found["origin"] = name.missing.origin
        found["advice"] = name.missing.advice
    return found


def _place_dict(place: Place) -> dict[str, Any]:
    return {"cell": place.cell or None, "line": place.line}
