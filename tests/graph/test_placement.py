"""Operations on devices that do not exist."""

import pytest

import tpuref as tf

from ..messages import refused


@pytest.mark.parametrize(
    "device",
    ["/device:GPU:0", "/cpu:5", "/job:ps/cpu:0", tf.tpu.core(1), "/device:XPU:3"],
)
def test_an_unknown_device_is_an_error_that_names_the_place(device):
    with tf.device(device):
        x = tf.constant(1)  # the place
    words, run = [x.device, "the place"], tf.Session().run
    assert refused(tf.errors.InvalidArgumentError, words, run, x + 1).op == "Const"


@pytest.mark.parametrize(
    "device", ["", "/cpu:0", "/job:localhost/task:0/cpu:0", "/device:TPU:0"]
)
def test_known_devices_run(device):
    with tf.device(device):
        x = tf.constant(1)
    assert tf.Session().run(x + 1) == 2


def test_soft_placement_and_feeds_need_no_such_device():
    with tf.device("/device:GPU:0"):
        x, fed = tf.constant(1), tf.placeholder(tf.int32, [])
    assert tf.Session(config=tf.ConfigProto(allow_soft_placement=True)).run(x) == 1
    assert tf.Session().run(fed + 1, {fed: 2}) == 3
