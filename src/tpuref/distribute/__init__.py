"""Distribution strategies: one program for several towers.

See 001_66db0865fe92828f.txt.
"""

from __future__ import annotations

from tpuref.distribute import cluster_resolver
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = ["cluster_resolver"]

_explain_missing(__name__, "tf.distribute")
