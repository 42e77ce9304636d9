"""The pool where there is little: memory, processors, descriptors, rights, network."""

from __future__ import annotations

import functools
import os
import subprocess
from pathlib import Path

import pytest

from .programs import PROGRAM, RESULT, python

ALONE = ["unshare", "--mount"]
"""A view of the file system that only the program has."""


@functools.cache
def permits(*command: str) -> bool:
    """Whether a command may be used here."""
    try:
        return subprocess.run(command, capture_output=True).returncode == 0
    except OSError:
        return False


def mounting(commands: str) -> list[str]:
    """The words in front of a program that sees other mounts; skip where forbidden."""
    if not permits(*ALONE, "mount", "--bind", "/tmp", "/tmp"):
        pytest.skip("only root may mount")
    return [*ALONE, "sh", "-c", f'{commands} && exec "$@"', "sh"]


READ_ONLY = "mount --bind {0} {0} && mount -o remount,bind,ro {0}"


@pytest.mark.parametrize("options", ["size=64m", "ro", "size=4k"])
def test_shared_memory_folder(tmp_path: Path, options: str) -> None:
    before = mounting(f"mount -t tmpfs -o {options} none /dev/shm")
    assert python(tmp_path, "-W", "error", "-c", PROGRAM, before=before) == RESULT


def test_no_shared_memory_folder(tmp_path: Path) -> None:
    (tmp_path / "dev").mkdir()
    before = mounting(
        f"cd {tmp_path} && mount -t tmpfs none dev && touch dev/null && "
        "mount --bind /dev/null dev/null && mount --bind dev /dev"
    )
    assert python(tmp_path, "-c", PROGRAM, before=before) == RESULT


def test_read_only_home(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    before = mounting(READ_ONLY.format(home))
    program = "import os; os.chdir(os.environ['HOME'])\n" + PROGRAM
    said = python(tmp_path, "-W", "error", "-c", program, before=before, HOME=str(home))
    assert said == RESULT


def test_read_only_everything(tmp_path: Path) -> None:
    before = mounting(
        "mount -t tmpfs -o ro none /dev/shm && mount -o remount,bind,ro / && "
        "(! touch /tmp/file 2> /dev/null)"
    )
    assert python(tmp_path, "-W", "error", "-c", PROGRAM, before=before) == RESULT


def test_one_processor(tmp_path: Path) -> None:
    one = min(os.sched_getaffinity(0))
    program = f"import os; os.sched_setaffinity(0, [{one}])\n" + PROGRAM
    assert python(tmp_path, "-W", "error", "-c", program) == RESULT


def test_offline(tmp_path: Path) -> None:
    alone = ["unshare", "--net"]
    if not permits(*alone, "true"):
        pytest.skip("only root may leave the network")
    assert python(tmp_path, "-W", "error", "-c", PROGRAM, before=alone) == RESULT


def test_a_first_process_that_waits_for_nobody(tmp_path: Path) -> None:
    """As in containers: the program is process 1 of its own, or its child is."""
    alone = ["unshare", "--pid", "--fork", "--mount-proc"]
    if not permits(*alone, "true"):
        pytest.skip("only root may have processes of his own")
    assert python(tmp_path, "-W", "error", "-c", PROGRAM, before=alone) == RESULT


def test_processes_that_cannot_be_looked_at(tmp_path: Path) -> None:
    before = mounting("mount -t tmpfs none /proc")
    assert python(tmp_path, "-c", PROGRAM, before=before) == RESULT


def test_little_address_space(tmp_path: Path) -> None:
    limit = "import resource as r; r.setrlimit(r.RLIMIT_AS, (4 << 30, 4 << 30))\n"
    assert python(tmp_path, "-W", "error", "-c", limit + PROGRAM) == RESULT


FAILS = """\
import os, resource
{}
try:
    tf.Session().run(tf.tpu.initialize_system())
except tf.errors.{} as error:
    print(error)
{}
"""
IMPORTS = (
    "import tpuref as tf; tf.Session(); import tpuref.engine.runtime.pool.host.pool\n"
)


def test_too_little_address_space(tmp_path: Path) -> None:
    limit = "resource.setrlimit(resource.RLIMIT_AS, (300 << 20, -1))"
    again = "resource.setrlimit(resource.RLIMIT_AS, (-1, -1))\n" + PROGRAM
    program = IMPORTS + FAILS.format(limit, "ResourceExhaustedError", again)
    said = python(tmp_path, "-W", "error", "-c", program)
    assert "no room for the memory of the cores" in said and "ulimit -v" in said
    assert said.endswith(RESULT)


def test_too_small_files(tmp_path: Path) -> None:
    limit = "resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, -1))"
    again = "resource.setrlimit(resource.RLIMIT_FSIZE, (-1, -1))\n" + PROGRAM
    program = IMPORTS + FAILS.format(limit, "ResourceExhaustedError", again)
    said = python(tmp_path, "-W", "error", "-c", program)
    assert "no room for the memory of the cores" in said and "ulimit -f" in said
    assert said.endswith(RESULT)


@pytest.mark.parametrize("more", [1, 4, 6, 12])
def test_too_few_descriptors(tmp_path: Path, more: int) -> None:
    """Wherever they run out, the error says so and none is lost."""
    limit = f"""\
held = len(os.listdir("/proc/self/fd")) - 1
resource.setrlimit(resource.RLIMIT_NOFILE, (held + {more}, 4096))
"""
    again = (
        """\
resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
assert len(os.listdir("/proc/self/fd")) - 1 == held
"""
        + PROGRAM
    )
    program = IMPORTS + FAILS.format(limit, "OpError", again)
    said = python(tmp_path, "-W", "error", "-c", program)
    assert said.endswith(RESULT)
    if more < 6:
        assert "Too many open files" in said
