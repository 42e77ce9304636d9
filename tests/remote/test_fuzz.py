"""A client sends anything: only documented errors come back; the server lives on."""

import contextlib

import hypothesis
import pytest
from hypothesis import strategies as st

import tpuref as tf

pytest.importorskip("grpc", reason="needs the extra: pip install tpuref[cloud]")

from tpuref.engine.remote.wire import reply_of, request_of

from ..fuzzing import CASES, fuzz
from .streams import answers
from .valid_sessions import is_typed, served, sessions

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
