"""The kernels under test, one twin after the other, and the memory they work on."""

import importlib
import importlib.util
import os
from types import ModuleType
from typing import NamedTuple

import numpy as np
import pytest

from tpuref.kernels import COMPILED, arrays

from .linked import Processes, Threads, Twin


class Kernels(NamedTuple):
    """One of the twins."""

    sharding: ModuleType
    padding: ModuleType
    addresses: ModuleType
    checksum: ModuleType
    convolution: ModuleType
    elementwise: ModuleType
    examples: ModuleType
    links: ModuleType
    mailboxes: ModuleType
    pooling: ModuleType
    products: ModuleType
    sums: ModuleType


def require_compiled():
    """Skip where there are no compiled kernels on purpose."""
    if os.environ.get("TPUREF_KERNELS") == "python":
        pytest.skip("TPUREF_KERNELS=python leaves the compiled kernels out")
    if all(importlib.util.find_spec(name) is None for name in COMPILED):
        pytest.skip("this tpuref was built without compiled kernels (TPUREF_PURE=1)")


def kernels_of(name):
    """Return the twin of this name."""
    if name == "cython":
        require_compiled()
    package = f"tpuref.kernels.{name}"
    return Kernels(
        *(importlib.import_module(f"{package}.{module}") for module in Kernels._fields)
    )


@pytest.fixture
def compiled():
    return kernels_of("cython")


@pytest.fixture(params=["python", "cython"])
def kernels(request):
    return kernels_of(request.param)


@pytest.fixture
def use_kernels(kernels, monkeypatch):
    """Put the twin under test beneath `tpuref.kernels.arrays`."""
    monkeypatch.setattr(arrays, "sharding", kernels.sharding)
    monkeypatch.setattr(arrays, "padding", kernels.padding)


class Memory:
    """Bytes at an odd address between two fences that nobody may write to."""

    FENCE = 33

    def __init__(self, size):
        self._whole = np.full(size + 2 * self.FENCE, 0xA5, np.uint8)
        self.bytes = self._whole[self.FENCE : self.FENCE + size]

    def fences_stand(self):
        fences = np.delete(self._whole, np.s_[self.FENCE : -self.FENCE])
        return bool((fences == 0xA5).all())

    def untouched(self):
        return bool((self._whole == 0xA5).all())


@pytest.fixture
def memory():
    return Memory


@pytest.fixture(params=["python", "cython"])
def twin(request):
    if request.param == "cython":
        request.getfixturevalue("compiled")
    return Twin(request.param)


@pytest.fixture
def threads(twin):
    """Cores of the twin under test that are threads of this process."""
    return Threads(twin)


@pytest.fixture(scope="module")
def processes():
    """The processes of each twin, by its name."""
    started = {}

    def of(name):
        if not hasattr(os, "memfd_create"):
            pytest.skip("the processes of this test share a memfd")
        if name not in started:
            started[name] = Processes(name)
        started[name].heap = started[name].start
        return started[name]

    yield of
    for each in started.values():
        each.close()


@pytest.fixture(params=["threads", "processes"])
def pool(request, twin, processes):
    if request.param == "threads":
        return Threads(twin, 1 << 28)
    return processes(twin.name)
