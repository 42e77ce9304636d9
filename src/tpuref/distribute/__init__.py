"""Distribution strategies: one program for several towers.

See 001_66db0865fe92828f.txt.
"""

from __future__ import annotations

from tpuref.distribute import cluster_resolver

__all__ = ["cluster_resolver"]


def __dir__() -> list[str]:
    return __all__
