"""Print the errors of models under TPUStrategy with two cores that cannot train."""

import json
import logging
import os

os.environ["KERAS_BACKEND"] = "tensorflow"

import numpy as np

import tpuref as tf

tf.config.cores = 2
strategy = tf.distribute.TPUStrategy(
    tf.distribute.cluster_resolver.TPUClusterResolver.connect("")
)
layers = tf.keras.layers
IMAGES = np.linspace(0, 1, 24, dtype=np.float32).reshape(6, 4)
LABELS = np.zeros([6, 1], np.float32)


class OnHost(layers.Layer):
    def call(self, x):
        doubled = tf.numpy_function(lambda a: 2 * a, [x], tf.float32)
        doubled.set_shape(x.shape)
        return doubled


class Positive(layers.Layer):
    def call(self, x):
        return tf.boolean_mask(x, x[:, 0] > 0.4)


def fit(layer, data, batch_size=None, **how):
    with strategy.scope():
        parts = [layers.Dense(1, name="last")]
        model = tf.keras.Sequential([layer, *parts] if layer else parts)
        model.compile("sgd", "mse", **how)
    try:
        model.fit(*data, batch_size=batch_size, verbose=0, shuffle=False)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "trains"


def unknown():
    yield IMAGES, LABELS


generated = tf.data.Dataset.from_generator(unknown, (tf.float32, tf.float32))
pairs = tf.data.Dataset.from_tensor_slices((IMAGES, LABELS))
warnings = []
handler = logging.Handler()
handler.emit = lambda record: warnings.append(record.getMessage())
logging.getLogger("tpuref").addHandler(handler)
whole = (IMAGES, LABELS), 6
found = {
    "host operation": fit(OnHost(name="on_host"), *whole),
    "host operation again": fit(OnHost(name="on_host_2"), *whole),
    "warnings": warnings,
    "compiled": fit(OnHost(name="on_host"), *whole, jit_compile=True),
    "uneven batch": fit(None, (IMAGES, LABELS), 5),
    "last batch uneven": fit(None, (pairs.batch(4).take(2),)),
    "open batch size": fit(None, (pairs.batch(6),)),
    "unknown rank": fit(None, (generated,)),
    "other shapes": fit(Positive(name="positive"), *whole),
}
tf.config.set_soft_device_placement(False)
found["no soft placement"] = fit(OnHost(name="on_host"), *whole)
print(json.dumps(found))
