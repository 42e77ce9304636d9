"""Read the content of a file as one text."""

import os
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.arguments import name_or
from tpuref.base.dtypes import string
from tpuref.base.errors import InvalidArgumentError
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.files.file import GFile
from tpuref.interface.functions.host_functions import py_func


def read_file(filename: Any, name: str | None = None) -> Tensor:
    r"""Return the content of a file as a scalar string tensor.

    The name is a path, or a URL that fsspec knows: a scalar.  It raises
    InvalidArgumentError if `filename` is not a scalar, and at evaluation NotFoundError
    if the file does not exist.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     _ = file.write(b"\x00text")
    ...     file.flush()
    ...     tf.Session().run(tf.io.read_file(file.name))
    b'\x00text'
    """
    path = convert_to_tensor(filename, string)
    if path.shape.rank:
        raise InvalidArgumentError(
            f"tf.io.read_file: filename must be a scalar, got shape {path.shape}; for "
            "many files use tf.data.Dataset.from_tensor_slices(paths).map(...)",
            code=codes.FILE_FAULT,
        )

    def content(given: bytes) -> bytes:
        with GFile(os.fsdecode(given), "rb") as file:
            read: bytes = file.read()
        return read

    result: Tensor = py_func(content, [path], string, name=name_or(name, "ReadFile"))
    result.set_shape([])
    return result
