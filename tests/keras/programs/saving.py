"""Print what a model that was trained before it was built saves, and what it loads."""

import json
import os
import sys
import tempfile

os.environ["KERAS_BACKEND"] = "tensorflow"

import h5py
import numpy as np

if sys.argv[1] == "tpuref":
    import tpuref as tf
else:
    import tensorflow as tf

layers = tf.keras.layers


@tf.keras.utils.register_keras_serializable("tests")
class Net(tf.keras.Model):
    def __init__(self, units=5, **kwargs):
        super().__init__(**kwargs)
        self.dense = layers.Dense(units)

    def call(self, x):
        return self.dense(x)


net = Net()
net.compile("adam", "mse")
net.fit(np.zeros((4, 3)), np.zeros((4, 5)), verbose=0)
folder = tempfile.mkdtemp()
net.save(f"{folder}/net.keras")
net.save_weights(f"{folder}/net.weights.h5")
with h5py.File(f"{folder}/net.weights.h5") as file:
    groups = list(file)
print(
    json.dumps(
        {
            "build": net.get_build_config()["input_shape"],
            "built": tf.keras.models.load_model(f"{folder}/net.keras").built,
            "groups": groups,
        }
    )
)
