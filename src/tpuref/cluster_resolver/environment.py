"""The resolver of a cluster that the environment describes, in ``TF_CONFIG``."""

from __future__ import annotations

import json
import os
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.errors import coded
from tpuref.cluster_resolver.cluster_spec import ClusterSpec
from tpuref.cluster_resolver.resolver import ClusterResolver

__all__ = ["TFConfigClusterResolver"]


class TFConfigClusterResolver(ClusterResolver):
    """Reads the cluster from the environment variable ``TF_CONFIG``.

    Parameters
    ----------
    task_type, task_id, rpc_layer, environment
        Used instead of what the variable says.

    Raises
    ------
    ValueError
        If the variable is no JSON object.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.distribute.cluster_resolver.TFConfigClusterResolver().master()
    ''
    """

    def __init__(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
        environment: str | None = None,
    ) -> None:
        known = _described()
        task = known.get("task") or {}
        self._cluster = known.get("cluster") or {}
        self._session_master = known.get("session_master")
        self._environment = environment or known.get("environment") or ""
        kind = task_type or task.get("type")
        self.task_type = None if kind is None else str(kind)
        number = task.get("index") if task_id is None else task_id
        self.task_id = None if number is None else int(number)
        self.rpc_layer = rpc_layer or known.get("rpc_layer")

    @property
    def environment(self) -> str:
        """The environment that the variable names, ``""`` for none."""
        return self._environment

    def cluster_spec(self) -> ClusterSpec:
        """Return the cluster; one without jobs if the variable is not set."""
        return ClusterSpec(
            {job: _numbered(tasks) for job, tasks in self._cluster.items()}
        )

    def master(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
    ) -> str:
        """Return the address of a task; ``""``, this process, if there is at most one.

        The variable's ``session_master`` is used instead of any task.

        Raises
        ------
        ValueError
            If the cluster has several tasks, but not the one that is asked for, or none
            is: neither here nor in the variable.
        """
        if self._session_master is not None:
            return str(self._session_master)
        spec = self.cluster_spec()
        if sum(map(spec.num_tasks, spec.jobs)) <= 1:
            return ""
        kind = task_type or self.task_type
        number = self.task_id if task_id is None else task_id
        if kind is None or number is None:
            raise coded(
                ValueError,
                "TFConfigClusterResolver.master: the cluster has several tasks, and "
                f"task_type is {kind!r}, task_id is {number!r}; give both, or say "
                "'task': {'type': ..., 'index': ...} in TF_CONFIG",
                code=codes.NO_SUCH_TASK,
            )
        address = spec.task_address(kind, number)
        layer = rpc_layer or self.rpc_layer
        return f"{layer}://{address}" if layer else address

    def num_accelerators(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        config_proto: Any = None,
    ) -> int:
        """Return 0: TPU cores have a resolver of their own."""
        return 0


def _numbered(tasks: Any) -> Any:
    """Return a job's tasks by number; JSON has only texts as keys."""
    if not isinstance(tasks, dict):
        return tasks
    return {int(n) if n.isdecimal() else n: at for n, at in tasks.items()}


def _described() -> dict[str, Any]:
    text = os.environ.get("TF_CONFIG") or "{}"
    try:
        known = json.loads(text)
    except (ValueError, RecursionError):
        known = None
    if not isinstance(known, dict):
        raise coded(
            ValueError,
            f"TFConfigClusterResolver: TF_CONFIG must be a JSON object, got {text!r}",
            code=codes.INVALID_ARGUMENT,
        )
    return known
