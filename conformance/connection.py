"""The line to the process of a subject.

The life of a connection: the process is started and answers a header, or it cannot
start (:class:`CannotStart`); it answers each clause, or its process ends
(:class:`Crashed`), or it does not answer in time (:class:`TimedOut`); it is closed
and answers a footer. After any of the errors the process is gone.
"""

import contextlib
import json
import os
import select
import signal
import subprocess
import time

from .outcome import Result

_WORKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "worker.py")
_DETAIL = 4000
_CLOSING_TIME = 10.0
_READS = 100


class Broken(Exception):
    """The process of the subject is gone."""


class CannotStart(Broken):
    """The subject cannot be imported, or is not what it should be."""


class Crashed(Broken):
    """The process ended by itself."""


class TimedOut(Broken):
    """The process did not answer in time and was killed."""


class Connection:
    """A running subject, whose header must arrive within ``start_time`` seconds."""

    def __init__(self, subject, start_time):
        self._printed = b""
        self._pending = b""
        self._process, self._answers = _start(subject)
        self._noise = self._process.stderr.fileno()
        try:
            self.header = self._greet(subject, start_time)
        except Broken:
            self.kill()
            raise

    def _greet(self, subject, start_time):
        self._ask(
            {
                "module": subject.module,
                "described": subject.described,
                "suite": subject.suite,
                "served": subject.served,
                "release": subject.release,
                "cores": subject.cores,
            }
        )
        try:
            answer = self._answer(("header", "cannot_start"), start_time)
        except Broken as reason:
            said = self.take_printed().strip().splitlines()
            last = f": {said[-1]}" if said else ""
            raise CannotStart(f"it did not start ({reason}){last}") from None
        if "cannot_start" in answer:
            raise CannotStart(answer["cannot_start"])
        header = answer["header"]
        if subject.version is not None and header["version"] != subject.version:
            raise CannotStart(
                f"it says that it is version {header['version']}, "
                f"but {subject.version} was expected"
            )
        return header

    def run(self, clause, seconds):
        """Return the Result of ``clause``, which has that many seconds."""
        self.take_printed()
        self._ask({"run": clause.id})
        result = Result.from_json(self._answer(("result",), seconds)["result"])
        if result.id != clause.id:
            self.kill()
            raise Crashed(f"it answered {result.id} when asked for {clause.id}")
        result.detail = self.take_printed()
        return result

    def close(self):
        """End the process in order and return how many results it counted."""
        try:
            self._process.stdin.close()
            return self._answer(("footer",), _CLOSING_TIME)["footer"]["results"]
        finally:
            self.kill()

    def kill(self):
        """End the process, and those that it started, at once."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._drain()
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        self._process.stderr.close()
        self._noise = None
        if self._answers is not None:
            os.close(self._answers)
            self._answers = None

    def take_printed(self):
        """Return the end of what the subject printed since the last call."""
        self._drain()
        printed, self._printed = self._printed, b""
        return printed[-_DETAIL:].decode("utf-8", "replace")

    def _drain(self):
        """Read what has been printed already, but not forever."""
        for _ in range(_READS):
            if self._noise is None or not select.select([self._noise], [], [], 0)[0]:
                return
            self._read_noise()

    def _read_noise(self):
        noise = os.read(self._noise, 65536)
        if not noise:
            self._noise = None  # nobody can print any more
        self._printed = (self._printed + noise)[-2 * _DETAIL :]

    def _ask(self, message):
        with contextlib.suppress(BrokenPipeError):  # reading tells why
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()

    def _answer(self, kinds, seconds):
        """Return the next message of one of ``kinds``; anything else is noise."""
        deadline = time.monotonic() + seconds
        while True:
            line = self._line(deadline, seconds)
            message = _message(line)
            if any(kind in message for kind in kinds):
                return message
            self._printed += line + b"\n"

    def _line(self, deadline, seconds):
        while b"\n" not in self._pending:
            left = deadline - time.monotonic()
            lines = [self._answers] + ([] if self._noise is None else [self._noise])
            ready = select.select(lines, [], [], left)[0] if left > 0 else []
            if not ready:
                self.kill()
                raise TimedOut(f"no answer within {seconds:g} s")
            if self._noise in ready:
                self._read_noise()
            if self._answers in ready:
                received = os.read(self._answers, 65536)
                if not received:
                    raise Crashed(self._cause_of_death())
                self._pending += received
        line, self._pending = self._pending.split(b"\n", 1)
        return line

    def _cause_of_death(self):
        try:
            status = self._process.wait(_CLOSING_TIME)
        except subprocess.TimeoutExpired:
            status = None
        self.kill()
        if status is None:
            return "the process closed its line"
        if status < 0:
            return f"the process was ended by {signal.Signals(-status).name}"
        return f"the process ended with status {status}"


def _start(subject):
    """Start the process; return it and the descriptor of its answers."""
    answers, write_end = os.pipe()
    try:
        process = subprocess.Popen(
            [subject.python, _WORKER, str(write_end)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            pass_fds=[write_end],
            env=subject.environment(),
            start_new_session=True,
        )
    except OSError as error:
        os.close(answers)
        message = f"{subject.python} cannot be started: {error.strerror}"
        if subject.version is not None:
            message += f"; 'tpuref conformance env {subject.name}' builds it"
        raise CannotStart(message) from error
    finally:
        os.close(write_end)
    return process, answers


def _message(line):
    """Return the JSON object in ``line``; an empty one if there is none."""
    try:
        message = json.loads(line.decode("utf-8"))
    except ValueError:
        return {}
    return message if isinstance(message, dict) else {}
