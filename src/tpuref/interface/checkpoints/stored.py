"""Store a checkpoint as an index file and a file of tensors.

The checkpoint ``model-7`` is ``model-7.index``, a JSON text that names the file of the
tensors.  The tensors are written first, to a new file.  Then the index is written to a
temporary file and renamed.  A process that dies at any moment leaves the old checkpoint
or the new one.

An index may be untrusted: it may only name a file in its own folder, and only files
with names of `write_checkpoint` are ever removed.
"""

import contextlib
import json
import logging
import os
import re
import secrets
from collections.abc import Mapping, Sequence
from typing import IO, Any

from tpuref.base import error_codes as codes
from tpuref.base.dtypes import DTYPES, DType, as_dtype
from tpuref.base.errors import DataLossError, NotFoundError, UnimplementedError
from tpuref.engine.ops.definition import Array
from tpuref.interface.checkpoints import tensor_file
from tpuref.interface.checkpoints.object_graph import Node, checked_nodes
from tpuref.interface.files.filesystem import (
    UNFINISHED,
    FileSystem,
    LocalFiles,
    PathLike,
    failures,
    files_at,
    joined,
)
from tpuref.kernels import checksum

FORMAT = "tpuref checkpoint 2"
_FORMAT_WITHOUT_CHECKSUMS = "tpuref checkpoint 1"

_DTYPE_NAMES = {dtype.name: dtype.name for dtype in DTYPES}

_log = logging.getLogger("tpuref.interface.checkpoints")
_warned: set[str] = set()


def write_checkpoint(
    prefix: PathLike, arrays: Mapping[str, Array], objects: Sequence[Node] = ()
) -> str:
    """Store arrays by name, replacing a checkpoint of the same prefix.

    `objects` are those whose variables have the values.
    """
    files, path = files_at(prefix, "tf.train.Saver.save", "save_path")
    save = secrets.token_hex(8)
    sums: dict[str, int] = {}
    before: list[str] = []

    def write(file: IO[bytes]) -> None:
        sums.update(tensor_file.write_tensors(file, arrays))

    def commit(tensors: str) -> None:
        entries = {
            name: {
                "dtype": as_dtype(array.dtype).name,
                "shape": list(array.shape),
                "crc32c": sums[name],
            }
            for name, array in sorted(arrays.items())
        }
        index: dict[str, Any] = {
            "format": FORMAT,
            "file": _file_name(tensors),
            "save": save,
        }
        index["tensors"] = entries
        if objects:
            index["objects"] = list(objects)
        index["crc32c"] = _checksum(index)
        with contextlib.suppress(DataLossError, UnimplementedError):
            own = _own_tensors(files, path)
            before.extend(one for one in own if _file_name(one) != _file_name(tensors))
        before.extend(_marks(files, path, before))
        files.write_whole(_index(path), json.dumps(index, indent=1).encode())

    with failures("tf.train.Saver.save", path):
        try:
            files.store(path, ".safetensors", write, commit)
        finally:
            _remove_unfinished(files, _folder(path))
        # Only now, because until `commit` wrote the index, the old one named these.
        for tensors in before:
            _remove(files, tensors)
    return save


def _checksum(index: dict[str, Any]) -> int:
    """Return the CRC-32C of an index without its checksum."""
    content = {key: value for key, value in index.items() if key != "crc32c"}
    return checksum.crc32c(json.dumps(content, sort_keys=True).encode())


def _marks(files: FileSystem, path: str, tensors: Sequence[str]) -> list[str]:
    """Mark tensors for removal by a second link with a name that `UNFINISHED` matches.

    If the process is killed after the index stops naming them, the next save removes
    the marked file under both names.
    """
    if not isinstance(files, LocalFiles):
        return []
    plain = f"{_file_name(path)}.safetensors"
    return [
        files.mark(path, ".safetensors") for one in tensors if _file_name(one) == plain
    ]


def _remove(files: FileSystem, path: str) -> None:
    """Remove a file, unless another process has removed it already."""
    with contextlib.suppress(FileNotFoundError):
        files.remove(path)


def _remove_unfinished(files: FileSystem, folder: str) -> None:
    """Remove the files of failed or killed saves from a folder.

    A live process locks its files.  Object stores have no locks, but never show an
    incomplete file.
    """
    if not isinstance(files, LocalFiles):
        return
    for name in files.names(folder or "."):
        match, path = UNFINISHED.fullmatch(name), joined(folder, name)
        if match is None:
            continue
        # Files of another user may not be removable.
        with files.locked(path) as free, contextlib.suppress(OSError):
            if free and match[2] == ".partial":
                _remove(files, path)
            elif free and match[2] == ".safetensors":
                _remove_tensors(files, path, joined(folder, match[1]))


def _remove_tensors(files: FileSystem, path: str, prefix: str) -> None:
    """Remove the tensors of a save, under both names, unless the index names them."""
    try:
        named = _own_tensors(files, prefix)
    except (DataLossError, UnimplementedError):
        return  # the index may name them
    plain = f"{prefix}.safetensors"
    linked = os.path.lexists(plain) and os.path.samestat(
        os.lstat(plain), os.lstat(path)
    )
    if linked and plain not in named:
        _remove(files, plain)
    if path not in named:
        _remove(files, path)


def remove_checkpoint(
    checkpoint_prefix: PathLike,
    checkpoint_format_version: int = 2,
    meta_graph_suffix: str = "meta",
) -> None:
    """Remove a checkpoint, the index first; a missing one is not an error.

    The format and the suffix are those of files that tpuref does not write.

    Of a damaged index, or one that names a file in another folder, only the index
    itself is removed, with a warning.  It raises `tf.errors.UnimplementedError` if it
    is one of TensorFlow's; nothing is removed.
    """
    remove_save(checkpoint_prefix)


def remove_save(prefix: PathLike, save: str | None = None) -> None:
    """Remove a checkpoint, unless another save than `save` has replaced it."""
    files, path = files_at(prefix, "tf.train.remove_checkpoint", "checkpoint_prefix")
    with failures("tf.train.remove_checkpoint", path):
        own: list[str] = []
        try:
            if save is not None and _read_index(files, path).get("save") != save:
                return
            own = _own_tensors(files, path)
        except FileNotFoundError:  # of a save that another process has removed
            return
        except DataLossError as error:
            if save is not None:
                return
            _log.warning("only the index of %s is removed: %s", path, error)
        for one in (_index(path), *own, *_marks(files, path, own)):
            _remove(files, one)


def checkpoint_exists(checkpoint_prefix: PathLike) -> bool:
    """Return whether a checkpoint with this prefix exists, of tpuref or TensorFlow.

    Examples
    --------
    >>> tf.train.checkpoint_exists("/nowhere/model.ckpt-7")
    False
    """
    files, path = files_at(
        checkpoint_prefix, "tf.train.checkpoint_exists", "checkpoint_prefix"
    )
    return files.exists(_index(path))


def _index(path: str) -> str:
    return f"{path}.index"


def _folder(path: str) -> str:
    return path[: path.rfind("/") + 1]


def _file_name(path: str) -> str:
    return path.rpartition("/")[2]


def _own_tensors(files: FileSystem, path: str) -> list[str]:
    """Return the file of the tensors, if its name is one of `write_checkpoint`."""
    try:
        index = _read_index(files, path)
    except FileNotFoundError:  # none, or another process has just removed it
        return []
    tensors = _tensors(path, index)
    start = re.escape(_file_name(path))
    own = rf"{start}(\.again|\.tpuref-[0-9a-f]{{8}})?\.safetensors"
    return [tensors] if re.fullmatch(own, _file_name(tensors)) else []


def _read_index(files: FileSystem, path: str) -> dict[str, Any]:
    """Return an index after checking its format and checksum."""
    with files.open_regular(_index(path)) as file:
        content = file.read()
    try:
        index = json.loads(content)
    except (ValueError, RecursionError):
        if _is_of_tensorflow(files, path):
            raise _foreign_error(path) from None
        index = None
    known = (FORMAT, _FORMAT_WITHOUT_CHECKSUMS)
    if not isinstance(index, dict) or index.get("format") not in known:
        raise _damage_error(
            path, "it is not the index of a checkpoint of tpuref, or is damaged"
        )
    if index["format"] == FORMAT and index.get("crc32c") != _checksum(index):
        raise _damage_error(path, "its checksum differs")
    return index


def _tensors(path: str, index: dict[str, Any]) -> str:
    """Return the file that an index names, which must be in the same folder."""
    name, folder = index.get("file"), _folder(path)
    if (
        not isinstance(name, str)
        or name in ("", ".", "..")
        or any(sign in name for sign in "/\\\0")
        or os.path.basename(name) != name
    ):
        raise _damage_error(
            path,
            f"it names the file {name!r:.200} of tensors; expected the name of a file "
            "in the same folder, without a path. It is from a stranger, or damaged",
        )
    tensors = joined(folder, name)
    real = os.path.realpath(tensors)
    if "://" not in path and os.path.dirname(real) != os.path.realpath(folder or "."):
        raise _damage_error(
            path,
            f"its tensors {name!r} are a symbolic link out of the folder, to {real!r}; "
            "copy that file to its place if you trust it",
        )
    return tensors


def _damage_error(path: str, why: str) -> DataLossError:
    return DataLossError(f"{_index(path)!r}: {why}", code=codes.DAMAGED_FILE)


def _entries(path: str, index: dict[str, Any]) -> dict[str, tensor_file.Entry]:
    """Return the entries of the tensors by name; warn if there are no checksums."""
    try:
        listed = index.get("tensors")
        if not isinstance(listed, dict):
            raise ValueError(f"expected an object of tensors, got {listed!r:.80}")
        entries = {
            name: tensor_file.entry_of(entry, _DTYPE_NAMES)
            for name, entry in listed.items()
        }
    except ValueError as error:
        raise _damage_error(path, f"it is damaged: {error}") from None
    if index["format"] == _FORMAT_WITHOUT_CHECKSUMS and path not in _warned:
        _warned.add(path)
        _log.warning(
            "the checkpoint %s has no checksums, so damaged values are not noticed; "
            "restore it and save it again [%s]",
            path,
            codes.CHECKPOINT_WITHOUT_CHECKSUMS,
        )
    return entries


def _objects(path: str, index: dict[str, Any]) -> list[Node]:
    """Return the objects whose variables have the values; none where unknown."""
    try:
        return checked_nodes(index.get("objects", []))
    except (TypeError, ValueError) as error:
        raise _damage_error(path, f"it is damaged: {error}") from None


def _is_of_tensorflow(files: FileSystem, path: str) -> bool:
    return bool(files.glob(f"{path}.data-?????-of-?????"))


def _foreign_error(path: str) -> UnimplementedError:
    return UnimplementedError(
        f"{path!r} is a checkpoint of TensorFlow, which tpuref does not read. Convert "
        "it with the script on the page 'Checkpoints' of the documentation "
        "(docs/checkpoints.md), which runs in TensorFlow: "
        f"python convert.py {path} NEW_PREFIX",
        code=codes.FOREIGN_CHECKPOINT,
    )


class CheckpointReader:
    """Reads the tensors of a checkpoint one by one.

    `filepattern` is the prefix of the checkpoint, such as ``"model/model.ckpt-100"``.
    It raises NotFoundError if there is no such checkpoint; UnimplementedError if it is
    a checkpoint of TensorFlow; DataLossError if it is damaged.
    """

    def __init__(self, filepattern: PathLike) -> None:
        files, path = files_at(
            filepattern, "tf.train.load_checkpoint", "ckpt_dir_or_file"
        )
        self._path = path
        with failures("tf.train.load_checkpoint", path):
            if not files.exists(_index(path)):
                raise self._missing_error(files)
            index = _read_index(files, path)
            self._entries = _entries(path, index)
            self.objects = _objects(path, index)
            self._tensors = tensor_file.TensorFile(files, _tensors(path, index))

    def _missing_error(self, files: FileSystem) -> Exception:
        # The oldest format of TensorFlow is one file with the name of the prefix.
        if files.exists(self._path) and not files.isdir(self._path):
            return _foreign_error(self._path)
        return NotFoundError(
            f"there is no checkpoint {self._path!r}: {_index(self._path)!r} does not "
            "exist; tf.train.latest_checkpoint(directory) returns the last one",
            code=codes.NO_CHECKPOINT,
        )

    def has_tensor(self, name: str) -> bool:
        """Return whether the checkpoint has a tensor."""
        return name in self._entries

    def get_tensor(self, name: str) -> Array:
        """Return a tensor; NotFoundError if it does not exist."""
        entry = self.entry(name)
        with failures("tf.train.load_checkpoint", self._path):
            return self._tensors.read(name, entry)

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """Return the shapes by name."""
        return {name: list(entry.shape) for name, entry in self._entries.items()}

    def get_variable_to_dtype_map(self) -> dict[str, DType]:
        """Return the dtypes by name."""
        return {name: entry.dtype for name, entry in self._entries.items()}

    def entry(self, name: str) -> tensor_file.Entry:
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
            f"{name} (DT_{entry.dtype.name.upper()}) {list(entry.shape)}"
            for name, entry in self._entries.items()
        )
        return "\n".join(lines).encode()
