"""One core process as the host sees it, with small programs instead of cores."""

import gc
import os
import resource
import signal
import sys

import pytest

from tpuref.base.errors import OpError, UnavailableError
from tpuref.engine.runtime.pool.arena import Arena
from tpuref.engine.runtime.pool.control_area import control_bytes
from tpuref.engine.runtime.pool.host import process as module
from tpuref.engine.runtime.pool.host.process import CoreProcess
from tpuref.engine.runtime.pool.split import Split

from ..crashes.processes import eventually, state_of

SECONDS = 30.0


def arena_of(cores):
    """Return the memory of so many cores, on as many processes."""
    return Arena.create(control_bytes(cores, cores), cores + 1)


@pytest.fixture
def start(monkeypatch):
    """Start processes that run some code; in it, LINK is a descriptor of its socket."""
    arena, started = arena_of(2), []
    gc.collect()
    before = len(os.listdir("/proc/self/fd"))

    def make(code, cores=2):
        program = f"import sys\nLINK, LIFELINE = map(int, sys.argv[-2:])\n{code}"
        command = [sys.executable, "-I", "-S", "-c", program]
        monkeypatch.setattr(module, "_command", lambda: command)
        started.append(CoreProcess(1, Split(cores, cores), arena))
        return started[-1]

    yield make
    for process in started:
        process.end()
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) <= before
    arena.close()


READY = "import os, time\nos.write(LINK, b'ready')\n"


def ready(process):
    """Wait until the program runs."""
    assert os.read(process.channel.fileno(), 5) == b"ready"
    return process


@pytest.mark.parametrize(
    ("code", "fate"),
    [
        ("sys.exit(0)", "its process ended with status 0"),
        ("import os; os._exit(7)", "its process ended with status 7"),
        ("import os; os.abort()", "its process was ended by SIGABRT"),
        (
            "import os; os.kill(os.getpid(), 9)",
            "its process was ended by SIGKILL (the system may be out of memory)",
        ),
        ("import os; os.kill(os.getpid(), 40)", "its process was ended by signal 40"),
    ],
)
def test_fates(start, code, fate):
    assert start(code).fate(SECONDS) == fate


def test_a_process_that_runs_on(start):
    process = ready(start(f"{READY}time.sleep(100)"))
    assert process.fate(0.0) == "it closed its socket, though its process still runs"
    assert not process.wait(0.0)
    process.kill()
    assert process.wait(SECONDS)
    process.end()
    assert not state_of(process.pid)


def test_the_log_is_what_it_wrote(start):
    process = start("print('out'); print('err', file=sys.stderr); sys.exit()")
    assert process.wait(SECONDS)
    assert sorted(process.log().split()) == ["err", "out"]
    assert process.log(4) == process.log()[4:].strip()
    process = start("print('first', 'x' * 100_000, 'last')")
    assert process.wait(SECONDS)
    assert len(process.log()) <= 1 << 16 and process.log().endswith("last")
    assert "first" not in process.log()


def test_the_stack_can_be_asked_for(start):
    code = "import faulthandler, signal\nfaulthandler.register(signal.SIGUSR1)\n"
    process = ready(start(f"{code}{READY}print('before', flush=True)\ntime.sleep(100)"))
    assert eventually(lambda: "before" in process.log(), SECONDS)
    begin = process.ask_for_stack()
    assert eventually(lambda: "<string>" in process.log(begin), SECONDS)
    assert "before" not in process.log(begin)
    process.end()


def test_whether_it_is_stopped_and_what_it_used(start):
    process = ready(start(f"{READY}while True: pass"))
    assert eventually(lambda: process.processor_ticks() > 5, SECONDS)
    assert not process.is_stopped()
    os.kill(process.pid, signal.SIGSTOP)
    assert eventually(process.is_stopped, SECONDS)
    used = process.processor_ticks()
    process.end()
    assert not state_of(process.pid) and used > 5
    assert not process.is_stopped() and process.processor_ticks() == 0


def test_it_is_killed_with_the_lifeline(start):
    """As when the host dies: even a process that pays no attention, or is stopped."""
    careless = "import signal\nfor n in (1, 2, 15): signal.signal(n, signal.SIG_IGN)\n"
    for stopped in (False, True):
        process = ready(start(f"{careless}{READY}time.sleep(100)"))
        if stopped:
            os.kill(process.pid, signal.SIGSTOP)
            assert eventually(process.is_stopped, SECONDS)
        process.abandon()
        assert eventually(
            lambda pid=process.pid: os.waitpid(pid, os.WNOHANG)[0] == pid, SECONDS
        )


def test_what_a_core_is_given(start, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "64")
    monkeypatch.delenv("GLIBC_TUNABLES", raising=False)
    code = """\
import os, socket
names = "OMP_NUM_THREADS OPENBLAS_NUM_THREADS MKL_NUM_THREADS TPUREF_KERNELS".split()
print(*(os.environ[name] for name in [*names, "GLIBC_TUNABLES"]))
own_group = os.getpgid(0) == os.getpid() or sys.version_info < (3, 11)
print(os.getcwd(), own_group, os.read(0, 1))
print(min(map(int, sys.argv[-3:])) > 2, len(os.listdir("/proc/self/fd")))
"""
    process = start(code, cores=1)
    assert process.wait(SECONDS)
    first, *others = process.log().splitlines()
    *threads, kernels, tunables = first.split()
    assert threads == [str(len(os.sched_getaffinity(0)))] * 3
    assert kernels in ("cython", "python") and tunables == "glibc.malloc.hugetlb=1"
    assert others == ["/ True b''", "True 7"]


def test_a_program_that_cannot_be_started(start, monkeypatch):
    arena = arena_of(8)
    before = len(os.listdir("/proc/self/fd"))
    monkeypatch.setattr(module, "_command", lambda: ["/nowhere/python"])
    with pytest.raises(UnavailableError, match="core 4 could not be started"):
        CoreProcess(4, Split(8, 8), arena)
    with pytest.raises(UnavailableError, match="cores 4-7 could not be started"):
        CoreProcess(1, Split(8, 2), arena)
    assert len(os.listdir("/proc/self/fd")) <= before
    arena.close()


def started_and_ended(arena):
    """The error of a process that cannot be started, nothing where it can."""
    try:
        CoreProcess(0, Split(1, 1), arena).end()
    except OpError as error:
        return str(error)
    return ""


def test_wherever_descriptors_run_out_none_is_lost(start):
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    arena = arena_of(1)
    highest = max(map(int, os.listdir("/proc/self/fd")))
    # Free numbers below the highest would stay free under every limit.
    gaps = [os.dup(arena.descriptor)]
    while gaps[-1] <= highest:
        gaps.append(os.dup(arena.descriptor))
    highest = gaps[-1]
    before = os.listdir("/proc/self/fd")
    failed = 0
    for more in range(12):
        resource.setrlimit(resource.RLIMIT_NOFILE, (highest + 1 + more, limits[1]))
        message = started_and_ended(arena)
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        assert message == "" or "Too many open files" in message
        assert len(os.listdir("/proc/self/fd")) == len(before)
        failed += bool(message)
    assert 1 <= failed < 12
    arena.close()
    for number in gaps:
        os.close(number)
