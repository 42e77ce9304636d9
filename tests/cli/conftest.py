"""What tests of the tpuref command share."""

import sys
from collections.abc import Callable

import pytest

import tpuref as tf

Script = Callable[[str], str]


@pytest.fixture(autouse=True)
def restored(monkeypatch):
    """Undo what a command does to this process."""
    monkeypatch.setattr(sys, "argv", list(sys.argv))
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    with tf.config.override(topology=None, cores=None):
        yield


@pytest.fixture
def script(tmp_path):
    """Write a program and return its path."""

    def write(text):
        path = tmp_path / "program.py"
        path.write_text(text)
        return str(path)

    return write


@pytest.fixture
def environment(monkeypatch):
    """The environment without settings of tpuref, to be changed."""
    for name in ("TPUREF_CORES", "TPUREF_TOPOLOGY", "TPUREF_KERNELS", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch
