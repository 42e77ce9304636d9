"""Define the scaffold, which prepares the variables of a session."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.arguments import instance_of, wrong_type
from tpuref.engine.graph.default import get_default_graph
from tpuref.engine.graph.graph import GraphKeys
from tpuref.engine.graph.tensor import Operation
from tpuref.engine.graph.variables import global_variables
from tpuref.interface.checkpoints.saver import Saver
from tpuref.interface.functions.dependencies import group
from tpuref.interface.functions.variable_scope import (
    global_variables_initializer,
    local_variables_initializer,
    report_uninitialized_variables,
    tables_initializer,
)
from tpuref.interface.summary.operations import merge_all
from tpuref.interface.training.log import log


class Scaffold:
    """The operations that prepare a session, and the saver of its variables.

    `finalize` replaces None by the element of the graph's collection of that name, or
    by a default.

    Parameters
    ----------
    init_op
        Initializes the variables if no checkpoint is restored; by default all global
        variables.
    init_feed_dict
        The feeds of `init_op`.
    init_fn
        A function of the scaffold and the session, called after `init_op`.
    ready_op
        Returns the names of uninitialized variables: none when the session is ready.
    ready_for_local_init_op
        The same, before `local_init_op`.
    local_init_op
        Runs in every session, also after a checkpoint was restored; by default it
        initializes local variables and tables.
    summary_op
        Returns the summaries; by default all of the collection of summaries.
    copy_from_scaffold
        A scaffold whose values replace None.

    Examples
    --------
    >>> w = tf.get_variable("w", initializer=1.0)
    >>> scaffold = tf.train.Scaffold(init_fn=lambda scaffold, sess: w.load(5.0, sess))
    >>> with tf.train.SingularMonitoredSession(scaffold=scaffold) as sess:
    ...     float(sess.run(w))
    5.0
    """

    def __init__(
        self,
        init_op: Any = None,
        init_feed_dict: Any = None,
        init_fn: Callable[[Scaffold, Any], Any] | None = None,
        ready_op: Any = None,
        ready_for_local_init_op: Any = None,
        local_init_op: Any = None,
        summary_op: Any = None,
        saver: Saver | None = None,
        copy_from_scaffold: Scaffold | None = None,
    ) -> None:
        other = copy_from_scaffold
        if other is not None:
            argument = "tf.train.Scaffold: copy_from_scaffold"
            instance_of(Scaffold, argument, "a tf.train.Scaffold", other)

        def chosen(name: str, own: Any) -> Any:
            return getattr(other, name, None) if own is None else own

        self.init_op = chosen("init_op", init_op)
        self.init_feed_dict = chosen("init_feed_dict", init_feed_dict)
        self._init_fn = chosen("_init_fn", init_fn)
        self.ready_op = chosen("ready_op", ready_op)
        self.ready_for_local_init_op = chosen(
            "ready_for_local_init_op", ready_for_local_init_op
        )
        self.local_init_op = chosen("local_init_op", local_init_op)
        self.summary_op = chosen("summary_op", summary_op)
        self.saver = chosen("saver", saver)

    def finalize(self) -> Scaffold:
        """Create the missing operations, and finalize the graph."""
        defaults: dict[str, tuple[str, Callable[[], Any]]] = {
            "init_op": (GraphKeys.INIT_OP, global_variables_initializer),
            "ready_op": (GraphKeys.READY_OP, report_uninitialized_variables),
            "ready_for_local_init_op": (
                GraphKeys.READY_FOR_LOCAL_INIT_OP,
                lambda: report_uninitialized_variables(global_variables()),
            ),
            "local_init_op": (GraphKeys.LOCAL_INIT_OP, self.default_local_init_op),
            "summary_op": (GraphKeys.SUMMARY_OP, merge_all),
            "saver": (GraphKeys.SAVERS, lambda: Saver(sharded=True, allow_empty=True)),
        }
        for name, (key, make) in defaults.items():
            if getattr(self, name) is None:
                setattr(self, name, self.get_or_default(name, key, make))
        self.saver.build()
        get_default_graph().finalize()
        log.info("Graph was finalized.")
        return self

    @property
    def init_fn(self) -> Callable[[Any], Any] | None:
        """The function that prepares a session, bound to this scaffold."""
        function = self._init_fn
        return None if function is None else lambda session: function(self, session)

    @staticmethod
    def default_local_init_op() -> Operation | None:
        """Return an operation that initializes local variables and tables."""
        return group(local_variables_initializer(), tables_initializer())

    @staticmethod
    def get_or_default(
        arg_name: str, collection_key: str, default_constructor: Callable[[], Any]
    ) -> Any:
        """Return the element of a collection, created if the collection is empty.

        `arg_name` is the argument of the scaffold that the element is for.
        `default_constructor` is a function that makes the element.  It raises
        RuntimeError if the collection has several elements.
        """
        graph = get_default_graph()
        known = graph.get_collection(collection_key)
        if len(known) > 1:
            raise codes.INVALID_ARGUMENT.runtime_error(
                f"tf.train.Scaffold: the collection {collection_key!r} has "
                f"{len(known)} elements; choose one with "
                f"tf.train.Scaffold({arg_name}=...)"
            )
        if known:
            return known[0]
        if not callable(default_constructor):
            argument = "tf.train.Scaffold.get_or_default: default_constructor"
            raise wrong_type(argument, "a function", default_constructor)
        made = default_constructor()
        if made is not None:
            graph.add_to_collection(collection_key, made)
        return made
