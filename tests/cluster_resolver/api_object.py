"""A stand-in for the one that Google's client builds."""

from types import SimpleNamespace

import tpuref as tf

CONTRIB = tf.contrib.cluster_resolver.TPUClusterResolver
DISTRIBUTE = tf.distribute.cluster_resolver.TPUClusterResolver


class HttpError(Exception):
    """An error answer, with its status where Google's client has it."""

    def __init__(self, status):
        super().__init__(f"HTTP {status}")
        self.resp = SimpleNamespace(status=status)


class Service:
    """Answers ``projects().locations().nodes().get(name=...).execute()``.

    Every other question ends with an error 404; an exception in `nodes` is raised.
    """

    def __init__(self, **nodes):
        self.answers = nodes
        self.requested = []

    def projects(self):
        return self

    def locations(self):
        return self

    def nodes(self):
        return self

    def get(self, name):
        self.requested.append(name)
        answer = self.answers.get(name.split("/nodes/")[1], HttpError(404))
        return SimpleNamespace(execute=lambda: _given(answer))

    def __deepcopy__(self, memo):
        raise TypeError("an API object cannot be copied")


class Untouchable:
    """An object that nobody may use."""

    def __getattr__(self, name):
        raise AssertionError(f"the API was used: {name}")


def _given(answer):
    if isinstance(answer, Exception):
        raise answer
    return answer


def node(*addresses, **fields):
    """Return the answer about a healthy TPU; a field that is None is left out."""
    pairs = [address.rsplit(":", 1) for address in addresses]
    answer = {
        "state": "READY",
        "health": "HEALTHY",
        "networkEndpoints": [{"ipAddress": host, "port": int(p)} for host, p in pairs],
    } | fields
    return {key: value for key, value in answer.items() if value is not None}


NODE_1 = node("10.1.2.3:8470", "10.1.2.4:8470")
NODE_2 = node("10.9.9.9:8471")
