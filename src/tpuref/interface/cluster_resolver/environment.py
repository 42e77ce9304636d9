"""The resolver of the cluster in the environment variable ``TF_CONFIG``."""

import json
import os
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.interface.cluster_resolver.cluster_spec import ClusterSpec
from tpuref.interface.cluster_resolver.resolver import ClusterResolver


class TFConfigClusterResolver(ClusterResolver):
    """A resolver of the cluster in the environment variable ``TF_CONFIG``.

    The arguments override the entries of the variable.  It raises ValueError if the
    variable is not a JSON object.

    Examples
    --------
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
        entries = _read_variable()
        task = entries.get("task") or {}
        self._cluster = entries.get("cluster") or {}
        self._session_master = entries.get("session_master")
        self._environment = environment or entries.get("environment") or ""
        kind = task_type or task.get("type")
        self.task_type = None if kind is None else str(kind)
        number = task.get("index") if task_id is None else task_id
        self.task_id = None if number is None else int(number)
        self.rpc_layer = rpc_layer or entries.get("rpc_layer")

    @property
    def environment(self) -> str:
        """The environment in the variable, ``""`` without one."""
        return self._environment

    def cluster_spec(self) -> ClusterSpec:
        """Return the cluster; one without jobs if the variable is not set."""
        return ClusterSpec(
            {job: _tasks_by_number(tasks) for job, tasks in self._cluster.items()}
        )

    def master(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
    ) -> str:
        """Return the address of a task; ``""``, this process, if there is at most one.

        The variable's ``session_master`` takes precedence over all tasks.  It raises
        ValueError if the cluster has several tasks, and the task does not exist or is
        not specified, neither here nor in the variable.
        """
        if self._session_master is not None:
            return str(self._session_master)
        spec = self.cluster_spec()
        if sum(map(spec.num_tasks, spec.jobs)) <= 1:
            return ""
        kind = task_type or self.task_type
        number = self.task_id if task_id is None else task_id
        if kind is None or number is None:
            raise codes.INVALID_CLUSTER.value_error(
                "TFConfigClusterResolver.master: the cluster has several tasks, and "
                f"task_type is {kind!r}, task_id is {number!r}; give both, or say "
                "'task': {'type': ..., 'index': ...} in TF_CONFIG"
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
        """Return 0: TPU cores have their own resolver."""
        return 0


def _tasks_by_number(tasks: Any) -> Any:
    """Return a job's tasks with integer keys; JSON has only strings as keys."""
    if not isinstance(tasks, dict):
        return tasks
    return {int(n) if n.isdecimal() else n: at for n, at in tasks.items()}


def _read_variable() -> dict[str, Any]:
    text = os.environ.get("TF_CONFIG") or "{}"
    try:
        entries = json.loads(text)
    except (ValueError, RecursionError):
        entries = None
    if not isinstance(entries, dict):
        raise codes.INVALID_ARGUMENT.value_error(
            f"TFConfigClusterResolver: TF_CONFIG must be a JSON object, got {text!r}"
        )
    return entries
