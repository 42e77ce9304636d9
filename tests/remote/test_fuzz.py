"""Whatever a client sends: only documented errors come back, and the server lives on.

``TPUREF_FUZZ_CASES=10000`` tries as many cases of each kind.
"""

import contextlib
import os

import hypothesis
import pytest
from hypothesis import strategies as st

import tpuref as tf

pytest.importorskip("grpc", reason="needs the extra: pip install tpuref[cloud]")

from tpuref.engine.remote.programs import program_of
from tpuref.engine.remote.wire import Request, reply_of, request_of

from .streams import answers
from .valid_sessions import is_typed, served, sessions

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


SESSIONS = [[r.SerializeToString() for r in requests] for requests in sessions()]


@st.composite
def spoilt(draw):
    """The requests of a real session, with some bytes changed, lost or doubled."""
    contents = list(draw(st.sampled_from(SESSIONS)))
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
    for reply in served([SESSIONS[0][0], *contents]):
        assert is_typed(reply), reply


@fuzz
@hypothesis.given(contents=spoilt())
def test_requests_that_are_spoilt(contents):
    for reply in served(contents):
        assert is_typed(reply), reply


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
        assert is_typed(reply), reply
