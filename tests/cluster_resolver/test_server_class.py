"""tf.train.Server and ClusterSpec: addresses, refusals, protection, texts."""

from tpuref_conformance.clause import expect_raises, same
from tpuref_conformance.suite.cloud_stand_ins import environment
from tpuref_conformance.suite.server_stand_ins import PORT, unheard
from tpuref_conformance.suite.train_server import ONE

from ..messages import refused


def test_address(tf):
    for address, host in [
        ("localhost:0", "localhost"),
        ("grpc://localhost:0", "localhost"),
        ("10.1.2.3:65535", "10.1.2.3"),
        ("[::1]:0", "[::1]"),
        ("0.0.0.0:0", "localhost"),
        ("[::]:0", "localhost"),
    ]:
        with unheard(tf) as listening:
            same(tf.train.Server({"worker": [address]}).target, f"grpc://{host}:{PORT}")
        same(listening[0].address, address.replace("grpc://", ""))
        same(listening[0].job, "worker")
    for address in ("localhost", ":0", "localhost:", "a:x", "a:-1", "a:65536"):
        with unheard(tf) as listening:
            expect_raises(ValueError, tf.train.Server, {"worker": [address]})
            same(listening, [])


def test_protection(tf):
    credentials = object()
    with unheard(tf) as listening, environment({"TPUREF_TOKEN": "of the environment"}):
        tf.train.Server(ONE)
        tf.train.Server(
            ONE, token="mine", credentials=credentials, max_message_bytes=1000
        )
    with unheard(tf) as unprotected, environment({}):
        tf.train.Server(ONE)
    with unheard(tf) as forbidden, environment({"TPUREF_TOKEN": ""}):
        expect_raises(ValueError, tf.train.Server, ONE)
        expect_raises(ValueError, tf.train.Server, ONE, token="")
    same([one.token for one in listening], ["of the environment", "mine"])
    same([one.token for one in unprotected], [None])
    same(forbidden, [])
    same(listening[0].max_message_bytes, 512 * 1024 * 1024)
    same(listening[1].max_message_bytes, 1000)
    same(listening[0].credentials, None)
    assert listening[1].credentials is credentials, repr(listening[1].credentials)


def test_texts_of_cluster_specs(tf):
    spec = tf.train.ClusterSpec({"worker": ["a:1"], "ps": {2: "c:1"}})
    same(repr(spec), "ClusterSpec({'ps': {2: 'c:1'}, 'worker': ['a:1']})")
    words = ["no job 'chief'; its jobs are ['ps', 'worker']"]
    refused(ValueError, words, spec.num_tasks, "chief")
    words = ["job 'ps' has no task 1; its tasks are [2]"]
    refused(ValueError, words, spec.task_address, "ps", 1)
    words = ["job 'w' has the task -1: 'a:1'"]
    refused(TypeError, words, tf.train.ClusterSpec, {"w": {-1: "a:1"}})
