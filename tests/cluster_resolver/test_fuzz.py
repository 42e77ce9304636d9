"""The environment and the network hold anything: only documented errors come out."""

# ruff: noqa: PT017 - an error is one of the good outcomes

import json
import os

import hypothesis
from hypothesis import strategies as st
from tpuref_conformance.suite.cloud_stand_ins import CloudTPU

from tpuref.interface.cluster_resolver import addresses, metadata
from tpuref.interface.cluster_resolver.devices import core_counts
from tpuref.interface.cluster_resolver.metadata import Metadata
from tpuref.interface.cluster_resolver.node import endpoints_of
from tpuref.interface.cluster_resolver.patience import Patience
from tpuref.interface.cluster_resolver.source import Search
from tpuref.testing import FakeClock

from ..fuzzing import fuzz
from .api_object import CONTRIB, DISTRIBUTE

PARTS = st.sampled_from(
    ["grpc://", "10.1.2.3", ":8470", ",", "[", "]", "::1", "%", "a.b", "-", ":", "\x00"]
)
TEXT = st.one_of(st.lists(PARTS, max_size=8).map("".join), st.text(max_size=40))
ENVIRONMENT_TEXT = TEXT.filter(lambda text: "\x00" not in text and text.isprintable())
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4)
    ),
    max_leaves=12,
)
ENDPOINT = st.fixed_dictionaries(
    {}, optional={"ipAddress": JSON, "port": st.integers(-9, 99999) | JSON}
)
ANSWER = JSON | st.fixed_dictionaries(
    {},
    optional={
        "state": st.sampled_from(["READY", "CREATING"]) | JSON,
        "health": st.sampled_from(["HEALTHY", "TIMEOUT"]) | JSON,
        "healthDescription": JSON,
        "networkEndpoints": st.lists(ENDPOINT, max_size=3) | JSON,
        "ipAddress": JSON,
        "port": JSON,
    },
)


def checked(address):
    """An address that was let through can be read back and used."""
    host, port = addresses.split(address, "here")
    assert 0 < port < 65536
    assert not set(host) & set("/@,?#% \t\r\n")


@fuzz
@hypothesis.given(TEXT)
def test_endpoints(text):
    try:
        found = addresses.endpoints(text, "HERE")
    except ValueError as error:
        assert str(error).startswith("HERE: ")
    else:
        assert len(found) == text.count(",") + 1
        for address in found:
            checked(address)


@fuzz
@hypothesis.given(ANSWER)
def test_what_the_api_answers(answer):
    try:
        found = endpoints_of(answer, "n")
    except (RuntimeError, ValueError) as error:
        assert type(error) in (RuntimeError, ValueError)
        assert str(error).startswith("TPU 'n'")
        assert len(str(error)) < 2000
    else:
        assert found
        for address in found:
            checked(address)


@fuzz
@hypothesis.given(ANSWER, st.sampled_from([CONTRIB, DISTRIBUTE]))
def test_resolvers(answer, resolver):
    made = resolver("n", "z", "p", service=CloudTPU({"n": answer}))
    for ask in (made.cluster_spec, made.master):
        try:
            ask()
        except (RuntimeError, ValueError) as error:
            assert type(error) in (RuntimeError, ValueError)


@fuzz
@hypothesis.given(
    st.one_of(JSON, st.binary(max_size=20), st.lists(TEXT, max_size=3), TEXT),
    st.booleans(),
)
def test_the_argument(tpu, several):
    search = Search("Here", ("grpc://",), several)
    try:
        search.find(tpu)
    except (ValueError, TypeError, NotImplementedError) as error:
        assert str(error).startswith("Here: ")
    else:
        assert search.trace.lines


@fuzz
@hypothesis.given(
    st.sampled_from(["KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS", "TPU_NAME", "TPU_CONFIG"]),
    ENVIRONMENT_TEXT | JSON.map(json.dumps),
)
def test_the_environment(variable, text):
    hypothesis.assume("\x00" not in text)
    os.environ[variable] = text.encode("utf-8", "replace").decode()
    try:
        Search("Here", ("grpc://",), False).find(None)
    except ValueError as error:
        assert variable in str(error)
    finally:
        del os.environ[variable]


@fuzz
@hypothesis.given(
    st.binary(max_size=60), st.sampled_from(["project", "zone", "address"])
)
def test_metadata(body, what):
    before = metadata.answer
    metadata.answer = lambda path: body.decode("latin-1").strip()  # type: ignore
    try:
        found = getattr(Metadata(Patience(clock=FakeClock())), what)()
    except RuntimeError as error:
        assert str(error).startswith("metadata ")
    else:
        assert found and not set(found) & set("/@,?#% \t\r\n")
    finally:
        metadata.answer = before


DEVICE_PARTS = st.sampled_from(
    ["/job:", "w", "/replica:0", "/task:", "1", "/device:", "TPU", ":0", "CPU", "\n"]
)


@fuzz
@hypothesis.given(st.lists(st.lists(DEVICE_PARTS, max_size=9).map("".join) | TEXT))
def test_device_names(names):
    counts = core_counts(names)
    assert sum(counts.values()) <= len(names)
    assert all(name.count("/device:") == 0 for name in counts)
