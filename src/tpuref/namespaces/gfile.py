"""The names under ``tf.gfile``."""

from __future__ import annotations

from tpuref.files.file import GFile as FastGFile
from tpuref.files.file import GFile as GFile
from tpuref.files.file import GFile as Open
from tpuref.files.operations import copy as Copy
from tpuref.files.operations import exists as Exists
from tpuref.files.operations import glob as Glob
from tpuref.files.operations import isdir as IsDirectory
from tpuref.files.operations import listdir as ListDirectory
from tpuref.files.operations import makedirs as MakeDirs
from tpuref.files.operations import mkdir as MkDir
from tpuref.files.operations import remove as Remove
from tpuref.files.operations import rename as Rename
from tpuref.files.operations import rmtree as DeleteRecursively
from tpuref.files.operations import stat as Stat
from tpuref.files.operations import walk as Walk
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = [
    "Copy",
    "DeleteRecursively",
    "Exists",
    "FastGFile",
    "GFile",
    "Glob",
    "IsDirectory",
    "ListDirectory",
    "MakeDirs",
    "MkDir",
    "Open",
    "Remove",
    "Rename",
    "Stat",
    "Walk",
]

_explain_missing(__name__, "tf.gfile")
