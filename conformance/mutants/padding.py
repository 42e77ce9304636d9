"""Wrong padding."""

from .mutant import Mutant

_PLAN = "tpu/padding.py"
_RUNTIME = "runtime/padding.py"

MUTANTS = (
    Mutant(
        "pads-one-too-far",
        "a component is padded to one more than its maximum",
        "tf.tpu.replicate/args:maximum_shapes/pads-each-component",
        _RUNTIME,
        "        size if size is not None else _largest",
        "        size + 1 if size is not None else _largest",
    ),
    Mutant(
        "mean-over-padding",
        "the computation sees the padding, so a mean is over it, too",
        "tf.compat.v1.tpu.replicate/example/advanced-values",
        _RUNTIME,
        "    if visible:\n        return filled\n",
        "    return filled\n",
    ),
    Mutant(
        "unknown-is-smallest",
        "an unknown dimension is padded to the smallest replica's size",
        "tf.tpu.replicate/args:maximum_shapes/unknown-dimension-is-replica-maximum",
        _RUNTIME,
        "    largest = max(sizes)\n",
        "    largest = min(sizes)\n",
    ),
    Mutant(
        "unknown-is-first",
        "an unknown dimension is padded to the size in replica 0",
        "tf.compat.v1.tpu.replicate/args:maximum_shapes/"
        "unknown-dimension-is-replica-maximum",
        _RUNTIME,
        "    largest = max(sizes)\n",
        "    largest = sizes[0]\n",
    ),
    Mutant(
        "powers-of-four",
        "buckets are powers of four",
        "tf.compat.v1.tpu.replicate/args:padding_spec/power-of-two-buckets",
        _RUNTIME,
        "    return max(2, 1 << (size - 1).bit_length())",
        "    return max(2, 4 ** -(-(size - 1).bit_length() // 2))",
    ),
    Mutant(
        "exact-powers-doubled",
        "a size that is a power of two goes into the next bucket",
        "tf.compat.v1.tpu.replicate/args:padding_spec/power-of-two-buckets",
        _RUNTIME,
        "    return max(2, 1 << (size - 1).bit_length())",
        "    return max(2, 1 << size.bit_length())",
    ),
    Mutant(
        "buckets-of-size",
        "with buckets the padded size is still the largest true size",
        "tf.compat.v1.tpu.replicate/behaviour/buckets-avoid-recompilation",
        _RUNTIME,
        "    return next_bucket(largest) if bucketed else largest",
        "    return largest",
    ),
    Mutant(
        "policy-on-static-inputs",
        "the policy rounds dimensions of equal static size, too",
        "tf.compat.v1.tpu.replicate/args:padding_spec/applies-to-dynamic-inputs",
        _PLAN,
        "    return policy == PaddingSpec.POWER_OF_TWO and not alike",
        "    return policy == PaddingSpec.POWER_OF_TWO",
    ),
    Mutant(
        "none-is-power-of-two",
        "without padding_spec sizes go into buckets",
        "tf.compat.v1.tpu.replicate/args:padding_spec/none-is-auto",
        _PLAN,
        "    if padding_spec is None:\n        return PaddingSpec.AUTO\n",
        "    if padding_spec is None:\n        return PaddingSpec.POWER_OF_TWO\n",
    ),
    Mutant(
        "policy-of-any-type",
        "padding_spec may be anything",
        "tf.compat.v1.tpu.replicate/args:padding_spec/enum-member",
        _PLAN,
        "    policy = checked_spec(padding_spec)\n",
        "    policy = padding_spec\n",
    ),
    Mutant(
        "members-alike",
        "POWER_OF_TWO is another name of AUTO",
        "tf.compat.v1.tpu.PaddingSpec/property/power-of-two",
        _PLAN,
        "    AUTO = 0\n    POWER_OF_TWO = 1\n",
        "    AUTO = 0\n    POWER_OF_TWO = 0\n",
    ),
    Mutant(
        "minus-one-refused",
        "-1 in a maximum shape is an error",
        "tf.tpu.replicate/args:maximum_shapes/minus-one-is-unknown",
        _PLAN,
        "    if size < -1:\n",
        "    if size < 0:\n",
    ),
    Mutant(
        "minus-one-is-zero",
        "-1 in a maximum shape is size 0",
        "tf.compat.v1.tpu.replicate/args:maximum_shapes/minus-one-is-unknown",
        _PLAN,
        "    return None if size == -1 else size",
        "    return 0 if size == -1 else size",
    ),
    Mutant(
        "too-large-accepted",
        "a static size above the maximum is not refused",
        "tf.compat.v1.tpu.replicate/raises/static-shape-mismatch",
        _PLAN,
        "        if size is not None and limit is not None and size > limit:\n"
        "            raise ValueError(",
        "        if False:\n            raise ValueError(",
    ),
    Mutant(
        "off-by-one-maximum",
        "a size equal to the maximum is refused",
        "tf.tpu.replicate/args:maximum_shapes/pads-each-component",
        _PLAN,
        "        if size is not None and limit is not None and size > limit:\n"
        "            raise ValueError(",
        "        if size is not None and limit is not None and size >= limit:\n"
        "            raise ValueError(",
    ),
    Mutant(
        "other-keys-accepted",
        "maximum_shapes may have other keys than the input",
        "tf.compat.v1.tpu.replicate/raises/structure-mismatch",
        _PLAN,
        "set(shapes) != set(inputs):",
        "len(shapes) != len(inputs):",
    ),
    Mutant(
        "structure-type-error",
        "TypeError in the place of ValueError for another structure",
        "tf.tpu.replicate/args:maximum_shapes/structure-equals-first-replica",
        _PLAN,
        "    return StructureError(\n"
        '        f"tf.tpu.replicate: the structure of {path}',
        '    return TypeError(\n        f"tf.tpu.replicate: the structure of {path}',
    ),
    Mutant(
        "bare-shapes-refused",
        "maximum_shapes must be a list",
        "tf.tpu.replicate/args:maximum_shapes/overload-tensorshape",
        _PLAN,
        "    if _is_shape(maximum_shapes):\n"
        "        maximum_shapes = _for_single_input(inputs[0], maximum_shapes)\n",
        "",
    ),
    Mutant(
        "nested-maxima-ignored",
        "the maxima of a nested input are those of its first leaf",
        "tf.compat.v1.tpu.replicate/args:maximum_shapes/nested-structure",
        _PLAN,
        '        pairs = [(f"{path}[{k!r}]", inputs[k], shapes[k]) for k in '
        "sorted(inputs)]\n",
        '        pairs = [(f"{path}[{k!r}]", inputs[k], shapes[min(shapes)])\n'
        "            for k in sorted(inputs)]\n",
    ),
    Mutant(
        "maximum-shapes-ignored",
        "maximum_shapes changes nothing",
        "tf.compat.v1.tpu.replicate/args:maximum_shapes/pads-each-component",
        _PLAN,
        "    if maximum_shapes is None:\n        return None\n",
        "    return None\n",
    ),
    Mutant(
        "options-of-any-type",
        "xla_options may be anything",
        "tf.compat.v1.tpu.replicate/args:xla_options/instance",
        "tpu/xla_options.py",
        "    if not isinstance(xla_options, XLAOptions):\n",
        "    if False:\n",
    ),
    Mutant(
        "default-options-differ",
        "without xla_options SPMD partitioning is off",
        "tf.compat.v1.tpu.replicate/args:xla_options/none-default-options",
        "tpu/xla_options.py",
        "        return XLAOptions()\n",
        "        return XLAOptions(False)\n",
    ),
)
