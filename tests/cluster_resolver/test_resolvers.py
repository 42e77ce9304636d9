"""Resolvers: long variables, forbidden TPUs, slow servers, local cores."""

import copy
import gc
import time
from types import SimpleNamespace

import pytest

import tpuref as tf
from tpuref.interface.cluster_resolver import devices
from tpuref.testing import patience

from .api_object import CONTRIB, DISTRIBUTE, HttpError, Service, Untouchable


def test_a_resolver_of_ones_own_has_to_say_where_its_tasks_are():
    class Half(tf.distribute.cluster_resolver.ClusterResolver):  # type: ignore
        def master(self):
            return ""

    with pytest.raises(TypeError, match="cluster_spec"):
        Half()


def test_slow_metadata_cannot_hold_up_the_program(service, cloud):
    cloud.latency = 30
    with patience(metadata=0.3), pytest.raises(RuntimeError, match="at most 0.3 s"):
        DISTRIBUTE("node-1", service=service)


# As the releases do: the address is the name of a TPU there too.


@pytest.mark.parametrize("text", ["[", "'x", "x:y/"])
def test_a_long_variable_is_refused_at_once(text, monkeypatch, offline):
    monkeypatch.setenv("KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS", text * 60_000)
    start = time.process_time()
    with pytest.raises(ValueError, match="E0"):
        DISTRIBUTE(service=Untouchable())
    assert time.process_time() - start < 2.0


PLACE = {"project": "p", "zone": "z"}


def answered(answer, resolver=DISTRIBUTE):
    """A resolver of a TPU about which the API answers that."""
    return resolver("n", service=Service(n=answer), **PLACE)


class Forbidden(Exception):
    """As google.api_core raises it."""

    code = 403


@pytest.mark.parametrize("resolver", [CONTRIB, DISTRIBUTE])
@pytest.mark.parametrize(
    ("error", "credentials"),
    [
        (HttpError(401), "default"),
        (HttpError(403), None),
        (PermissionError("p"), "default"),
        (Forbidden("f"), "default"),
    ],
)
def test_a_tpu_that_must_not_be_seen(resolver, error, credentials):
    with pytest.raises(ValueError, match=r"credentials.*TPUREF-E196") as caught:
        answered(error, resolver).master()
    assert caught.value.__cause__ is error
    assert "no access to TPU 'n'" in str(caught.value)


WORKERS = ["10.1.2.3:8470", "10.1.2.4:8470"]
NODE = {"tpu": "node-1", "project": "p", "zone": "z"}


@pytest.mark.parametrize("resolver", [DISTRIBUTE])
def test_the_end_of_the_block(resolver, service, servers):
    made = resolver(service=service, coordinator_name="c", **NODE)
    with pytest.raises(KeyError), made:
        raise KeyError("inside")
    assert servers[0].stops == 1
    assert made.cluster_spec().as_dict()["worker"] == WORKERS
    assert made.master("c") == "grpc://localhost:2222"
    with made:
        pass
    assert servers[0].stops == 1


@pytest.mark.parametrize("resolver", [CONTRIB, DISTRIBUTE])
def test_the_server_ends_with_the_resolver(resolver, service, servers):
    made = resolver(service=service, coordinator_name="c", **NODE)
    assert servers[0].stops == 0
    del made
    gc.collect()
    assert servers[0].stops == 1


def hosts(*cores):
    """The devices of hosts with that many cores."""
    found = []
    for task, count in enumerate(cores):
        prefix = f"/job:worker/replica:0/task:{task}/device:"
        found += [prefix + "CPU:0", prefix + "TPU_SYSTEM:0", prefix + "XLA_CPU:0"]
        found += [f"{prefix}TPU:{core}" for core in range(count)]
    return found


class Masters:
    """A stand-in for all masters: lists devices, or raises errors first."""

    def __init__(self):
        self.devices = []
        self.errors = []
        self.asked = []

    def list_devices(self, master, config):
        self.asked.append((master, config))
        if self.errors:
            raise self.errors.pop(0)
        return self.devices


@pytest.fixture
def masters(monkeypatch):
    found = Masters()
    monkeypatch.setattr(devices, "list_devices", found.list_devices)
    return found


@pytest.mark.parametrize("tpu", ["", "local"])
def test_the_local_cores(tpu):
    made = DISTRIBUTE(tpu)
    with tf.config.override(topology="2x1x2"):
        assert made.num_accelerators() == 4
    with tf.config.override(topology="4x2x2"):
        assert made.num_accelerators() == 8
    with tf.config.override(topology="2x1x1"), tf.Session() as session:
        session.run(tf.tpu.initialize_system())
        with tf.config.override(topology="2x2x2"):
            assert made.num_accelerators() == 2
        session.run(tf.tpu.shutdown_system())


def test_one_attempt_opens_and_closes_a_session(monkeypatch):
    opened = []

    class Session:
        def __init__(self, target, config):
            opened.append((target, config))

        def list_devices(self):
            return [SimpleNamespace(name=name) for name in hosts(1)]

        def close(self):
            opened.append("closed")

    monkeypatch.setattr(devices, "Session", Session)
    assert devices.list_devices("grpc://a:1", "config") == hosts(1)
    assert opened == [("grpc://a:1", "config"), "closed"]


def test_a_deep_copy_is_the_resolver():
    made = DISTRIBUTE("local")
    assert copy.deepcopy({"resolver": made})["resolver"] is made


def test_a_cut_answer_of_the_metadata_server_is_asked_for_again(service, cloud, clock):
    cloud.fail("cut", 2, path="project-id")
    DISTRIBUTE("node-1", service=service).cluster_spec()
    assert service.requested == ["projects/proj-m/locations/europe-x/nodes/node-1"]
    assert clock.slept == [0.1, 0.2]
