"""Learn handwritten digits with a convolutional Keras model, on eight cores.

The model is the real Keras's (``pip install 'tpuref[keras,examples]'``), made in the
scope of a `tf.distribute.TPUStrategy` and trained by ``model.fit``.  The data are the
1,797 digits that ship with scikit-learn.

    python examples/keras_digits.py
"""

from __future__ import annotations

import sys

import numpy as np

import tpuref as tf

try:
    from sklearn.datasets import load_digits
except ModuleNotFoundError:
    sys.exit("This example needs the extra examples: pip install scikit-learn")

BATCH = 160


def make_model() -> tf.keras.Model:
    """Return a compiled network for images of 8 x 8 pixels."""
    layers = tf.keras.layers
    start = tf.keras.initializers.GlorotUniform(seed=1)
    model = tf.keras.Sequential(
        [
            layers.Input([8, 8, 1]),
            layers.Conv2D(16, 3, activation="relu", kernel_initializer=start),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(10, kernel_initializer=start),
        ]
    )
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(tf.keras.optimizers.Adam(0.01), loss, metrics=["accuracy"])
    return model


def main() -> None:
    """Train, and print the accuracy on digits that were held out."""
    images, labels = load_digits(return_X_y=True)
    images = (images / 16).reshape(-1, 8, 8, 1).astype(np.float32)
    resolver = tf.distribute.cluster_resolver.TPUClusterResolver.connect("")
    strategy = tf.distribute.TPUStrategy(resolver)
    with strategy.scope():
        model = make_model()
    model.fit(images[:1440], labels[:1440], BATCH, 5, shuffle=False, verbose=2)
    _, accuracy = model.evaluate(images[1440:1760], labels[1440:1760], BATCH, verbose=0)
    print(f"accuracy on held-out digits: {accuracy:.3f}")


if __name__ == "__main__":
    main()
