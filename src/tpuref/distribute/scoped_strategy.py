"""The scope of a strategy, its devices, and where its methods may be called."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

from tpuref.base import error_codes as codes
from tpuref.base.errors import coded
from tpuref.distribute.destinations import devices_of
from tpuref.distribute.tower_context import (
    across_towers,
    get_distribution_strategy,
    get_tower_context,
    has_distribution_strategy,
)
from tpuref.distribute.values import PerDevice
from tpuref.distribute.variable_creation import create_variable
from tpuref.graph.default import get_default_graph
from tpuref.graph.tower_placement import TowerPlacement, TowerSystem
from tpuref.graph.variables import variable_creator_scope

if TYPE_CHECKING:
    from tpuref.distribute.strategy import DistributionStrategy


class ScopedStrategy:
    """The devices of the towers, and the scope that makes a strategy the current one.

    Parameters
    ----------
    devices
        The device of each tower.

    References
    ----------
    001_66db0865fe92828f.txt
    """

    is_default = False

    def __init__(self, devices: Sequence[str]) -> None:
        self._devices = tuple(devices)
        self._towers: TowerSystem | None = None

    # -- properties ------------------------------------------------------------

    @property
    def between_graph(self) -> bool:
        """Whether each worker builds a graph of its own: never, one drives all."""
        return False

    @property
    def is_single_tower(self) -> bool:
        """Whether there is one tower, so that functions are called only once."""
        return self.num_towers == 1

    @property
    def num_towers(self) -> int:
        """The number of towers, by which a mean over the towers divides."""
        return len(self._devices)

    @property
    def parameter_devices(self) -> list[str]:
        """The devices of the components of variables: those of the towers."""
        return list(self._devices)

    @property
    def worker_devices(self) -> list[str]:
        """The device of each tower, in tower order."""
        return list(self._devices)

    @property
    def worker_device_index(self) -> Any:
        """The number of each tower's device, as an argument for `call_for_each_tower`.

        A per-device value of the numbers from 0 up; the number 0 for a single tower.

        Raises
        ------
        RuntimeError
            Outside of the strategy's scope, and within a tower.

        Examples
        --------
        >>> import tpuref as tf
        >>> local = tf.contrib.cluster_resolver.TPUClusterResolver("local")
        >>> strategy = tf.contrib.distribute.TPUStrategy(local, 1, num_cores=2)
        >>> with strategy.scope():
        ...     strategy.unwrap(strategy.worker_device_index)
        [0, 1]
        """
        self.require_cross_tower("worker_device_index")
        if self.is_single_tower:
            return 0
        return PerDevice({device: k for k, device in enumerate(self._devices)})

    @property
    def should_checkpoint(self) -> bool:
        """Whether this program saves checkpoints: yes, it is the only one."""
        return True

    @property
    def should_init(self) -> bool:
        """Whether this program initialises variables: yes, it is the only one."""
        return True

    @property
    def should_save_summary(self) -> bool:
        """Whether this program saves summaries: yes, it is the only one."""
        return True

    @property
    def tower_system(self) -> TowerSystem | None:
        """The cores that carry out the towers, None where the host does."""
        return self._towers

    def device_of_tower(self, tower_id: int) -> str:
        """Return the device of a tower."""
        return self._devices[tower_id]

    # -- scopes ----------------------------------------------------------------

    def scope(self) -> contextlib.AbstractContextManager[Any]:
        """Make this the strategy of a block, and enter cross-tower context.

        Variables made in the block have a component on each of `parameter_devices`.
        Other threads are not affected.

        Raises
        ------
        RuntimeError
            If the scope of another strategy is in force, or within a tower.

        Examples
        --------
        >>> import tpuref as tf
        >>> local = tf.contrib.cluster_resolver.TPUClusterResolver("local")
        >>> strategy = tf.contrib.distribute.TPUStrategy(local, 1, num_cores=2)
        >>> with strategy.scope():
        ...     v = tf.get_variable("v", [])
        ...     tf.get_distribution_strategy() is strategy
        True
        >>> len(strategy.unwrap(v))
        2

        References
        ----------
        001_66db0865fe92828f.txt, scope.
        """
        return self._entered()

    @contextlib.contextmanager
    def _entered(self) -> Iterator[ScopedStrategy]:
        if has_distribution_strategy():
            self._check_nesting()
            yield self
            return

        def creator(next_creator: Callable[..., Any], **arguments: Any) -> Any:
            return create_variable(self.whole, next_creator, arguments)

        with across_towers(self.whole), variable_creator_scope(creator):
            yield self

    @property
    def whole(self) -> DistributionStrategy:
        """The strategy itself: this class is a part of it."""
        return cast("DistributionStrategy", self)

    def _check_nesting(self) -> None:
        around = get_distribution_strategy()
        if around is not self:
            raise coded(
                RuntimeError,
                f"{self!r}: scope() was entered within the scope of {around!r}; the "
                "scopes of two strategies cannot be nested, leave the other first",
                code=codes.NESTED_SCOPES,
            )
        self.require_cross_tower("scope")

    def colocate_vars_with(
        self, colocate_with_variable: Any
    ) -> contextlib.AbstractContextManager[Any]:
        """Make the variables of a block on the devices of another one.

        Parameters
        ----------
        colocate_with_variable
            A variable made in the scope, or what `non_slot_devices` returned.

        Raises
        ------
        RuntimeError
            Outside of the strategy's scope.

        Examples
        --------
        >>> import tpuref as tf
        >>> local = tf.contrib.cluster_resolver.TPUClusterResolver("local")
        >>> strategy = tf.contrib.distribute.TPUStrategy(local, 1, num_cores=2)
        >>> with strategy.scope():
        ...     with strategy.colocate_vars_with(strategy.worker_devices[1]):
        ...         w = tf.get_variable("w", [])
        >>> w.devices
        ['/replica:0/task:0/device:TPU:1']

        References
        ----------
        001_66db0865fe92828f.txt, colocate_vars_with.
        """
        self.require_scope("colocate_vars_with")
        devices = devices_of("colocate_vars_with", colocate_with_variable, self.whole)

        def creator(next_creator: Callable[..., Any], **arguments: Any) -> Any:
            return next_creator(**{"colocated": devices, **arguments})

        return variable_creator_scope(creator)

    @contextlib.contextmanager
    def on_device(self, device: str) -> Iterator[None]:
        """Place the operations of a block on one device."""
        graph = get_default_graph()
        with graph.device(device), graph.in_tower(self._place_of(device)):
            yield

    def _place_of(self, device: str) -> TowerPlacement | None:
        """Return the tower whose core carries out what is placed on a device."""
        if self._towers is None or device not in self._devices:
            return None
        return TowerPlacement(self._devices.index(device), self._towers)

    @contextlib.contextmanager
    def on_tower(self, tower_id: int) -> Iterator[None]:
        """Place the operations of a block on the device of one tower."""
        with self.on_device(self.device_of_tower(tower_id)):
            yield

    def require_scope(self, method: str) -> None:
        """Refuse a call of a method outside of the strategy's scope."""
        if get_distribution_strategy() is not self:
            raise coded(
                RuntimeError,
                f"{type(self).__name__}.{method} must be used inside of `with "
                "strategy.scope():` of the same strategy",
                code=codes.OUTSIDE_SCOPE,
            )

    def require_cross_tower(self, method: str) -> None:
        """Refuse a call of a method within a tower, and outside of the scope."""
        self.require_scope(method)
        context = get_tower_context()
        if context is not None and not self.is_default:
            raise coded(
                RuntimeError,
                f"{type(self).__name__}.{method} must be used in cross-tower context, "
                f"but was called within tower {context.tower_id}; use "
                "tf.get_tower_context().merge_call(merge_fn, value), and call it in "
                "merge_fn(strategy, value)",
                code=codes.IN_TOWER_CONTEXT,
            )
