"""The account of what was padded."""

from __future__ import annotations

from dataclasses import dataclass

from tpuref.base.arguments import instance_of
from tpuref.graph.default import get_default_graph
from tpuref.graph.graph import Graph
from tpuref.runtime.padding import PaddedInput

__all__ = ["PaddingReport", "padding_report"]


@dataclass(frozen=True)
class PaddingReport:
    """What the replicated computations of a graph padded in their latest runs.

    Attributes
    ----------
    inputs
        One record for each padded input: its operation and path, the true shape of each
        replica, the padded shape, the replica that forced each dimension, the part that
        is waste, how many different shapes the computation has been run with, and how
        many runs came with shapes of earlier ones.
    """

    inputs: tuple[PaddedInput, ...]

    @property
    def compilations(self) -> int:
        """The number of different shapes, over all computations."""
        return sum({i.operation: i.compilations for i in self.inputs}.values())

    @property
    def hits(self) -> int:
        """The number of runs with shapes of earlier ones, over all computations."""
        return sum({i.operation: i.hits for i in self.inputs}.values())

    def __str__(self) -> str:
        if not self.inputs:
            return "no input was padded"
        return "\n".join(_line(record) for record in self.inputs)


def _line(record: PaddedInput) -> str:
    forced = ", ".join(
        f"dimension {k} by replica {replica}"
        for k, replica in enumerate(record.forced_by)
        if replica is not None
    )
    true = ", ".join(str(list(shape)) for shape in record.true_shapes)
    return (
        f"{record.operation} {record.name}: {true} padded to "
        f"{list(record.padded_shape)}, {record.waste:.0%} waste"
        f"{', forced in ' + forced if forced else ''}; {record.compilations} compiled, "
        f"{record.hits} found"
    )


def padding_report(graph: Graph | None = None) -> PaddingReport:
    """Return what was padded in the latest runs of replicated computations.

    Parameters
    ----------
    graph
        The graph to report on, by default the default graph.

    Examples
    --------
    >>> import tpuref as tf
    >>> x = tf.placeholder(tf.float32, [None])
    >>> y = tf.placeholder(tf.float32, [None])
    >>> total = tf.tpu.replicate(
    ...     tf.reduce_sum, [[x], [y]], maximum_shapes=[tf.TensorShape([None])]
    ... )
    >>> _ = tf.Session().run(total, {x: [1.0, 2.0], y: [1.0, 2.0, 3.0]})
    >>> tf.padding_report().inputs[0].padded_shape
    (3,)
    """
    chosen = get_default_graph() if graph is None else graph
    instance_of(Graph, "tf.padding_report: graph", "a tf.Graph", chosen)
    log = chosen.padding_log
    return PaddingReport(tuple(i for record in log.values() for i in record.inputs))
