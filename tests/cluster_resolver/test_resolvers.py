"""Resolvers: long variables, forbidden TPUs, slow servers, local cores."""

import copy
import time

import pytest
from tpuref_conformance.suite.cloud_stand_ins import HttpError, UntouchableAPI

import tpuref as tf
from tpuref.testing import patience

from .api_object import CONTRIB, DISTRIBUTE, answered


def test_slow_metadata_cannot_hold_up_the_program(service, cloud):
    cloud.latency = 30
    with patience(metadata=0.3), pytest.raises(RuntimeError, match="at most 0.3 s"):
        DISTRIBUTE("node-1", service=service)


@pytest.mark.parametrize("text", ["[", "'x", "x:y/"])
def test_a_long_variable_is_refused_at_once(text, monkeypatch, offline):
    monkeypatch.setenv("KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS", text * 60_000)
    start = time.process_time()
    with pytest.raises(ValueError, match="E0"):
        DISTRIBUTE(service=UntouchableAPI())
    assert time.process_time() - start < 2.0


class Forbidden(Exception):
    """As google.api_core raises it."""

    code = 403


@pytest.mark.parametrize("resolver", [CONTRIB, DISTRIBUTE])
@pytest.mark.parametrize(
    ("error", "credentials"),
    [
        (HttpError(401, "no"), "default"),
        (HttpError(403, "no"), None),
        (PermissionError("p"), "default"),
        (Forbidden("f"), "default"),
    ],
)
def test_a_tpu_that_must_not_be_seen(resolver, error, credentials):
    with pytest.raises(ValueError, match=r"credentials.*TPUREF-E196") as caught:
        answered(error, resolver).master()
    assert caught.value.__cause__ is error
    assert "no access to TPU 'n'" in str(caught.value)


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


def test_a_deep_copy_is_the_resolver():
    made = DISTRIBUTE("local")
    assert copy.deepcopy({"resolver": made})["resolver"] is made


def test_a_cut_answer_of_the_metadata_server_is_asked_for_again(service, cloud, clock):
    cloud.fail("cut", 2, path="project-id")
    DISTRIBUTE("node-1", service=service).cluster_spec()
    assert service.requested == ["projects/proj-m/locations/europe-x/nodes/node-1"]
    assert clock.slept == [0.1, 0.2]
