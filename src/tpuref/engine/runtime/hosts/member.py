"""A process as a host of a job: it joins, watches the others and leaves."""

import atexit
import contextlib
import functools
import importlib
import json
import os
import secrets
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from tpuref.base import error_codes as codes
from tpuref.base.errors import UnavailableError
from tpuref.base.version import __version__
from tpuref.engine.configuration import config
from tpuref.engine.runtime.hosts import rendezvous
from tpuref.engine.runtime.hosts.job import Job
from tpuref.engine.runtime.log import logger

_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_LONGEST_END = 24 * 3600.0
"""The longest time in seconds that a finished host waits for the others."""

_LOG = logger("hosts")


class Member:
    """One of several hosts: it joins when created and leaves at exit.

    `entropy` is the seed that all hosts share for operations without one.  The
    constructor raises UnavailableError if the coordinator cannot be reached or not all
    hosts join.
    """

    def __init__(self, job: Job) -> None:
        self.host, self.hosts, self._job = job.host, job.hosts, job
        self._lost = ""
        self._news = threading.Condition()
        self._done: set[int] = set()
        self._failed, self._status = "", 1
        self._told = False
        self._run_since: float | None = None
        self._service = f"tpuref-{os.getpid()}-{secrets.token_hex(8)}"
        if job.host == 0:
            self._start_rendezvous()
        self._connection = self._connect()
        self._lines = self._connection.makefile("r", encoding="utf-8")
        try:
            self.entropy = self._arrive()
        except BaseException:
            self.close()
            raise

    # -- joining -----------------------------------------------------------------

    def _start_rendezvous(self) -> None:
        host, _, port = self._job.coordinator.rpartition(":")
        host = host.strip("[]")
        address = (host if host in _LOOPBACK else "", int(port))
        try:
            listener = _listener(address)
        except OSError as error:
            raise self._not_joined(f"cannot listen there: {error}") from error
        order = {
            "listener": listener.fileno(),
            "host_0": self._hello,
            "service": self._service,
            "patience": config.timeout,
            "timeout": config.host_timeout,
        }
        with listener:
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", rendezvous.__file__],
                pass_fds=[listener.fileno()],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                start_new_session=True,  # Ctrl-C ends the hosts, and they say how
            )
        assert process.stdin is not None
        with process.stdin as stdin:
            stdin.write(json.dumps(order).encode() + b"\n")
        process.returncode = 0  # it outlives this process

    @property
    def _hello(self) -> dict[str, Any]:
        return {
            "host": self.host,
            "hosts": self.hosts,
            "job": config.job,
            "version": __version__,
            "name": socket.gethostname(),
            "pid": os.getpid(),
        }

    def _connect(self) -> socket.socket:
        """Connect to the coordinator, which may not listen yet."""
        host, _, port = self._job.coordinator.rpartition(":")
        deadline = time.monotonic() + config.timeout
        while True:
            try:
                made = socket.create_connection((host.strip("[]"), int(port)), 5.0)
                rendezvous.keep_alive(made, config.host_timeout / 2)
                return made
            except OSError as error:
                if time.monotonic() > deadline:
                    raise self._not_joined(
                        f"nobody answers there within {config.timeout:g} s: {error}; "
                        "does host 0 run?"
                    ) from error
            time.sleep(0.2)

    def _arrive(self) -> int:
        """Wait until all hosts have joined, and return the shared seed."""
        self._say(self._hello)
        self._connection.settimeout(config.timeout + rendezvous.HANDSHAKE)
        try:
            news = json.loads(self._lines.readline())
        except (OSError, ValueError) as error:
            why = f"it does not speak as tpuref does: {error}"
            raise self._not_joined(why) from error
        finally:
            self._connection.settimeout(None)
        if "refused" in news:
            raise self._not_joined(news["refused"])
        return int(news["entropy"])

    def _say(self, what: dict[str, Any]) -> None:
        with contextlib.suppress(OSError):
            self._connection.sendall(json.dumps(what).encode() + b"\n")

    def close(self) -> None:
        """Close the connection, so that the others see that this host is gone."""
        self._lines.close()
        self._connection.close()

    def _not_joined(self, why: str) -> UnavailableError:
        return UnavailableError(
            f"host {self.host} of {self.hosts} cannot join at the coordinator "
            f"{self._job.coordinator}: {why}",
            code=codes.HOSTS_NOT_JOINED,
        )

    def start_jax(self) -> None:
        """Join JAX's processes, and start watching the hosts."""
        jax = importlib.import_module("jax")
        jax.config.update("jax_enable_preemption_service", False)  # it ignores SIGTERM
        threading.Thread(target=self._watch, name="hosts", daemon=True).start()
        try:
            jax.distributed.initialize(
                self._job.coordinator,
                self.hosts,
                self.host,
                self._job.devices,
                cluster_detection_method="deactivate",
                initialization_timeout=round(config.timeout),
                coordinator_bind_address=f"unix-abstract:{self._service}",
            )
        except RuntimeError as error:
            raise codes.INVALID_SETTING.value_error(
                "tf.config: several hosts have to be joined before JAX is used: "
                f"{error}; start the program with `tpuref run`, or call "
                "tf.tpu.initialize_system() first"
            ) from error
        # Exit handlers run in reverse order: registered after JAX's, these run first.
        atexit.register(self._leave)
        sys.excepthook = functools.partial(self._note_failure, sys.excepthook)

    # -- what the others do ------------------------------------------------------

    def _watch(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            for line in self._lines:
                news = json.loads(line)
                if "lost" in news:
                    return self._lose(news["lost"])
                self._note_end(news["done"])
        self._lose("the coordinator's process on the machine of host 0 is lost")

    def _lose(self, what: str) -> None:
        """Report a loss to waiting calls; end the process if there are none."""
        with self._news:
            self._lost = what
            self._news.notify_all()
        _LOG.error("%s", what)
        time.sleep(config.host_timeout / 2)
        self._end(1)

    def _note_end(self, host: int) -> None:
        with self._news:
            self._done.add(host)
            self._news.notify_all()
        since = self._run_since
        if since is not None and host != self.host:
            late = threading.Timer(config.timeout, self._end_late_run, [since, host])
            late.daemon = True
            late.start()

    def _end_late_run(self, since: float, host: int) -> None:
        if self._run_since == since:
            why = (
                f"host {host} has ended its script, and a step that needs it does not "
                f"end within {config.timeout:g} s"
            )
            self._say({"failed": why})
            self._lose(why)

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Run a step of all hosts in a ``with`` block.

        It raises UnavailableError if a host is lost, or has ended its script.
        """
        self._check()
        self._run_since = time.monotonic()
        try:
            yield
        except Exception as error:
            # JAX's errors of a broken connection have no class of their own.
            if codes.PATTERN.search(str(error)) is None and self._hears_of_loss():
                raise self._loss() from None
            raise
        finally:
            self._run_since = None

    def _hears_of_loss(self) -> bool:
        """Return whether a host is lost; the report may arrive a moment later."""
        with self._news:
            return bool(self._news.wait_for(lambda: self._lost, timeout=2.0))

    def meet(self, purpose: str) -> None:
        """Wait for all hosts, as `here.meet` does."""
        with self.running():
            multihost = importlib.import_module("jax.experimental.multihost_utils")
            multihost.sync_global_devices(purpose)

    def _check(self) -> None:
        if self._lost:
            raise self._loss()
        if ended := self._done - {self.host}:
            raise UnavailableError(
                f"host {min(ended)} has ended its script, and this step needs all "
                f"{self.hosts} hosts; each has to run the same steps",
                code=codes.HOST_LOST,
            )

    @property
    def is_broken(self) -> bool:
        """Whether a host is lost, so that no step can run any more."""
        return bool(self._lost)

    def _loss(self) -> UnavailableError:
        self._told = True
        return UnavailableError(self._explanation(), code=codes.HOST_LOST)

    def _explanation(self) -> str:
        return (
            f"{self._lost}. Host {self.host} ends too; start all hosts again: a "
            "program that saves checkpoints continues from the last one"
        )

    # -- leaving -----------------------------------------------------------------

    def fail(self, why: str, status: int = 1) -> None:
        """Record that the script failed, to be reported to the others at exit."""
        if not self._failed:
            self._failed, self._status = why, status

    def _note_failure(
        self, show: Callable[..., Any], kind: Any, error: Any, trace: Any
    ) -> None:
        show(kind, error, trace)
        self.fail(f"{kind.__name__}: {str(error).strip().split(chr(10))[0][:500]}")

    def _leave(self) -> None:
        """Wait for the others, or report this host's failure to them."""
        if not self._lost and not self._failed:
            self._say({"done": True})
            with self._news:
                self._news.wait_for(self._may_leave, _LONGEST_END)
        if self._failed and not self._lost:
            self._say({"failed": self._failed})
        if self._failed or self._lost:
            _flush()
            self._end(self._status)

    def _may_leave(self) -> bool:
        return bool(self._lost) or len(self._done) == self.hosts

    def _end(self, status: int) -> NoReturn:
        """End the process, though JAX may wait for a host that is gone."""
        if self._lost and not (self._told or self._failed):
            text = codes.with_code(self._explanation(), codes.HOST_LOST)
            os.write(2, f"tpuref: UnavailableError: {text}\n".encode())
        with contextlib.suppress(RuntimeError):  # Python starts no threads at its end
            flushing = threading.Thread(target=_flush, daemon=True)
            flushing.start()
            flushing.join(1.0)  # a full pipe may hold it
        os._exit(status)


def _listener(address: tuple[str, int]) -> socket.socket:
    """Listen at an address, on all interfaces if it names no host."""
    if address[0]:
        family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        return socket.create_server(address, family=family)
    both = socket.has_dualstack_ipv6()
    family = socket.AF_INET6 if both else socket.AF_INET
    return socket.create_server(address, family=family, dualstack_ipv6=both)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
