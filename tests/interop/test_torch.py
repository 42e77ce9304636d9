"""PyTorch's tensors as inputs, and tensors of tpuref in PyTorch."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tpuref as tf

torch: Any = pytest.importorskip("torch", reason="PyTorch is not installed")

PATTERNS = np.arange(1 << 16, dtype=np.uint16)
DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16"]
DTYPES += ["float32", "float64", "complex64", "complex128"]


def address(tensor):
    return int(tensor.array.__array_interface__["data"][0])


def bits(tensor):
    return tensor.view(torch.int16).numpy().view(np.uint16)


@pytest.mark.parametrize("name", DTYPES)
def test_torch_takes_the_memory_of_a_tensor(name, eager):
    x = tf.cast(tf.constant([[0.0, 1.0], [2.0, 3.0]]), name)
    taken, start = torch.from_dlpack(x), address(x)
    assert taken.dtype == getattr(torch, name) and taken.shape == (2, 2)
    assert taken.data_ptr() == start
    del x  # the memory outlives the tensor
    values = [[0.0, 1.0], [1.0, 1.0]] if name == "bool" else [[0.0, 1.0], [2.0, 3.0]]
    assert taken.to(torch.complex128).real.tolist() == values


def test_torch_takes_results(executor, session):
    (out,) = tf.tpu.shard(lambda x: x * 2.0, [tf.ones([4, 2])], num_shards=2)
    values = session.run(out)
    taken = torch.from_dlpack(values)
    assert taken.data_ptr() == values.ctypes.data
    taken[0, 0] = 9.0
    assert values[0, 0] == 9.0  # a result is the user's own array
    session.close()
    assert taken[1:].tolist() == [[2.0, 2.0]] * 3


@pytest.mark.parametrize("name", DTYPES)
def test_torch_tensors_as_inputs(name, session):
    given = torch.tensor([[1, 0], [1, 1]]).to(getattr(torch, name))
    constant = tf.convert_to_tensor(given)
    x = tf.placeholder(name, [2, 2])
    packed = tf.convert_to_tensor([given, given])
    assert constant.dtype.name == packed.dtype.name == name
    given[0, 1] = 1  # constants are copies
    values = session.run([constant, packed, x], {x: given})
    assert [v.astype(complex).sum() for v in values] == [3, 6, 4]


def test_torch_tensors_as_shards(executor, session):
    given = torch.arange(8.0).reshape(4, 2)
    (out,) = tf.tpu.shard(lambda x: tf.reduce_sum(x, 1), [given], num_shards=2)
    assert session.run(out).tolist() == [1.0, 5.0, 9.0, 13.0]
    sums = tf.tpu.replicate(tf.tpu.cross_replica_sum, [[given[0]], [given[1]]])
    assert session.run(sums)[0][0].tolist() == [2.0, 4.0]


def test_what_is_fed_is_read_in_place(session):
    given = torch.zeros(3)
    x = tf.placeholder(tf.float32, [3])

    def change():
        given.fill_(1.0)
        return np.float32(0.0)

    with tf.control_dependencies([tf.py_func(change, [], tf.float32)]):
        later = tf.identity(x) + 0.0
    assert session.run(later, {x: given}).tolist() == [1.0] * 3
    assert session.run(x * 2.0, {x: torch.arange(6.0)[::2]}).tolist() == [0.0, 4.0, 8.0]


def test_torch_tensors_as_datasets(session):
    x, y = torch.arange(6.0).reshape(3, 2), torch.arange(3).to(torch.bfloat16)
    dataset = tf.data.Dataset.from_tensor_slices({"x": x, "y": y}).batch(3)
    element = session.run(dataset.make_one_shot_iterator().get_next())
    assert element["x"].tolist() == [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]
    assert element["y"].dtype == ml_dtypes.bfloat16
    assert element["y"].astype(int).tolist() == [0, 1, 2]
    row = tf.data.Dataset.from_tensor_slices(x).make_one_shot_iterator().get_next()
    assert row.shape.as_list() == [2] and session.run(row).tolist() == [0.0, 1.0]


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.requires_grad_(), r"requires grad.*x\.detach\(\)"),
        (lambda t: t.to("meta"), r"meta.*x\.cpu\(\)"),
        (lambda t: t.to_sparse(), "[Ss]parse"),
    ],
    ids=["grad", "device", "sparse"],
)
def test_tensors_without_readable_memory(dtype, change, message, session):
    given = change(torch.ones(2, dtype=getattr(torch, dtype)))
    x = tf.placeholder(dtype, [2])
    uses: list[Any] = [
        lambda: tf.convert_to_tensor(given),
        lambda: tf.convert_to_tensor([given, given]),
        lambda: session.run(x, {x: given}),
        lambda: tf.data.Dataset.from_tensor_slices(given),
        lambda: tf.tpu.replicate(tf.identity, [[given]]),
    ]
    for use in uses:
        with pytest.raises(TypeError, match=f"torch.Tensor cannot be read.*{message}"):
            use()


def test_values_that_are_not_in_memory_as_they_are(session):
    conjugate = torch.tensor([1 + 2j]).conj()
    with pytest.raises(TypeError, match="resolve_conj"):
        tf.convert_to_tensor(conjugate)
    with pytest.raises(TypeError, match="resolve_neg"):
        tf.convert_to_tensor(conjugate.imag)
    with pytest.raises(TypeError, match="expected int32"):
        tf.convert_to_tensor(torch.ones(2), tf.int32)


def test_every_bfloat16_goes_to_torch(eager):
    x = tf.constant(PATTERNS.view(ml_dtypes.bfloat16))
    taken = torch.from_dlpack(x)
    assert taken.dtype == torch.bfloat16 and taken.data_ptr() == address(x)
    assert np.array_equal(bits(taken), PATTERNS)
    assert np.array_equal(bits(torch.as_tensor(x)), PATTERNS)


def test_every_bfloat16_comes_from_torch(executor, session):
    given = torch.from_numpy(PATTERNS.view(np.int16).copy()).view(torch.bfloat16)
    x = tf.placeholder(tf.bfloat16, [None])
    doubled = tf.tpu.rewrite(lambda t: [t, tf.identity(t)], [x])
    for values in session.run(doubled, {x: given}):
        assert np.array_equal(values.view(np.uint16), PATTERNS)
    values = session.run(tf.identity(tf.convert_to_tensor(given)))
    assert np.array_equal(values.view(np.uint16), PATTERNS)
