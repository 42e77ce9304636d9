"""Summaries in event files, as TensorBoard reads them."""

import struct
import zlib
from pathlib import Path

import numpy as np
import pytest

import tpuref as tf
from tpuref.base import error_codes as codes
from tpuref.interface.summary.png import encoded_png

summary = tf.summary


def value_of(serialized):
    values = tf.Summary.FromString(serialized).value
    assert len(values) == 1
    return values[0]


def events(folder):
    paths = sorted(Path(folder).glob("events.out.tfevents.*"))
    return [event for path in paths for event in tf.train.summary_iterator(str(path))]


def decoded_png(content):
    """Return the pixels of a picture without filters: an own reader, for the test."""
    width, height, _, kind = struct.unpack(">IIBB", content[16:26])
    start = content.index(b"IDAT")
    length = int.from_bytes(content[start - 4 : start], "big")
    rows = zlib.decompress(content[start + 4 : start + 4 + length])
    channels = {0: 1, 4: 2, 2: 3, 6: 4}[kind]
    pixels = np.frombuffer(rows, np.uint8).reshape(height, 1 + width * channels)
    assert not pixels[:, 0].any()
    return pixels[:, 1:].reshape(height, width, channels)


def test_tags(evaluate):
    with tf.name_scope("model"):
        first = summary.scalar("my loss", 1.5)
        again = summary.scalar("my loss", 2.5)
        family = summary.scalar("loss", 3.5, family="train")
    tags = [value_of(evaluate(one)).tag for one in (first, again, family)]
    # As TensorFlow 1.15.5 names them.
    assert tags == ["model/my_loss", "model/my_loss_1", "train/model/train/loss"]
    assert first.op.name == "model/my_loss" and first.shape.as_list() == []
    assert len(tf.Summary.FromString(evaluate(summary.merge_all())).value) == 3
    assert tf.get_collection(tf.GraphKeys.SUMMARIES) == [first, again, family]
    assert summary.merge_all("nothing") is None
    with pytest.raises(tf.errors.InvalidArgumentError, match="tag 'model/my_loss'"):
        evaluate(summary.merge([first, first]))


def test_numbers_of_a_histogram(evaluate):
    values = np.random.default_rng(1).normal(size=1000).astype(np.float32)
    values[:5] = 0.0
    histo = value_of(evaluate(summary.histogram("h", values))).histo
    assert (histo.num, histo.min) == (1000, values.min()) and histo.max == values.max()
    assert histo.sum == pytest.approx(values.astype(np.float64).sum())
    limits, counts = np.array(histo.bucket_limit), np.array(histo.bucket)
    assert counts.sum() == 1000 and np.all(np.diff(limits) > 0)
    found = np.searchsorted(limits, values.astype(np.float64), side="right")
    assert np.array_equal(np.bincount(found, minlength=limits.size), counts)
    empty = value_of(evaluate(summary.histogram("e", tf.zeros([0])))).histo
    assert empty.num == 0 and len(empty.bucket) == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="finite numbers"):
        evaluate(summary.histogram("n", [1.0, float("nan")]))


def test_buckets_of_a_histogram(evaluate):
    """As TensorFlow 1.15.5 has them."""
    value = value_of(evaluate(summary.histogram("h", [0.0, 1.0, 1.05, -2.0, 5.0])))
    limits = [-2.162819, -1.966199, 0.0, 1e-12, 0.917246, 1.008971, 1.109868, 4.636195,
              5.099814, np.finfo(np.float64).max]  # fmt: skip
    assert list(value.histo.bucket_limit) == pytest.approx(limits, rel=1e-6)
    assert list(value.histo.bucket) == [0, 1, 0, 1, 0, 1, 1, 0, 1, 0]


def test_pictures(evaluate):
    pixels = np.random.default_rng(2).integers(0, 256, (4, 2, 3, 3)).astype(np.uint8)
    found = tf.Summary.FromString(evaluate(summary.image("p", pixels))).value
    assert [value.tag for value in found] == ["p/image/0", "p/image/1", "p/image/2"]
    assert (found[1].image.height, found[1].image.width) == (2, 3)
    assert np.array_equal(decoded_png(found[1].image.encoded_image_string), pixels[1])
    one = value_of(evaluate(summary.image("q", pixels, max_outputs=1)))
    assert one.tag == "q/image"


@pytest.mark.parametrize(
    ("row", "expected"),
    [  # as TensorFlow 1.15.5 scales them; pixels without a number are red
        ([[0.0], [0.5], [2.0]], [[0], [63], [255]]),
        ([[-1.0], [0.0], [0.5]], [[1], [128], [191]]),
        ([[0.0], [0.0], [0.0]], [[0], [0], [0]]),
        ([[1.0, 1.0, 1.0], [np.nan, 0.0, 0.0]], [[255, 255, 255], [255, 0, 0]]),
    ],
    ids=["positive", "negative", "zeros", "NaN"],
)
def test_numbers_become_pixels(row, expected, evaluate):
    value = value_of(evaluate(summary.image("p", np.float32([[row]]), max_outputs=1)))
    assert decoded_png(value.image.encoded_image_string).tolist() == [expected]


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_png_files_are_whole(channels):
    image_module = pytest.importorskip("PIL.Image")
    import io

    pixels = np.random.default_rng(channels).integers(0, 256, (5, 7, channels))
    with image_module.open(io.BytesIO(encoded_png(pixels.astype(np.uint8)))) as picture:
        shown = np.asarray(picture).reshape(5, 7, channels)
    assert np.array_equal(shown, pixels)


def test_texts(evaluate):
    value = value_of(evaluate(summary.text("t", [["a", "b"]])))
    assert value.metadata.plugin_data.plugin_name == "text"
    assert list(value.tensor.string_val) == [b"a", b"b"]
    assert [dim.size for dim in value.tensor.tensor_shape.dim] == [1, 2]
    with pytest.raises(ValueError, match="takes strings"):
        summary.text("t", 1.0)


@pytest.mark.parametrize(
    "build",
    [
        lambda: summary.scalar("s", [1.0, 2.0]),
        lambda: summary.image("i", tf.zeros([3])),
    ],
)
def test_what_cannot_be_summarized(build, evaluate):
    with pytest.raises(tf.errors.InvalidArgumentError, match=codes.INVALID_ARGUMENT):
        evaluate(build())


def test_a_file_of_events(tmp_path, session):
    loss = summary.scalar("loss", tf.constant(2.0, name="two") * 3.0)
    writer = summary.FileWriter(tmp_path / "log", tf.get_default_graph())
    for step in range(3):
        writer.add_summary(session.run(loss), global_step=step)
    by_hand = tf.Summary(value=[tf.Summary.Value(tag="by/hand", simple_value=0.25)])
    writer.add_summary(by_hand, np.int64(9))
    writer.flush()
    found = events(writer.get_logdir())
    assert found[0].file_version == "brain.Event:2" and found[1].graph_def
    assert [event.step for event in found[2:]] == [0, 1, 2, 9]
    assert [e.summary.value[0].simple_value for e in found[2:]] == [6, 6, 6, 0.25]
    assert all(event.wall_time > 1e9 for event in found)
    writer.close()
    writer.add_summary(by_hand, 10)  # begins another file
    writer.close()
    assert len(list((tmp_path / "log").iterdir())) == 2
    assert summary.FileWriterCache.get("a") is summary.FileWriterCache.get("a")
    summary.FileWriterCache.clear()


def test_tensorboard_reads_the_files(tmp_path):
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing import event_accumulator

    x = tf.placeholder(tf.float32, [None])
    summary.scalar("loss", tf.reduce_mean(x))
    summary.histogram("values", x)
    summary.image("picture", tf.reshape(x, [1, 2, 2, 1]))
    summary.text("note", tf.constant("hello"))
    merged = summary.merge_all()
    with (
        tf.Session() as sess,
        summary.FileWriter(str(tmp_path), tf.get_default_graph()) as writer,
    ):
        for step in range(2):
            writer.add_summary(sess.run(merged, {x: np.arange(4.0) + step}), step)
    board = event_accumulator.EventAccumulator(
        str(tmp_path),
        size_guidance={"histograms": 0},  # all of them
    )
    board.Reload()
    assert board.Tags()["graph"]

    assert [(s.step, s.value) for s in board.Scalars("loss")] == [(0, 1.5), (1, 2.5)]
    histogram = board.Histograms("values")[1].histogram_value
    assert (histogram.num, histogram.min, histogram.max) == (4, 1.0, 4.0)
    picture = board.Images("picture/image/0")[0]
    assert (picture.width, picture.height) == (2, 2)
    assert board.Tensors("note")[0].tensor_proto.string_val[0] == b"hello"
    assert "note" in board.PluginTagToContent("text")
    nodes = {node.name: node for node in board.Graph().node}
    assert list(nodes["loss"].input) == ["Mean"] and nodes["Mean"].op == "Mean"


def test_writing_at_once(tmp_path, eager):
    with summary.create_file_writer(str(tmp_path)).as_default():
        for step in range(4):
            with summary.record_if(step % 2 == 0):
                tf.compat.v2.summary.scalar("loss", step * 0.5, step=step)
        summary.image("p", np.float32([[[[0.0], [1.0]]]]), step=9)
        with pytest.raises(ValueError, match="'late' has no step"):
            tf.compat.v2.summary.scalar("late", 1.0)
    tf.compat.v2.summary.scalar("unheard", 1.0, step=1)
    with summary.create_noop_writer().as_default():
        summary.scalar("unseen", 1.0, step=1)
    found = events(tmp_path)[1:]
    assert [event.step for event in found] == [0, 2, 9]
    assert tensor_of(found[1]).tolist() == 1.0
    _, _, png = found[2].summary.value[0].tensor.string_val
    assert decoded_png(png).ravel().tolist() == [0, 255]


def tensor_of(event):
    """Return the numbers of a tensor, which TensorFlow 2 writes for its plugins."""
    tensor = event.summary.value[0].tensor
    sizes = [dim.size for dim in tensor.tensor_shape.dim]
    dtype = tf.as_dtype(tensor.dtype).as_numpy_dtype
    return np.frombuffer(tensor.tensor_content, dtype).reshape(sizes)


def test_summaries_are_those_of_tensorflow_2(tmp_path):
    """The numbers are what TensorFlow 2.21 with TensorBoard 2.21 writes."""
    board = tf.compat.v2.summary
    with tf.eager_execution(), board.create_file_writer(str(tmp_path)).as_default():
        board.scalar("a", 3, step=1, description="d")
        board.histogram("h", [1.0, 2.0, 3.0, 9.0], step=1, buckets=4)
        board.histogram("h", [2.0, 2.0], step=2, buckets=2)
        board.histogram("h", tf.zeros([0]), step=3, buckets=2)
        board.text("t", [["a", "b"]], step=4)
        metadata = tf.SummaryMetadata()
        metadata.plugin_data.plugin_name = "p"
        board.experimental.set_step(8)
        with tf.name_scope("q"), board.experimental.summary_scope("n!") as (tag, _):
            assert board.write(tag, lambda: tf.constant([1, 2]), metadata=metadata)
        assert int(board.experimental.get_step()) == 8
        board.experimental.set_step(None)
        with board.record_if(False):
            assert not board.should_record_summaries()
        with pytest.raises(tf.errors.InvalidArgumentError, match="takes one number"):
            board.scalar("a", [1, 2], step=1)
    found = events(tmp_path)[1:]
    values = [event.summary.value[0] for event in found]
    plugins = [value.metadata.plugin_data.plugin_name for value in values]
    assert plugins == ["scalars", *["histograms"] * 3, "text", "p"]
    assert values[0].metadata.summary_description == "d"
    assert tensor_of(found[0]).dtype == np.float32
    assert tensor_of(found[1]).tolist() == [[1, 3, 2], [3, 5, 1], [5, 7, 0], [7, 9, 1]]
    assert tensor_of(found[2]).tolist() == [[2, 2, 0], [2, 2, 2]]
    assert tensor_of(found[3]).tolist() == [[0, 0, 0], [0, 0, 0]]
    assert list(values[4].tensor.string_val) == [b"a", b"b"]
    assert (values[5].tag, tensor_of(found[5]).tolist()) == ("q/n!", [1, 2])


def test_writing_in_a_graph(tmp_path, session):
    """As host calls of TPUEstimator programs write."""
    contrib = tf.contrib.summary
    step = tf.placeholder(tf.int64, [1])
    writer = contrib.create_file_writer(str(tmp_path))
    with writer.as_default():
        with contrib.always_record_summaries():
            contrib.scalar("loss", tf.cast(step[0], tf.float32) / 2, step=step[0])
        with contrib.record_summaries_every_n_global_steps(2, step[0]):
            contrib.scalar("rare", 1.0, step=step[0], family="f")
    session.run([contrib.summary_writer_initializer_op(), writer.init()])
    for number in range(3):
        session.run(contrib.all_summary_ops(), {step: [number]})
    session.run(writer.flush())
    assert sorted((e.step, e.summary.value[0].tag) for e in events(tmp_path)[1:]) == [
        (0, "f/rare"), (0, "loss"), (1, "loss"), (2, "f/rare"), (2, "loss")
    ]  # fmt: skip
    with writer.as_default(), pytest.raises(ValueError, match="no global step"):
        contrib.scalar("x", 1.0)
    assert summary.all_v2_summary_ops() == contrib.all_summary_ops()


def test_eager_mode_needs_a_step():
    with tf.eager_execution(), pytest.raises(RuntimeError, match="step=step"):
        summary.scalar("loss", 1.0)
