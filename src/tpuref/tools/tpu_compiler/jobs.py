"""Compilation of programs for targets: in parallel, each in a child, and cached."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import blake2b
from importlib import metadata
from pathlib import Path
from typing import Any

import tpuref
from tpuref.base import error_codes as codes
from tpuref.base.errors import coded
from tpuref.base.extras import install_line
from tpuref.base.processors import processors
from tpuref.tools.tpu_compiler.request import Request, store
from tpuref.tools.tpu_compiler.targets import Target

DEADLINE = 600.0
"""The seconds that a program may compile for one target."""

OLDEST = (0, 0, 40)
"""The oldest version of libtpu that compiles for all targets."""


def require_compiler() -> str:
    """Return the version of the TPU compiler; ImportError if it cannot be used."""
    version = "none"
    try:
        metadata.version("jax")
        version = metadata.version("libtpu")
        numbers = tuple(int(part) for part in version.split(".")[:3])
    except (metadata.PackageNotFoundError, ValueError):
        numbers = ()
    if numbers < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise coded(
            ImportError,
            f"the TPU compiler is the package libtpu, {oldest} or newer, for Python "
            f"3.11 or newer, with JAX; installed is {version}: "
            f"{install_line('tpuref[tpu]')}",
            code=codes.NOT_INSTALLED,
        )
    return version


def judge(requests: Iterable[Request], targets: Sequence[Target]) -> dict[str, Any]:
    """Return the report of programs on targets."""
    require_compiler()
    with tempfile.TemporaryDirectory(prefix="tpuref-") as folder:
        index = store(requests, Path(folder))
        return compile_all([(target, index) for target in targets])


def compile_all(
    wanted: Sequence[tuple[Target, Sequence[dict[str, Any]]]],
    deadline: float = DEADLINE,
) -> dict[str, Any]:
    """Compile for each target its programs, as `store` describes them."""
    jobs = [(target, program) for target, index in wanted for program in index]
    with ThreadPoolExecutor(max(1, processors())) as threads:
        outcomes = iter(
            list(threads.map(lambda job: _compile(job[0], job[1], deadline), jobs))
        )
    return {
        "targets": [
            {
                "target": target.name,
                "cores": target.cores,
                "programs": [next(outcomes) for _ in index],
            }
            for target, index in wanted
        ]
    }


def _compile(
    target: Target, program: dict[str, Any], deadline: float
) -> dict[str, Any]:
    known = {name: program[name] for name in ("name", "site", "runs", "shapes")}
    known["calls_per_step"] = program["calls_per_step"]
    replicas, logical = program["replicas"], program["logical"]
    used = replicas * logical
    if used > target.cores or (
        used not in (1, target.cores) and not program["assigned"]
    ):
        each = f" of {logical} cores" if logical > 1 else ""
        why = f"not judged: it has {replicas} replicas{each}, "
        why += f"{target.name} {target.cores}"
        return {**unknown(program, target), "message": f"{why} cores", **known}
    cached = _cache_file(program["key"], target)
    try:
        return {**json.loads(cached.read_text()), **known}
    except (OSError, ValueError):
        pass
    return {**_in_child(target, program, deadline, cached), **known}


def unknown(program: dict[str, Any], target: Target) -> dict[str, Any]:
    """Return the report of a program of which nothing is known."""
    hbm = dict.fromkeys(("arguments", "outputs", "temporaries", "peak"))
    return {
        "name": program["name"],
        "site": program["site"],
        "compiles": None,
        "fits": None,
        "hbm": {**hbm, "capacity": target.capacity},
        **dict.fromkeys(("flops", "bytes", "estimated_seconds", "share_of_peak")),
        **{name: [] for name in ("host_transfers", "buffers", "padding")},
        **{name: [] for name in ("products", "doubles")},
        "message": "",
        "message_site": None,
    }


def _in_child(
    target: Target, program: dict[str, Any], deadline: float, cached: Path
) -> dict[str, Any]:
    """Return the report of a child process, and cache it."""
    with tempfile.TemporaryDirectory(prefix="tpuref-") as folder:
        result = Path(folder, "report.json")
        try:
            ended = subprocess.run(
                [
                    *(sys.executable, "-m", "tpuref.tools.tpu_compiler.child"),
                    *(program["file"], target.name, str(result)),
                ],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                timeout=deadline,
            )
            why = f"its process ended with status {ended.returncode}"
            if ended.returncode < 0:
                why = f"{signal.Signals(-ended.returncode).name} ended its process"
            said = ended.stderr.strip().splitlines()[-3:]
        except subprocess.TimeoutExpired:
            why, said = f"it took longer than {deadline:g} s (--deadline)", []
        if not result.exists():
            lines = "\n".join([f"not judged: the TPU compiler failed: {why}", *said])
            return {**unknown(program, target), "message": lines}
        report = {**unknown(program, target), **json.loads(result.read_text())}
    _keep(cached, report)
    return report


def _keep(file: Path, report: dict[str, Any]) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        own = file.with_suffix(f".{os.getpid()}-{id(report)}")
        own.write_text(json.dumps(report))
        own.replace(file)
    except OSError:  # a cache that cannot be written is no error
        pass


def _cache_file(key: str, target: Target) -> Path:
    """Return the file of a result; another compiler or tpuref has another one."""
    package = Path(tpuref.__file__).parent
    newest = max(file.stat().st_mtime_ns for file in package.rglob("*.py"))
    versions = [metadata.version(name) for name in ("jax", "libtpu")]
    whole = repr((key, target, versions, newest))
    name = blake2b(whole.encode(), digest_size=16).hexdigest()
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home, "tpuref", "compiled", f"{name}.json")
