"""Checks of how often resolvers of tpuref ask, and when they give up.

The time is that of a clock which only moves when somebody sleeps.
"""

import http.client
import json
import socket

from tpuref_conformance.clause import expect_raises, same
from tpuref_conformance.suite.cloud_stand_ins import (
    CloudTPU,
    UntouchableAPI,
    node,
    reachable,
    surroundings,
)
from tpuref_conformance.suite.contrib_cluster_resolver import contrib
from tpuref_conformance.suite.distribute_cluster_resolver import distribute
from tpuref_conformance.suite.resolver_checks import TWO_HOSTS, one_node, resolved

from tpuref.testing import patience

from ..messages import refused
from .patience_stand_ins import Answers, TroubledMetadata, busy, unhurried

WORKERS = {"worker": list(TWO_HOSTS)}


def asked(tf, *answers, **patience):
    """Return what cluster_spec gives or raises, how often it asked, and its pauses."""
    service = Answers(*answers)
    with unhurried(**patience) as clock:
        made = resolved(distribute(tf), service)
    try:
        found = made.cluster_spec().as_dict()
    except Exception as error:
        found = error
    return found, service.asked, clock.slept


def test_asks_again(tf):
    answer = node(*TWO_HOSTS)
    passing = [busy(status) for status in (408, 429, 500, 502, 503, 504)]
    passing += [ConnectionResetError("cut"), BrokenPipeError("cut")]
    passing += [http.client.RemoteDisconnected("cut"), http.client.BadStatusLine("cut")]
    passing += [TimeoutError("late"), socket.gaierror("no such host"), Retryable(True)]
    for error in passing:
        same(asked(tf, error, answer), (WORKERS, 2, [0.1]), call=repr(error))
    found, count, slept = asked(tf, *([busy()] * 5), answer)
    same((found, count), (WORKERS, 6))
    same(slept, [0.1, 0.2, 0.4, 0.8, 1.6], 1e-9)


class Retryable(Exception):
    """An error that says itself whether it may pass, as those of google.auth do."""

    def __init__(self, retryable):
        super().__init__("try again")
        self.retryable = retryable


def test_lasting_errors(tf):
    lasting = [busy(status) for status in (400, 401, 403, 409, 501, 505)]
    lasting += [PermissionError("p"), KeyError("k"), OSError("o"), Retryable(False)]
    for error in lasting:
        found, count, slept = asked(tf, error, node(*TWO_HOSTS))
        assert isinstance(found, ValueError), repr(found)
        assert found.__cause__ is error, f"{found!r} does not come from {error!r}"
        same((count, slept), (1, []))


def test_no_answer(tf):
    found, count, slept = asked(tf, busy())
    assert isinstance(found, RuntimeError), repr(found)
    same(slept, [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5, 5, 5, 5], 1e-9)
    same(count, 11)
    words = (
        "TPU 'node-1': no answer from the given service after 11 attempts in 26.3 s "
        "(of at most 30 s); the last one ended with HttpError: <HttpError 503"
    )
    assert words in str(found), found
    found, count, slept = asked(tf, busy(), api=2)
    same((count, len(slept)), (5, 4))
    assert "after 5 attempts in 1.5 s (of at most 2 s)" in str(found), found
    found, count, slept = asked(tf, busy(), api=0.25)
    same((count, slept), (2, [0.1]))  # another 0.2 s would be too long
    found, count, slept = asked(tf, busy(), api=0.1)
    same((count, slept), (1, []))
    found, count, slept = asked(tf, busy(), api=0.05)
    same((count, slept), (1, []))
    assert "after 1 attempt in 0.0 s (of at most 0.05 s)" in str(found), found
    assert isinstance(found.__cause__, Exception), repr(found.__cause__)


def test_one_budget(tf):
    service = CloudTPU({"a": busy(), "b": busy()})
    with unhurried(api=2) as clock:
        made = resolved(contrib(tf), service, tpu=["a", "b"])
    expect_raises(RuntimeError, made.cluster_spec)
    same(sum(clock.slept), 1.5, 1e-9)
    service.answers["a"] = node("10.1.1.1:1")
    refused(RuntimeError, ["TPU 'b': no answer"], made.cluster_spec)
    same(sum(clock.slept), 3.0, 1e-9)
    service.answers["b"] = node("10.1.1.2:2")
    same(made.cluster_spec().as_dict(), {"worker": ["10.1.1.1:1", "10.1.1.2:2"]})
    same(sum(clock.slept), 3.0, 1e-9)


def test_no_api(tf):
    words = ["does not answer projects().locations().nodes().get(name=)"]
    refused(RuntimeError, words, resolved(distribute(tf), object()).cluster_spec)
    for answer in [
        json.JSONDecodeError("no value", "", 0),
        UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"),
    ]:
        found, count, slept = asked(tf, answer)
        assert isinstance(found, RuntimeError), repr(found)
        words = "TPU 'node-1': the answer of the given service is malformed"
        assert words in str(found), found
        same((count, slept), (1, []))


def test_limits_of_patience(tf):
    def wait(**patience):
        with unhurried(**patience) as clock:
            return clock.slept

    with patience() as held:
        same((held.api, held.metadata, held.attempts), (30, 3, 5))
        expect_raises(AttributeError, setattr, held, "api", 5)
    words = ["metadata and api must be positive"]
    for name in ("api", "metadata", "attempts"):
        for limit in (0, -1):
            refused(ValueError, words, wait, **{name: limit})
    same(wait(api=0.5, metadata=0.5, attempts=1), [])
    with unhurried(api=7) as clock:
        made = resolved(distribute(tf), Answers(busy()))
    expect_raises(RuntimeError, made.cluster_spec)
    same(sum(clock.slept), 6.3, 1e-9)
    same(asked(tf, busy())[1], 11)  # the patience of the block ended with it


def placed(tf, troubles, **patience):
    """Return what making a resolver without a project gives or raises, and pauses."""
    with unhurried(**patience) as clock, surroundings(TroubledMetadata(troubles)):
        try:
            service = one_node()
            distribute(tf)("node-1", "z", service=service).cluster_spec()
            return service.requested, clock.slept
        except RuntimeError as error:
            return error, clock.slept


def test_metadata_again(tf):
    found = ["projects/proj-m/locations/z/nodes/node-1"]
    for status in ("429 Busy", "500 Error", "503 Busy", "599 Odd"):
        same(placed(tf, [status, status]), (found, [0.1, 0.2]))
    lasting = ["403 Forbidden", "404 Not Found", "451 Odd", "499 Odd"]
    for status in [*lasting, "201 Created", "199 Odd"]:
        error, slept = placed(tf, [status])
        words = "project/project-id: metadata.google.internal answered HTTP " + status
        assert words in str(error), error
        same(slept, [])


def test_no_metadata(tf):
    with unhurried() as clock:
        error = expect_raises(
            RuntimeError, distribute(tf), "node-1", service=UntouchableAPI()
        )
    same(clock.slept, [0.1, 0.2, 0.4, 0.8], 1e-9)
    for words in (
        "TPUClusterResolver: the project of the TPU is unknown; pass project=",
        "\n  tpu: 'node-1', the name of a Cloud TPU",
        "\n  project: not given",
        "metadata server: project of this machine (metadata project/project-id): no "
        "answer from metadata.google.internal after 5 attempts in 1.5 s (of at most "
        "3 s); the last one ended with ConnectionRefusedError: no connection to",
    ):
        assert words in str(error), error
    words = ["the zone of the TPU is unknown; pass zone=", "(of at most 0.05 s)"]
    arguments = {"project": "p", "service": UntouchableAPI()}
    with unhurried(metadata=0.05):
        refused(RuntimeError, words, distribute(tf), "node-1", **arguments)


def counted(tf, devices, **patience):
    """Return what num_accelerators gives or raises, the attempts, and the pauses."""
    with unhurried(**patience) as clock:
        made = distribute(tf)("grpc://10.1.2.3:8470")
    with reachable(tf, devices) as master:
        try:
            return made.num_accelerators(), master.listed, clock.slept
        except Exception as error:
            return error, master.listed, clock.slept


def test_attempts(tf):
    for kind in (tf.errors.DeadlineExceededError, tf.errors.UnavailableError):
        error, listed, slept = counted(tf, kind("down"))
        assert isinstance(error, RuntimeError), repr(error)
        words = (
            "num_accelerators: cannot reach the TPU master 'grpc://10.1.2.3:8470': 5 "
            f"attempts in 1.5 s, the last one ended with {kind.__name__}: down"
        )
        assert words in str(error), error
        same(listed, 5)
        same(slept, [0.1, 0.2, 0.4, 0.8], 1e-9)
    down = tf.errors.UnavailableError("down")
    same(counted(tf, down, attempts=1)[1:], (1, []))
    _, listed, slept = counted(tf, down, attempts=9)
    same(listed, 9)
    same(slept, [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5, 5], 1e-9)
    same(counted(tf, down, attempts=300)[1], 300)
    for lasting in (tf.errors.PermissionDeniedError("no token"), KeyError("k")):
        error, listed, slept = counted(tf, lasting)
        assert error is lasting, repr(error)
        same((listed, slept), (1, []))
