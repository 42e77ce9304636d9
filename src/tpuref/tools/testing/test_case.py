"""``tf.test.TestCase``: unittest's, with comparisons of tensors and arrays."""

import contextlib
import functools
import tempfile
import unittest
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from tpuref.base import nest
from tpuref.base.extras import optional_module
from tpuref.engine.graph.context import get_default_session
from tpuref.engine.graph.default import (
    executing_eagerly,
    get_default_graph,
    reset_default_graph,
)
from tpuref.engine.graph.graph import Graph
from tpuref.engine.graph.session import Session
from tpuref.engine.graph.tensor import Tensor


class TestCase(unittest.TestCase):
    """A test with an empty default graph, and comparisons of tensors and arrays.

    Examples
    --------
    >>> class Doubling(tf.test.TestCase):
    ...     def test_one(self):
    ...         with self.session():
    ...             self.assertAllClose([2.0], 2.0 * tf.constant([1.0]))
    >>> Doubling("test_one").run().wasSuccessful()
    True
    """

    _cached: Session | None = None
    _folder: str | None = None

    def setUp(self) -> None:
        """Start with an empty graph and the same random numbers."""
        np.random.seed(87654321)
        if not executing_eagerly() and get_default_session() is None:
            reset_default_graph()
            get_default_graph().seed = 87654321

    def tearDown(self) -> None:
        """Close the session that `cached_session` made."""
        if self._cached is not None:
            self._cached.close()
            self._cached = None

    def get_temp_dir(self) -> str:
        """Return a directory for the files of the test, removed after it."""
        if self._folder is None:
            folder = tempfile.TemporaryDirectory()
            self.addCleanup(folder.cleanup)
            self._folder = folder.name
        return self._folder

    @contextlib.contextmanager
    def session(
        self,
        graph: Graph | None = None,
        config: Any = None,
        use_gpu: bool = False,
        force_gpu: bool = False,
    ) -> Iterator[Session | None]:
        """Yield a default session for a ``with`` block; None in eager mode.

        `graph` and `config` are as for `tf.Session`.  `use_gpu` and `force_gpu` are
        accepted for compatibility; they have no effect.
        """
        if executing_eagerly():
            yield None
            return
        with Session(graph=graph, config=config) as session:
            yield session

    @contextlib.contextmanager
    def cached_session(
        self,
        graph: Graph | None = None,
        config: Any = None,
        use_gpu: bool = False,
        force_gpu: bool = False,
    ) -> Iterator[Session | None]:
        """Yield the same session in each block of a test; arguments as `session`."""
        if executing_eagerly():
            yield None
            return
        if self._cached is None:
            self._cached = Session(graph=graph, config=config)
        with self._cached.graph.as_default(), self._cached.as_default():
            yield self._cached

    def test_session(
        self,
        graph: Graph | None = None,
        config: Any = None,
        use_gpu: bool = False,
        force_gpu: bool = False,
    ) -> Any:
        """Return `cached_session`; if run as a test, because of its name, skip it."""
        if self._testMethodName == "test_session":
            self.skipTest("not a test")
        return self.cached_session(graph, config)

    def evaluate(self, tensors: Any) -> Any:
        """Return the values of a structure of tensors.

        The default session evaluates them, or else that of `cached_session`.
        """
        if executing_eagerly():
            return nest.map_structure(self._ndarray, tensors)
        session = get_default_session()
        if session is not None:
            return session.run(tensors)
        with self.cached_session() as cached:
            assert cached is not None  # not in eager mode
            return cached.run(tensors)

    def _ndarray(self, value: Any) -> Any:
        if isinstance(value, Tensor) or hasattr(value, "_as_tensor"):
            value = value.numpy() if executing_eagerly() else self.evaluate(value)
        return np.asarray(value)

    def assertAllClose(
        self,
        a: Any,
        b: Any,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        msg: str | None = None,
    ) -> None:
        """Compare numbers of two structures, to within ``atol + rtol * abs(b)``."""
        if isinstance(a, Mapping) and isinstance(b, Mapping):
            self.assertCountEqual(a.keys(), b.keys(), msg)
            for key in a:
                self.assertAllClose(a[key], b[key], rtol, atol, f"{msg or ''}[{key!r}]")
        elif _is_nested(a) or _is_nested(b):
            self.assertEqual(len(a), len(b), msg)
            for k, (one, other) in enumerate(zip(a, b, strict=True)):
                self.assertAllClose(one, other, rtol, atol, f"{msg or ''}[{k}]")
        else:
            first, second = self._both(a, b, msg)
            compared = np.float64 if first.dtype.kind not in "fc" else first.dtype
            np.testing.assert_allclose(
                first.astype(compared),
                second.astype(compared if second.dtype.kind != "c" else second.dtype),
                rtol,
                atol,
                err_msg=msg or "",
            )

    def assertAllCloseAccordingToType(
        self,
        a: Any,
        b: Any,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        float_rtol: float = 1e-6,
        float_atol: float = 1e-6,
        half_rtol: float = 1e-3,
        half_atol: float = 1e-3,
        bfloat16_rtol: float = 1e-2,
        bfloat16_atol: float = 1e-2,
        msg: str | None = None,
    ) -> None:
        """Compare numbers with the tolerance of the coarser of the two dtypes."""
        names = {self._ndarray(a).dtype.name, self._ndarray(b).dtype.name}
        for name, coarser_rtol, coarser_atol in (
            ("float32", float_rtol, float_atol),
            ("float16", half_rtol, half_atol),
            ("bfloat16", bfloat16_rtol, bfloat16_atol),
        ):
            if name in names:
                rtol, atol = max(rtol, coarser_rtol), max(atol, coarser_atol)
        self.assertAllClose(a, b, rtol, atol, msg)

    def assertNotAllClose(
        self,
        a: Any,
        b: Any,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        msg: str | None = None,
    ) -> None:
        """Fail if `assertAllClose` passes."""
        try:
            self.assertAllClose(a, b, rtol, atol, msg)
        except AssertionError:
            return
        self.fail(msg or "the two values are close at all elements")

    def _both(self, a: Any, b: Any, msg: str | None) -> tuple[Any, Any]:
        first, second = self._ndarray(a), self._ndarray(b)
        self.assertEqual(first.shape, second.shape, msg)
        return first, second

    def assertAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Compare all elements; NaN equals NaN."""
        first, second = self._both(a, b, msg)
        if first.dtype.kind in "OSU" or second.dtype.kind in "OSU":
            first, second = (_as_texts(array) for array in (first, second))
        np.testing.assert_array_equal(first, second, err_msg=msg or "")

    def assertNotAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Fail if `assertAllEqual` passes."""
        try:
            self.assertAllEqual(a, b)
        except AssertionError:
            return
        self.fail(f"the two values are equal at all elements. {msg or ''}")

    def assertAllGreater(self, a: Any, comparison_target: Any) -> None:
        """Fail unless all elements are greater."""
        self.assertTrue(np.all(self._ndarray(a) > comparison_target), a)

    def assertAllLess(self, a: Any, comparison_target: Any) -> None:
        """Fail unless all elements are less."""
        self.assertTrue(np.all(self._ndarray(a) < comparison_target), a)

    def assertAllGreaterEqual(self, a: Any, comparison_target: Any) -> None:
        """Fail unless all elements are greater or equal."""
        self.assertTrue(np.all(self._ndarray(a) >= comparison_target), a)

    def assertAllLessEqual(self, a: Any, comparison_target: Any) -> None:
        """Fail unless all elements are less or equal."""
        self.assertTrue(np.all(self._ndarray(a) <= comparison_target), a)

    def assertAllInSet(self, target: Any, expected_set: Any) -> None:
        """Fail unless all elements are in a set."""
        self.assertLessEqual(set(self._ndarray(target).ravel().tolist()), expected_set)

    def assertNear(
        self, f1: float, f2: float, err: float, msg: str | None = None
    ) -> None:
        """Compare two numbers, to within `err`."""
        near = f1 == f2 or abs(f1 - f2) <= err
        self.assertTrue(near, f"{f1} and {f2} differ by more than {err}. {msg or ''}")

    def assertArrayNear(
        self, farray1: Any, farray2: Any, err: float, msg: str | None = None
    ) -> None:
        """Compare two lists of numbers, each to within `err`."""
        self.assertEqual(len(farray1), len(farray2))
        for first, second in zip(farray1, farray2, strict=True):
            self.assertNear(float(first), float(second), err, msg)

    def assertShapeEqual(self, np_array: Any, tf_tensor: Any, msg: Any = None) -> None:
        """Compare the shape of an array and the static shape of a tensor."""
        self.assertEqual(list(np_array.shape), tf_tensor.shape.as_list(), msg)

    def assertDTypeEqual(self, target: Any, expected_dtype: Any) -> None:
        """Compare the dtype of a value."""
        self.assertEqual(self._ndarray(target).dtype, expected_dtype)

    def assertStartsWith(
        self, actual: str, expected_start: str, msg: str | None = None
    ) -> None:
        """Compare the start of a text."""
        self.assertTrue(
            actual.startswith(expected_start),
            msg or f"{actual!r} does not start with {expected_start!r}",
        )


def _is_nested(value: Any) -> bool:
    """Return whether a value is a list of arrays that may differ in shape."""
    if not isinstance(value, (list, tuple)):
        return False
    parts = [isinstance(part, (Mapping, np.ndarray, Tensor)) for part in value]
    return any(parts) or any(map(_is_nested, value))


def _as_texts(array: Any) -> Any:
    texts = np.empty(array.shape, object)
    for index, item in np.ndenumerate(array):
        texts[index] = item.encode() if isinstance(item, str) else item
    return texts


@functools.cache
def get_temp_dir() -> str:
    """Return a directory for the files of a test program."""
    return tempfile.mkdtemp(prefix="tpuref-test-")


def is_gpu_available(
    cuda_only: bool = False, min_cuda_compute_capability: Any = None
) -> bool:
    """Return False: tpuref computes on CPUs."""
    return False


def is_built_with_cuda() -> bool:
    """Return False: tpuref computes on CPUs."""
    return False


def main(argv: Any = None) -> None:
    """Run the tests of the program, with absl if it is installed."""
    try:
        absl = optional_module("absl.testing.absltest", "tf.test.main", "absl-py")
    except ImportError:
        unittest.main(argv=argv)
    else:
        absl.main(argv=argv)
