"""A process that knows of no TPU and no network, and what tests put in their place."""

import socket

import pytest
from tpuref_conformance.suite.cloud_stand_ins import CloudTPU, surroundings

from tpuref.interface.cluster_resolver import metadata, source, tpu
from tpuref.testing import FakeCloudTPU

from ..remote.conftest import server  # noqa: F401 - a fixture
from .api_object import NODE_1, NODE_2
from .patience_stand_ins import unhurried

VARIABLES = (
    source.ENDPOINTS_VARIABLE,
    source.NAME_VARIABLE,
    source.CONFIG_VARIABLE,
    source.COLAB_VARIABLE,
    tpu.DISCOVERY_VARIABLE,
    *metadata.HOST_VARIABLES,
    "GOOGLE_APPLICATION_CREDENTIALS",
)


@pytest.fixture(autouse=True)
def no_surroundings(monkeypatch, tmp_path):
    """No variable names a TPU, and the machine is none of Google's."""
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(metadata, "PRODUCT_NAME", tmp_path / "product_name")


@pytest.fixture(name="tf")
def isolated_module(tf):
    """The module, without variables, metadata server and network."""
    with surroundings():
        yield tf


@pytest.fixture
def offline(monkeypatch):
    """Every use of the network is an error of the test."""

    def used(*arguments, **options):
        raise AssertionError(f"the network was used: {arguments}")

    monkeypatch.setattr(socket, "create_connection", used)
    monkeypatch.setattr(socket, "getaddrinfo", used)


@pytest.fixture
def service():
    """An API object that knows two TPUs."""
    return CloudTPU({"node-1": NODE_1, "node-2": NODE_2})


@pytest.fixture
def cloud():
    """The local service, with the environment that leads to it."""
    nodes = {"node-1": ["10.1.2.3:8470", "10.1.2.4:8470"], "node-2": "10.9.9.9:8471"}
    cloud = FakeCloudTPU(nodes, project="proj-m", zone="europe-x")
    with cloud, cloud.environment():
        yield cloud


@pytest.fixture
def clock():
    """A clock on which resolvers wait without waiting."""
    with unhurried() as clock:
        yield clock
