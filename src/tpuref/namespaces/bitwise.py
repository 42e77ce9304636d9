"""The names under ``tf.bitwise``."""

# ruff: noqa: F403 - a list of names

from tpuref.functions.bitwise import *
from tpuref.missing.namespaces import explain_missing as _explain_missing

_explain_missing(__name__, "tf.bitwise")
