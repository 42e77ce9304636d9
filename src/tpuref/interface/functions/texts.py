"""Texts one by one: their case, length, parts and hashes, and numbers as texts."""

import string as alphabet
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.arguments import as_list, instance_of, listed, wrong_type
from tpuref.base.dtypes import as_dtype, bool_, float32, float64, int32, int64, string
from tpuref.base.errors import InvalidArgumentError
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.ops.meaning import Array
from tpuref.interface.functions.hashes import fingerprint, keyed
from tpuref.interface.functions.host_functions import py_func
from tpuref.interface.functions.printing import shown

_UPPER = bytes.maketrans(
    alphabet.ascii_lowercase.encode(), alphabet.ascii_uppercase.encode()
)
_LOWER = bytes.maketrans(
    alphabet.ascii_uppercase.encode(), alphabet.ascii_lowercase.encode()
)


def each_text(
    op: str, function: Callable[..., Any], dtype: Any, *inputs: Tensor
) -> Tensor:
    """Return the results of a function of the elements of tensors of one shape."""

    def results(*arrays: Any) -> Array:
        first = np.asarray(arrays[0])
        flat = [np.broadcast_to(x, first.shape).ravel().tolist() for x in arrays]
        computed = np.empty(first.size, object if dtype == string else dtype.np)
        for place, items in enumerate(zip(*flat, strict=True)):
            computed[place] = function(*items)
        shaped: Array = computed.reshape(first.shape)
        return shaped

    result: Tensor = py_func(results, inputs, dtype, name=op)
    result.set_shape(inputs[0].shape)
    return result


def lower(input: Any, encoding: str = "", name: str | None = None) -> Tensor:
    """Return texts in lower case: of ASCII, or of Unicode with encoding ``"utf-8"``.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     tf.strings.lower(["Ab", "C"]).numpy().tolist()
    [b'ab', b'c']
    """
    change = (lambda t: t.decode().lower().encode()) if encoding else None
    return each_text(
        "StringLower",
        change or (lambda text: text.translate(_LOWER)),
        string,
        convert_to_tensor(input, string),
    )


def upper(input: Any, encoding: str = "", name: str | None = None) -> Tensor:
    """Return texts in upper case, as `lower` does."""
    change = (lambda t: t.decode().upper().encode()) if encoding else None
    return each_text(
        "StringUpper",
        change or (lambda text: text.translate(_UPPER)),
        string,
        convert_to_tensor(input, string),
    )


def strip(input: Any, name: str | None = None) -> Tensor:
    """Return texts without white space at their ends."""
    tensor = convert_to_tensor(input, string)
    return each_text("StringStrip", bytes.strip, string, tensor)


def _counts_bytes(function: str, unit: Any) -> bool:
    """Return whether texts are counted in bytes, not in characters."""
    if unit not in ("BYTE", "UTF8_CHAR"):
        raise codes.INVALID_ARGUMENT.value_error(
            f"{function}: unit must be 'BYTE' or 'UTF8_CHAR', got {unit!r}"
        )
    return bool(unit == "BYTE")


def length(input: Any, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """Return the number of bytes, or of characters with ``"UTF8_CHAR"``, int32."""
    by_bytes = _counts_bytes("tf.strings.length", unit)
    count = len if by_bytes else (lambda text: len(text.decode()))
    return each_text("StringLength", count, int32, convert_to_tensor(input, string))


def substr(
    input: Any, pos: Any, len: Any, unit: str = "BYTE", name: str | None = None
) -> Tensor:
    """Return parts of texts: from a position, which may be negative, of a length.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     tf.strings.substr("tensor", 1, 3).numpy()
    b'ens'
    """
    by_bytes = _counts_bytes("tf.strings.substr", unit)

    def part(text: bytes, start: int, count: int) -> bytes:
        whole: Any = text if by_bytes else text.decode()
        size = whole.__len__()
        if not -size <= start <= size:
            raise InvalidArgumentError(
                f"tf.strings.substr: position {start} is outside of {text!r}",
                code=codes.INVALID_ARGUMENT,
            )
        start = start + size if start < 0 else start
        piece = whole[start : start + count]
        return bytes(piece if by_bytes else piece.encode())

    numbers = [convert_to_tensor(x) for x in (pos, len)]
    return each_text("Substr", part, string, convert_to_tensor(input, string), *numbers)


def as_string(
    input: Any,
    precision: int = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: int = -1,
    fill: str = "",
    name: str | None = None,
) -> Tensor:
    """Return numbers and bools as texts.

    `precision` is the number of digits after the point, by default 6.  `scientific`
    says whether to write ``1e+00``, `shortest` whether to write the shorter of both
    forms.  `width` and `fill` are the least length, and ``"0"``, ``" "`` or ``"-"``,
    which fills it on the left, or on the right for ``"-"``.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     tf.strings.as_string([1.5, 2.0], precision=1).numpy().tolist()
    [b'1.5', b'2.0']
    """
    tensor = convert_to_tensor(input)
    if tensor.dtype == string:
        return tensor
    if tensor.dtype.is_complex:
        raise wrong_type("tf.strings.as_string: input", "real numbers or bools", input)
    size = str(width) if width > 0 else ""
    point = f".{precision}" if precision >= 0 else ""
    kind = "e" if scientific else "g" if shortest else "f"
    whole = tensor.dtype.is_integer
    pattern = f"%{fill}{size}d" if whole else f"%{fill}{size}{point}{kind}"

    def text(value: Any) -> bytes:
        if tensor.dtype == bool_:
            return b"true" if value else b"false"
        written: bytes = (pattern % value).encode()
        return written

    return each_text("AsString", text, string, tensor)


def to_number(input: Any, out_type: Any = float32, name: str | None = None) -> Tensor:
    """Return the numbers that texts spell.

    `out_type` is float32, float64, int32 or int64.  At run time it raises
    `tf.errors.InvalidArgumentError` for a text that is no number of that type.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     tf.strings.to_number(["1.5", " -2e3 "]).numpy().tolist()
    [1.5, -2000.0]
    """
    function, dtype = "tf.strings.to_number", as_dtype(out_type)
    if dtype not in (float32, float64, int32, int64):
        expected = "float32, float64, int32 or int64"
        raise wrong_type(f"{function}: out_type", expected, dtype)

    def number(text: bytes) -> Any:
        try:
            if b"_" in text:
                raise ValueError  # Python's, not C's
            with np.errstate(over="ignore"):  # infinite in float32
                if not dtype.is_integer:
                    return dtype.np.type(float(text))
            whole = int(text)
            if not dtype.min <= whole <= dtype.max:
                raise ValueError  # NumPy 1 warns instead
            return dtype.np.type(whole)
        except (ValueError, OverflowError):
            raise InvalidArgumentError(
                f"{function}: expected a number of {dtype.name}, got {text!r}",
                code=codes.INVALID_OPERANDS,
            ) from None

    texts = convert_to_tensor(input, string)
    return each_text(name or "StringToNumber", number, dtype, texts)


def format(
    template: str,
    inputs: Any,
    placeholder: str = "{}",
    summarize: int = 3,
    name: str | None = None,
) -> Tensor:
    """Return a text with tensors in the place of placeholders.

    It raises ValueError if their numbers differ.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     tf.strings.format("seen: {}", tf.range(3)).numpy()
    b'seen: [0 1 2]'
    """
    values = as_list(inputs)
    for name_of, value in (("template", template), ("placeholder", placeholder)):
        instance_of(str, f"tf.strings.format: {name_of}", "a text", value)
    parts = template.split(placeholder)
    if len(parts) != len(values) + 1:
        raise codes.INVALID_ARGUMENT.value_error(
            f"tf.strings.format: the template {template!r} has {len(parts) - 1} "
            f"placeholders, and there are {len(values)} inputs"
        )

    def text(*arrays: Any) -> bytes:
        texts = [shown(np.asarray(array), summarize) for array in arrays]
        whole = [x for pair in zip(parts, [*texts, ""], strict=True) for x in pair]
        return "".join(whole).encode()

    result: Tensor = py_func(text, [convert_to_tensor(x) for x in values], string)
    result.set_shape([])
    return result


def to_hash_bucket_fast(
    input: Any, num_buckets: int, name: str | None = None
) -> Tensor:
    """Return the bucket of each text, int64, by FarmHash's fingerprint.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     tf.strings.to_hash_bucket_fast(["Hello", "TensorFlow"], 3).numpy().tolist()
    [0, 2]
    """
    return each_text(
        "StringToHashBucketFast",
        lambda text: fingerprint(text) % num_buckets,
        int64,
        convert_to_tensor(input, string),
    )


def to_hash_bucket_strong(
    input: Any, num_buckets: int, key: Sequence[int], name: str | None = None
) -> Tensor:
    """Return the bucket of each text, int64, by SipHash with a key of two integers."""
    parts = listed("tf.strings.to_hash_bucket_strong: key", key, "two integers")
    if [type(part) for part in parts] != [int, int]:
        raise wrong_type("tf.strings.to_hash_bucket_strong: key", "two integers", key)
    hashed = keyed(parts)
    return each_text(
        "StringToHashBucketStrong",
        lambda text: hashed(text) % num_buckets,
        int64,
        convert_to_tensor(input, string),
    )
