"""Checks of tf.train.Server, which a resolver starts for its coordinator.

Neither page describes it. What is checked is what releases 1.8, 1.11 and 1.15 were seen
to do, and a few rules of tpuref's own. The earlier two give bytes for text.
"""

import re

from ..clause import expect_raises, same
from .page import Page
from .resolver_checks import text
from .server_stand_ins import unheard

page = Page("tf.train.Server")


ONE = {"worker": ["localhost:0"]}
TWO = {"worker": ["localhost:0", "localhost:0"]}
JOBS = {"worker": ["localhost:0"], "ps": ["localhost:0"]}


def defined(server):
    """Return the cluster, job, task and protocol that a server was started from."""
    definition = server.server_def
    cluster = {job.name: dict(job.tasks) for job in definition.cluster.job}
    return (cluster, definition.job_name, definition.task_index, definition.protocol)


def made(tf, *arguments, **options):
    """Return how a server that is not started is defined."""
    return defined(tf.train.Server(*arguments, start=False, **options))


@page.clause("/args:server_or_cluster_def/cluster")
def cluster(tf):
    with unheard(tf):
        same(made(tf, ONE), ({"worker": {0: "localhost:0"}}, "worker", 0, "grpc"))
        definition = made(tf, tf.train.ClusterSpec(JOBS), job_name="ps")
        both = {"worker": {0: "localhost:0"}, "ps": {0: "localhost:0"}}
        same(definition, (both, "ps", 0, "grpc"))
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
        same(defined(server.create_local_server(None, False)), defined(server))


@page.clause(".target/returns/grpc-path")
def target(tf):
    with unheard(tf):
        server = tf.train.Server(ONE)
        path = text(server.target)
        assert re.match(r"^grpc://localhost:[1-9][0-9]*$", path), path
