"""Clusters, servers, and sessions on them."""

from __future__ import annotations

from tpuref.base import error_codes as codes
from tpuref.tools.error_catalogue.entry import Entry

ENTRIES = (
    Entry(
        codes.INVALID_CLUSTER,
        "This does not describe a cluster",
        meaning="A cluster is a dictionary from the names of jobs to the addresses "
        "of their tasks; a server is one of these tasks.",
        remedy="Write tf.train.ClusterSpec({'worker': ['10.1.2.3:8470']}), and give "
        "job and task if there are several.",
        text="""
            import tpuref as tf

            tf.train.ClusterSpec(["10.1.2.3:8470"])
        """,
    ),
    Entry(
        codes.NO_SUCH_TASK,
        "The cluster has no such job or task",
        meaning="The ClusterSpec does not contain the requested job or task.",
        remedy="Use one that the message lists.",
        text="""
            import tpuref as tf

            cluster = tf.train.ClusterSpec({"worker": ["10.1.2.3:8470"]})
            cluster.task_address("worker", 1)
        """,
    ),
    Entry(
        codes.INVALID_ADDRESS,
        "This is not an address",
        meaning="An address is host:port, with a port from 1 to 65535; the target of "
        "a session starts with grpc://.",
        remedy="Write '10.1.2.3:8470' in a cluster, 'grpc://10.1.2.3:8470' as the "
        "target of a session.",
        text="""
            import tpuref as tf

            tf.Session("10.1.2.3:8470")
        """,
    ),
    Entry(
        codes.SERVER_STOPPED,
        "The server was stopped",
        meaning="A tf.train.Server cannot be started again after it was stopped.",
        remedy="Create a new one.",
        text="""
            import tpuref as tf

            server = tf.train.Server({"worker": ["localhost:0"]})
            server.stop()
            server.start()
        """,
        needs=("grpc",),
    ),
    Entry(
        codes.CANNOT_LISTEN,
        "The server cannot listen on its address",
        meaning="The port is in use, or the host of the task is not this computer.",
        remedy="Choose another port; port 0 picks a free one, and server.target "
        "shows it.",
        text="""
            import tpuref as tf

            server = tf.train.Server({"worker": ["localhost:0"]})
            address = server.target[len("grpc://"):]
            try:
                tf.train.Server({"localhost": [address]})
            finally:
                server.stop()
        """,
        needs=("grpc",),
    ),
    Entry(
        codes.SERVER_UNREACHABLE,
        "The server of the session cannot be reached",
        meaning="Nothing listens at the target, the server is gone or ended the "
        "session, it sent nothing for too long, or another program listens there.",
        remedy="Start the server, check the address, and create a new tf.Session. A "
        "session that lost its server cannot be used again.",
        text="""
            import tpuref as tf

            tf.Session("grpc://localhost:1")
        """,
        needs=("grpc",),
    ),
    Entry(
        codes.RELEASES_DIFFER,
        "Client and server are different releases",
        meaning="They use different versions of the protocol.",
        remedy="Install the same release of tpuref on both sides.",
        text="""
            import tpuref as tf
            from tpuref.engine.remote import served_session

            served_session.PROTOCOL += 1  # as a later release would
            server = tf.train.Server({"worker": ["localhost:0"]})
            tf.Session(server.target)
        """,
        needs=("grpc",),
        alone=True,
    ),
    Entry(
        codes.MESSAGE_TOO_LARGE,
        "A message is larger than the other side accepts",
        meaning="Fed values, results or a program do not fit into one message "
        "between client and server.",
        remedy="Use smaller arrays, or raise max_message_bytes of tf.train.Server and "
        "of tf.RPCOptions.",
        text="""
            import numpy as np
            import tpuref as tf

            server = tf.train.Server({"worker": ["localhost:0"]})
            options = tf.RPCOptions(max_message_bytes=1 << 16)
            x = tf.placeholder(tf.float32, [1 << 16])
            try:
                config = tf.ConfigProto(rpc_options=options)
                with tf.Session(server.target, config=config) as sess:
                    sess.run(x + 1, {x: np.zeros(1 << 16, np.float32)})
            finally:
                server.stop()
        """,
        needs=("grpc",),
    ),
    Entry(
        codes.INVALID_TOKEN,
        "The token is invalid",
        meaning="A token is sent in a header, so it must be printable ASCII, not "
        "empty, and without spaces at its ends. An empty TPUREF_TOKEN is an error too, "
        "so a variable that was meant to hold a token never leaves a server open.",
        remedy="Use another token, or leave it out: unset TPUREF_TOKEN.",
        text="""
            import tpuref as tf

            tf.train.Server({"worker": ["localhost:0"]}, token="")
        """,
        needs=("grpc",),
    ),
    Entry(
        codes.SERVER_FULL,
        "The server has too many open sessions",
        meaning="A server accepts 256 sessions at once, 128 of them from clients at "
        "one address.",
        remedy="Close sessions you no longer need (with tf.Session(...) as session), "
        "or start another server.",
        text="""
            import tpuref as tf

            server = tf.train.Server({"worker": ["localhost:0"]})
            sessions = []
            try:
                while len(sessions) < 300:
                    sessions.append(tf.Session(server.target))
            finally:
                for session in sessions:
                    session.close()
                server.stop()
        """,
        needs=("grpc",),
    ),
)
