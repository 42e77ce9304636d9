"""num_accelerators: the cores of each host of a master."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

import tpuref as tf
from tpuref.interface.cluster_resolver import devices
from tpuref.testing import FakeClock, patience

from .statements import CONTRIB, DISTRIBUTE, distribute

PLACE = {"project": "p", "zone": "z"}


def hosts(*cores: int) -> list[str]:
    """The devices of hosts with that many cores."""
    found = []
    for task, count in enumerate(cores):
        prefix = f"/job:worker/replica:0/task:{task}/device:"
        found += [prefix + "CPU:0", prefix + "TPU_SYSTEM:0", prefix + "XLA_CPU:0"]
        found += [f"{prefix}TPU:{core}" for core in range(count)]
    return found


class Masters:
    """A stand-in for all masters: lists devices, or raises errors first."""

    def __init__(self) -> None:
        self.devices: list[str] = []
        self.errors: list[Exception] = []
        self.asked: list[Any] = []

    def list_devices(self, master: str, config: Any) -> list[str]:
        self.asked.append((master, config))
        if self.errors:
            raise self.errors.pop(0)
        return self.devices


@pytest.fixture
def masters(monkeypatch: Any) -> Masters:
    found = Masters()
    monkeypatch.setattr(devices, "list_devices", found.list_devices)
    return found


@distribute(
    ".num_accelerators/returns/cores-per-worker",
    ".num_accelerators/behaviour/verifies-equal-hosts",
)
@pytest.mark.parametrize(
    ("cores", "expected"),
    [((8, 8), 8), ((4, 4), 4), ((8,), 8), ((8, 8, 8, 8), 8), ((0,), 0), ((), 0)],
)
def test_cores_of_each_host(
    resolver: Any, cores: Any, expected: int, service: Any, masters: Masters
) -> None:
    masters.devices = hosts(*cores)
    made = resolver("node-1", service=service, **PLACE)
    assert made.num_accelerators() == expected
    assert type(made.num_accelerators()) is int


@distribute(".num_accelerators/behaviour/connects-and-counts")
def test_devices_of_type_tpu_count(
    resolver: Any, service: Any, masters: Masters
) -> None:
    masters.devices = hosts(2)
    made = resolver("node-1", service=service, **PLACE)
    assert made.num_accelerators() == 2
    assert masters.asked == [("grpc://10.1.2.3:8470", None)]


@distribute(
    ".num_accelerators/args:task_type/unused", ".num_accelerators/args:task_id/unused"
)
def test_the_task_makes_no_difference(resolver: Any, masters: Masters) -> None:
    masters.devices = hosts(8, 8)
    made = resolver("grpc://1.2.3.4:8470")
    assert made.num_accelerators("ps", 17) == made.num_accelerators() == 8
    assert masters.asked[0] == masters.asked[1]


@distribute(".num_accelerators/args:config_proto/for-connection")
def test_the_configuration_is_handed_on(resolver: Any, masters: Masters) -> None:
    config = tf.ConfigProto()
    resolver("grpc://1.2.3.4:8470").num_accelerators(config_proto=config)
    assert masters.asked[0][1] is config


@distribute(".num_accelerators/raises/unequal-hosts")
def test_hosts_that_differ(resolver: Any, masters: Masters) -> None:
    masters.devices = hosts(4, 2)
    with pytest.raises(RuntimeError, match=r"task:0 has 4, .*task:1 has 2"):
        resolver("grpc://1.2.3.4:8470").num_accelerators()


@distribute(".num_accelerators/raises/unreachable-after-retries")
@pytest.mark.parametrize(
    "kind", [tf.errors.DeadlineExceededError, tf.errors.UnavailableError]
)
def test_nobody_answers(
    resolver: Any, kind: Any, masters: Masters, clock: FakeClock
) -> None:
    masters.errors = [kind("late")] * 5
    with pytest.raises(
        RuntimeError, match=r"'grpc://1.2.3.4:8470': 5 attempts in 1\.5 s"
    ):
        resolver("grpc://1.2.3.4:8470").num_accelerators()
    assert len(masters.asked) == 5
    assert clock.slept == [0.1, 0.2, 0.4, 0.8]


def test_a_late_answer_counts(masters: Masters, clock: FakeClock) -> None:
    masters.errors = [tf.errors.UnavailableError("down")] * 2
    masters.devices = hosts(8)
    assert CONTRIB("grpc://1.2.3.4:8470").num_accelerators() == 8
    assert len(masters.asked) == 3


def test_the_number_of_attempts_is_chosen(masters: Masters) -> None:
    masters.errors = [tf.errors.UnavailableError("down")] * 9
    with patience(attempts=2, clock=FakeClock()):
        made = DISTRIBUTE("grpc://1.2.3.4:8470")
    with pytest.raises(RuntimeError, match="2 attempts"):
        made.num_accelerators()


def test_other_errors_are_final(masters: Masters, clock: FakeClock) -> None:
    masters.errors = [tf.errors.PermissionDeniedError("no token")]
    with pytest.raises(tf.errors.PermissionDeniedError, match="no token"):
        DISTRIBUTE("grpc://1.2.3.4:8470").num_accelerators()
    assert len(masters.asked) == 1 and clock.slept == []


# -- this computer -------------------------------------------------------------


@pytest.mark.parametrize("tpu", ["", "local"])
def test_the_local_cores(tpu: str) -> None:
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


def test_one_attempt_opens_and_closes_a_session(monkeypatch: Any) -> None:
    opened: list[Any] = []

    class Session:
        def __init__(self, target: str, config: Any) -> None:
            opened.append((target, config))

        def list_devices(self) -> list[Any]:
            return [SimpleNamespace(name=name) for name in hosts(1)]

        def close(self) -> None:
            opened.append("closed")

    monkeypatch.setattr(devices, "Session", Session)
    assert devices.list_devices("grpc://a:1", "config") == hosts(1)
    assert opened == [("grpc://a:1", "config"), "closed"]
