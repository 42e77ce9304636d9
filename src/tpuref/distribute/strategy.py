"""What all distribution strategies have in common."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.errors import coded
from tpuref.distribute.grouping import merged, selected, selected_mirrored
from tpuref.distribute.later_names import LaterNames
from tpuref.distribute.reducing_strategy import ReducingStrategy
from tpuref.distribute.towers import run_towers
from tpuref.distribute.updating_strategy import UpdatingStrategy
from tpuref.distribute.values import MapOutput
from tpuref.graph.default import executing_eagerly, get_default_graph
from tpuref.missing.members import explain_missing_members

__all__ = ["DistributionStrategy"]


@explain_missing_members("tf.contrib.distribute.DistributionStrategy")
class DistributionStrategy(ReducingStrategy, UpdatingStrategy, LaterNames):
    """One program for several towers, each on a device of its own.

    Parameters
    ----------
    devices
        The device of each tower.

    References
    ----------
    001_66db0865fe92828f.txt
    """

    # -- towers ----------------------------------------------------------------

    def call_for_each_tower(
        self, fn: Callable[..., Any], *args: Any, **kwargs: Any
    ) -> Any:
        """Call `fn` once for each tower, and return its results merged.

        Each call is made in a tower context (`tf.get_tower_context`), its operations
        are placed on the device of the tower and are carried out by that core.

        Parameters
        ----------
        fn
            The function.  In graph mode the towers' calls follow one another in tower
            order, each up to its next ``merge_call``.
        args, kwargs
            Its arguments; each tower gets its own component of per-device and mirrored
            values.  ``run_concurrently`` (default True) is not handed on: in eager mode
            it says whether the towers may run side by side.

        Returns
        -------
        object
            The structure that `fn` returned, with a per-device value in place of each
            leaf that is not one object in all towers.

        Raises
        ------
        RuntimeError
            If the towers make different numbers of merge calls, or outside of the
            scope, or within a tower.
        ValueError
            If the towers return different structures.

        Examples
        --------
        >>> import tpuref as tf
        >>> local = tf.contrib.cluster_resolver.TPUClusterResolver("local")
        >>> strategy = tf.contrib.distribute.TPUStrategy(local, 1, num_cores=2)
        >>> def merge_fn(distribution, value):
        ...     return sum(distribution.unwrap(value))
        >>> def fn(three):
        ...     context = tf.get_tower_context()
        ...     value = three + context.tower_id
        ...     return context.merge_call(merge_fn, value) + value
        >>> with strategy.scope():
        ...     strategy.unwrap(strategy.call_for_each_tower(fn, 3))
        [10, 11]

        References
        ----------
        001_66db0865fe92828f.txt, call_for_each_tower.
        """
        self.require_cross_tower("call_for_each_tower")
        if not callable(fn):
            raise coded(
                TypeError,
                f"call_for_each_tower: fn must be callable, got {type(fn).__name__} "
                f"{fn!r}",
                code=codes.WRONG_ARGUMENT_TYPE,
            )
        self._check_region()
        concurrently = kwargs.pop("run_concurrently", True)
        functions = [
            functools.partial(
                fn, *selected(device, args), **selected(device, dict(kwargs))
            )
            for device in self._devices
        ]
        return merged(run_towers(self, functions, concurrently), self._devices)

    def _check_region(self) -> None:
        """Refuse a replicated computation of another number of replicas."""
        region = get_default_graph().region
        around = None if region is None else region.replicated
        if around is not None and around.replicas != self.num_towers:
            raise coded(
                RuntimeError,
                f"call_for_each_tower: {self!r} was used inside of {around.name!r}, a "
                f"replicated computation of {around.replicas} replicas; there must be "
                f"{self.num_towers}, one for each tower",
                code=codes.NESTED_COMPUTATION,
            )

    def map(
        self,
        map_over: Any,
        fn: Callable[..., Any],
        *args: Any,
        **kwargs: Any,
    ) -> MapOutput:
        """Call ``fn(element, *args, **kwargs)`` for each element.

        The document leaves the entry empty.  As in the release it belongs to, the
        calls are made in cross-tower context; element k is worked on by the device of
        tower k, counted around.

        Parameters
        ----------
        map_over
            The elements: a list, or a tensor whose first dimension is gone through.
        fn, args, kwargs
            The function and its further arguments.

        Returns
        -------
        MapOutput
            The results: ``get()`` and `unwrap` list them, `reduce` combines them.

        Examples
        --------
        >>> import tpuref as tf
        >>> local = tf.contrib.cluster_resolver.TPUClusterResolver("local")
        >>> strategy = tf.contrib.distribute.TPUStrategy(local, 1, num_cores=2)
        >>> with strategy.scope():
        ...     strategy.map([1.0, 2.0, 3.0], lambda x, factor: x * factor, 10.0).get()
        [10.0, 20.0, 30.0]

        References
        ----------
        001_66db0865fe92828f.txt, map.
        """
        self.require_cross_tower("map")
        results = []
        for k, element in enumerate(map_over):
            device = self._devices[k % self.num_towers]
            with self.on_device(device):
                own = selected_mirrored(device, (args, kwargs), "map")
                results.append(fn(element, *own[0], **own[1]))
        return MapOutput(results)

    # -- life ------------------------------------------------------------------

    def initialize(self) -> list[Any] | None:
        """Do what has to be done first: nothing.

        Returns
        -------
        list or None
            The operations to run, None in eager mode.
        """
        return None if executing_eagerly() else []

    def finalize(self) -> list[Any] | None:
        """Do what has to be done last: nothing.

        Returns
        -------
        list or None
            The operations to run, None in eager mode.
        """
        return None if executing_eagerly() else []

    def configure(
        self,
        session_config: Any = None,
        cluster_spec: Any = None,
        task_type: Any = None,
        task_id: Any = None,
    ) -> None:
        """Take note of the cluster: nothing to be done here."""

    # -- data ------------------------------------------------------------------

    def distribute_dataset(self, dataset_fn: Callable[[], Any]) -> Any:
        """Return a dataset whose elements go to the towers in turn.

        Parameters
        ----------
        dataset_fn
            A function without parameters that returns a `tf.data.Dataset`; it is called
            once.

        Returns
        -------
        PerDeviceDataset
            Its iterator gives per-device values for `call_for_each_tower`: consecutive
            elements for consecutive towers, without an incomplete last round.

        Raises
        ------
        TypeError
            If `dataset_fn` is not callable.
        ValueError
            If it returns no dataset.

        References
        ----------
        001_66db0865fe92828f.txt, distribute_dataset.
        """
        from tpuref.distribute.dataset import per_device_dataset

        return per_device_dataset(self, dataset_fn)

    def run_steps_on_dataset(
        self,
        fn: Callable[..., Any],
        iterator: Any,
        iterations: int = 1,
        initial_loop_values: Any = None,
    ) -> Any:
        """Build an operation that runs `fn` several times on the input of a dataset.

        Parameters
        ----------
        fn
            Called as ``fn(context, *inputs)`` in cross-tower context, with a
            `MultiStepContext` and the next element of `iterator`: a tuple as separate
            arguments, anything else as one.
        iterator
            The iterator of a dataset; initialising it is up to the caller.
        iterations
            How often.
        initial_loop_values
            Start values of the outputs that `fn` sets.

        Returns
        -------
        MultiStepContext
            Its ``run_op`` runs the steps; ``last_step_outputs`` are the tensors set in
            the last of them, ``non_tensor_outputs`` whatever else was set.

        References
        ----------
        001_66db0865fe92828f.txt, run_steps_on_dataset.
        """
        from tpuref.distribute.steps import run_steps

        self.require_cross_tower("run_steps_on_dataset")
        return run_steps(self, fn, iterator, iterations, initial_loop_values)
