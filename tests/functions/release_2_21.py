"""Calls whose results TensorFlow 2.21 recorded in ``release_2_21.json``.

``python release_2_21.py``, with TensorFlow 2.21, prints that file.
"""

import json

import numpy as np

PIXELS = np.random.RandomState(0).rand(2, 5, 4, 3).astype("float32").round(3)
BYTES = (PIXELS * 255).astype("uint8")
TURNS = [[0.8, 0.3, -1, -0.2, 1.1, 2, 0.01, 0.02], [-1, 0, 6, 0, 1, -3, 0, 0]]
METHODS = "bilinear nearest bicubic area lanczos3 lanczos5 gaussian mitchellcubic"
MODES = ("CONSTANT", "REFLECT", "WRAP", "NEAREST")


def projected(tf, interpolation, mode):
    return tf.raw_ops.ImageProjectiveTransformV3(
        images=PIXELS,
        transforms=np.array(TURNS, "float32"),
        output_shape=[4, 5],
        fill_value=0.5,
        interpolation=interpolation,
        fill_mode=mode,
    )


CASES = {
    **{
        f"resize {method} {size} {wide}": lambda tf, m=method, s=size, w=wide: (
            tf.image.resize(PIXELS[:1], s, m, antialias=w)
        )
        for method in METHODS.split()
        for size, wide in (([3, 7], False), ([2, 3], True))
    },
    "resize bytes": lambda tf: tf.image.resize(BYTES[0], [4, 4], "nearest"),
    "resize and keep": lambda tf: tf.image.resize(
        PIXELS, [9, 9], preserve_aspect_ratio=True
    ),
    **{
        f"project {kind} {mode}": lambda tf, k=kind, m=mode: projected(tf, k, m)
        for kind in ("NEAREST", "BILINEAR")
        for mode in MODES
    },
    "hsv": lambda tf: tf.image.rgb_to_hsv(PIXELS),
    "rgb": lambda tf: tf.image.hsv_to_rgb(PIXELS),
    "grey": lambda tf: tf.image.rgb_to_grayscale(BYTES),
    "brightness": lambda tf: tf.image.adjust_brightness(BYTES, 0.2),
    "contrast": lambda tf: tf.image.adjust_contrast(BYTES, 1.5),
    "gamma": lambda tf: tf.image.adjust_gamma(PIXELS, 2.0, 1.5),
    "hue": lambda tf: tf.image.adjust_hue(PIXELS, 0.3),
    "saturation": lambda tf: tf.image.adjust_saturation(PIXELS, 1.7),
    "standard": lambda tf: tf.image.per_image_standardization(BYTES),
    "wider": lambda tf: tf.image.convert_image_dtype(BYTES, tf.uint16),
    "saturated": lambda tf: tf.image.convert_image_dtype(
        PIXELS * 2, tf.uint8, saturate=True
    ),
    "central": lambda tf: tf.image.central_crop(PIXELS, 0.6),
    "crop or pad": lambda tf: tf.image.resize_with_crop_or_pad(BYTES, 3, 7),
    "with pad": lambda tf: tf.image.resize_with_pad(PIXELS, 8, 5),
    "turned": lambda tf: tf.image.rot90(BYTES[0], 3),
    "patches": lambda tf: tf.image.extract_patches(
        PIXELS[:1], [1, 2, 3, 1], [1, 2, 1, 1], [1, 2, 1, 1], "SAME"
    ),
    "boxes": lambda tf: tf.image.crop_and_resize(
        PIXELS, [[0, 0, 1, 1], [0.1, -0.2, 0.7, 1.3]], [1, 0], [3, 4]
    ),
    "one row": lambda tf: tf.image.crop_and_resize(
        PIXELS, [[0.2, 0.1, 0.8, 0.9]], [1], [1, 3], "nearest", 0.3
    ),
    "drawn brightness": lambda tf: tf.image.stateless_random_brightness(
        PIXELS[0], 0.3, [1, 2]
    ),
    "drawn mirror": lambda tf: tf.image.stateless_random_flip_left_right(
        BYTES[0], [1, 3]
    ),
    "gamma numbers": lambda tf: tf.random.stateless_gamma([5, 3], [1, 2], [0.5, 1, 3]),
    "gamma of rates": lambda tf: tf.random.stateless_gamma(
        [3, 2, 2], [3, 4], np.array([[0.1], [7]]), np.array([1.0, 2]), tf.float64
    ),
    "binomial": lambda tf: tf.random.stateless_binomial(
        [6, 4], [1, 2], [5.0, 20, 100, 9], [0.1, 0.5, 0.8, 1]
    ),
}


def recorded(tf):
    """Return what the calls give, as JSON can hold it."""
    values = {name: np.asarray(call(tf)) for name, call in CASES.items()}
    return {
        name: {
            "dtype": value.dtype.name,
            "shape": value.shape,
            "values": [_plain(item) for item in value.ravel().tolist()],
        }
        for name, value in values.items()
    }


def _plain(item):
    if isinstance(item, bytes):
        return item.decode("latin-1")
    if isinstance(item, complex):
        return [round(item.real, 6), round(item.imag, 6)]
    return float(f"{item:.7g}") if isinstance(item, float) else item


if __name__ == "__main__":
    import tensorflow

    print(json.dumps(recorded(tensorflow)))
