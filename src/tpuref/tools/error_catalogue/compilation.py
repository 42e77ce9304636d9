"""What the executor on XLA cannot compile."""

from __future__ import annotations

from tpuref.base import error_codes as codes
from tpuref.tools.error_catalogue.entry import Entry

ENTRIES = (
    Entry(
        codes.XLA_DATA_DEPENDENT,
        "A compiled program has fixed shapes",
        meaning="The size of a value depends on other values: what tf.where finds, "
        "the distinct values of tf.unique, a shape computed from data, branches whose "
        "results differ in shape, or the result of a host function without set_shape. "
        "XLA compiles programs for fixed shapes.",
        remedy="Run the program on the pool or in lockstep. Or keep the size: mask "
        "values instead of selecting them, or tell the shape of a host function's "
        "result with set_shape.",
    ),
    Entry(
        codes.XLA_SHAPES_DIFFER,
        "The replicas of a compiled program have inputs of equal shape",
        meaning="XLA compiles one program for all replicas, and their inputs differ "
        "in shape. This is also so where inputs are padded: the computation sees "
        "their true sizes.",
        remedy="Run the program on the pool or in lockstep, give each replica an "
        "input of the same shape, or show the computation the padded inputs with "
        "tf.config.padding_visible = True.",
    ),
    Entry(
        codes.XLA_SEVERAL_CORES,
        "A compiled replica has one logical core",
        meaning="An operation is placed on a logical core other than 0, with "
        "tf.tpu.core. The executor on XLA runs no model parallel replicas.",
        remedy="Run the program on the pool or in lockstep, or leave out tf.tpu.core.",
    ),
    Entry(
        codes.XLA_OPERATION,
        "XLA cannot run an operation",
        meaning="The operation has no counterpart in JAX, or is used in a way that "
        "has none: a text on the device, or a variable that gets its first value in a "
        "branch.",
        remedy="Run the program on the pool or in lockstep, or move the operation to "
        "the host with tf.tpu.outside_compilation.",
        replaces="E276",
    ),
)
