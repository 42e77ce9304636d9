"""Support for tests of programs and launch scripts, loaded at first use.

A local Cloud TPU service, a clock without real waiting, and in `pytest_plugin` fixtures
and a marker for pytest.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tpuref.interface.cluster_resolver.patience import patience
    from tpuref.tools.testing.fake_clock import FakeClock
    from tpuref.tools.testing.fake_cloud_tpu import FakeCloudTPU
    from tpuref.tools.testing.node import Node

__all__ = ["FakeClock", "FakeCloudTPU", "Node", "patience"]

_MODULES = {
    "FakeClock": "tpuref.tools.testing.fake_clock",
    "FakeCloudTPU": "tpuref.tools.testing.fake_cloud_tpu",
    "Node": "tpuref.tools.testing.node",
    "patience": "tpuref.interface.cluster_resolver.patience",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'tpuref.testing' has no attribute {name!r}")
    return getattr(importlib.import_module(_MODULES[name]), name)
