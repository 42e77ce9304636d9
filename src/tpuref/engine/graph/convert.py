"""Conversion of values to tensors, by the rules of TensorFlow."""

import reprlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.dlpack import is_foreign, shared_array
from tpuref.base.dtypes import DType, as_dtype, float32, float64, int32, int64, string
from tpuref.base.limits import MAX_AXES
from tpuref.base.shapes import Dimension, TensorShape, as_shape
from tpuref.base.spec import TensorSpec
from tpuref.engine.graph.builder import builder
from tpuref.engine.graph.default import executing_eagerly, get_default_graph
from tpuref.engine.graph.eager_tensor import EagerTensor
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.engine.ops.meaning import Array


def to_array(value: Any, dtype: DType | None = None) -> Array:
    """Return `value` as an array: float -> float32, int -> int32, text -> string.

    Arrays of NumPy and of other libraries, and NumPy scalars, keep their dtype unless
    `dtype` asks for another.  The result is never the memory of `value`.
    """
    if isinstance(value, (Dimension, TensorShape)):
        value = _shape_value(value)
    array = _plain_array(value)
    natural = _natural_dtype(value, array)
    if dtype is None:
        dtype = natural
    if dtype == string:
        return _string_array(array)
    if natural == string:
        raise codes.DTYPES_DIFFER.type_error(
            f"expected {dtype.name}, got the text {value!r}"
        )
    if array.size:
        _check_kind(value, natural, dtype)
    if not _from_numpy(value):
        _check_range(array, dtype)
    with np.errstate(all="ignore"):
        return array.astype(dtype.np, "C", copy=not _is_fresh(value, array, dtype))


def _is_fresh(value: Any, array: Array, dtype: DType) -> bool:
    """Whether the array was created by this conversion and need not be copied."""
    made_here = isinstance(value, (list, tuple, bool, int, float, complex))
    return made_here and array.dtype == dtype.np and array.base is None


def _shape_value(value: Dimension | TensorShape) -> Any:
    if isinstance(value, TensorShape):
        if not value.is_fully_defined():
            raise codes.NO_TENSOR_FORM.value_error(
                f"the partly unknown shape {value} has no tensor form"
            )
        return value.as_list()
    if value.value is None:
        raise codes.NO_TENSOR_FORM.value_error(
            "an unknown Dimension has no tensor form"
        )
    return value.value


def _plain_array(value: Any) -> Array:
    if value is None:
        raise codes.NO_TENSOR_FORM.value_error("None has no tensor form")
    known = _with_shared_arrays(value) if is_foreign(_leaf(value)) else value
    try:
        array: Array = np.asarray(known)
    except ValueError as error:
        raise codes.NO_TENSOR_FORM.value_error(
            f"{_brief(value)} is ragged: {error}"
        ) from None
    if array.dtype.kind in "SU" and not _from_numpy(value):
        array = np.array(value, object)  # as text, NumPy would drop ending zero bytes
    return _plain_objects(value, array) if array.dtype == object else array


def _leaf(value: Any) -> Any:
    """Return the first element of nested lists."""
    leaf, depth = value, 0
    while isinstance(leaf, (list, tuple)) and leaf:
        if depth == MAX_AXES:
            raise _too_deep(value)
        leaf, depth = leaf[0], depth + 1
    return leaf


def _too_deep(value: Any) -> ValueError:
    return codes.NO_TENSOR_FORM.value_error(
        f"{reprlib.repr(value)} has no tensor form: its lists contain themselves, or "
        f"are nested more than {MAX_AXES} deep"
    )


def _with_shared_arrays(value: Any) -> Any:
    """Return nested lists with other libraries' arrays as NumPy arrays."""
    if isinstance(value, (list, tuple)):
        return [_with_shared_arrays(item) for item in value]
    return shared_array(value) if is_foreign(value) else value


def _plain_objects(value: Any, array: Array) -> Array:
    """Convert an array of objects: text unchanged, Dimensions to integers."""
    items = [item.value if isinstance(item, Dimension) else item for item in array.flat]
    if all(isinstance(item, (str, bytes)) for item in items):
        return array
    integers = all(isinstance(item, int) for item in items)
    numbers: Array = np.array(items) if integers else array
    if numbers.dtype != object:
        return np.reshape(numbers, array.shape)
    if any(isinstance(item, (list, tuple)) for item in items):
        raise codes.NO_TENSOR_FORM.value_error(
            f"{_brief(value)} is ragged: its lists differ in length"
        )
    raise codes.NO_TENSOR_FORM.type_error(
        f"{_brief(value)} of type {type(value).__name__} has no tensor form: its "
        "elements must be all numbers or all text"
    )


def _from_numpy(value: Any) -> bool:
    return isinstance(value, (np.ndarray, np.generic))


def _natural_dtype(value: Any, array: Array) -> DType:
    if array.dtype.kind in "OSU":
        return string
    dtype = as_dtype(array.dtype)
    leaf = _leaf(value)
    if _from_numpy(value) or is_foreign(leaf):
        return dtype
    if isinstance(leaf, np.ndarray) and leaf.dtype == array.dtype:
        return dtype
    if dtype == float64:
        return float32
    if dtype == int64:
        fits = bool(np.all((array >= int32.min) & (array <= int32.max)))
        return int32 if fits else int64
    return dtype


def _string_array(array: Array) -> Array:
    if array.dtype.kind not in "OSU" and array.size:
        raise codes.DTYPES_DIFFER.type_error(
            f"expected text, got values of {array.dtype}"
        )
    result = np.empty(array.shape, object)
    for index, item in np.ndenumerate(array):
        result[index] = _encode(item) if isinstance(item, str) else bytes(item)
    return result


def _encode(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise codes.DTYPES_DIFFER.value_error(
            f"the text {reprlib.repr(text)} has no form in UTF-8: {error.reason}; "
            "give bytes"
        ) from None


def _check_kind(value: Any, natural: DType, dtype: DType) -> None:
    """Refuse lossy conversions: float to integer, number to bool."""
    # NumPy arrays convert as in NumPy, but never lose an imaginary part.
    discards = natural.is_complex and not (dtype.is_complex or dtype.is_bool)
    if discards or (not _from_numpy(value) and _loses_meaning(natural, dtype)):
        raise codes.DTYPES_DIFFER.type_error(
            f"expected {dtype.name}, got {_brief(value)} of type "
            f"{type(value).__name__}; use tf.cast to convert on purpose"
        )


def _loses_meaning(dtype: DType, wanted: DType) -> bool:
    return (
        (dtype.is_floating and (wanted.is_integer or wanted.is_bool))
        or (dtype.is_complex and not wanted.is_complex)
        or (wanted.is_bool and not dtype.is_bool)
    )


def _check_range(array: Array, dtype: DType) -> None:
    if dtype.is_integer and array.size and array.dtype.kind in "iu":
        low, high = int(array.min()), int(array.max())
        if low < dtype.min or high > dtype.max:
            raise codes.DTYPES_DIFFER.value_error(
                f"{low if low < dtype.min else high} does not fit {dtype.name}"
            )


def _brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def constant(
    value: Any,
    dtype: Any = None,
    shape: Any = None,
    name: str | None = "Const",
    verify_shape: bool = False,
) -> Tensor:
    """Return a tensor with a constant value.

    000_04abb9e9288042d8.txt uses it in the example of batch_parallel.  `value` is a
    number, text, nested list or NumPy array.  `dtype` is the element type; by default
    float -> float32, int -> int32, and the array's own for NumPy arrays.  `shape` is
    the shape.  Fewer values than it holds are filled up with the last of them.
    `verify_shape` says whether the value must have the given shape already.  It raises
    TypeError if the value has no tensor form or does not fit `dtype`, and ValueError if
    the value is ragged or does not fit `shape`.

    Examples
    --------
    >>> x = tf.constant(7)
    >>> x.dtype.name, x.shape.as_list()
    ('int32', [])
    >>> int(tf.Session().run(x))
    7
    """
    wanted = None if dtype is None else as_dtype(dtype)
    if isinstance(value, Tensor):
        raise TypeError(
            f"tf.constant: value is already the tensor {value.describe()}; use "
            "tf.identity or tf.convert_to_tensor"
        )
    try:
        array = to_array(value, wanted)
    except (TypeError, ValueError) as error:
        raise type(error)(f"tf.constant: {error}") from None
    if shape is not None:
        array = _fill(array, shape, verify_shape)
    return constant_of(array, name)


def _fill(array: Array, shape: Any, verify_shape: bool) -> Array:
    sizes = as_shape(shape)
    if not sizes.is_fully_defined():
        raise codes.WRONG_SHAPE.value_error(
            f"tf.constant: shape {sizes} is not fully known"
        )
    count = sizes.num_elements() or 0
    if not count:  # as in TensorFlow, the values then do not matter
        return np.empty(sizes.as_tuple(), array.dtype)
    if verify_shape and not sizes.is_compatible_with(array.shape):
        raise codes.WRONG_SHAPE.type_error(
            f"tf.constant: expected a value of shape {sizes}, got {list(array.shape)}"
        )
    if not 0 < array.size <= count:
        raise codes.WRONG_SHAPE.value_error(
            f"tf.constant: {array.size} values do not fit shape {sizes}, which holds "
            f"{count}"
        )
    flat = array.reshape(-1)
    filled = np.concatenate([flat, np.repeat(flat[-1:], count - array.size)])
    return filled.reshape([int(size) for size in sizes])


def constant_of(array: Array, name: str | None = None) -> Tensor:
    """Return the tensor of an array, unconverted."""
    if executing_eagerly():
        return EagerTensor.of(array)
    spec = TensorSpec(array.shape, as_dtype(array.dtype))
    array.flags.writeable = False
    operation = get_default_graph().create_operation(
        "Const", (), [spec], {"value": array}, name or "Const"
    )
    operation.outputs[0].know_constant(array)
    return operation.outputs[0]


def convert_to_tensor(
    value: Any,
    dtype: Any = None,
    name: str | None = None,
    preferred_dtype: Any = None,
    dtype_hint: Any = None,
) -> Tensor:
    """Return `value` as a tensor; a tensor is returned unchanged.

    000_04abb9e9288042d8.txt and 003_0632b6613bf28dbc.txt name it as the way to keep a
    list together as one tensor.  `value` is a tensor, variable, number, text, array of
    NumPy or of another library, or a nested list of those.  `dtype` is the element type
    that the result must have.  `name` is the name of the operation, where one is made.
    `preferred_dtype` and `dtype_hint` name an element type to use where the value can
    take it.  It raises TypeError if the value has no tensor form, and ValueError if a
    tensor has another dtype than asked for, or a list is ragged.

    Examples
    --------
    >>> tf.convert_to_tensor([[1., 2.], [3., 4.]]).shape.as_list()
    [2, 2]
    """
    wanted = None if dtype is None else as_dtype(dtype)
    hint = dtype_hint if dtype_hint is not None else preferred_dtype
    if wanted is None and hint is not None:
        return _convert_hinted(value, as_dtype(hint), name)
    tensor = _existing_tensor(value, wanted, name)
    if tensor is None:
        try:
            return constant_of(to_array(value, wanted), name)
        except (TypeError, ValueError) as error:
            raise type(error)(f"tf.convert_to_tensor: {error}") from None
    if wanted is not None and tensor.dtype != wanted:
        raise codes.DTYPES_DIFFER.value_error(
            f"tf.convert_to_tensor: expected dtype {wanted.name}, got "
            f"{tensor.describe()}, made at {tensor.op.site}; use tf.cast"
        )
    return tensor


_CONVERSIONS: list[tuple[int, Any, Callable[..., Any]]] = []


def register_tensor_conversion_function(
    base_type: Any, conversion_func: Callable[..., Any], priority: int = 100
) -> None:
    """Let operations take objects of a class as tensors.

    `base_type` is the class, or a tuple of classes.  `conversion_func` is a function
    with the parameters ``value, dtype=None, name=None, as_ref=False`` that returns a
    tensor, or NotImplemented.  Functions with a lower `priority` are asked first, then
    those registered earlier.  It raises TypeError for numbers and arrays, which have a
    meaning already.

    Examples
    --------
    >>> class Length:
    ...     meters = 3.0
    >>> def convert(value, dtype=None, name=None, as_ref=False):
    ...     return tf.constant(value.meters, dtype, name=name)
    >>> tf.register_tensor_conversion_function(Length, convert)
    >>> float(tf.Session().run(tf.constant(2.0) * Length()))
    6.0
    """
    function = "tf.register_tensor_conversion_function"
    kinds = base_type if isinstance(base_type, tuple) else (base_type,)
    known = (int, float, complex, np.generic, np.ndarray)
    if not all(isinstance(k, type) and not issubclass(k, known) for k in kinds):
        raise codes.WRONG_ARGUMENT_TYPE.type_error(
            f"{function}: base_type: expected a class, or a tuple of classes, other "
            f"than numbers and arrays, got {base_type!r}"
        )
    if not callable(conversion_func):
        raise codes.WRONG_ARGUMENT_TYPE.type_error(
            f"{function}: conversion_func: expected a function, got {conversion_func!r}"
        )
    _CONVERSIONS.append((priority, kinds, conversion_func))
    _CONVERSIONS.sort(key=lambda entry: entry[0])


def _convert_hinted(value: Any, hint: DType, name: str | None) -> Tensor:
    """Convert to the hinted dtype if lossless, else to the value's own."""
    if _from_numpy(value) and not _fits(value, hint):
        return convert_to_tensor(value, None, name)
    if isinstance(value, (list, tuple)) and _is_tensor(value):
        return convert_to_tensor(value, None, name)
    try:
        return convert_to_tensor(value, hint, name)
    except (TypeError, ValueError):
        own = convert_to_tensor(value, None, name)
        array = own.operand().value
        if array is None or not (own.dtype.is_integer and hint.is_integer):
            return own
        return constant_of(array.astype(hint.np), name)  # wraps, as in TensorFlow


def _fits(value: Any, hint: DType) -> bool:
    if value.dtype.kind in "OSU" or hint == string:
        return True
    if _loses_meaning(as_dtype(value.dtype), hint):
        return False
    try:
        _check_range(np.asarray(value), hint)
    except ValueError:
        return False
    return True


def _existing_tensor(
    value: Any, wanted: DType | None, name: str | None
) -> Tensor | None:
    if isinstance(value, Operation):
        raise codes.NO_TENSOR_FORM.type_error(
            f"tf.convert_to_tensor: {value.name!r} is an operation, which has no "
            "value; pass one of its outputs"
        )
    converted = getattr(value, "_as_tensor", None)
    if callable(converted):
        value = converted()
    if isinstance(value, Tensor):
        return _in_current_mode(value)
    for _, kind, convert in _CONVERSIONS:
        if isinstance(value, kind):
            tensor = convert(value, dtype=wanted, name=name, as_ref=False)
            if isinstance(tensor, Tensor):
                return tensor
    if isinstance(value, (list, tuple)) and _is_tensor(value):
        return _pack(value, wanted, name)
    return None


def _in_current_mode(tensor: Tensor) -> Tensor:
    """Add a concrete eager tensor to the graph being built."""
    if isinstance(tensor, EagerTensor) and not executing_eagerly():
        return constant_of(tensor.array)
    return tensor


def _pack(value: Sequence[Any], wanted: DType | None, name: str | None) -> Tensor:
    if wanted is None:
        wanted = _dtype_within(value)
    else:  # TensorFlow casts the elements that have a value
        value = [_cast_if_known(item, wanted) for item in value]
    rows = [convert_to_tensor(item, wanted) for item in value]
    packed: Tensor = builder().apply("Pack", *rows, axis=0, name=name or "packed")
    return packed


def _cast_if_known(item: Any, wanted: DType) -> Any:
    if isinstance(item, EagerTensor) and item.dtype != wanted and item.dtype != string:
        return constant_of(item.array.astype(wanted.np))
    return item


def _dtype_within(value: Any) -> DType | None:
    if isinstance(value, (list, tuple)):
        dtypes = (_dtype_within(item) for item in value)
        return next((dtype for dtype in dtypes if dtype is not None), None)
    if isinstance(value, Tensor) or hasattr(value, "_as_tensor"):
        return as_dtype(value.dtype)
    return None


def convert_operands(op: str, inputs: Sequence[Any]) -> list[Tensor]:
    """Convert the inputs of one operation, values to the dtype of its tensors.

    A value that does not fit that dtype keeps its own; the operation's inference rule
    then reports both.
    """
    converted = [convert_to_tensor(v) if _is_tensor(v) else None for v in inputs]
    hint = next((tensor.dtype for tensor in converted if tensor is not None), None)
    tensors = []
    for position, (value, tensor) in enumerate(zip(inputs, converted, strict=True)):
        try:
            tensors.append(
                convert_to_tensor(value, dtype_hint=hint) if tensor is None else tensor
            )
            hint = hint or tensors[0].dtype
        except (TypeError, ValueError) as error:
            raise type(error)(f"{op}: input {position}: {error}") from None
    return tensors


def _is_tensor(value: Any, depth: int = 0) -> bool:
    """Whether `value` is or contains a tensor, and so has a dtype."""
    if isinstance(value, (list, tuple)):
        if depth == MAX_AXES:
            raise _too_deep(value)
        return any(_is_tensor(item, depth + 1) for item in value)
    if isinstance(value, Tensor) or hasattr(value, "_as_tensor"):
        return True
    # An object that stands alone takes the dtype of the other operands.
    return depth > 0 and any(isinstance(value, kind) for _, kind, _ in _CONVERSIONS)


def convert_to_tensor_v2(
    value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None
) -> Tensor:
    """Return `convert_to_tensor`, with the parameters of TensorFlow 2."""
    return convert_to_tensor(value, dtype, name, dtype_hint=dtype_hint)


def constant_v2(
    value: Any, dtype: Any = None, shape: Any = None, name: str | None = "Const"
) -> Tensor:
    """Return `constant`, as TensorFlow 2 does: only one value may fill a shape.

    It raises TypeError if the number of values is neither 1 nor that of the shape.

    Examples
    --------
    >>> tf.Session().run(constant_v2(7, shape=[3])).tolist()
    [7, 7, 7]
    """
    count, sizes = None, as_shape(shape)
    if shape is not None and not isinstance(value, Tensor):
        count = to_array(value, None if dtype is None else as_dtype(dtype)).size
    if count not in (None, 1, sizes.num_elements()):
        raise codes.WRONG_SHAPE.type_error(
            f"tf.constant: {count} values do not fill the shape {sizes}"
        )
    return constant(value, dtype, shape, name)
