"""Report the padding of replicated computations."""

from dataclasses import dataclass

from tpuref.base.arguments import instance_of
from tpuref.engine.graph.default import get_default_graph
from tpuref.engine.graph.graph import Graph
from tpuref.engine.runtime.meaning.padding import PaddedInput


@dataclass(frozen=True)
class PaddingReport:
    """The padding of a graph's replicated computations in their latest runs.

    `inputs` is one record for each padded input: its operation and path, the true shape
    on each replica, the padded shape, the replica that forced each dimension, the
    fraction wasted, the number of different shapes the computation has run with, and
    the number of runs that repeated shapes of earlier runs.
    """

    inputs: tuple[PaddedInput, ...]

    @property
    def compilations(self) -> int:
        """The number of different shapes, over all computations."""
        return sum({i.operation: i.compilations for i in self.inputs}.values())

    @property
    def hits(self) -> int:
        """The number of runs that repeated earlier shapes, over all computations."""
        return sum({i.operation: i.hits for i in self.inputs}.values())

    def __str__(self) -> str:
        if not self.inputs:
            return "no input was padded"
        return "\n".join(_line(record) for record in self.inputs)


def _count_text(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


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
        f"{', forced in ' + forced if forced else ''}; "
        f"{_count_text(record.compilations, 'compilation')}, "
        f"{_count_text(record.hits, 'cache hit')}"
    )


def padding_report(graph: Graph | None = None) -> PaddingReport:
    """Return the padding in the latest runs of a graph's replicated computations.

    Examples
    --------
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
