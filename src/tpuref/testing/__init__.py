"""What tests of launch scripts need: a Cloud TPU service on this computer, and time."""

from __future__ import annotations

from tpuref.cluster_resolver.patience import patience
from tpuref.testing.fake_clock import FakeClock
from tpuref.testing.fake_cloud_tpu import FakeCloudTPU
from tpuref.testing.node import Node

__all__ = ["FakeClock", "FakeCloudTPU", "Node", "patience"]
