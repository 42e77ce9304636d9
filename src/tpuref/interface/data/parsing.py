"""Parse serialized `tf.train.Example` messages and raw bytes to tensors."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.arguments import check_name, instance_of, name_or, wrong_type
from tpuref.base.dtypes import DType, as_dtype, float32, int64, string
from tpuref.base.errors import InvalidArgumentError
from tpuref.base.shapes import as_shape
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.ops.definition import Array
from tpuref.interface.data.batched import in_batches
from tpuref.interface.data.sparse import SparseTensor
from tpuref.interface.functions.host_functions import py_func
from tpuref.kernels import examples


class FixedLenFeature(NamedTuple):
    """A feature with the same number of values in each example.

    `dtype` is float32, int64 or string.  `default_value` is the value for examples
    without the feature; without it, they are an error.
    """

    shape: Any
    dtype: Any
    default_value: Any = None


class VarLenFeature(NamedTuple):
    """A feature with any number of values, parsed as a `tf.SparseTensor`.

    `dtype` is float32, int64 or string.
    """

    dtype: Any


class FixedLenSequenceFeature(NamedTuple):
    """A feature with any number of rows, parsed as a dense tensor.

    `shape` is the shape of a row.  `dtype` is float32, int64 or string.
    `allow_missing` must be true: an example without the feature has no rows.
    `default_value` is the padding of shorter examples in a batch.
    """

    shape: Any
    dtype: Any
    allow_missing: bool = False
    default_value: Any = None


_KINDS = {string: 1, float32: 2, int64: 3}
"""The field numbers of the lists of a `Feature`, by dtype."""

_NAMES = {1: "bytes_list", 2: "float_list", 3: "int64_list"}


def parse_single_example(
    serialized: Any,
    features: Mapping[str, Any],
    name: str | None = None,
    example_names: Any = None,
) -> dict[str, Any]:
    """Return the features of one serialized `tf.train.Example`.

    The result has a tensor for each name, a `tf.SparseTensor` for a `VarLenFeature`.
    `serialized` is a string tensor of rank 0.  `features` maps each name to a
    `FixedLenFeature`, `VarLenFeature` or `FixedLenSequenceFeature`.  It raises
    ValueError if `features` is empty or has a dtype that examples do not support, and
    at evaluation `tf.errors.InvalidArgumentError` if a feature is missing or has
    another type or number of values.

    Examples
    --------
    >>> example = tf.train.Example()
    >>> example.features.feature["label"].int64_list.value.append(7)
    >>> parsed = tf.parse_single_example(
    ...     example.SerializeToString(), {"label": tf.FixedLenFeature([], tf.int64)})
    >>> int(tf.Session().run(parsed["label"]))
    7
    """
    return _parse("tf.parse_single_example", serialized, features, name, single=True)


def parse_example(
    serialized: Any,
    features: Mapping[str, Any],
    name: str | None = None,
    example_names: Any = None,
) -> dict[str, Any]:
    """Return the features of a vector of serialized `tf.train.Example`.

    `serialized` is a string tensor of rank 1.  `features` is as for
    `parse_single_example`; the tensors have one dimension more, for the examples.
    """
    return _parse("tf.parse_example", serialized, features, name, single=False)


Values = list[bytes] | Array | None


class _FeatureReader(NamedTuple):
    """Converts a feature to arrays with these dtypes and static shapes.

    `read` converts the values of the feature in each example, or None without it.
    `sparse` tells whether the arrays are the parts of a sparse tensor.
    """

    read: Callable[[Sequence[Values]], Sequence[Array]]
    dtypes: Sequence[DType]
    shapes: Sequence[Sequence[int | None]]
    sparse: bool = False


def _parse(
    function: str, serialized: Any, features: Mapping[str, Any], name: Any, single: bool
) -> dict[str, Any]:
    argument = f"{function}: features"
    if not isinstance(features, Mapping):
        raise wrong_type(argument, "a dict from names", features)
    check_name(function, name)
    if not features:
        raise codes.INVALID_FEATURE.value_error(
            f"{function}: features must name at least one feature"
        )
    keys = sorted(
        instance_of(str, f"{argument}: a name", "a string", key) for key in features
    )
    kinds = {key: _kind(function, key, features[key]) for key in keys}
    readers = {key: _reader(function, key, features[key], single) for key in keys}

    def parse(records: Any) -> list[Array]:
        return _read(function, [records] if single else list(records), kinds, readers)

    dtypes = [dtype for key in keys for dtype in readers[key].dtypes]
    if single and all(isinstance(f, FixedLenFeature) for f in features.values()):
        rows = {key: _reader(function, key, features[key], False) for key in keys}
        in_batches(parse, lambda records: _read(function, records, kinds, rows))
    text = convert_to_tensor(serialized, string)
    tensors = iter(py_func(parse, [text], dtypes, name=name_or(name, "ParseExample")))
    return {key: _result(readers[key], tensors) for key in keys}


def _result(reader: _FeatureReader, tensors: Any) -> Any:
    components: list[Tensor] = []
    for shape in reader.shapes:
        tensor = next(tensors)
        tensor.set_shape(shape)
        components.append(tensor)
    return SparseTensor(*components) if reader.sparse else components[0]


def _kind(function: str, key: str, feature: Any) -> int:
    if not isinstance(
        feature, FixedLenFeature | VarLenFeature | FixedLenSequenceFeature
    ):
        raise codes.INVALID_FEATURE.value_error(
            f"{function}: the feature {key!r} must be a tf.FixedLenFeature, "
            f"tf.VarLenFeature or tf.FixedLenSequenceFeature, got {feature!r}"
        )
    dtype = feature.dtype
    kind = _KINDS.get(as_dtype(dtype))
    if kind is None:
        raise codes.INVALID_FEATURE.value_error(
            f"{function}: the feature {key!r} has dtype {as_dtype(dtype).name}, "
            "examples hold float32, int64 and string; parse one of those and use "
            "tf.cast or tf.decode_raw"
        )
    return kind


def _read(
    function: str,
    records: Sequence[Any],
    kinds: Mapping[str, int],
    readers: Mapping[str, _FeatureReader],
) -> list[Array]:
    """Return the arrays of all features of examples."""
    names = [key.encode() for key in kinds]
    columns: dict[str, list[Values]] = {key: [] for key in kinds}
    for record in records:
        features = examples.features(bytes(record), names)
        if features is None:
            raise InvalidArgumentError(
                f"{function}: the text is no tf.train.Example, or is damaged",
                code=codes.INVALID_FEATURE,
            )
        for (key, wanted), feature in zip(kinds.items(), features, strict=True):
            kind, values = (wanted, None) if feature is None else feature
            if kind != wanted:
                raise InvalidArgumentError(
                    f"{function}: the feature {key!r} is a {_NAMES[kind]}, expected "
                    f"a {_NAMES[wanted]}",
                    code=codes.INVALID_FEATURE,
                )
            columns[key].append(
                np.frombuffer(values, "<f4" if kind == 2 else "<i8")
                if isinstance(values, bytes)
                else values
            )
    return [array for key in kinds for array in readers[key].read(columns[key])]


def _reader(function: str, key: str, feature: Any, single: bool) -> _FeatureReader:
    """Return the reader of a feature for one example or for several."""
    if isinstance(feature, FixedLenFeature):
        return _fixed_reader(function, key, feature, single)
    if isinstance(feature, VarLenFeature):
        return _variable_reader(feature, single)
    return _sequence_reader(function, key, feature, single)


def _fixed_reader(
    function: str, key: str, feature: FixedLenFeature, single: bool
) -> _FeatureReader:
    shape, dtype = _sizes(function, key, feature), as_dtype(feature.dtype)
    count = int(np.prod(shape))
    default: Values = None
    if feature.default_value is not None:
        default = _default(function, key, feature, dtype, shape).ravel()

    def read(values: Sequence[Values]) -> list[Array]:
        rows = [default if value is None else value for value in values]
        for row in rows:
            if row is None:
                raise InvalidArgumentError(
                    f"{function}: an example has no feature {key!r}; give it a "
                    "default_value, or use tf.VarLenFeature",
                    code=codes.INVALID_FEATURE,
                )
            if len(row) != count:
                raise InvalidArgumentError(
                    f"{function}: an example has {len(row)} values of the feature "
                    f"{key!r}, its shape {shape} takes {count}",
                    code=codes.INVALID_FEATURE,
                )
        flat = _concatenate(rows, dtype)
        return [flat.reshape(shape if single else [len(rows), *shape])]

    return _FeatureReader(read, [dtype], [shape if single else [None, *shape]])


def _variable_reader(feature: VarLenFeature, single: bool) -> _FeatureReader:
    dtype = as_dtype(feature.dtype)
    rank = 1 if single else 2

    def read(values: Sequence[Values]) -> list[Array]:
        rows = [_array([] if numbers is None else numbers, dtype) for numbers in values]
        places = [
            (column,) if single else (row, column)
            for row, numbers in enumerate(rows)
            for column in range(numbers.size)
        ]
        longest = max((numbers.size for numbers in rows), default=0)
        return [
            np.array(places, np.int64).reshape(-1, rank),
            np.concatenate([_array([], dtype), *rows]),
            np.array([longest] if single else [len(rows), longest], np.int64),
        ]

    return _FeatureReader(
        read, [int64, dtype, int64], [[None, rank], [None], [rank]], True
    )


def _sequence_reader(
    function: str, key: str, feature: FixedLenSequenceFeature, single: bool
) -> _FeatureReader:
    if not feature.allow_missing:
        raise codes.INVALID_FEATURE.value_error(
            f"{function}: the feature {key!r} is a tf.FixedLenSequenceFeature, which "
            "needs allow_missing=True"
        )
    shape, dtype = _sizes(function, key, feature), as_dtype(feature.dtype)
    width = int(np.prod(shape))
    if not width:
        raise codes.INVALID_FEATURE.value_error(
            f"{function}: the feature {key!r}: the shape of a row must hold a value, "
            f"got {shape}"
        )
    filling: Any = b"" if dtype == string else 0
    if feature.default_value is not None:
        filling = _default(function, key, feature, dtype, [])[()]

    def read(values: Sequence[Values]) -> list[Array]:
        rows = [_array([] if numbers is None else numbers, dtype) for numbers in values]
        for numbers in rows:
            if numbers.size % width:
                raise InvalidArgumentError(
                    f"{function}: an example has {numbers.size} values of the feature "
                    f"{key!r}, expected a multiple of the {width} of a row {shape}",
                    code=codes.INVALID_FEATURE,
                )
        longest = max((numbers.size // width for numbers in rows), default=0)
        result = np.empty((len(rows), longest * width), dtype.np)
        result[...] = filling
        for row, numbers in enumerate(rows):
            result[row, : numbers.size] = numbers
        shaped = result.reshape(len(rows), longest, *shape)
        return [shaped[0 if single else slice(None)]]

    return _FeatureReader(
        read, [dtype], [[None, *shape] if single else [None, None, *shape]]
    )


def _default(
    function: str, key: str, feature: Any, dtype: DType, shape: Sequence[int]
) -> Array:
    """Return the default values of a feature, broadcast to its shape."""
    default = feature.default_value
    try:
        array = _array(default, dtype)
        if dtype == string and not all(type(text) is bytes for text in array.flat):
            raise TypeError("not a string")
        return np.broadcast_to(array, shape)
    except (TypeError, ValueError, OverflowError):
        raise codes.INVALID_FEATURE.value_error(
            f"{function}: the feature {key!r}: default_value must be {dtype.name} of "
            f"shape {list(shape)}, got {default!r}"
        ) from None


def _sizes(function: str, key: str, feature: Any) -> list[int]:
    shape = as_shape(feature.shape)
    if not shape.is_fully_defined():
        raise codes.INVALID_FEATURE.value_error(
            f"{function}: the shape of the feature {key!r} must be fully known, got "
            f"{shape}; use tf.VarLenFeature or tf.FixedLenSequenceFeature"
        )
    return [int(size or 0) for size in shape.as_list()]


def _concatenate(rows: Sequence[Any], dtype: DType) -> Array:
    if dtype == string:
        return _array([text for row in rows for text in row], dtype)
    return np.concatenate([_array([], dtype), *rows])


def _array(value: Any, dtype: DType) -> Array:
    """Return values as an array; NumPy would treat texts as sequences."""
    if dtype != string:
        return np.asarray(value, dtype.np)
    if isinstance(value, list) and all(type(one) is bytes for one in value):
        texts = np.empty(len(value), object)
        texts[:] = value
        return texts
    texts = np.asarray(value, object)
    encoded = np.empty(texts.shape, object)
    for index, item in np.ndenumerate(texts):
        encoded[index] = item.encode() if isinstance(item, str) else item
    return encoded


def decode_raw(
    input_bytes: Any = None,
    out_type: Any = None,
    little_endian: bool = True,
    name: str | None = None,
    bytes: Any = None,
) -> Tensor:
    r"""Reinterpret the bytes of texts as numbers.

    `input_bytes` is a string tensor, all of whose elements have the same length.
    `little_endian` says whether the lowest byte of a number comes first.  `bytes` is
    the former name of `input_bytes`.  It raises `tf.errors.InvalidArgumentError` at
    evaluation if the lengths differ or are not a multiple of a number's size.  The
    result has one dimension more than `input_bytes`.

    Examples
    --------
    >>> tf.Session().run(tf.decode_raw(b"\x01\x00\x02\x00", tf.int16))
    array([1, 2], dtype=int16)
    """
    texts = input_bytes if bytes is None else bytes
    return decode_raw_v2(texts, out_type, little_endian, name=name)


def decode_raw_v2(
    input_bytes: Any,
    out_type: Any,
    little_endian: bool = True,
    fixed_length: int | None = None,
    name: str | None = None,
) -> Tensor:
    r"""Return the bytes of texts as numbers, with the parameters of TensorFlow 2.

    `input_bytes`, `out_type` and `little_endian` are as for `decode_raw`.
    `fixed_length` is the number of bytes to read of each text; zeros follow a shorter
    one.

    Examples
    --------
    >>> numbers = decode_raw_v2([b"\x01\x02\x03", b""], tf.uint8, fixed_length=2)
    >>> tf.Session().run(numbers).tolist()
    [[1, 2], [0, 0]]
    """
    dtype = as_dtype(out_type)
    order = dtype.np.newbyteorder("<" if little_endian else ">")

    def decode(texts: Any) -> Array:
        several = np.array(texts, object)
        if fixed_length is not None:
            for place, text in np.ndenumerate(several):
                several[place] = text[:fixed_length].ljust(fixed_length, b"\0")
        lengths = {len(text) for text in several.flat}
        if len(lengths) > 1 or any(length % dtype.size for length in lengths):
            raise InvalidArgumentError(
                f"tf.decode_raw: the texts have {sorted(lengths)} bytes, expected the "
                f"same multiple of the {dtype.size} of {dtype.name}",
                code=codes.INVALID_FEATURE,
            )
        flat = np.frombuffer(b"".join(several.flat), order).astype(dtype.np)
        return flat.reshape(*several.shape, -1) if flat.size else flat

    in_batches(decode, decode)
    texts = convert_to_tensor(input_bytes, string)
    result: Tensor = py_func(decode, [texts], dtype, name=name_or(name, "DecodeRaw"))
    if texts.shape.ndims is not None:
        result.set_shape([*texts.shape.as_list(), None])
    return result


def parse_example_v2(
    serialized: Any, features: Any, example_names: Any = None, name: str | None = None
) -> Any:
    """Return `parse_example`, with the parameters of TensorFlow 2."""
    return parse_example(serialized, features, name, example_names)


def parse_single_example_v2(
    serialized: Any, features: Any, example_names: Any = None, name: str | None = None
) -> Any:
    """Return `parse_single_example`, with the parameters of TensorFlow 2."""
    return parse_single_example(serialized, features, name, example_names)
