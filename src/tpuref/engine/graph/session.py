"""The session: evaluates tensors and runs operations of a graph."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from time import monotonic_ns
from typing import Any, NamedTuple

from tpuref.base import error_codes as codes
from tpuref.base.arguments import instance_of, listed
from tpuref.engine.graph.context import pop_session, push_session
from tpuref.engine.graph.default import get_default_graph
from tpuref.engine.graph.executor import GraphExecutor
from tpuref.engine.graph.feeds import Feeds, pairs
from tpuref.engine.graph.fetches import Fetches, identity
from tpuref.engine.graph.graph import Graph
from tpuref.engine.graph.runner import Runner
from tpuref.engine.graph.session_options import ConfigProto, RunMetadata, RunOptions
from tpuref.engine.graph.target import open_target, target_of
from tpuref.engine.program import Program
from tpuref.engine.runtime.meaning import recording
from tpuref.engine.runtime.meaning.feed_queues import OF_PROCESS
from tpuref.engine.runtime.meaning.state import State
from tpuref.engine.runtime.meaning.trace import CoreTrace
from tpuref.engine.runtime.topology.devices import DeviceAttributes
from tpuref.names.members import explain_missing_members

KEPT_CALLS = 256
"""The number of calls with different fetches or keys that stay prepared."""


class _Prepared(NamedTuple):
    """The state shared by calls with the same fetches and feed keys."""

    fetches: Fetches
    feeds: Feeds
    program: Program


@explain_missing_members("tf.Session")
class Session(Runner):
    """Runs operations and evaluates tensors of one graph.

    See 000_04abb9e9288042d8.txt: the topology has to be evaluated by ``Session.run``.
    `target` is the system to run on: ``""`` or ``"local"`` is this process and its
    cores, ``"grpc://host:port"`` the `tf.train.Server` that listens there.  A cluster
    resolver stands for its ``master()``.  `graph` is the graph to run, by default the
    default graph.  `config` is a `ConfigProto`; its ``cluster_def`` names the jobs.

    Examples
    --------
    >>> x = tf.placeholder(tf.float32, [2])
    >>> with tf.Session() as sess:
    ...     sess.run({"double": 2 * x}, feed_dict={x: [1.0, 2.0]})
    {'double': array([2., 4.], dtype=float32)}
    """

    def __init__(
        self,
        target: Any = "",
        graph: Graph | None = None,
        config: ConfigProto | None = None,
    ) -> None:
        if graph is not None and not isinstance(graph, Graph):
            raise codes.WRONG_ARGUMENT_TYPE.type_error(
                f"tf.Session: graph must be a tf.Graph, got {graph!r}"
            )
        self.graph = graph if graph is not None else get_default_graph()
        self.sess_str = target_of(target, "tf.Session")
        self._closed = False
        self._kept: dict[tuple[Hashable, ...], _Prepared] = {}
        self._graph_scope: Any = None
        self._target = open_target(self.sess_str, config, "tf.Session")
        self._executor = GraphExecutor(
            self.graph,
            State(OF_PROCESS),
            self._target,
            config is not None and config.allow_soft_placement,
        )

    def _evaluate(
        self, fetches: Any, feed_dict: Any, options: Any, run_metadata: Any
    ) -> Any:
        self._require_open()
        begin = monotonic_ns()
        feeds = pairs(feed_dict)
        prepared = self._prepared_call(fetches, feeds)
        return self._run(prepared, feeds.values(), options, run_metadata, begin)

    def make_callable(
        self,
        fetches: Any,
        feed_list: Sequence[Any] | None = None,
        accept_options: bool = False,
    ) -> Callable[..., Any]:
        """Return a function that runs the same fetches repeatedly.

        The function raises the errors of `run`.  `feed_list` are the keys of the
        `feed_dict` of `run`.  The function takes their values as arguments, in this
        order.  `accept_options` says whether the function also takes ``options`` and
        ``run_metadata``.  Other parameters are those of `run`.

        Examples
        --------
        >>> x = tf.placeholder(tf.float32, [2])
        >>> with tf.Session() as sess:
        ...     double = sess.make_callable(2 * x, [x])
        ...     double([1.0, 2.0]), double([3.0, 4.0])
        (array([2., 4.], dtype=float32), array([6., 8.], dtype=float32))
        """
        self._require_open()
        keys = [] if feed_list is None else feed_list
        if not isinstance(keys, (list, tuple)):
            raise codes.WRONG_ARGUMENT_TYPE.type_error(
                "Session.make_callable: feed_list must be a list or tuple of keys to "
                f"feed, got {type(feed_list).__name__}"
            )
        prepared = self._prepare(fetches, keys)

        def step(
            *values: Any,
            options: RunOptions | None = None,
            run_metadata: RunMetadata | None = None,
        ) -> Any:
            self._require_open()
            if len(values) != len(keys):
                raise codes.CANNOT_FEED.type_error(
                    f"a function of Session.make_callable was made to take {len(keys)} "
                    f"values (feed_list), got {len(values)}"
                )
            return self._run(prepared, values, options, run_metadata, monotonic_ns())

        return step if accept_options else lambda *values: step(*values)

    def _require_open(self) -> None:
        if self._closed:
            raise codes.SESSION_CLOSED.runtime_error(
                "the session is closed; make a new tf.Session to run anything"
            )

    def _prepared_call(self, fetches: Any, feeds: Mapping[Any, Any]) -> _Prepared:
        """Return the cached preparation of these fetches and keys, or prepare it."""
        key = identity(fetches), identity(tuple(feeds))
        if None in key:
            return self._prepare(fetches, feeds)
        prepared = self._kept.get(key)
        if prepared is None:
            if len(self._kept) >= KEPT_CALLS:
                self._kept.clear()
            prepared = self._kept[key] = self._prepare(fetches, feeds)
        return prepared

    def _prepare(self, fetches: Any, keys: Iterable[Any]) -> _Prepared:
        fetched, fed = Fetches(self.graph, fetches), Feeds(self.graph, keys)
        program = self._executor.program(
            fetched.tensors, fetched.operations, fed.tensors
        )
        return _Prepared(fetched, fed, program)

    def _run(
        self,
        prepared: _Prepared,
        values: Iterable[Any],
        options: RunOptions | None,
        run_metadata: RunMetadata | None,
        begin: int,
    ) -> Any:
        arrays = prepared.feeds.arrays(values)
        trace: list[CoreTrace] | None = _wants_trace(options, run_metadata)
        try:
            results = self._executor.run_program(prepared.program, arrays, trace)
        finally:
            recording.note_on_host("Session.run", begin)
        if run_metadata is not None and trace is not None:
            run_metadata.core_trace = tuple(trace)
        return prepared.fetches.packed(results)

    def close(self) -> None:
        """End the session; it cannot run anything afterwards.

        A run that waits in another thread, such as for an outfeed, raises
        CancelledError.
        """
        self._closed = True
        self._kept.clear()
        self._executor.state.close()
        self._target.close()

    def as_default(self) -> _Current:
        """Make this the session that ``eval`` and ``run`` use within a block."""
        return _Current(self)

    def list_devices(self) -> list[DeviceAttributes]:
        """Return the CPUs and TPU cores that the session can use.

        Each has ``name``, ``device_type``, ``memory_limit_bytes`` and ``incarnation``.
        Before the TPU system runs, its cores are those that ``initialize_system`` would
        start.

        Examples
        --------
        >>> with tf.config.override(cores=1), tf.Session() as sess:
        ...     [device.name for device in sess.list_devices()][1]
        '/job:localhost/replica:0/task:0/device:TPU:0'
        """
        return self._target.list_devices()

    @staticmethod
    def reset(
        target: str,
        containers: Sequence[str] | None = None,
        config: ConfigProto | None = None,
    ) -> None:
        """Let a server forget its variables, and end its sessions.

        `target` is ``"grpc://host:port"``.  `containers` must be empty: there is only
        the default one.  `config` are the options of the session that asks.  It raises
        ValueError if containers are named, and NotImplementedError if `target` is this
        process, where each session has its own variables.
        """
        named = listed("tf.Session.reset: containers", containers or ())
        if any(named):
            raise ValueError(
                f"tf.Session.reset: there is no container {named!r}; "
                "leave containers out to reset everything"
            )
        function = "tf.Session.reset"
        opened = open_target(target_of(target, function), config, function)
        opened.reset()
        opened.close()

    def __enter__(self) -> Session:
        if self._graph_scope is not None:
            raise RuntimeError(
                "the session is the current one already; `with sess.as_default():` may "
                "be nested, `with sess:` may not"
            )
        self._graph_scope = self.graph.as_default()
        self._graph_scope.__enter__()
        push_session(self)
        return self

    def __exit__(self, *raised: Any) -> None:
        pop_session(self)
        self._graph_scope.__exit__(*raised)
        self._graph_scope = None
        self.close()


class InteractiveSession(Session):
    """A session that is the current one until it is closed; see `Session`.

    Examples
    --------
    >>> sess = tf.InteractiveSession()
    >>> float(tf.constant(3.0).eval())
    3.0
    >>> sess.close()
    """

    def __init__(
        self,
        target: Any = "",
        graph: Graph | None = None,
        config: ConfigProto | None = None,
    ) -> None:
        super().__init__(target, graph, config)
        self._graph_scope = None if graph is None else graph.as_default()
        if self._graph_scope is not None:
            self._graph_scope.__enter__()
        push_session(self)
        self._is_current = True

    def close(self) -> None:
        """End the session, which is then no longer the current one."""
        if self._is_current:
            self._is_current = False
            pop_session(self)
            if self._graph_scope is not None:
                self._graph_scope.__exit__(None, None, None)
        super().close()


class _Current:
    def __init__(self, session: Session) -> None:
        self._session = session

    def __enter__(self) -> Session:
        push_session(self._session)
        return self._session

    def __exit__(self, *exception: object) -> None:
        pop_session(self._session)


def _wants_trace(
    options: RunOptions | None, metadata: RunMetadata | None
) -> list[CoreTrace] | None:
    if options is None or metadata is None:
        return None
    instance_of(RunOptions, "tf.Session.run: options", "a tf.RunOptions", options)
    return [] if options.trace_level >= RunOptions.FULL_TRACE else None
