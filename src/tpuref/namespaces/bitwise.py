"""The names under ``tf.bitwise``."""

# ruff: noqa: F403 - a list of names

from tpuref.functions.bitwise import *
