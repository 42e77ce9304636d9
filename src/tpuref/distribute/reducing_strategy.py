"""Values between the towers: reductions, copies, and the parts of a value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.errors import coded
from tpuref.distribute.batching import Batch, ReducedValues, Request
from tpuref.distribute.destinations import devices_of
from tpuref.distribute.documented import documented
from tpuref.distribute.explanation import reporter
from tpuref.distribute.grouping import unwrapped
from tpuref.distribute.reduction import (
    check_aggregation,
    check_numbers,
    contributions,
    warn_of_means,
)
from tpuref.distribute.scoped_strategy import ScopedStrategy
from tpuref.distribute.values import Mirrored, PerDevice, container_of
from tpuref.functions.control_flow import group
from tpuref.functions.identity import identity
from tpuref.graph.aggregation import VariableAggregation
from tpuref.graph.convert import convert_to_tensor
from tpuref.graph.tensor import Operation


class ReducingStrategy(ScopedStrategy):
    """What a strategy does with the values of its towers."""

    def broadcast(self, tensor: Any, destinations: Any = None) -> Mirrored:
        """Copy a value to several devices.

        Parameters
        ----------
        tensor
            The value.
        destinations
            A mirrored variable, a device or a list of devices; None for
            `worker_devices`.

        Returns
        -------
        Mirrored
            A copy on each of the devices.

        Examples
        --------
        >>> import tpuref as tf
        >>> local = tf.contrib.cluster_resolver.TPUClusterResolver("local")
        >>> strategy = tf.contrib.distribute.TPUStrategy(local, 1, num_cores=2)
        >>> with strategy.scope(), tf.Session() as sess:
        ...     copies = strategy.broadcast(tf.constant(5.0))
        ...     [float(copy) for copy in sess.run(strategy.unwrap(copies))]
        [5.0, 5.0]

        References
        ----------
        001_66db0865fe92828f.txt, broadcast.
        """
        self.require_cross_tower("broadcast")
        chosen = self._devices if destinations is None else destinations
        devices = devices_of("broadcast", chosen, self.whole)
        value, copies = convert_to_tensor(tensor), {}
        for device in devices:
            with self.on_device(device):
                copies[device] = identity(value)
        return Mirrored(copies)

    @documented("aggregation", "value", "destinations")
    def reduce(
        self,
        aggregation: VariableAggregation,
        value: Any,
        destinations: Any,
        *,
        explain: Any = False,
    ) -> Mirrored:
        """Combine the towers' values.

        Parameters
        ----------
        aggregation
            ``tf.VariableAggregation.SUM``, ``MEAN`` or ``ONLY_FIRST_TOWER``.
        value
            A per-device value with one component for each tower, or what `map`
            returned.
        destinations
            Where the result is to be: a mirrored variable, a per-device value, a device
            or a list of devices.  `value` itself for all towers.
        explain
            True to log, whenever the result is computed, what each tower held, the
            operation, the divisor and the result; or a function that takes this
            `Explanation`.  It is an addition to the document.

        Returns
        -------
        Mirrored
            The result, on each of the destinations.

        Raises
        ------
        ValueError
            If `aggregation` is none of the three, `value` is not of that kind, or
            `destinations` names no device of the strategy.

        Notes
        -----
        Sums are formed in tower order; float16 and bfloat16 are added in float32 and
        rounded once.  A warning is logged where means over the towers' batches are
        summed.

        Examples
        --------
        >>> import tpuref as tf
        >>> local = tf.contrib.cluster_resolver.TPUClusterResolver("local")
        >>> strategy = tf.contrib.distribute.TPUStrategy(local, 1, num_cores=2)
        >>> with strategy.scope(), tf.Session() as sess:
        ...     losses = strategy.call_for_each_tower(
        ...         lambda: tf.constant(tf.get_tower_context().tower_id + 1.0))
        ...     mean = strategy.reduce(tf.VariableAggregation.MEAN, losses, losses)
        ...     [float(value) for value in sess.run(strategy.unwrap(mean))]
        [1.5, 1.5]

        References
        ----------
        001_66db0865fe92828f.txt, reduce.
        """
        self.require_cross_tower("reduce")
        pairs = [(value, destinations)]
        return self._reduced("reduce", aggregation, pairs, explain)[0]

    def _reduced(
        self,
        function: str,
        aggregation: VariableAggregation,
        pairs: Sequence[tuple[Any, Any]],
        explain: Any,
    ) -> ReducedValues:
        check_aggregation(function, aggregation)
        requests = []
        for value, destinations in pairs:
            parts = contributions(function, value, self._devices)
            check_numbers(function, aggregation, parts)
            if aggregation is VariableAggregation.SUM:
                warn_of_means(parts)
            requests.append(
                Request(parts, devices_of(function, destinations, self.whole))
            )
        batch = Batch(self.whole, aggregation, reporter(function, explain))
        return batch.reduced(requests)

    def combined(
        self, aggregation: VariableAggregation, value: Any, destinations: Any
    ) -> Any:
        """As `reduce`, where a value that all towers share counts once for each."""
        if not isinstance(value, PerDevice):
            value = PerDevice(dict.fromkeys(self._devices, value))
        return self.reduce(aggregation, value, destinations)

    @documented("aggregation", "value_destination_pairs")
    def batch_reduce(
        self,
        aggregation: VariableAggregation,
        value_destination_pairs: Sequence[tuple[Any, Any]],
        *,
        explain: Any = False,
    ) -> ReducedValues:
        """Combine several values of the towers at once.

        Values of one dtype and of known shapes are laid side by side and summed
        together, so that the towers wait for one another less often.

        Parameters
        ----------
        aggregation, explain
            As for `reduce`.
        value_destination_pairs
            Pairs of value and destinations, each as for `reduce`.

        Returns
        -------
        list of Mirrored
            One result for each pair.  The attribute ``collectives`` of the list tells
            how many sums over the towers there are.

        Raises
        ------
        ValueError
            As for `reduce`, and if something is no pair.

        Examples
        --------
        >>> import tpuref as tf
        >>> local = tf.contrib.cluster_resolver.TPUClusterResolver("local")
        >>> strategy = tf.contrib.distribute.TPUStrategy(local, 1, num_cores=2)
        >>> with strategy.scope():
        ...     one = strategy.call_for_each_tower(lambda: tf.constant(1.0))
        ...     two = strategy.call_for_each_tower(lambda: tf.constant([2.0, 3.0]))
        ...     sums = strategy.batch_reduce(
        ...         tf.VariableAggregation.SUM, [(one, one), (two, two)])
        >>> len(sums), sums.collectives
        (2, 1)

        References
        ----------
        001_66db0865fe92828f.txt, batch_reduce.
        """
        self.require_cross_tower("batch_reduce")
        pairs = list(value_destination_pairs)
        for pair in pairs:
            if not isinstance(pair, (list, tuple)) or len(pair) != 2:
                raise coded(
                    ValueError,
                    "batch_reduce: value_destination_pairs must be pairs "
                    f"(value, destinations), got {pair!r}",
                    code=codes.UNKNOWN_DESTINATION,
                )
        return self._reduced("batch_reduce", aggregation, pairs, explain)

    def unwrap(self, value: Any) -> list[Any]:
        """Return the list of the components of a value.

        Parameters
        ----------
        value
            What `call_for_each_tower` returned, a variable of the scope, or anything.

        Returns
        -------
        list
            The components in tower order; ``[value]`` for a value without any.

        Examples
        --------
        >>> import tpuref as tf
        >>> local = tf.contrib.cluster_resolver.TPUClusterResolver("local")
        >>> strategy = tf.contrib.distribute.TPUStrategy(local, 1, num_cores=2)
        >>> with strategy.scope():
        ...     strategy.unwrap(strategy.worker_device_index)
        [0, 1]
        >>> strategy.unwrap("alone")
        ['alone']

        References
        ----------
        001_66db0865fe92828f.txt, unwrap.
        """
        return unwrapped(value)

    def value_container(self, value: Any) -> Any:
        """Return what `value` is a component of, or `value` itself.

        Parameters
        ----------
        value
            A component, a container, or anything.

        Examples
        --------
        >>> import tpuref as tf
        >>> local = tf.contrib.cluster_resolver.TPUClusterResolver("local")
        >>> strategy = tf.contrib.distribute.TPUStrategy(local, 1, num_cores=2)
        >>> with strategy.scope():
        ...     v = tf.get_variable("v", [])
        >>> strategy.value_container(strategy.unwrap(v)[1]) is v
        True

        References
        ----------
        001_66db0865fe92828f.txt, value_container: ``value`` is always in
        ``unwrap(value_container(value))`` for components and plain values.
        """
        return container_of(value)

    def group(self, value: Any, name: str | None = None) -> Operation | None:
        """Return one operation that waits for all components of a value.

        Parameters
        ----------
        value
            A value of `call_for_each_tower`, `update` or the like.
        name
            The name of the operation.

        Examples
        --------
        >>> import tpuref as tf
        >>> local = tf.contrib.cluster_resolver.TPUClusterResolver("local")
        >>> strategy = tf.contrib.distribute.TPUStrategy(local, 1, num_cores=2)
        >>> with strategy.scope():
        ...     operations = strategy.call_for_each_tower(tf.no_op)
        >>> len(strategy.group(operations).control_inputs)
        2

        References
        ----------
        001_66db0865fe92828f.txt, group.
        """
        parts = unwrapped(value)
        if len(parts) == 1 and name is None and isinstance(parts[0], Operation):
            return parts[0]
        return group(*parts, name=name)
