"""Differences from TensorFlow 1.15.5 that stay, each with its reason.

A difference is covered by the first entry that fits. The program of the seed of each
entry is compared too, so that an entry goes when what it lists no longer differs.
"""

import math
import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Listed:
    """Differences with one reason."""

    kind: str  # the kind of the difference, and a regular expression for the function
    call: str
    # A regular expression for what tpuref and TensorFlow give, as ``ours | theirs``
    shows: str
    reason: str  # why the difference stays
    # A program that shows it, None where TensorFlow's value is left to chance
    seed: int | None
    # how far finite values may be apart, relative to the largest
    apart: float = math.inf
    inputs: str = ""  # A regular expression for which special numbers the inputs have

    def covers(self, found):
        return (
            found.kind == self.kind
            and re.search(rf"{self.call}$", found.call) is not None
            and re.search(self.shows, f"{found.ours} | {found.theirs}") is not None
            and re.search(self.inputs, found.inputs) is not None
            and found.apart <= self.apart
        )


NOT_FINITE = "nan|inf"
NARROW = r"^b?float16"
UNKNOWN_RANK = "tpuref needs the rank when the graph is built, and its message says so"
CLOSE = 1e-3
"""Finite values agree up to this; what is NaN or infinite differs."""

LISTED = (
    # tpuref gives a value where TensorFlow raises.
    Listed(
        "accepts",
        "",
        r"not in list of allowed values|does not match (expected )?type|No WhereOp|"
        r"does not match dtype parameter|Invalid argument type|must be real-valued|"
        r"Expected \w+, got|same dtype|match dtype|"
        r"conversion requested|Expected numeric|expected n|must have the same type|"
        r"Cannot convert|incompatible types",
        "later releases have more dtypes, and convert a Python number on the left to "
        "the dtype of the tensor on the right, and tpuref runs their programs too",
        21,
    ),
    Listed(
        "accepts",
        "",
        "No gradient defined|Gradient explicitly disabled|Second-order gradient",
        "tpuref has gradients that this release lacks; None where nothing is connected",
        657,
    ),
    Listed("accepts", "",
           "AttributeError|Requires start|outermost dimension of updates|"
           "None values not supported|NOT CONVERTIBLE|IndexError|RET_CHECK|"
           "unhashable|unsupported operand|object is not iterable",
           "an accident within this release's Python code", 2314),
    Listed("accepts", "",
           "unknown rank|rank of input or filter|statically known|<unknown>|rank -1",
           "tpuref handles ranks that this release must know", 47),
    Listed("accepts", "tf.matrix_band_part", "must be negative or",
           "more diagonals than there are keep all", 104),
    Listed(
        "accepts",
        "tf.losses.*",
        "weights can not be broadcast",
        "weights of unknown static shape broadcast; tpuref checks static shapes only",
        751,
    ),
    Listed("accepts", "tf.confusion_matrix", "out of bound",
           "a class that is out of bounds counts for nothing, as the docstring says",
           2255),
    Listed("accepts", "", "Current libxsmm|do(es)? not (yet )?support",
           "the CPU kernels of this release lack it", 1673),
    Listed("accepts", "",
           r"delta != 0|begin\[0\] == 0|empty output shape|Incompatible shapes|"
           r"must be at least|Cannot reshape a tensor|Input to reshape|"
           r"input dimensions: 0|same first dimension|Found:\[\]",
           "kernels of this release refuse some empty arrays and scalars", 806),
    Listed("accepts", "tf.nn.fused_batch_norm", "must be rank|must be 1-dimensional",
           "tpuref does not check the ranks, and broadcasts", 126),
    Listed("accepts", "tf.(one_hot|confusion_matrix)",
           "axis must be >= -1|axis = 1 not in",
           "an axis counts from the end, and arrays are flattened, as NumPy has it",
           1480),
    # Static shapes.
    Listed("static", "", "", "tpuref infers more, and the sizes of the values agree",
           1),
    Listed(
        "less static",
        r"tf.(tile|repeat|broadcast_to|unsorted_segment_sum|nn.(softmax_c\w+|fused_b\w+))",
        "",
        "tpuref infers no sizes from the other argument's rank or part of its value",
        2568,
    ),
    Listed(
        "less static",
        "tf.gradients of .*",
        "",
        "the gradient of an input of unknown rank has the shape of what it is made of",
        519,
    ),
    # tpuref refuses.
    Listed("refuses", "", "is unknown until the graph runs",
           "must be known when the graph is built (docs/decisions.md)", 161),
    Listed("refuses", "", "(its|the) rank (of .*)?is unknown", UNKNOWN_RANK, 441),
    Listed("refuses", "", "known rank|unknown rank|known number of", UNKNOWN_RANK, 130),
    Listed("refuses", "tf.gradients of tf.lgamma", "Digamma",
           "the second derivative needs polygamma, which tpuref lacks", 2070),
    Listed("sizes", "tf.repeat", "",
           "no elements repeated are none; this release invents sizes", 11268),
    Listed("refuses", "tf.(linalg.)?norm", "ord must be",
           "the 2-norm of a matrix needs singular values, which tpuref lacks", 7472),
    Listed("refuses", "tf.concat", "out of range",
           "the axis is checked for a single tensor too", 4251),
    Listed("refuses", "tf.reduce_(max|min)", "expected a real number",
           "complex numbers have no order", 5491),
    Listed(
        "refuses",
        "tf.(nn.moments|math.reduce_(euclidean_norm|variance|std))",
        "expected a floating-point",
        "a root of integers rounds to an integer; later releases refuse variances too",
        97,
    ),
    Listed("refuses", "tf.searchsorted", "expected equal shapes",
           "the batch of the values differs; TensorFlow flattens both before it looks",
           1288),
    Listed("refuses", "tf.(shape|size|rank|ones_like|zeros_like)|"
           "tf.gradients of tf.(tensor_scatter_add|nn.conv2d_transpose|"
           "math.reduce_euclidean_norm)", "E11",
           "TensorFlow never computes what only its static shape is read of", 945),
    Listed("accepts", "tf.strided_slice", "only stride 1",
           "the stride of a single index is not used", 5745),
    # Gradients that are None.
    Listed("None", "tf.gradients of .*", r"^None \| \w+ \[.*\] [\[\]0., \-naif]*$",
           "TensorFlow's rules give zeros for the second derivative of a step function",
           129),
    Listed("None", "tf.gradients of tf.math.reduce_euclidean_norm", r"\| None",
           "this release has no gradient of it", 2539),
    # Dtypes and sizes.
    Listed("dtype", "tf.(linalg.norm|norm|math.reduce_(std|variance))", "complex",
           "norms and deviations of complex numbers are real, as in later releases",
           520),
    # Values.
    Listed(
        "value",
        r".*tf.nn.(\w*conv\w*|\w*pool|local_response_normalization|bias_add|lrn)\w*",
        NOT_FINITE,
        "kernels skip or multiply what is outside of the image by NaN and infinity as "
        "their algorithm has it; a maximum of NaN is NaN, as for tf.reduce_max",
        114,
        apart=CLOSE,
        inputs="nan|inf",
    ),
    Listed(
        "value",
        "",
        rf"{NARROW}.*({NOT_FINITE})",
        "bfloat16 and float16 kernels compute NaN, infinities and overflows in their "
        "own precision; tpuref computes them in float32",
        125,
        apart=0.1,
    ),
    Listed("value", "", "^float16",
           "squares of large numbers overflow; tpuref computes them in float32", 1869,
           inputs="large"),
    Listed("value", "tf.gradients of .*", NARROW, "the sign of NaN is NaN or 0", 799,
           inputs="nan"),
    Listed("value", "", rf"^complex.*({NOT_FINITE})",
           "which part of a complex product is NaN depends on the order of its terms",
           547, apart=CLOSE),
    Listed("value",
           "tf.(reduce_(max|min)|argmax|argmin|maximum|minimum)|.*nn.top_k|.*sort",
           rf"{NOT_FINITE}|^int(32|64)", "NaN by NumPy's rule (docs/decisions.md)", 165,
           inputs="nan"),
    Listed("value", "tf.(arg)?sort", "",
           "this release sorts integers by their negation, which overflows", 20389,
           inputs="limit"),
    Listed("value", "tf.math.reduce_euclidean_norm", "-",
           "the norm of one element is its absolute value", 2095),
    Listed("value", "tf.nn.fused_batch_norm", "",
           "without training TensorFlow leaves mean and variance uninitialized", None),
    Listed("value", "tf.reduce_mean", r"^u?int",
           "the sum of integers is exact; TensorFlow's wraps", 164),
    Listed("value", "tf.(div|floordiv|floor_div|floormod|mod)|.__r?(floordiv|mod)__",
           r"^int", "exact, where TensorFlow's intermediate sum overflows", 2944,
           inputs="limit"),
    Listed(
        "value",
        "tf.gradients of tf.nn.moments",
        "",
        "tpuref differentiates the variance, TensorFlow through tf.stop_gradient(mean)",
        2574,
    ),
    Listed("value", "tf.gradients of tf.nn.softmax_cross_entropy_with_logits(_v2)?", "",
           "TensorFlow's second derivative leaves out the labels", 141),
    Listed("value", "tf.gradients of tf.losses.(sigmoid_cross_entropy|huber_loss)", "",
           "the weights of a loss are float32 in TensorFlow, whatever the loss", 6083),
    Listed("value", r"tf.losses.\w+", "^float64",
           "losses are weighed and added in float32, in another order", 533,
           apart=1e-6),
    Listed(
        "value",
        "tf.((gradients of tf.)?(rsqrt|sqrt|sign|reciprocal)|clip_by_norm|math.l2_nor"
        "malize|gradients of tf.losses.log_loss)",
        NOT_FINITE,
        "NaN by NumPy's rule, also of sign(NaN), which is 0 in TensorFlow",
        9728,
        apart=CLOSE,
    ),
    Listed("value", "tf.lin_?space", NOT_FINITE, "from or to a NaN or infinity", 4069,
           inputs="nan|inf"),
    Listed("refuses", "tf.imag", "expected a number",
           "a bool has no imaginary part; this release returns it unchanged", 8724),
    Listed(
        "refuses",
        "tf.map_fn",
        "expected complex",
        "the dtype of results is checked when the graph is built, also for no elements",
        9415,
    ),
    Listed("None", "tf.gradients of tf.while_loop", r"0.0\] \| None",
           "zeros and None say the same of the second derivative of a step function",
           8655),
    Listed("refuses", "", r"names an axis of rank \d+ twice",
           "an axis given twice is refused, as TensorFlow 2 does", 21130),
    Listed("accepts", "tf.gradients of tf.TensorArray", "Wrong input container",
           "second gradients of a tf.TensorArray, which this release lacks", 4219),
)  # fmt: skip
