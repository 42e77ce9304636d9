"""The names under ``tf.io.gfile``."""

from __future__ import annotations

from tpuref.files.file import GFile
from tpuref.files.operations import (
    copy,
    exists,
    glob,
    isdir,
    listdir,
    makedirs,
    mkdir,
    remove,
    rename,
    rmtree,
    stat,
    walk,
)
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = [
    "GFile",
    "copy",
    "exists",
    "glob",
    "isdir",
    "listdir",
    "makedirs",
    "mkdir",
    "remove",
    "rename",
    "rmtree",
    "stat",
    "walk",
]

_explain_missing(__name__, "tf.io.gfile")
