"""The jobs of a cluster and the addresses of their tasks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.arguments import instance_of
from tpuref.interface.cluster_resolver.source import text_of


@dataclass
class JobDef:
    """One job: its name, and the address of each task by its index."""

    name: str = ""
    tasks: dict[int, str] = field(default_factory=dict)


class JobDefs(list[JobDef]):
    """The jobs of a message."""

    def add(self) -> JobDef:
        """Append an empty job and return it."""
        self.append(JobDef())
        return self[-1]


@dataclass
class ClusterDef:
    """The jobs of a cluster, as a message.

    Examples
    --------
    >>> message = tf.train.ClusterDef()
    >>> job = message.job.add()
    >>> job.name, job.tasks[0] = "worker", "a:1"
    >>> tf.train.ClusterSpec(message)
    ClusterSpec({'worker': ['a:1']})
    """

    job: JobDefs = field(default_factory=JobDefs)


class ClusterSpec:
    """The jobs of a cluster and the addresses of their tasks.

    `cluster` is a dictionary from job names to lists of addresses, or to dictionaries
    from task indices to addresses; a `ClusterDef`; or another `ClusterSpec`.

    Examples
    --------
    >>> spec = tf.train.ClusterSpec({"worker": ["a:1", "b:1"], "ps": {2: "c:1"}})
    >>> spec.jobs, spec.num_tasks("worker"), spec.task_address("ps", 2)
    (['ps', 'worker'], 2, 'c:1')
    """

    def __init__(self, cluster: Any) -> None:
        if isinstance(cluster, ClusterSpec):
            cluster = cluster.as_cluster_def()
        if isinstance(cluster, ClusterDef):
            cluster = _jobs_of(cluster)
        if isinstance(cluster, Mapping):
            self._jobs = {
                _name(job): _tasks(_name(job), cluster[job]) for job in cluster
            }
        else:
            raise codes.INVALID_CLUSTER.type_error(
                "tf.train.ClusterSpec: cluster must be a dictionary, a ClusterDef or a "
                f"ClusterSpec, got {type(cluster).__name__} {cluster!r}"
            )

    def as_dict(self) -> dict[str, Any]:
        """Return jobs as lists of addresses, or dictionaries if tasks are missing."""
        return {
            job: [tasks[i] for i in sorted(tasks)]
            if sorted(tasks) == list(range(len(tasks)))
            else dict(tasks)
            for job, tasks in sorted(self._jobs.items())
        }

    def as_cluster_def(self) -> ClusterDef:
        """Return the jobs as a message, sorted by name."""
        return ClusterDef(
            JobDefs(
                JobDef(job, dict(sorted(t.items())))
                for job, t in sorted(self._jobs.items())
            )
        )

    @property
    def jobs(self) -> list[str]:
        """The names of the jobs."""
        return sorted(self._jobs)

    def num_tasks(self, job_name: str) -> int:
        """Return the number of tasks of a job; ValueError if it does not exist."""
        return len(self._job(job_name))

    def task_indices(self, job_name: str) -> list[int]:
        """Return the task indices of a job; ValueError if it does not exist."""
        return sorted(self._job(job_name))

    def task_address(self, job_name: str, task_index: int) -> str:
        """Return the address of a task; ValueError if it does not exist."""
        tasks = self._job(job_name)
        if not isinstance(task_index, Integral) or task_index not in tasks:
            raise codes.INVALID_CLUSTER.value_error(
                f"ClusterSpec.task_address: job {job_name!r} has no task "
                f"{task_index!r}; its tasks are {sorted(tasks)}"
            )
        return tasks[task_index]

    def job_tasks(self, job_name: str) -> list[str | None]:
        """Return the addresses of a job by task index, None for missing tasks."""
        tasks = self._job(job_name)
        return [tasks.get(i) for i in range(max(tasks, default=-1) + 1)]

    def _job(self, name: Any) -> dict[int, str]:
        name = _text(name)
        instance_of(str, "ClusterSpec: job_name", "a string", name)
        if name not in self._jobs:
            raise codes.INVALID_CLUSTER.value_error(
                f"the cluster has no job {name!r}; its jobs are {sorted(self._jobs)}"
            )
        return self._jobs[name]

    def __bool__(self) -> bool:
        return bool(self._jobs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClusterSpec) and self._jobs == other._jobs

    def __hash__(self) -> int:
        return hash(frozenset((j, frozenset(t.items())) for j, t in self._jobs.items()))

    def __repr__(self) -> str:
        return f"ClusterSpec({self.as_dict()!r})"


def _jobs_of(cluster: ClusterDef) -> dict[Any, Any]:
    """Return the tasks of each job of a message, unchecked."""
    jobs = cluster.job
    if not isinstance(jobs, Sequence) or not all(isinstance(j, JobDef) for j in jobs):
        raise codes.INVALID_CLUSTER.type_error(
            "tf.train.ClusterSpec: job of a ClusterDef must be a list of JobDef, got "
            f"{jobs!r}"
        )
    return {_name(job.name): job.tasks for job in jobs}


def _name(job: Any) -> str:
    job = _text(job)
    if not isinstance(job, str):
        raise codes.INVALID_CLUSTER.type_error(
            f"tf.train.ClusterSpec: a job name must be text, got {job!r}"
        )
    return job


def _tasks(job: str, tasks: Any) -> dict[int, str]:
    if isinstance(tasks, Mapping):
        indexed = dict(tasks)
    elif isinstance(tasks, Sequence) and not isinstance(tasks, (str, bytes)):
        indexed = dict(enumerate(tasks))
    else:
        raise codes.INVALID_CLUSTER.type_error(
            f"tf.train.ClusterSpec: the tasks of job {job!r} must be a list of "
            f"addresses or a dictionary from indices to addresses, got {tasks!r}"
        )
    indexed = {index: _text(address) for index, address in indexed.items()}
    for index, address in indexed.items():
        if not isinstance(index, int) or not isinstance(address, str) or index < 0:
            raise codes.INVALID_CLUSTER.type_error(
                f"tf.train.ClusterSpec: job {job!r} has the task {index!r}: "
                f"{address!r}; expected a non-negative number and an address"
            )
    return indexed


def _text(value: Any) -> Any:
    """Return bytes as text; the releases accept both for names and addresses."""
    if not isinstance(value, bytes):
        return value
    return text_of(value, "a name or address", "tf.train.ClusterSpec")
