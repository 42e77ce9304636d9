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
    "gamma numbers": lambda tf: tf.random.stateless_gamma([5, 3], [1, 2], [0.5, 1, 3]),
    "gamma of rates": lambda tf: tf.random.stateless_gamma(
        [3, 2, 2], [3, 4], np.array([[0.1], [7]]), np.array([1.0, 2]), tf.float64
    ),
    "binomial": lambda tf: tf.random.stateless_binomial(
        [6, 4], [1, 2], [5.0, 20, 100, 9], [0.1, 0.5, 0.8, 1]
    ),
}

WAVE = np.sin(np.arange(40) * 0.7).astype("float32").reshape(2, 20)
WORDS = [b"The quick", b" brown\tfox ", b"", b"jumps \xc3\xa9"]


def inverse(tf):
    window = tf.signal.inverse_stft_window_fn(4)
    return tf.signal.inverse_stft(tf.signal.stft(WAVE, 8, 4), 8, 4, window_fn=window)


def looked_up(tf):
    start = tf.lookup.KeyValueTensorInitializer([b"a", b"b"], [1, 2])
    return tf.lookup.StaticHashTable(start, -1).lookup(tf.constant([[b"b"], [b"x"]]))


def ngrams(tf, **more):
    words = tf.ragged.constant([["a", "b", "c"], ["d"]])
    return tf.strings.ngrams(words, [2, 3], **more).to_tensor(b"-")


CASES |= {
    "fft": lambda tf: tf.signal.fft(tf.complex(WAVE, WAVE[::-1])),
    "ifft2d": lambda tf: tf.signal.ifft2d(tf.complex(WAVE, WAVE + 1)),
    "rfft": lambda tf: tf.signal.rfft(WAVE, [15]),
    "rfft of more": lambda tf: tf.signal.rfft(WAVE, [24]),
    "irfft": lambda tf: tf.signal.irfft(tf.complex(WAVE, WAVE + 1)),
    "irfft odd": lambda tf: tf.signal.irfft(tf.complex(WAVE, WAVE + 1), [9]),
    "frames": lambda tf: tf.signal.frame(WAVE, 6, 4, pad_end=True, pad_value=9),
    "frames of rows": lambda tf: tf.signal.frame(WAVE, 2, 1, axis=0),
    "added": lambda tf: tf.signal.overlap_and_add(WAVE.reshape(2, 4, 5), 2),
    "hann": lambda tf: tf.signal.hann_window(7),
    "hamming": lambda tf: tf.signal.hamming_window(6, periodic=False),
    "kaiser": lambda tf: tf.signal.kaiser_window(6, 5.0),
    "stft": lambda tf: tf.signal.stft(WAVE, 6, 3),
    "inverse stft": inverse,
    "lower": lambda tf: tf.strings.lower(WORDS),
    "upper": lambda tf: tf.strings.upper(WORDS, encoding="utf-8"),
    "strip": lambda tf: tf.strings.strip(WORDS),
    "lengths": lambda tf: tf.strings.length(WORDS, "UTF8_CHAR"),
    "substr": lambda tf: tf.strings.substr(["tensor", "flow"], [-3, 1], [2, 9]),
    "integers": lambda tf: tf.strings.as_string([[1, -20]], width=4, fill="0"),
    "floats": lambda tf: tf.strings.as_string([1.5, 1e10], precision=2),
    "shortest": lambda tf: tf.strings.as_string([0.1, 1e10], shortest=True),
    "bools": lambda tf: tf.strings.as_string([True, False]),
    "formatted": lambda tf: tf.strings.format("{}, {}", (tf.range(9), tf.range(2))),
    "fast hash": lambda tf: tf.strings.to_hash_bucket_fast([*WORDS, b"x" * 99], 1000),
    "strong hash": lambda tf: tf.strings.to_hash_bucket_strong(WORDS, 1000, [3, 4]),
    "split": lambda tf: tf.strings.split(WORDS).to_tensor("-"),
    "split at": lambda tf: tf.strings.split("a,b,,c", ",", 2),
    "characters": lambda tf: tf.strings.unicode_split(WORDS, "UTF-8").to_tensor("-"),
    "ngrams": ngrams,
    "padded ngrams": lambda tf: ngrams(tf, pad_values=("<", ">"), padding_width=1),
    "short ngrams": lambda tf: ngrams(tf, preserve_short_sequences=True),
    "looked up": looked_up,
    "distinct texts": lambda tf: tf.unique([b"b", b"a", b"b"])[0],
    "rows filled": lambda tf: tf.ragged.constant([[1], [2, 3]]).to_tensor(
        9, shape=[None, 3]
    ),
    "rows without padding": lambda tf: (
        tf.RaggedTensor.from_tensor([[0, 5, 0], [7, 0, 0]], padding=0).row_splits
    ),
    "rows of lengths": lambda tf: (
        tf.RaggedTensor.from_tensor(PIXELS[0], lengths=[2, 0, 3, 9, 1]).values
    ),
    "chosen rows": lambda tf: tf.gather(
        tf.ragged.constant([[1], [2, 3], [], [4, 5, 6]]), [3, 0, 3, 1]
    ).to_tensor(),
    "looked up rows": lambda tf: tf.nn.embedding_lookup(
        PIXELS[0, :, :, 0], tf.ragged.constant([[1], [2, 3]])
    ).to_tensor(),
    "sum of rows": lambda tf: tf.reduce_sum(tf.ragged.constant([[1], [2, 3]])),
    "sizes of rows": lambda tf: tf.shape(tf.ragged.constant([[1], [2, 3]]))[0],
    "shared": lambda tf: tf.sparse.to_dense(
        tf.sets.intersection(
            tf.SparseTensor([[0, 0], [0, 2], [1, 0], [2, 1]], [4, 9, 2, 7], [3, 4]),
            tf.SparseTensor([[0, 0], [0, 1], [0, 3], [2, 0]], [9, 4, 4, 1], [3, 4]),
        )
    ),
    "sparse over dense": lambda tf: tf.sparse.to_dense(
        tf.SparseTensor([[0, 1], [1, 2]], [4.0, 9.0], [2, 3]) / [1.0, 8.0, 3.0]
    ),
    "size of sparse": lambda tf: tf.size(tf.SparseTensor([[0, 1]], [4.0], [2, 3])),
    "float8": lambda tf: tf.cast(
        tf.cast(PIXELS * 300 - 100, tf.as_dtype("float8_e4m3fn")), tf.float32
    ),
    "rows cut": lambda tf: tf.ragged.constant([[1], [2, 3]]).to_tensor(shape=[None, 1]),
    "counts": lambda tf: tf.math.bincount([1, 1, 3, 9], minlength=3, maxlength=5),
    "counts of rows": lambda tf: tf.math.bincount(
        [[1, 1], [0, 2]], [[0.5, 1.0], [2.0, 3.0]], 2, 2, axis=-1
    ),
    "present": lambda tf: tf.math.bincount([[1, 1], [0, 2]], binary_output=True),
    "weighted": lambda tf: tf.sparse.to_dense(
        tf.sparse.bincount(np.array([1, 1, 4]), [0.5, 1.0, 2.0])
    ),
    "sparse counts": lambda tf: tf.sparse.to_dense(
        tf.sparse.bincount([[1, 1], [0, 2]], axis=-1, minlength=4, maxlength=4)
    ),
    "buckets": lambda tf: tf.raw_ops.Bucketize(
        input=[[-1.0, 5.0, 10.0]], boundaries=[0.0, 10.0]
    ),
    "crossed": lambda tf: tf.sparse.to_dense(
        tf.sparse.cross_hashed(
            [
                tf.sparse.from_dense([["A", "x"], ["B", "y"]]),
                tf.sparse.from_dense([[101], [102]]),
            ],
            50,
        )
    ),
    "looked up and combined": lambda tf: tf.nn.safe_embedding_lookup_sparse(
        PIXELS[0, :, :, 0],
        tf.SparseTensor([[0, 0], [0, 2], [2, 1]], [1, 3, -1], [3, 4]),
    ),
    "filled rows": lambda tf: tf.sparse.to_dense(
        tf.sparse.fill_empty_rows(tf.SparseTensor([[1, 2]], [5], [3, 4]), 7)[0]
    ),
}


def recorded(tf):
    """Return the results of the calls as JSON values."""
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
