"""tf.keras is Keras, and Keras alone sees tpuref as TensorFlow."""

import pytest

from ..pythons import python

pytest.importorskip("keras", reason="the extra keras is not installed")

SAME = """
import sys
import tpuref as tf
assert "keras" not in sys.modules
import keras
import keras._tf_keras.keras as public
assert tf.keras is public and tf.compat.v2.keras is public
assert tf.keras.Sequential is keras.Sequential
assert keras.backend.backend() == "tensorflow" and tf.executing_eagerly()
assert keras.src.backend.tensorflow.core.tf is tf
assert not [name for name in sys.modules if name.partition(".")[0] == "tensorflow"]
from tpuref.keras import layers
assert layers is tf.keras.layers
"""

REFUSED = """
import tpuref as tf
tf.keras.layers
"""

BEFORE = """
import sys, types
sys.modules["tensorflow"] = types.ModuleType("tensorflow")
import tpuref as tf
"""

ABSENT = """
import importlib.metadata as metadata
def version(name, found=metadata.version):
    if name == "keras":
        raise metadata.PackageNotFoundError(name)
    return found(name)
metadata.version = version
import tpuref as tf
assert tf.keras.optimizers.Adam.__module__.startswith("tpuref.")
"""

GRAPHS = """
import tpuref as tf
tf.disable_v2_behavior()
assert not tf.keras.backend.is_sparse(tf.constant(1.0))
"""

EAGER_ALONE = """
import tpuref as tf
tf.enable_eager_execution()
assert tf.keras.ops.argmax([1.0, 2.0, 0.0]) == 1  # by TensorFlow 2's tf.where
"""

AS_TENSORFLOW = """
import tensorflow as tf
from tensorflow.keras import layers
from tensorflow.keras.models import Sequential
import tensorflow.keras.backend as K
import keras, tpuref
assert tf is tpuref and layers.Dense is keras.layers.Dense and K.epsilon() == 1e-7
assert tf.losses.Huber is keras.losses.Huber and tf.metrics is tf.keras.metrics
assert tf.optimizers.Adam is keras.optimizers.Adam
"""

BOTH = """
import tpuref as tf
import keras
assert tf.metrics.AUC is keras.metrics.AUC and tf.losses.Huber is keras.losses.Huber
assert tf.metrics.mean.__module__.startswith("tpuref.")  # until 2.x is chosen
assert tf.losses.huber_loss.__module__.startswith("tpuref.")
assert tf.compat.v2.metrics is tf.keras.metrics
"""

CHOSEN = """
import tpuref as tf
tf.enable_v2_behavior()
assert tf.metrics is tf.keras.metrics and not hasattr(tf.losses, "huber_loss")
"""


def run(*command):
    done = python("-W", "ignore", *command)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "script",
    [SAME, EAGER_ALONE, BOTH, CHOSEN],
    ids=["same", "eager alone", "both", "chosen"],
)
def test_keras_sees_tpuref_and_nobody_else(script):
    run("-c", script)


@pytest.mark.parametrize(
    ("script", "last", "kind", "words"),
    [
        (REFUSED, "import tensorflow", "ImportError",
         ["TPUREF-E253", "--as-tensorflow"]),
        (BEFORE, "tf.keras", "ImportError",
         ["TPUREF-E253", "do not import TensorFlow"]),
        (ABSENT, "tf.keras.Sequential", "AttributeError",
         ["pip install 'tpuref[keras]'"]),
        (GRAPHS, "tf.keras.layers.Dense(2)", "AttributeError",
         ["tf.enable_v2_behavior()", "In a program that builds graphs, use tf.layers"]),
    ],
    ids=["refused", "before", "absent", "graphs"],
)  # fmt: skip
def test_the_last_line_is_refused(script, last, kind, words):
    done = python("-W", "ignore", "-c", f"{script}print('so far')\n{last}")
    assert done.stdout == "so far\n"
    _, _, message = done.stderr.partition(f"\n{kind}: ")
    assert all(word in message for word in words), done.stderr


def test_keras_of_programs_for_tensorflow(tmp_path):
    script = tmp_path / "program.py"
    script.write_text(AS_TENSORFLOW)
    run("-m", "tpuref", "run", "--as-tensorflow=2", str(script))
