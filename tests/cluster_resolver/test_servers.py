"""Resolvers and real servers: coordinators, sessions and strategies."""

import gc

import pytest

import tpuref as tf
from tpuref.testing import FakeClock, FakeCloudTPU, patience

from ..pythons import python
from ..remote.conftest import answers
from .api_object import CONTRIB, DISTRIBUTE, PLACE

pytest.importorskip("grpc", reason="needs the extra: pip install tpuref[cloud]")

PROGRAM = """
import sys
import tpuref as tf
with tf.Session(sys.argv[1]) as session:
    print(session.run(tf.reduce_sum(tf.constant([1, 2, 3]))))
"""


@pytest.mark.parametrize("resolver", [CONTRIB, DISTRIBUTE])
def test_a_coordinator_really_listens(resolver, service):
    made = resolver("node-1", service=service, coordinator_name="coordinator", **PLACE)
    (address,) = made.cluster_spec().as_dict()["coordinator"]
    assert address.startswith("localhost:")
    assert answers(f"grpc://{address}")
    done = python(
        "-c", PROGRAM, f"grpc://{address}", env={"TPUREF_EXECUTOR": "lockstep"}
    )
    assert (done.stdout, done.returncode) == ("6\n", 0), done.stderr
    del made
    gc.collect()
    assert not answers(f"grpc://{address}")


def test_a_coordinator_ends_with_the_block(service):
    with DISTRIBUTE("node-1", service=service, coordinator_name="c", **PLACE) as made:
        assert answers(made.master("c"))
    assert not answers(made.master("c"))
    assert made.cluster_spec().jobs == ["c", "worker"]


def test_cores_of_a_server(server):
    assert DISTRIBUTE(server.target).num_accelerators() == 2
    assert CONTRIB(server.target).num_accelerators() == 2
    server.stop()
    with patience(attempts=3, clock=FakeClock()):
        made = DISTRIBUTE(server.target)
    with pytest.raises(RuntimeError, match=f"'{server.target}': 3 attempts in 0.3 s"):
        made.num_accelerators()


@pytest.mark.parametrize("resolver", [CONTRIB, DISTRIBUTE])
def test_from_a_name_to_a_session(resolver, server):
    """Google's client, the local service, a server, and a replicated computation."""
    credentials = pytest.importorskip(
        "google.auth.credentials", reason="needs the extra: pip install tpuref[cloud]"
    )
    pytest.importorskip("googleapiclient", reason="pip install tpuref[cloud]")
    address = server.target.removeprefix("grpc://")
    with FakeCloudTPU({"my-tpu": address}) as cloud, cloud.environment():
        made = resolver("my-tpu", credentials=credentials.AnonymousCredentials())
        assert made.master() == server.target
        assert made.num_accelerators() == 2
        (total,) = tf.tpu.shard(tf.tpu.cross_replica_sum, [tf.constant([1.0, 2.0])], 2)
        for target in (made.master(), made):
            with tf.Session(target) as session:
                session.run(tf.tpu.initialize_system())
                assert session.run(total).tolist() == [3.0] * 2
