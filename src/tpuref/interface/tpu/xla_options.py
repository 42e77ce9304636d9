"""Define options for the releases' compiler, accepted without effect."""

from typing import Any, NamedTuple

from tpuref.base import error_codes as codes


class XLAOptions(NamedTuple):
    """Options that the releases pass to their compiler.

    They are checked and recorded, without effect: tpuref has no such compiler.  See
    003_0632b6613bf28dbc.txt, xla_options.  `use_spmd_for_xla_partitioning` says whether
    the releases' compiler splits work over a replica's cores with SPMD.

    Examples
    --------
    >>> tf.compat.v1.tpu.XLAOptions()
    XLAOptions(use_spmd_for_xla_partitioning=True)
    """

    use_spmd_for_xla_partitioning: bool = True


def checked_options(xla_options: Any) -> XLAOptions:
    """Return the options; None means the defaults."""
    if xla_options is None:
        return XLAOptions()
    if not isinstance(xla_options, XLAOptions):
        raise codes.WRONG_ARGUMENT_TYPE.type_error(
            "tf.tpu.replicate: xla_options must be a tf.tpu.XLAOptions or None, got "
            f"{type(xla_options).__name__} {xla_options!r}"
        )
    return xla_options
