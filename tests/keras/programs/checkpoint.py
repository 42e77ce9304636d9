"""Save a trained model with its optimizer, or restore both."""

import os
import sys

os.environ["KERAS_BACKEND"] = "tensorflow"

import numpy as np

library, task, prefix, *converted = sys.argv[1:]
if library == "tpuref":
    import tpuref as tf
else:
    import tensorflow as tf

tf.keras.utils.set_random_seed(1 if task == "save" else 2)
layers = tf.keras.layers
images, labels = np.linspace(0, 1, 48).reshape(12, 4), np.linspace(0, 1, 12)


def model():
    model = tf.keras.Sequential([layers.Input([4]), layers.Dense(3, "tanh")])
    model.add(layers.BatchNormalization())
    model.add(layers.Dense(1))
    model.compile("adam", "mse")
    return model


def trained(model):
    model.fit(images, labels, batch_size=4, verbose=0, shuffle=False)
    return model


def values(model):
    return np.concatenate([v.numpy().ravel() for v in model.optimizer.variables])


if task == "save":
    one = trained(model())
    tf.train.Checkpoint(model=one).write(prefix)
    np.save(f"{prefix}.npy", one.predict(images, verbose=0))
    np.save(f"{prefix}.later.npy", values(trained(one)))
else:
    (path,) = converted
    one = trained(model())
    tf.train.Checkpoint(model=one).read(path).assert_consumed()
    expected = np.load(f"{prefix}.npy")
    np.testing.assert_allclose(one.predict(images, verbose=0), expected, rtol=1e-5)
    later = model()  # whose optimizer has no variables yet
    status = tf.train.Checkpoint(model=later).read(path)
    expected = np.load(f"{prefix}.later.npy")
    for each in (one, later):
        np.testing.assert_allclose(values(trained(each)), expected, 1e-3, 1e-5)
    status.assert_consumed()
