"""What TensorFlow's tests put in place of servers, in front of tpuref's requests.

Tests replace the private functions that ask the metadata server, and a master for its
devices, which each release has at another place.  tpuref asks the replacement.
"""

import contextlib
import functools
from types import ModuleType
from typing import Any, NamedTuple
from unittest import mock

from tpuref.interface.cluster_resolver import devices, metadata

client = ModuleType("client")
vars(client)["_request_compute_metadata"] = None


class Patched:
    """Where tests of the releases before 2.2 put their metadata server."""

    _request_compute_metadata: Any = None
    _requestComputeMetadata: Any = None


@functools.cache
def resolver_of(namespace):
    """Return the namespace's resolver, with the attributes that tests replace."""
    kind = namespace.TPUClusterResolver
    return type(kind.__name__, (Patched, kind), {})


class Device(NamedTuple):
    """A device that a replaced master has."""

    name: str
    device_type: str = ""
    memory_limit_bytes: int = 0
    incarnation: int = 0


class BaseSession:
    """Where tests put the devices of a master."""

    list_devices: Any = None


class NAMES_OF_SESSION:
    """Names of ``tensorflow.python.client.session``, for devices."""

    BaseSession = BaseSession
    _DeviceAttributes = Device


NAMES = {"tensorflow.python.client.session": NAMES_OF_SESSION}


@contextlib.contextmanager
def patched():
    """Send requests to what a test has put in place of the servers."""
    ask = metadata.answer
    list_of = devices.list_devices

    def answer(path):
        for kind in Patched.__subclasses__():
            for name in ("_request_compute_metadata", "_requestComputeMetadata"):
                if getattr(kind, name):
                    return str(getattr(kind, name)(None, path))
        given = vars(client)["_request_compute_metadata"] or ask
        return given(path)

    def listed(master, config):
        if BaseSession.list_devices is not None:
            return [device.name for device in BaseSession.list_devices()]
        return list_of(master, config)

    with (
        mock.patch.object(metadata, "answer", answer),
        mock.patch.object(devices, "list_devices", listed),
    ):
        yield
