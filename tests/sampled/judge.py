"""What TensorFlow says of programs, and in what tpuref differs."""

import base64
import json
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import tpuref.compat.v1 as tf

from . import plain
from .draft import LIMITS

RELATIVE = {"float16": 4e-3, "bfloat16": 3e-2, "float32": 2e-5, "complex64": 2e-5}
NO_KERNEL = ("No OpKernel was registered", "not supported by", "Unimplemented")


def interpreter():
    """Return the Python that has TensorFlow 1.15.5, None where there is none."""
    named = os.environ.get("TPUREF_TENSORFLOW")
    cache = os.environ.get("TPUREF_CONFORMANCE_CACHE")
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    root = Path(cache) if cache else home / "tpuref-conformance"
    built = root / "tensorflow-1.15.5"
    is_whole = (built / "complete").exists()
    return named or (str(built / "bin" / "python") if is_whole else None)


def of_tensorflow(programs, python):
    """Return what TensorFlow makes of programs, None for one that ends its process."""
    told = []
    while len(told) < len(programs):
        done = subprocess.run(
            [python, "-W", "ignore", plain.__file__],
            input=json.dumps(programs[len(told) :]),
            capture_output=True,
            text=True,
            check=False,
        )
        told += map(json.loads, done.stdout.splitlines())
        if len(told) < len(programs):
            assert done.returncode < 0, done.stderr[-2000:]  # a signal ended it
            told.append(None)
    return told


def of_tpuref(programs):
    return [json.loads(json.dumps(outcome)) for outcome in plain.run(tf, programs)]


@dataclass(frozen=True)
class Difference:
    """The first difference between two outcomes of a program."""

    call: str  # the function of the step that differs; for gradients, of what
    # ``accepts``, ``refuses``, ``static``, ``less static``, ``dtype``, ``sizes``,
    # ``None`` or ``value``
    kind: str
    ours: str  # what tpuref and TensorFlow give
    theirs: str
    # the largest distance of two finite values, relative to the largest above 1
    apart: float = 0.0
    # which of ``nan``, ``inf``, ``large`` and ``limit`` the inputs have
    inputs: str = ""

    def __str__(self):
        return f"{self.kind} {self.call}: {self.ours:.200}, wanted {self.theirs:.200}"


def difference(program, ours, theirs):
    """Return the first difference, None where there is none or nothing to compare."""
    for step in program if theirs is not None else ():
        a, b = ours.get(step["to"]), theirs.get(step["to"])
        if a is None or b is None:
            return None  # it reads what one refuses, or a gradient that there is not
        kinds = [_of_result(x, y, step) for x, y in _pairs(a, b)]
        if SKIP in kinds:
            return None
        for k, kind in enumerate(kinds):
            if kind is not None:
                x, y = _pairs(a, b)[k]
                show = _static if "static" in kind else _short
                apart = _apart(_array(x), _array(y)) if kind == "value" else 0.0
                return Difference(
                    _name(step, program), kind, show(x), show(y), apart, _odd(program)
                )
    return None


SKIP = "TensorFlow has no kernel for this dtype"


def _pairs(ours, theirs):
    """Return the results of a step beside each other, a raise beside all of them."""
    count = max(len(ours), len(theirs))
    if len(ours) != len(theirs):
        assert 1 in (len(ours), len(theirs)), (ours, theirs)
    both = (side * count if len(side) == 1 else side for side in (ours, theirs))
    return list(zip(*both, strict=True))


def _of_result(ours, theirs, step):
    """Return the kind of a difference."""
    raises = [side is not None and "raises" in side for side in (ours, theirs)]
    if raises[1] and any(p in theirs["raises"] + theirs["says"] for p in NO_KERNEL):
        return SKIP
    if any(raises):
        return None if all(raises) else "refuses" if raises[0] else "accepts"
    if ours is None or theirs is None:
        return None if ours is theirs else "None"
    for key in ("dtype", "sizes"):
        if ours[key] != theirs[key]:
            return key
    if "random" not in step and not _same(ours, theirs, step["call"] == "tf.gradients"):
        return "value"
    if ours["static"] == theirs["static"]:
        return None
    return "static" if _knows(ours["static"], theirs["static"]) else "less static"


def _knows(ours, theirs):
    """Return whether a static shape knows all that another one does."""
    if theirs is None or ours is None:
        return theirs is None
    return all(b is None or a == b for a, b in zip(ours, theirs, strict=True))


def _array(outcome):
    if "data" in outcome:
        return np.array(outcome["data"]).reshape(outcome["sizes"])
    name = outcome["dtype"]
    dtype = np.dtype("float32" if name == "bfloat16" else name)
    data = base64.b64decode(outcome["bytes"])
    return np.frombuffer(data, dtype).reshape(outcome["sizes"])


def _same(ours, theirs, is_rest):
    a, b = _array(ours), _array(theirs)
    if a.dtype.kind not in "fc":
        return bool((a == b).all())
    tolerance = RELATIVE.get(ours["dtype"], 1e-9)
    # Gradients and narrow numbers are rests of larger ones that cancel out.
    least = 1.0 if is_rest or tolerance > 1e-3 else 0.0
    scale = float(np.max(np.abs(b[np.isfinite(b)]).astype("f8"), initial=least))
    pairs = (a.real, b.real), (a.imag, b.imag)
    return all(_close(x, y, tolerance, scale) for x, y in pairs)


def _close(a, b, tolerance, scale):
    with np.errstate(all="ignore"):
        close = np.isclose(
            a.astype("f8"), b.astype("f8"), tolerance, tolerance * scale, equal_nan=True
        )
    return bool(close.all())


def _apart(a, b):
    if a.dtype.kind not in "fc":
        return float("inf")
    finite = np.isfinite(a) & np.isfinite(b)
    distances = np.abs(a[finite].astype("c16") - b[finite])
    scale = np.max(np.abs(b[finite]).astype("f8"), initial=1.0)
    return float(np.max(distances, initial=0.0) / scale)


def _odd(program):
    """Return which special numbers the inputs have."""
    found = set()
    for step in program:
        if step["call"] == "input" and step["dtype"] != "bool":
            data = np.array(step["data"], object).ravel().tolist()
            limits = LIMITS.get(step["dtype"], ())
            found |= {"nan" for x in data if x != x}
            found |= {"inf" for x in data if x in (np.inf, -np.inf)}
            found |= {"limit" for x in data for most in limits if abs(x - most) <= 1}
            found |= {"large" for x in data if 255 < abs(x) < np.inf}
    return " ".join(sorted(found))


def _name(step, program):
    call = step["call"]
    if call != "tf.gradients":
        return call
    return f"{call} of {next(s['call'] for s in program if s['call'] != 'input')}"


def _static(outcome):
    return str(outcome["static"])


def _short(outcome):
    if outcome is None:
        return "None"
    if "raises" in outcome:
        return f"{outcome['raises']}({outcome['says']})"
    return f"{outcome['dtype']} {outcome['sizes']} {_array(outcome).tolist()}"


def smallest(program, differing):
    """Return a program that still differs, from which no more step can be taken.

    `differing` judges several programs at once, as TensorFlow takes long to start.
    """
    shorter = [
        without for k in range(len(program)) if (without := _without(program, k))
    ]
    for candidate, differs in zip(shorter, differing(shorter), strict=True):
        if differs:
            return smallest(candidate, differing)
    return program


def _without(program, index):
    """Return the program without a step and all that depends on it."""
    gone = {program[index]["to"]}
    kept = []
    for step in program:
        read = {name.split(".")[0] for name in re.findall(r"%(v\d+)", json.dumps(step))}
        if step["to"] in gone or read & gone:
            gone.add(step["to"])
        else:
            kept.append(step)
    return kept


def script(program):
    """Return a program as a script that TensorFlow and tpuref both run."""
    lines = [
        "import numpy as np",
        "from numpy import inf, nan",
        "infj, nanj = complex(0, inf), complex(0, nan)",
        "# or: import tensorflow as tf",
        "import tpuref.compat.v1 as tf",
        "",
    ]
    for step in program:
        lines.append(f"{step['to']} = {_call(step)}")
    return "\n".join(lines)


def _call(step):
    if step["call"] == "input":
        data = step["data"]
        if step["dtype"].startswith("complex"):
            data = [complex(*pair) for pair in data]
        array = f"np.array({data}, tf.{step['dtype']}.as_numpy_dtype)"
        value = f"np.reshape({array}, {step['sizes']})"
        if step["static"] == "constant":
            return f"tf.constant({value})"
        return f"tf.placeholder_with_default({value}, {step['static']})"
    args = [_source(one) for one in step.get("args", ())]
    named = [f"{k}={_source(v)}" for k, v in step.get("kwargs", {}).items()]
    name = step["call"]
    if name == "[]":
        return f"{args[0]}[{args[1]}]"
    if name.startswith("."):
        name = args.pop(0) + name
    return f"{name}({', '.join([*args, *named])})"


def _source(one):
    if isinstance(one, list):
        return f"[{', '.join(map(_source, one))}]"
    if isinstance(one, dict):
        if "slice" in one:
            return f"slice({', '.join(map(_source, one['slice']))})"
        if "tuple" in one:
            return f"({', '.join(map(_source, one['tuple']))},)"
        body = {step["to"]: f"({_call(step)})" for step in one["steps"]}
        text = _source(one["gives"])
        for name, call in reversed(body.items()):
            text = text.replace(name, call)
        return f"lambda {', '.join(one['lambda'])}: {text}"
    if isinstance(one, str):
        if one.startswith("%"):
            name, _, index = one[1:].partition(".")
            return f"{name}[{index}]" if index else name
        return one if one.startswith("tf.") or one == "..." else repr(one)
    return f"float({str(one)!r})" if one != one or one in (1e999, -1e999) else repr(one)
