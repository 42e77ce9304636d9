"""The TPU system of a test, and the isolation of tests."""

import contextlib
import os
from collections.abc import Iterator
from typing import Any

from tpuref.base.processors import processors
from tpuref.engine.configuration import config
from tpuref.engine.graph.default import fresh_defaults
from tpuref.engine.graph.eager import STATE
from tpuref.engine.graph.session import Session
from tpuref.engine.graph.variables import Variable, global_variables
from tpuref.engine.runtime.executor import available
from tpuref.engine.runtime.system import LOCAL, LOCAL_JOB, System
from tpuref.engine.runtime.topology.topology import Topology
from tpuref.interface.functions.variable_scope import variables_initializer
from tpuref.tools.testing.tpu_marker import Wanted


class TPUSystem:
    """An initialised TPU system, the value of the fixture ``tpu_system``.

    `topology` is a ``tf.contrib.tpu.Topology``; `executor` is ``"pool"``,
    ``"lockstep"`` or ``"xla"``.

    Examples
    --------
    >>> def test_sum(tpu_system):
    ...     inputs = [[float(k)] for k in range(tpu_system.cores)]
    ...     sums = tf.tpu.replicate(tf.tpu.cross_replica_sum, inputs)
    ...     assert tpu_system.evaluate(sums)[0] == (sum(range(tpu_system.cores)),)
    """

    def __init__(self, topology: Topology) -> None:
        self.topology = topology
        self.cores = topology.num_cores
        self.executor: str = available(config.executor)
        self._session: Session | None = None
        self._initialized: set[Variable] = set()

    @property
    def session(self) -> Session:
        """A session of the default graph, one for the whole test."""
        if self._session is None:
            self._session = Session()
        return self._session

    def evaluate(self, fetches: Any, feed_dict: dict[Any, Any] | None = None) -> Any:
        """Initialise new variables, then call ``Session.run``."""
        with self.session.graph.as_default():
            new = [v for v in global_variables() if v not in self._initialized]
            if new:
                self.session.run(variables_initializer(new))
                self._initialized.update(new)
        return self.session.run(fetches, feed_dict)

    def close(self) -> None:
        """End the session."""
        if self._session is not None:
            self._session.close()

    def __repr__(self) -> str:
        return f"<TPU system of {self.cores} cores, {self.executor}>"


def _share() -> int | None:
    """Return the number of processes for a system, None for the default."""
    # The workers of pytest-xdist share the processors, each with a system.
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if config.processes is not None or workers == 1:
        return config.processes  # type: ignore[no-any-return]
    return max(1, processors() // workers)


class KeptSystem:
    """The TPU system of all tests of a process, restarted if a test needs another."""

    def __init__(self) -> None:
        self._system = System(LOCAL_JOB)

    @contextlib.contextmanager
    def lent(self, wanted: Wanted) -> Iterator[TPUSystem]:
        """Lend the system to one test.

        Afterwards the settings, the default graph, the current session, eager mode with
        its variables, and the system that runs outside tests are restored.
        """
        with contextlib.ExitStack() as stack:
            settings = {"processes": _share(), **wanted.settings}
            stack.enter_context(config.override(**settings))
            stack.enter_context(fresh_defaults())
            stack.enter_context(STATE.set_aside())
            stack.enter_context(LOCAL.with_system(self._system))
            system = TPUSystem(self._system.initialize(keep_sound=True))
            stack.callback(system.close)
            yield system

    def stacks(self) -> str:
        """Return the stacks of its cores."""
        return self._system.stacks()

    def close(self) -> None:
        """Stop the system."""
        self._system.close()
