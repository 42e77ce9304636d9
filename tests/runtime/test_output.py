"""What cores write is shown by the host, and never holds them up."""

import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

import tpuref as tf
from tpuref.engine.runtime.pool.arena import Arena, anonymous_file
from tpuref.engine.runtime.pool.control_area import control_bytes
from tpuref.engine.runtime.pool.host import output as module
from tpuref.engine.runtime.pool.host.output import (
    KEPT_BYTES,
    LINE_BYTES,
    LINES_PER_SECOND,
    CoreOutput,
)
from tpuref.engine.runtime.pool.host.process import CoreProcess
from tpuref.engine.runtime.pool.split import Split
from tpuref.engine.runtime.system import LOCAL

from ..crashes.processes import eventually
from ..messages import refused

SECONDS = 30.0


class Written:
    """An output, and the file that a core would write to."""

    def __init__(self, capsys):
        self.file = anonymous_file()
        self.output = CoreOutput("core 3", self.file)
        self._capsys = capsys

    def write(self, content):
        os.lseek(self.file, 0, os.SEEK_END)
        while content:
            content = content[os.write(self.file, content) :]

    def shown(self, content=b"", last=False):
        """Write, and return what the host then shows."""
        self.write(content)
        self.output.show(last)
        printed = self._capsys.readouterr()
        assert printed.out == ""
        return printed.err

    def blocks(self):
        """How much memory it takes, in bytes."""
        return os.fstat(self.file).st_blocks * 512


@pytest.fixture
def written(capsys):
    made = Written(capsys)
    yield made
    os.close(made.file)


def test_lines_have_the_core_before_them(written):
    assert written.shown(b"one\ntwo\r\n\n") == "[core 3] one\n[core 3] two\n[core 3] \n"
    assert written.shown() == ""


def test_a_line_is_shown_when_it_is_whole(written):
    for content, shown in (
        (b"begin", ""),
        (b", end\nrest", "[core 3] begin, end\n"),
        (b" \xff\n", "[core 3] rest \ufffd\n"),  # as far as it is text
        (b"last", ""),
    ):
        assert written.shown(content) == shown
    assert written.shown(last=True) == "[core 3] last\n"
    assert written.shown(last=True) == ""


def test_long_lines_are_cut(written):
    expected = "x" * LINE_BYTES + "... (7 bytes more)"
    assert written.shown(b"x" * (LINE_BYTES + 7) + b"\n") == f"[core 3] {expected}\n"
    assert len(written.shown(b"y" * (3 << 20) + b"\n")) < LINE_BYTES + 100


def test_many_lines_are_counted(written, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    lines = written.shown(b"line\n" * (LINES_PER_SECOND + 50)).splitlines()
    assert lines[:-1] == ["[core 3] line"] * LINES_PER_SECOND
    assert lines[-1] == "[core 3] (50 lines more were left out)"
    assert written.shown(b"line\n") == "[core 3] (1 lines more were left out)\n"
    now[0] += 1.0
    assert written.shown(b"line\n") == "[core 3] line\n"


def test_what_was_shown_takes_no_memory(written):
    for _ in range(4):
        written.shown(b"x" * 999 + b"\n" + b"y" * (4 << 20) + b"\n")
    assert written.output.size > 16 << 20
    assert written.blocks() < 8 << 20
    assert written.output.tail().endswith("yyy")
    assert len(written.output.tail()) <= KEPT_BYTES


def test_what_is_skipped_is_not_shown(written):
    written.write(b"a stack\n")
    written.output.skip()
    assert written.shown(b"more\n") == "[core 3] more\n"
    assert written.output.tail() == "a stack\nmore"


class Closed:
    def write(self, text):
        raise ValueError("closed")


@pytest.mark.parametrize("stream", [None, Closed()])
def test_a_host_without_a_standard_error(written, stream, monkeypatch):
    written.write(b"lost\n")
    monkeypatch.setattr(sys, "stderr", stream)
    written.output.show()


@pytest.fixture
def pids():
    """Two cores that run, and a function that gives their processes."""
    outputs = tf.tpu.replicate(lambda x: x + 1.0, [[1.0], [2.0]])
    settings = tf.config.override(executor="pool", cores=2, processes="cores")
    with settings, tf.Session() as session:
        session.run(tf.tpu.initialize_system())
        executor: Any = LOCAL._systems["localhost"]._executor

        def run():
            session.run(outputs)
            ids: list[int] = executor.process_ids
            return ids

        yield run
        session.run(tf.tpu.shutdown_system())


def wrote(pid):
    """Make a core write its stack, and wait until it has."""
    output = Path(f"/proc/{pid}/fd/2")
    before = output.stat().st_size
    os.kill(pid, signal.SIGUSR1)
    return eventually(lambda: output.stat().st_size > before, SECONDS)


def test_a_run_shows_what_its_cores_wrote(pids, capsys):
    _, second = pids()
    capsys.readouterr()
    assert wrote(second)
    pids()
    printed = capsys.readouterr()
    assert "[core 1] Stack (most recent call first):\n" in printed.err
    assert "[core 0]" not in printed.err and printed.out == ""
    pids()
    assert capsys.readouterr().err == ""


def test_what_comes_last_is_shown_at_the_end(pids, capsys, session):
    first, _ = pids()
    assert wrote(first)
    session.run(tf.tpu.shutdown_system())
    assert "[core 0] Stack (most recent call first):\n" in capsys.readouterr().err


def test_the_last_words_of_a_core_are_in_the_message(pids, capsys):
    pid = pids()[1]
    assert wrote(pid)
    os.kill(pid, signal.SIGKILL)
    words = ["lost core 1", "\nIts last output:\n  ", 'worker.py", line']
    refused(tf.errors.AbortedError, words, pids)
    assert "[core 1]" not in capsys.readouterr().err  # it is in the error


@pytest.fixture
def started(monkeypatch):
    """Start a core process that runs some code instead of a core's."""
    split = Split(2, 2)
    arena, processes = Arena.create(control_bytes(*split), 3), []
    path = str(Path(tf.__file__).parents[1])

    def start(code):
        program = f"import os, sys\nsys.path.insert(0, {path!r})\n{code}"
        command = [sys.executable, "-c", program]
        monkeypatch.setattr(
            "tpuref.engine.runtime.pool.host.process._command", lambda: command
        )
        processes.append(CoreProcess(1, split, arena))
        return processes[-1]

    yield start
    for process in processes:
        process.end()
    arena.close()


def test_code_of_c_writes_by_the_line(started):
    process = started(
        "import ctypes\n"
        "from tpuref.engine.runtime.pool.process.worker import _write_lines_at_once\n"
        "_write_lines_at_once()\n"
        "ctypes.CDLL(None).printf(b'of C\\n')\n"
        "print('of Python')\n"
        "os.kill(os.getpid(), 9)\n"
    )
    assert process.wait(SECONDS)
    assert process.log().splitlines() == ["of C", "of Python"]


def test_a_core_never_waits_for_a_reader(started, capsys):
    process = started("for _ in range(300_000): print('more than a pipe holds')")
    assert process.wait(SECONDS)
    assert process.output.size > 6_000_000
    process.end()
    shown = capsys.readouterr().err.splitlines()
    assert len(shown) <= 2 * LINES_PER_SECOND + 1
    assert shown[-1].endswith("lines more were left out)")
