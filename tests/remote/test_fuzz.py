"""Whatever a client sends: only documented errors come back, and the server lives on.

``TPUREF_FUZZ_CASES=10000`` tries as many cases of each kind.
"""

import contextlib
import os
import queue
import time
from typing import Any

import hypothesis
import pytest
from hypothesis import strategies as st

import tpuref as tf
from tpuref.base.errors import OpError
from tpuref.engine.graph.lowering import lower

pytest.importorskip("grpc", reason="needs the extra: pip install tpuref[cloud]")

from tpuref.engine.remote.faults import error_of
from tpuref.engine.remote.programs import program_of, put_program
from tpuref.engine.remote.served_session import ServedSession, Shared
from tpuref.engine.remote.tensors import arrays_of
from tpuref.engine.remote.wire import Reply, Request, reply_of, request_of

from .streams import answers, opening

CASES = int(os.environ.get("TPUREF_FUZZ_CASES", "200"))

fuzz = hypothesis.settings(
    max_examples=CASES,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(hypothesis.HealthCheck),
)

Numbers = st.integers(-3, 12) | st.integers(-(2**31), 2**31 - 1)
LargeNumbers = Numbers | st.integers(-(2**63), 2**63 - 1)
Names = st.sampled_from(["v", "handle", "dtype", "shape", "axis", "value", "token", ""])
OPERATIONS = [
    *("Const", "NoOp", "Neg", "AddV2", "MatMul", "GatherV2", "Sum", "Reshape", "Pack"),
    *("VariableV2", "ReadVariableOp", "Assign", "AssignAdd", "IsVariableInitialized"),
    *("If", "While", "TPUReplicate", "TowerCopy", "CrossReplicaSum", "ReplicaId"),
    *("PyFunc", "InfeedEnqueueTuple", "InfeedClose", "ShutdownDistributedTPU", "Exec"),
    *("IteratorGetNext", "MakeIterator", "Assert", "RandomUniform"),
]


@st.composite
def tensors(draw):
    return {
        "dtype": draw(st.sampled_from([1, 3, 7, 9, 10, 14]) | Numbers),
        "sizes": draw(st.lists(st.integers(0, 3) | LargeNumbers, max_size=4)),
        "content": draw(st.binary(max_size=40)),
        "texts": draw(st.lists(st.binary(max_size=3), max_size=3)),
    }


def fields(**kinds):
    return st.fixed_dictionaries(kinds)


Values = st.recursive(
    st.one_of(
        *(st.just({}), fields(none=st.booleans()), fields(truth=st.booleans())),
        *(fields(integer=LargeNumbers), fields(large_integer=st.text(max_size=4))),
        *(fields(real=st.floats()), fields(octets=st.binary(max_size=4))),
        fields(text=Names | st.sampled_from(["float32", "int32"])),
        fields(tensor=tensors()),
    ),
    lambda inner: fields(sequence=fields(items=st.lists(inner, max_size=3))),
    max_leaves=6,
)

Attributes = st.lists(fields(name=Names, value=Values), max_size=4)

Shapes = fields(unknown_rank=st.booleans(), sizes=st.lists(LargeNumbers, max_size=3))

Instructions = st.fixed_dictionaries(
    {
        "op": st.sampled_from(OPERATIONS),
        "name": Names,
        "inputs": st.lists(st.integers(0, 4) | Numbers, max_size=3),
        "outputs": st.lists(st.integers(0, 6) | Numbers, max_size=2),
        "attributes": Attributes,
        "specs": st.lists(fields(dtype=Numbers, shape=Shapes), max_size=2),
        "core": st.integers(-1, 1) | Numbers,
        "blocks": st.lists(st.integers(0, 2) | Numbers, max_size=2),
    },
    optional={"replica": Numbers},
)

Programs = fields(
    name=Names,
    parameters=st.lists(st.integers(0, 3) | Numbers, max_size=3),
    instructions=st.lists(Instructions, max_size=4),
    results=st.lists(st.integers(0, 6) | Numbers, max_size=3),
)

Bundles = fields(programs=st.lists(Programs, max_size=4))

Runs = st.fixed_dictionaries(
    {
        "program": st.integers(0, 2) | LargeNumbers,
        "inputs": st.lists(tensors(), max_size=3),
        "traced": st.booleans(),
        "forgotten": st.lists(LargeNumbers, max_size=2),
    },
    optional={"bundle": Bundles},
)

Returned = fields(call=LargeNumbers, outputs=st.lists(tensors(), max_size=2))
Requests = st.one_of(
    fields(number=LargeNumbers, run=Runs),
    fields(number=LargeNumbers, returned=Returned),
    st.sampled_from([{"number": 2, "cancel": {}}, {"number": 3, "list_devices": {}}]),
    st.sampled_from([{"number": 4, "reset": {}}, {"number": 5, "open": {}}, {}]),
)


def sensible():
    """Requests of a real session: variables, branches, replicas, a host function."""
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [2])
        v = tf.Variable([1.0, 2.0], name="v")

        def computation(a):
            total = tf.tpu.cross_replica_sum(a)
            return tf.cond(tf.reduce_sum(total) > 0, lambda: total * 2, lambda: a)

        out = tf.tpu.replicate(computation, [[x], [v]])
        called = tf.py_func(lambda a: a, [x], tf.float32)
        programs = [
            lower([], [v.initializer], []),
            lower([y for (y,) in out], [], [x]),
            lower([tf.gather(v, [1]), called], [], [x]),
        ]
    requests = [opening()]
    for number, program in enumerate(programs, start=2):
        request = Request(number=number)
        request.run.program = number
        put_program(request.run.bundle, program)
        for _ in program.parameters:
            request.run.inputs.add(dtype=1, sizes=[2], content=bytes(8))
        requests.append(request)
    return [request.SerializeToString() for request in requests]


SENSIBLE = sensible()


@st.composite
def spoilt(draw):
    """The requests of a real session, with some bytes changed, lost or doubled."""
    contents = list(SENSIBLE)
    for _ in range(draw(st.integers(1, 4))):
        which = draw(st.integers(0, len(contents) - 1))
        content = bytearray(contents[which])
        at = draw(st.integers(0, max(0, len(content) - 1)))
        length = draw(st.integers(0, 4) | st.integers(0, len(content)))
        content[at : at + length] = draw(
            st.binary(max_size=4) | st.just(bytes(content[at : at + length] * 2))
        )
        contents[which] = bytes(content)
    return contents


def documented(reply):
    """Check that a reply makes sense, and an error is one that is meant."""
    kind = reply.WhichOneof("kind")
    if kind in ("failed", "refused"):
        fault = getattr(reply, kind)
        error = error_of(fault)
        assert str(error)
        if kind == "refused":
            assert isinstance(error, OpError) and fault.code != tf.errors.INTERNAL
    elif kind == "done":
        arrays_of(reply.done.outputs)
    else:
        assert kind in ("opened", "devices", "host_call", "alive")


def waiting(session):
    found = []
    with contextlib.suppress(queue.Empty):
        while True:
            found.append(session._outbox.get_nowait())
    return [Reply.FromString(content) for content in found if content is not None]


def served(contents):
    """Give some requests to a session and return its replies."""
    shared = Shared("worker", 1 << 20)
    session = ServedSession(shared, "test")
    for content in contents:
        session.receive(content)
    found: list[Any] = []
    deadline = time.monotonic() + 60
    while session._runs and not any(r.HasField("host_call") for r in found):
        assert time.monotonic() < deadline, found
        found += waiting(session)
        time.sleep(0.0005)
    session.end()
    while session._runs:
        assert time.monotonic() < deadline, found
        time.sleep(0.0005)
    shared.cluster.reset()
    return found + waiting(session)


def test_the_sensible_requests_succeed():
    replies = served(SENSIBLE)
    kinds = sorted(reply.WhichOneof("kind") for reply in replies[:4])
    assert kinds[-1] == "opened" and "done" in kinds and "host_call" in kinds


@fuzz
@hypothesis.given(content=st.binary(max_size=200))
def test_bytes_are_a_message_or_an_error(content):
    for parse in (request_of, reply_of):
        with contextlib.suppress(tf.errors.InvalidArgumentError):
            assert parse(content).WhichOneof("kind")


@fuzz
@hypothesis.given(fields=Bundles)
def test_a_bundle_is_a_program_or_an_error(fields):
    request = Request(run={"bundle": fields})
    with contextlib.suppress(tf.errors.InvalidArgumentError):
        program_of(request.run.bundle)


@fuzz
@hypothesis.given(requests=st.lists(Requests, min_size=1, max_size=4))
def test_requests_of_all_shapes(requests):
    contents = [Request(**fields).SerializeToString() for fields in requests]
    for reply in served([SENSIBLE[0], *contents]):
        documented(reply)


@fuzz
@hypothesis.given(contents=spoilt())
def test_requests_that_are_spoilt(contents):
    for reply in served(contents):
        documented(reply)


@pytest.fixture(scope="module")
def target():
    server = tf.train.Server({"worker": ["localhost:0"]})
    yield server.target
    with tf.Graph().as_default(), tf.Session(server.target) as session:
        assert session.run(tf.constant(6) * 7) == 42  # it lives on
    server.stop()


@hypothesis.settings(fuzz, max_examples=max(20, CASES // 20))
@hypothesis.given(contents=st.lists(st.binary(max_size=50), max_size=3) | spoilt())
def test_a_real_server_lives_on(target, contents):
    for reply in answers(target, contents):
        documented(reply)
