"""The session: evaluates tensors and runs operations of a graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from time import monotonic_ns
from types import TracebackType
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.base.arguments import instance_of, listed
from tpuref.base.dlpack import is_foreign, shared_array
from tpuref.base.dtypes import string
from tpuref.base.errors import InaccessibleTensorError, coded
from tpuref.graph.context import pop_session, push_session
from tpuref.graph.convert import to_array
from tpuref.graph.default import get_default_graph
from tpuref.graph.executor import GraphExecutor
from tpuref.graph.graph import Graph, with_parts
from tpuref.graph.session_options import ConfigProto, RunMetadata, RunOptions
from tpuref.graph.target import open_target, target_of
from tpuref.graph.tensor import Operation, Tensor
from tpuref.kernels.slab import Slab
from tpuref.missing.members import explain_missing_members
from tpuref.ops.meaning import Array
from tpuref.runtime import recording
from tpuref.runtime.devices import DeviceAttributes
from tpuref.runtime.state import State
from tpuref.runtime.trace import CoreTrace


@explain_missing_members("tf.Session")
class Session:
    """Runs operations and evaluates tensors of one graph.

    Parameters
    ----------
    target
        The system to run on: ``""`` or ``"local"`` is this process and its cores,
        ``"grpc://host:port"`` the `tf.train.Server` that listens there.  A cluster
        resolver stands for its ``master()``.
    graph
        The graph to run, by default the default graph.
    config
        A `ConfigProto`; its ``cluster_def`` names the jobs.

    Examples
    --------
    >>> import tpuref as tf
    >>> x = tf.placeholder(tf.float32, [2])
    >>> with tf.Session() as sess:
    ...     sess.run({"double": 2 * x}, feed_dict={x: [1.0, 2.0]})
    {'double': array([2., 4.], dtype=float32)}

    References
    ----------
    000_04abb9e9288042d8.txt: the topology has to be evaluated by ``Session.run``.
    """

    def __init__(
        self,
        target: Any = "",
        graph: Graph | None = None,
        config: ConfigProto | None = None,
    ) -> None:
        if graph is not None and not isinstance(graph, Graph):
            raise coded(
                TypeError,
                f"tf.Session: graph must be a tf.Graph, got {graph!r}",
                code=codes.WRONG_ARGUMENT_TYPE,
            )
        self._graph = graph if graph is not None else get_default_graph()
        self._target_name = target_of(target, "tf.Session")
        self._closed = False
        self._graph_scope: Any = None
        self._target = open_target(self._target_name, config, "tf.Session")
        self._executor = GraphExecutor(
            self._graph,
            State(),
            self._target,
            config is not None and config.allow_soft_placement,
        )

    @property
    def graph(self) -> Graph:
        """The graph that is run."""
        return self._graph

    @property
    def sess_str(self) -> str:
        """The target, as text."""
        return self._target_name

    def run(
        self,
        fetches: Any,
        feed_dict: dict[Any, Any] | None = None,
        options: RunOptions | None = None,
        run_metadata: RunMetadata | None = None,
    ) -> Any:
        """Evaluate `fetches` and return their values in the same structure.

        Parameters
        ----------
        fetches
            A tensor, operation, variable, the name of one, or a nested list, tuple,
            namedtuple or dict of those.
        feed_dict
            Values that stand in for tensors.  A key may also be a tuple of tensors, its
            value then a tuple of as many values.
        options, run_metadata
            With ``trace_level=RunOptions.FULL_TRACE``, `run_metadata` receives what
            ran on which core.

        Returns
        -------
        object
            NumPy arrays (NumPy scalars for rank 0, bytes for text) in place of tensors,
            None in place of operations.

        Raises
        ------
        RuntimeError
            If the session is closed.
        TypeError
            If a fetch or a fed value cannot be used, or a key of `feed_dict` is not a
            tensor of the graph.
        ValueError
            If a fetch is not in the graph, or a fed value has another shape.
        tpuref.errors.OpError
            If an operation fails.
        """
        if self._closed:
            raise coded(
                RuntimeError,
                "the session is closed; make a new tf.Session to run anything",
                code=codes.SESSION_CLOSED,
            )
        fetches = with_parts(fetches)
        elements = [self._fetched(leaf) for leaf in nest.flatten(fetches)]
        feeds = dict(self._fed(key, value) for key, value in _pairs(feed_dict))
        tensors = [e for e in elements if isinstance(e, Tensor)]
        operations = [e for e in elements if isinstance(e, Operation)]
        trace: list[CoreTrace] | None = _wants_trace(options, run_metadata)
        begin = monotonic_ns()
        try:
            arrays = self._executor.run(tensors, operations, feeds, trace)
        finally:
            recording.note_on_host("Session.run", begin)
        values = iter(_shown(arrays))
        if run_metadata is not None and trace is not None:
            run_metadata.core_trace = tuple(trace)
        return nest.pack_sequence_as(
            fetches,
            [next(values) if isinstance(e, Tensor) else None for e in elements],
        )

    def _fetched(self, fetch: Any) -> Tensor | Operation:
        try:
            element = self._graph.as_graph_element(fetch)
        except TypeError:
            raise coded(
                TypeError,
                f"Session.run: cannot fetch {fetch!r} of type {type(fetch).__name__}; "
                "give tensors, operations, variables or their names",
                code=codes.CANNOT_FETCH,
            ) from None
        except (ValueError, KeyError) as error:
            raise ValueError(
                f"Session.run: cannot fetch {fetch!r}: {error.args[0]}"
            ) from None
        region = (element.op if isinstance(element, Tensor) else element).region
        if region is not None:
            raise coded(
                InaccessibleTensorError,
                f"Session.run: cannot fetch {element!r}: it belongs to the "
                f"{region.kind} {region.name!r} and has a value only there; return it "
                "from that function and fetch what comes back",
                code=codes.LEAKED_TENSOR,
            )
        return element

    def _fed(self, key: Any, value: Any) -> tuple[Tensor, Array]:
        try:
            tensor = self._graph.as_graph_element(key, allow_operation=False)
        except (TypeError, ValueError, KeyError) as error:
            raise TypeError(
                f"Session.run: cannot use {key!r} as a key of feed_dict: "
                f"{codes.with_code(error.args[0], codes.CANNOT_FEED)}"
            ) from None
        assert isinstance(tensor, Tensor)
        if tensor.op.region is not None:
            raise coded(
                InaccessibleTensorError,
                f"Session.run: cannot feed {tensor.describe()}: it belongs to the "
                f"{tensor.op.region.kind} {tensor.op.region.name!r}; feed what that "
                "takes from outside",
                code=codes.LEAKED_TENSOR,
            )
        if isinstance(value, Tensor) or hasattr(value, "_as_tensor"):
            raise coded(
                TypeError,
                f"Session.run: the value fed for {tensor.describe()} is {value!r}; "
                "feed NumPy arrays, numbers or lists",
                code=codes.CANNOT_FEED,
            )
        return tensor, self._feed_array(tensor, value)

    def _feed_array(self, tensor: Tensor, value: Any) -> Array:
        try:
            given = shared_array(value) if is_foreign(value) else value
            array = (
                _fed_view(given)
                if _fits(given, tensor)
                else to_array(value, tensor.dtype)
            )
        except (TypeError, ValueError) as error:
            raise type(error)(
                f"Session.run: cannot feed {tensor.describe()}: {error}"
            ) from None
        if not tensor.shape.is_compatible_with(array.shape):
            raise coded(
                ValueError,
                f"Session.run: cannot feed a value of shape {list(array.shape)} for "
                f"{tensor.describe()}, made at {tensor.op.site}",
                code=codes.FED_SHAPE,
            )
        return array

    def close(self) -> None:
        """End the session; it cannot run anything afterwards."""
        self._closed = True
        self._executor.state.close()
        self._target.close()

    def as_default(self) -> _Current:
        """Make this the session that ``eval`` and ``run`` use within a block."""
        return _Current(self)

    def list_devices(self) -> list[DeviceAttributes]:
        """Return the CPUs and TPU cores that the session can use.

        Returns
        -------
        list
            For each device its ``name``, ``device_type``, ``memory_limit_bytes`` and
            ``incarnation``.  Before the TPU system runs, its cores are those that
            ``initialize_system`` would start.

        Examples
        --------
        >>> import tpuref as tf
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

        Parameters
        ----------
        target
            ``"grpc://host:port"``.
        containers
            None for all; there are no others than the default one here.
        config
            The options of the session that asks.

        Raises
        ------
        TypeError
            If `config` is not a `tf.ConfigProto` or None.
        ValueError
            If containers are named.
        NotImplementedError
            If `target` is this process, where each session has its own variables.
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
        self._graph_scope = self._graph.as_default()
        self._graph_scope.__enter__()
        push_session(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        pop_session(self)
        self._graph_scope.__exit__(kind, error, traceback)
        self._graph_scope = None
        self.close()


class InteractiveSession(Session):
    """A session that is the current one until it is closed.

    Parameters
    ----------
    target, graph, config
        As for `Session`.

    Examples
    --------
    >>> import tpuref as tf
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


def _pairs(feed_dict: Any) -> Iterator[tuple[Any, Any]]:
    """Give the keys and values to feed, those of a tuple of tensors one by one."""
    if not isinstance(feed_dict or {}, Mapping):
        raise coded(
            TypeError,
            "Session.run: feed_dict must be a dict from tensors to values, got "
            f"{type(feed_dict).__name__}",
            code=codes.CANNOT_FEED,
        )
    for key, value in (feed_dict or {}).items():
        if not isinstance(key, tuple):
            yield key, value
        elif isinstance(value, (list, tuple)) and len(value) == len(key):
            yield from zip(key, value, strict=True)
        else:
            raise coded(
                ValueError,
                f"Session.run: a key of feed_dict is a tuple of {len(key)} tensors, "
                f"its value must be as many values, got {value!r}",
                code=codes.CANNOT_FEED,
            )


def _wants_trace(
    options: RunOptions | None, metadata: RunMetadata | None
) -> list[CoreTrace] | None:
    if options is None or metadata is None:
        return None
    instance_of(RunOptions, "tf.Session.run: options", "a tf.RunOptions", options)
    return [] if options.trace_level >= RunOptions.FULL_TRACE else None


def _fits(value: Any, tensor: Tensor) -> bool:
    """Whether it is an array as a run takes it already; text has to be looked at."""
    if not isinstance(value, np.ndarray) or tensor.dtype == string:
        return False
    return bool(value.dtype == tensor.dtype.np) and value.flags.c_contiguous


def _fed_view(value: Array) -> Array:
    """Return a view that nothing can write to: the run reads what was fed in place."""
    array: Array = value.view(np.ndarray)
    array.flags.writeable = False
    return array


def _shown(arrays: Sequence[Array]) -> list[Any]:
    """Return what the user sees of the values: scalars for rank 0, no shared memory.

    A result that lies in memory of its own is handed out as it is.
    """
    handed_out: set[int] = set()
    shown: list[Any] = []
    for array in arrays:
        slab = Slab.of(array)
        if array.ndim == 0:
            shown.append(array[()])
        elif slab is None or id(slab) in handed_out:
            shown.append(array.copy())
        else:
            handed_out.add(id(slab))
            shown.append(array)
    return shown
