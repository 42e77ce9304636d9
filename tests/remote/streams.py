"""A client that sends whatever bytes it likes."""

from typing import Any

import grpc

from tpuref.engine.remote import schema
from tpuref.engine.remote.wire import Reply, Request


def opening(protocol=schema.PROTOCOL, version="0"):
    """A request that opens a session."""
    request = Request(number=1)
    request.open.protocol = protocol
    request.open.version = version
    return request


def answers(target, contents):
    """Send some bytes as requests and return the replies until the stream ends."""
    with grpc.insecure_channel(target.removeprefix("grpc://")) as channel:
        method: Any = channel.stream_stream(schema.METHOD)
        replies = method(iter(contents), timeout=60)
        found = [Reply.FromString(content) for content in replies]
    return [reply for reply in found if not reply.HasField("alive")]
