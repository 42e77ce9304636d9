"""The names under ``tf.compat.v2.io`` that differ from 1.x."""

# ruff: noqa: F401 - a list of names

from tpuref.data.parsing import decode_raw_v2 as decode_raw
from tpuref.data.parsing import parse_example_v2 as parse_example
from tpuref.data.parsing import parse_single_example_v2 as parse_single_example
