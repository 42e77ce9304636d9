"""Where Keras is installed, tf.keras is Keras itself and no namespace of tpuref."""

import importlib.util
import re

import pytest

OF_KERAS = re.compile(
    r"tests/names/test_messages\.py::test_\w+\[.*\bkeras\b"
    r"|tests/names/test_table\.py::test_every_row\w+\[(|compat\.v2|keras.*)\]"
)


def pytest_collection_modifyitems(items):
    if importlib.util.find_spec("keras") is not None:
        skip = pytest.mark.skip(reason="needs an environment without Keras")
        for item in filter(lambda item: OF_KERAS.search(item.nodeid), items):
            item.add_marker(skip)
