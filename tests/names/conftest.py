"""Names are judged as they are without Keras, also where it is installed."""

import pytest

from tpuref.tools.as_tensorflow import keras


@pytest.fixture(autouse=True)
def without_keras(monkeypatch):
    monkeypatch.setattr(keras, "is_installed", lambda: False)
