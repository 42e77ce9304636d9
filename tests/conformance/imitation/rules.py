"""What the documents say of arguments and results, for modules that compute at once."""

import inspect

import numpy as np

#: The dtypes that cores can sum.
SUMMED = {"bfloat16", "float16", "float32", "float64", "int32", "uint32"}


class Operation:
    """What has been done, without a value."""

    type = "NoOp"


class TensorShape:
    """The sizes of a tensor, None where one is unknown."""

    def __init__(self, dims):
        self.dims = [None if size in (None, -1) else int(size) for size in dims]


def is_nest(value):
    """Return whether the value is a container."""
    return isinstance(value, (dict, list, tuple))


def mapped(function, nest, *others):
    """Return the nest with ``function`` of its leaves and those of ``others``."""
    if not is_nest(nest):
        if any(is_nest(other) for other in others):
            raise ValueError(f"expected the structure of {nest!r}, got {others}")
        return function(nest, *others)
    for other in others:
        same_keys = not isinstance(nest, dict) or set(nest) == set(other)
        if type(other) is not type(nest) or len(other) != len(nest) or not same_keys:
            raise ValueError(f"expected the structure of {nest!r}, got {other!r}")
    if isinstance(nest, dict):
        pairs = [
            (key, mapped(function, nest[key], *(one[key] for one in others)))
            for key in nest
        ]
        return type(nest)(pairs)
    entries = [mapped(function, *parts) for parts in zip(nest, *others, strict=True)]
    return type(nest)(*entries) if hasattr(nest, "_fields") else type(nest)(entries)


def checked_inputs(computation, inputs, convert):
    """Return the inputs of each replica, a list of lists of nests of tensors."""
    inputs = [[]] if inputs is None else inputs
    if not isinstance(inputs, (list, tuple)):
        raise TypeError(f"inputs must be a list of lists, got {inputs!r}")
    if not inputs or len({len(one) for one in inputs}) > 1:
        raise ValueError("inputs must have one list for each replica, of one length")
    try:
        inspect.signature(computation).bind(*inputs[0])
    except TypeError as error:
        raise ValueError(f"inputs do not fit the computation: {error}") from error
    for one in inputs:
        mapped(lambda *_: None, list(inputs[0]), list(one))
    return [mapped(convert, list(one)) for one in inputs]


def padded(each, shapes, pad):
    """Return the inputs of each replica, padded to shapes of the structure of one's."""
    if not isinstance(shapes, (list, tuple)):
        shapes = [shapes]
    first, *others = each
    rows = mapped(lambda *row: _Row(row, pad), first, list(shapes), *others)
    return [mapped(lambda row, i=i: row.tensors[i], rows) for i in range(len(each))]


class _Row:
    """An input of each replica, padded to one size."""

    def __init__(self, row, pad):
        first, shape, *others = row
        sizes = getattr(shape, "dims", [shape] if isinstance(shape, int) else shape)
        tensors = [first, *others]
        if any(tensor.ndim != len(sizes) for tensor in tensors):
            raise ValueError(f"an input has another rank than {shape}")
        sizes = [
            max(tensor.shape[axis] for tensor in tensors)
            if size in (None, -1)
            else size
            for axis, size in enumerate(sizes)
        ]
        short = [np.subtract(sizes, tensor.shape) for tensor in tensors]
        if np.min(short) < 0:
            raise ValueError(f"an input does not fit into {shape}")
        self.tensors = [
            pad(tensor, [(0, int(size)) for size in sizes])
            for tensor, sizes in zip(tensors, short, strict=True)
        ]


def outputs(returned, convert):
    """Return a replica's outputs for the result of its computation."""
    nothing = Operation()
    if returned is None or isinstance(returned, Operation):
        return nothing
    if not is_nest(returned):
        return (convert(returned),)
    if type(returned) in (list, tuple) and not any(map(is_nest, returned)):
        tensors = [one for one in returned if not isinstance(one, Operation)]
        if any(isinstance(one, Operation) for one in returned[: len(tensors)]):
            raise ValueError(f"operations must follow the tensors, got {returned!r}")
        if not tensors:
            return nothing
        returned = type(returned)(tensors)
    return mapped(lambda one: _tensor(one, convert), returned)


def _tensor(value, convert):
    if isinstance(value, Operation):
        raise ValueError("an operation cannot be in a container")
    return convert(value)


def shards(inputs, num_shards, axes, convert, split):
    """Return the inputs of each shard."""
    if inputs is not None and not isinstance(inputs, list):
        raise TypeError(f"inputs must be a list, got {inputs!r}")
    if num_shards < 1:
        raise ValueError(f"num_shards must be positive, got {num_shards}")
    inputs = [convert(one) for one in inputs or []]
    axes = [0] * len(inputs) if axes is None else axes
    if len(axes) != len(inputs):
        raise ValueError("input_shard_axes needs an axis for each input")
    pieces = []
    for tensor, axis in zip(inputs, axes, strict=True):
        if tensor.ndim <= axis or tensor.shape[axis] % num_shards:
            raise ValueError(f"{tensor.shape}[{axis}] is not divisible: {num_shards}")
        pieces.append(split(tensor, num_shards, axis))
    return [[parts[i] for parts in pieces] for i in range(num_shards)]


def joined(results, from_all, axes, join):
    """Return the outputs of the shards, each joined or that of one shard."""
    if isinstance(results[0], Operation):
        return [results[0]]
    count = len(results[0])
    from_all = [from_all] * count if isinstance(from_all, bool) else from_all
    axes = [0] * count if axes is None else axes
    if len(from_all) != count or len(axes) != count:
        raise ValueError(f"there are {count} outputs, got {from_all} and {axes}")
    return [
        join(parts, axis) if every else parts[0]
        for *parts, every, axis in zip(*results, from_all, axes, strict=True)
    ]


def checked_groups(groups, replicas):
    """Return the lists of replicas that are summed."""
    if groups is None:
        return [list(range(replicas))]
    groups = np.asarray(groups)  # which refuses rows of different lengths
    if groups.dtype.kind not in "iu":
        raise TypeError(f"group_assignment must hold numbers, got {groups}")
    if groups.ndim != 2:
        raise ValueError(f"group_assignment must have rank 2, got {groups}")
    for replica in {*range(replicas), *groups.ravel().tolist()}:
        if replica >= replicas or (groups == replica).sum() != 1:
            raise ValueError(f"replica {replica} must be in one group")
    return groups.tolist()


def functions_of(replicate, convert, split, join):
    """Return shard and rewrite, which follow from ``replicate``."""

    def shard(
        computation,
        inputs=None,
        num_shards=1,
        input_shard_axes=None,
        outputs_from_all_shards=True,
        output_shard_axes=None,
        infeed_queue=None,
        device_assignment=None,
        name=None,
    ):
        """Split the inputs, run each shard in a replica, and join the outputs."""
        each = shards(inputs, num_shards, input_shard_axes, convert, split)
        results = replicate(computation, each)
        return joined(results, outputs_from_all_shards, output_shard_axes, join)

    def rewrite(
        computation, inputs=None, infeed_queue=None, device_assignment=None, name=None
    ):
        """Run the computation on one core."""
        if not isinstance(inputs, (list, tuple, type(None))):
            raise TypeError(f"inputs must be a list, got {inputs!r}")
        return replicate(computation, [list(inputs or [])])[0]

    return staticmethod(shard), staticmethod(rewrite)
