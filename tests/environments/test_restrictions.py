"""The pool where there is little: memory, processors, descriptors, rights, network."""

import functools
import os
import subprocess

import pytest

from .programs import PROGRAM, RESULT, python

ALONE = ["unshare", "--mount"]
"""A view of the file system that only the program has."""


@functools.cache
def permits(*command):
    """Whether a command may be used here."""
    try:
        return subprocess.run(command, capture_output=True).returncode == 0
    except OSError:
        return False


def mounting(commands):
    """The words in front of a program that sees other mounts; skip where forbidden."""
    if not permits(*ALONE, "mount", "--bind", "/tmp", "/tmp"):
        pytest.skip("only root may mount")
    return [*ALONE, "sh", "-c", f'{commands} && exec "$@"', "sh"]


READ_ONLY = "mount --bind {0} {0} && mount -o remount,bind,ro {0}"


MOUNTS = {
    **{
        f"/dev/shm with {options}": f"mount -t tmpfs -o {options} none /dev/shm"
        for options in ("size=64m", "ro", "size=4k")
    },
    "no /dev/shm": (
        "mkdir dev && mount -t tmpfs none dev && touch dev/null && "
        "mount --bind /dev/null dev/null && mount --bind dev /dev"
    ),
    "everything read-only": (
        "mount -t tmpfs -o ro none /dev/shm && mount -o remount,bind,ro / && "
        "(! touch /tmp/file 2> /dev/null)"
    ),
    "no /proc": "mount -t tmpfs none /proc",
}
WITH_WARNINGS = ("no /dev/shm", "no /proc")


@pytest.mark.parametrize("name", MOUNTS)
def test_other_mounts(tmp_path, name):
    options = () if name in WITH_WARNINGS else ("-W", "error")
    before = mounting(f"cd {tmp_path} && {MOUNTS[name]}")
    assert python(tmp_path, *options, "-c", PROGRAM, before=before) == RESULT


@pytest.mark.parametrize(
    "alone",
    # As in containers: the program is process 1 of its own, or its child is.
    [["unshare", "--net"], ["unshare", "--pid", "--fork", "--mount-proc"]],
)
def test_no_network_and_a_first_process_that_waits_for_nobody(tmp_path, alone):
    if not permits(*alone, "true"):
        pytest.skip("only root may leave the network, or have processes of his own")
    assert python(tmp_path, "-W", "error", "-c", PROGRAM, before=alone) == RESULT


@pytest.mark.parametrize(
    "limit",
    [
        f"import os; os.sched_setaffinity(0, [{min(os.sched_getaffinity(0))}])\n",
        "import resource as r; r.setrlimit(r.RLIMIT_AS, (4 << 30, 4 << 30))\n",
    ],
)
def test_one_processor_and_little_address_space(tmp_path, limit):
    assert python(tmp_path, "-W", "error", "-c", limit + PROGRAM) == RESULT


def test_read_only_home(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    before = mounting(READ_ONLY.format(home))
    program = "import os; os.chdir(os.environ['HOME'])\n" + PROGRAM
    said = python(tmp_path, "-W", "error", "-c", program, before=before, HOME=str(home))
    assert said == RESULT


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


@pytest.mark.parametrize(
    ("what", "size", "option"), [("AS", "300 << 20", "-v"), ("FSIZE", "1 << 20", "-f")]
)
def test_too_little_address_space_or_too_small_files(tmp_path, what, size, option):
    limit = f"resource.setrlimit(resource.RLIMIT_{what}, ({size}, -1))"
    again = f"resource.setrlimit(resource.RLIMIT_{what}, (-1, -1))\n" + PROGRAM
    program = IMPORTS + FAILS.format(limit, "ResourceExhaustedError", again)
    said = python(tmp_path, "-W", "error", "-c", program)
    assert "no room for the memory of the cores" in said
    assert f"ulimit {option}" in said and said.endswith(RESULT)


@pytest.mark.parametrize("more", [1, 4, 6, 12])
def test_too_few_descriptors(tmp_path, more):
    """Wherever they run out, the error says so and none is lost."""
    limit = f"""\
held = len(os.listdir("/proc/self/fd")) - 1
resource.setrlimit(resource.RLIMIT_NOFILE, (held + {more}, 4096))
"""
    again = f"""\
resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
assert len(os.listdir("/proc/self/fd")) - 1 == held
{PROGRAM}"""
    program = IMPORTS + FAILS.format(limit, "OpError", again)
    said = python(tmp_path, "-W", "error", "-c", program)
    assert said.endswith(RESULT)
    if more < 6:
        assert "Too many open files" in said
