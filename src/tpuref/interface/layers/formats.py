"""Data formats, paddings and sizes of windows, as layers spell them."""

from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.arguments import wrong_type
from tpuref.base.shapes import TensorShape, as_shape
from tpuref.interface.functions.arguments import static_integers

_LETTERS = {1: "W", 2: "HW"}


def whole(layer: str, argument: str, value: Any) -> int:
    """Return an argument that is an integer, or a number that becomes one."""
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        raise wrong_type(
            f"tf.layers: {layer}: {argument}", "an integer", value
        ) from None


def sizes(layer: str, argument: str, value: Any, rank: int) -> tuple[int, ...]:
    """Return one number for each axis of a window, from one number or several."""
    numbers = static_integers(value, f"{layer}: {argument}")
    numbers = numbers * rank if len(numbers) == 1 else numbers
    if len(numbers) != rank or min(numbers) < 1:
        raise _wrong(
            layer, argument, f"{rank} positive integers, or one for all", value
        )
    return numbers


def padding_of(
    layer: str, padding: str, known: tuple[str, ...] = ("same", "valid")
) -> str:
    """Return the name of a padding in capitals."""
    if str(padding).lower() not in known:
        raise _wrong(layer, "padding", " or ".join(map(repr, known)), padding)
    return padding.upper()


def channels_lead(layer: str, data_format: str) -> bool:
    """Whether the channels are axis 1, not the last."""
    if data_format not in ("channels_first", "channels_last"):
        expected = "'channels_first' or 'channels_last'"
        raise _wrong(layer, "data_format", expected, data_format)
    return data_format == "channels_first"


def layout(lead: bool, rank: int) -> str:
    """Return the name of a data format in operations."""
    return f"NC{_LETTERS[rank]}" if lead else f"N{_LETTERS[rank]}C"


def channels_of(layer: str, shape: TensorShape, lead: bool, rank: int) -> int:
    """Return the number of channels of images, which must be known."""
    number, shape = None, as_shape(shape)
    if shape.rank == rank + 2:
        number = shape.as_list()[1 if lead else -1]
    if number is None:
        expected = f"rank {rank + 2} and a known number of channels"
        raise _wrong(layer, "inputs", expected, f"shape {shape}", shown=str)
    return number


def _wrong(
    layer: str, argument: str, expected: str, got: Any, shown: Any = repr
) -> Exception:
    return codes.WRONG_ARGUMENT_TYPE.value_error(
        f"tf.layers: {layer}: {argument}: expected {expected}, got {shown(got)}"
    )
