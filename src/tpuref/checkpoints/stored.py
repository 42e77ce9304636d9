"""A stored checkpoint: an index, and beside it the tensors.

The checkpoint ``model-7`` is ``model-7.index``, a text in JSON that names the file with
the tensors.  The tensors are written first, to a name that no index mentions; then the
index is written beside and renamed.  A process that dies at any moment leaves the old
checkpoint or the new one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.dtypes import DType, as_dtype
from tpuref.base.errors import DataLossError, NotFoundError, UnimplementedError
from tpuref.checkpoints.tensor_file import TensorFile, write_tensors
from tpuref.files.filesystem import FileSystem, PathLike, failures, files_at, joined
from tpuref.ops.definition import Array

FORMAT = "tpuref checkpoint 1"


def write_checkpoint(prefix: PathLike, arrays: Mapping[str, Array]) -> None:
    """Store arrays by name, replacing a checkpoint of the same prefix."""
    files, path = files_at(prefix, "tf.train.Saver.save", "save_path")
    with failures("tf.train.Saver.save", path):
        before = _tensors_of(files, path)
        tensors = f"{path}.safetensors"
        if tensors == before:
            tensors = f"{path}.again.safetensors"
        write_tensors(files, tensors, arrays)
        entries = {
            name: {"dtype": as_dtype(array.dtype).name, "shape": list(array.shape)}
            for name, array in sorted(arrays.items())
        }
        index = {"format": FORMAT, "file": _last(tensors), "tensors": entries}
        files.write_whole(_index(path), json.dumps(index, indent=1).encode())
        if before is not None and before != tensors and files.exists(before):
            files.remove(before)


def remove_checkpoint(
    checkpoint_prefix: PathLike,
    checkpoint_format_version: int = 2,
    meta_graph_suffix: str = "meta",
) -> None:
    """Remove a checkpoint, the index first; one that is not there is no error.

    The format and the suffix are those of files that tpuref does not write.
    """
    function = "tf.train.remove_checkpoint"
    files, path = files_at(checkpoint_prefix, function, "checkpoint_prefix")
    with failures(function, path):
        tensors = _tensors_of(files, path)
        for one in (_index(path), tensors):
            if one is not None and files.exists(one):
                files.remove(one)


def checkpoint_exists(checkpoint_prefix: PathLike) -> bool:
    """Return whether there is a checkpoint of that prefix, also one of TensorFlow's.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.train.checkpoint_exists("/nowhere/model.ckpt-7")
    False
    """
    files, path = files_at(
        checkpoint_prefix, "tf.train.checkpoint_exists", "checkpoint_prefix"
    )
    return files.exists(_index(path))


def _index(path: str) -> str:
    return f"{path}.index"


def _last(path: str) -> str:
    return path.rpartition("/")[2]


def _tensors_of(files: FileSystem, path: str) -> str | None:
    """Return the file with the tensors of a checkpoint, None where there is none."""
    if not files.exists(_index(path)):
        return None
    try:
        return joined(path.rpartition("/")[0], str(_read_index(files, path)["file"]))
    except (DataLossError, UnimplementedError):
        return None


def _read_index(files: FileSystem, path: str) -> Any:
    with files.open(_index(path), "rb") as file:
        content = file.read()
    try:
        index = json.loads(content)
    except ValueError:
        if _is_of_tensorflow(files, path):
            raise _foreign(path) from None
        index = None
    if not isinstance(index, dict) or index.get("format") != FORMAT:
        raise DataLossError(
            f"{_index(path)!r} is not the index of a checkpoint of tpuref, or is "
            "damaged",
            code=codes.DAMAGED_CHECKPOINT,
        )
    return index


def _is_of_tensorflow(files: FileSystem, path: str) -> bool:
    return bool(files.glob(f"{path}.data-?????-of-?????"))


def _foreign(path: str) -> UnimplementedError:
    return UnimplementedError(
        f"{path!r} is a checkpoint of TensorFlow, which tpuref does not read. Convert "
        "it with the script on the page 'Checkpoints' of the documentation "
        "(docs/checkpoints.md), which runs in TensorFlow: "
        f"python convert.py {path} NEW_PREFIX",
        code=codes.FOREIGN_CHECKPOINT,
    )


class CheckpointReader:
    """The tensors of a checkpoint, read one by one.

    Parameters
    ----------
    filepattern
        The prefix of the checkpoint, such as ``"model/model.ckpt-100"``.

    Raises
    ------
    tpuref.errors.NotFoundError
        If there is no such checkpoint.
    tpuref.errors.UnimplementedError
        If it is one of TensorFlow's.
    tpuref.errors.DataLossError
        If it is damaged.
    """

    def __init__(self, filepattern: PathLike) -> None:
        files, path = files_at(
            filepattern, "tf.train.load_checkpoint", "ckpt_dir_or_file"
        )
        self._path = path
        with failures("tf.train.load_checkpoint", path):
            if not files.exists(_index(path)):
                raise self._nothing(files)
            index = _read_index(files, path)
            tensors = joined(path.rpartition("/")[0], _last(str(index["file"])))
            self._entries = {
                str(name): (as_dtype(entry["dtype"]), tuple(entry["shape"]))
                for name, entry in index["tensors"].items()
            }
            self._tensors = TensorFile(files, tensors)

    def _nothing(self, files: FileSystem) -> Exception:
        # The oldest format of TensorFlow is one file with the name of the prefix.
        if files.exists(self._path) and not files.isdir(self._path):
            return _foreign(self._path)
        return NotFoundError(
            f"there is no checkpoint {self._path!r}: {_index(self._path)!r} does not "
            "exist; tf.train.latest_checkpoint(directory) returns the last one",
            code=codes.NO_CHECKPOINT,
        )

    def has_tensor(self, name: str) -> bool:
        """Return whether the checkpoint has a tensor."""
        return name in self._entries

    def get_tensor(self, name: str) -> Array:
        """Return a tensor; `tf.errors.NotFoundError` if there is none of that name."""
        dtype, shape = self.entry(name)
        with failures("tf.train.load_checkpoint", self._path):
            return self._tensors.read(name, dtype, shape)

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """Return the shapes by name."""
        return {name: list(shape) for name, (_, shape) in self._entries.items()}

    def get_variable_to_dtype_map(self) -> dict[str, DType]:
        """Return the dtypes by name."""
        return {name: dtype for name, (dtype, _) in self._entries.items()}

    def entry(self, name: str) -> tuple[DType, tuple[int, ...]]:
        """Return the dtype and the shape of a tensor."""
        if name not in self._entries:
            raise NotFoundError(
                f"the checkpoint {self._path!r} has no tensor {name!r}; it has "
                f"{self._some_names()}",
                code=codes.NOT_IN_CHECKPOINT,
            )
        return self._entries[name]

    def _some_names(self) -> str:
        names = list(self._entries)
        more = f" and {len(names) - 8} more" if len(names) > 8 else ""
        return (", ".join(map(repr, names[:8])) or "none") + more

    def debug_string(self) -> bytes:
        """Return a line with name, dtype and shape for each tensor."""
        lines = (
            f"{name} (DT_{dtype.name.upper()}) {list(shape)}"
            for name, (dtype, shape) in self._entries.items()
        )
        return "\n".join(lines).encode()
