"""Examples in docstrings, which assume `import tpuref as tf`, give what they show."""

import doctest
import importlib
import pkgutil

import pytest

import tpuref

MODULES = sorted(
    info.name
    for info in pkgutil.walk_packages(tpuref.__path__, "tpuref.")
    if not info.name.startswith("tpuref.kernels.cython") and "__main__" not in info.name
)
NEED_GRPC = ("tpuref.engine.remote.", "tpuref.interface.cluster_resolver.server")
NEED_JAX = ("tpuref.engine.runtime.xla.", "tpuref.tools.tpu_compiler.")


@pytest.mark.parametrize("module", MODULES)
def test_examples(module):
    if module.startswith(NEED_GRPC):
        pytest.importorskip("grpc", reason="needs the extra: pip install tpuref[cloud]")
    if module.startswith(NEED_JAX):
        pytest.importorskip("jax", reason="needs the extra: pip install tpuref[xla]")
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    loaded, assumed = importlib.import_module(module), {"tf": tpuref}
    for examples in doctest.DocTestFinder().find(loaded, extraglobs=assumed):
        tpuref.reset_default_graph()
        runner.run(examples)
    assert runner.failures == 0
