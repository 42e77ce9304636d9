"""Checks of tf.train.Server, which a resolver starts for its coordinator.

Neither page describes it. What is checked is what releases 1.8, 1.11 and 1.15 were seen
to do, and a few rules of tpuref's own. The earlier two give bytes for text.
"""

import re

from ..clause import expect_raises, same
from .cloud_stand_ins import environment
from .page import Page
from .resolver_checks import text
from .server_stand_ins import PORT, unheard

page = Page("tf.train.Server")


ONE = {"worker": ["localhost:0"]}
TWO = {"worker": ["localhost:0", "localhost:0"]}
JOBS = {"worker": ["localhost:0"], "ps": ["localhost:0"]}


def defined(server):
    """Return the cluster, job, task and protocol that a server was started from."""
    definition = server.server_def
    cluster = {job.name: dict(job.tasks) for job in definition.cluster.job}
    return (
        cluster,
        definition.job_name,
        definition.task_index,
        definition.protocol,
    )


def made(tf, *arguments, **options):
    """Return how a server that is not started is defined."""
    return defined(tf.train.Server(*arguments, start=False, **options))


@page.clause("/args:server_or_cluster_def/cluster")
def cluster(tf):
    with unheard(tf):
        same(made(tf, ONE), ({"worker": {0: "localhost:0"}}, "worker", 0, "grpc"))
        given = made(tf, tf.train.ClusterSpec(JOBS), job_name="ps")
        both = {"worker": {0: "localhost:0"}, "ps": {0: "localhost:0"}}
        same(given, (both, "ps", 0, "grpc"))
        same(made(tf, TWO, task_index=1)[1:], ("worker", 1, "grpc"))
        same(made(tf, TWO, "worker", 0, "grpc")[1:], ("worker", 0, "grpc"))
        message = tf.train.ClusterSpec(ONE).as_cluster_def()
        same(made(tf, message)[1:], ("worker", 0, "grpc"))
        expect_raises(ValueError, tf.train.Server, {}, start=False)
        expect_raises(ValueError, tf.train.Server, JOBS, start=False)
        expect_raises(ValueError, tf.train.Server, TWO, start=False)
        expect_raises(ValueError, tf.train.Server, ONE, "ps", start=False)
        expect_raises(TypeError, tf.train.Server, 5, start=False)


@page.clause("/args:server_or_cluster_def/server-def")
def server_def(tf):
    definition = tf.train.ServerDef(
        cluster=tf.train.ClusterSpec(dict(TWO, ps=["localhost:0"])).as_cluster_def(),
        job_name="worker",
        task_index=1,
        protocol="grpc",
    )
    with unheard(tf):
        same(made(tf, definition)[1:], ("worker", 1, "grpc"))
        same(made(tf, definition, task_index=0)[1:], ("worker", 0, "grpc"))
        same(made(tf, definition, "ps", 0)[1:], ("ps", 0, "grpc"))
        same(len(made(tf, definition)[0]), 2, call="jobs of the cluster")
        definition.protocol = "unknown"
        same(made(tf, definition, protocol="grpc")[1:], ("worker", 1, "grpc"))


@page.clause(".create_local_server/returns/server")
def local_server(tf):
    with unheard(tf):
        server = tf.train.Server.create_local_server(start=False)
        same(defined(server), ({"local": {0: "localhost:0"}}, "local", 0, "grpc"))
        another = server.create_local_server(None, False)
        same(defined(another), defined(server))


@page.clause(".target/returns/grpc-path")
def target(tf):
    with unheard(tf):
        server = tf.train.Server(ONE)
        path = text(server.target)
        assert re.match(r"^grpc://localhost:[1-9][0-9]*$", path), path


@page.clause("/behaviour/own-address")
def own_address(tf):
    hosts = [
        ("localhost:0", "localhost"),
        ("grpc://localhost:0", "localhost"),
        ("10.1.2.3:65535", "10.1.2.3"),
        ("[::1]:0", "[::1]"),
        ("0.0.0.0:0", "localhost"),
        ("[::]:0", "localhost"),
    ]
    for address, host in hosts:
        with unheard(tf) as listening:
            server = tf.train.Server({"worker": [address]})
            same(server.target, f"grpc://{host}:{PORT}")
        same(listening[0].address, address.replace("grpc://", ""))
        same(listening[0].job, "worker")
    for address in ("localhost", ":0", "localhost:", "a:x", "a:-1", "a:65536"):
        with unheard(tf) as listening:
            expect_raises(ValueError, tf.train.Server, {"worker": [address]})
            same(listening, [])


@page.clause("/behaviour/own-refusals")
def own_refusals(tf):
    with unheard(tf) as listening:
        error = expect_raises(ValueError, tf.train.Server, {})
        assert "job_name is missing; expected one of []" in str(error), error
        error = expect_raises(ValueError, tf.train.Server, JOBS)
        assert "job_name is missing; expected one of ['ps', 'worker']" in str(error)
        error = expect_raises(ValueError, tf.train.Server, TWO)
        assert "task_index is missing; expected one of [0, 1]" in str(error)
        expect_raises(ValueError, tf.train.Server, ONE, "worker", 1)
        expect_raises(ValueError, tf.train.Server, ONE, protocol="grpc+verbs")
        expect_raises(ValueError, tf.train.Server, ONE, protocol="tcp")
        definition = tf.train.ServerDef(
            cluster=tf.train.ClusterSpec(ONE).as_cluster_def(),
            job_name="worker",
            protocol="tcp",
        )
        expect_raises(ValueError, tf.train.Server, definition)
        same(listening, [])
        same(made(tf, ONE, protocol="")[3], "grpc")


@page.clause("/behaviour/own-start-and-stop")
def own_start_and_stop(tf):
    with unheard(tf) as listening:
        server = tf.train.Server(ONE)
        same(listening[0].calls, ["start"])
        waiting = tf.train.Server(ONE, start=False)
        same(listening[1].calls, [])
        waiting.start()
        waiting.join()
        same(listening[1].calls, ["start", "wait"])
        server.stop()
        server.stop()
        same(listening[0].calls, ["start", "stop"])
        expect_raises(tf.errors.FailedPreconditionError, server.start)
        same(listening[0].calls, ["start", "stop"])
        local = tf.train.Server.create_local_server()
        same(local.target, f"grpc://localhost:{PORT}")
        same((listening[2].address, listening[2].job), ("localhost:0", "local"))
        same(listening[2].calls, ["start"])


@page.clause("/behaviour/own-protection")
def own_protection(tf):
    credentials = object()
    with unheard(tf) as listening, environment({"TPUREF_TOKEN": "of the environment"}):
        tf.train.Server(ONE)
        tf.train.Server(
            ONE, token="mine", credentials=credentials, max_message_bytes=1000
        )
    with unheard(tf) as unprotected, environment({}):
        tf.train.Server(ONE)
    with unheard(tf) as refused, environment({"TPUREF_TOKEN": ""}):
        expect_raises(ValueError, tf.train.Server, ONE)
        expect_raises(ValueError, tf.train.Server, ONE, token="")
    same([one.token for one in listening], ["of the environment", "mine"])
    same([one.token for one in unprotected], [None])
    same(refused, [])
    same(listening[0].max_message_bytes, 512 * 1024 * 1024)
    same(listening[1].max_message_bytes, 1000)
    same(listening[0].credentials, None)
    assert listening[1].credentials is credentials, repr(listening[1].credentials)


@page.clause("/behaviour/own-session-config")
def own_session_config(tf):
    kept, given = tf.ConfigProto(), tf.ConfigProto()
    definition = tf.train.ServerDef(
        cluster=tf.train.ClusterSpec(ONE).as_cluster_def(),
        job_name="worker",
        default_session_config=kept,
    )
    with unheard(tf):
        one = tf.train.Server(definition, start=False)
        other = tf.train.Server(definition, config=given, start=False)
    assert one.server_def.default_session_config is kept
    assert other.server_def.default_session_config is given
    same(defined(one)[1:], ("worker", 0, "grpc"))
    empty = tf.train.ServerDef()
    same((empty.job_name, empty.task_index, empty.protocol), ("", 0, ""))
    same(list(empty.cluster.job), [])
