"""Saving and restoring variables, and which checkpoints are kept."""

import os

import numpy as np
import pytest

import tpuref as tf
from tpuref.base import error_codes as codes
from tpuref.base.dtypes import DTYPES

KINDS = [dtype for dtype in DTYPES if dtype != tf.string]


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def saved(folder, **values):
    """Store values as a checkpoint of a graph of its own."""
    with tf.Graph().as_default(), tf.Session() as sess:
        for name, value in values.items():
            tf.get_variable(name.replace("__", "/"), initializer=value)
        sess.run(tf.global_variables_initializer())
        return tf.train.Saver().save(sess, str(folder / "m"))


@pytest.mark.parametrize("dtype", KINDS, ids=lambda dtype: dtype.name)
@pytest.mark.parametrize("shape", [(), (0, 2), (3, 5)])
def test_every_dtype_comes_back(dtype, shape, tmp_path, session):
    numbers = np.random.default_rng(5).normal(size=(*shape, 2)) * 50
    start = (numbers[..., 0] + 1j * numbers[..., 1] if dtype.is_complex
             else np.abs(numbers[..., 0])).astype(dtype.np)  # fmt: skip
    path = saved(tmp_path, v=start)
    v = tf.get_variable("v", shape, dtype, tf.zeros_initializer())
    tf.train.Saver().restore(session, path)
    found = np.asarray(session.run(v))
    assert found.dtype == start.dtype and found.tobytes() == start.tobytes()
    reader = tf.train.NewCheckpointReader(path)
    assert reader.get_variable_to_dtype_map() == {"v": dtype}
    assert reader.get_variable_to_shape_map() == {"v": list(shape)}


def test_other_programs_read_the_tensors(tmp_path):
    path = saved(tmp_path, w=np.arange(6.0, dtype=np.float32).reshape(2, 3))
    library = pytest.importorskip("safetensors.numpy")
    found = library.load_file(f"{path}.safetensors")["w"]
    assert found.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_steps_and_what_is_kept(tmp_path, session):
    step = tf.get_variable("step", [], tf.int64, tf.zeros_initializer())
    saver = tf.train.Saver(max_to_keep=2)
    folder = tmp_path / "deep" / "folder"
    session.run(step.initializer)
    for _ in range(3):
        session.run(step.assign_add(10))
        path = saver.save(session, str(folder / "model.ckpt"), global_step=step)
    saver.save(session, str(folder / "other"), global_step=31, write_state=False)
    assert path == str(folder / "model.ckpt-30") == tf.train.latest_checkpoint(folder)
    assert names(folder) == ["checkpoint", "model.ckpt-30.index",
                             "model.ckpt-30.safetensors", "other-31.index",
                             "other-31.safetensors"]  # fmt: skip
    state = tf.train.get_checkpoint_state(str(folder))
    kept = [str(folder / f"model.ckpt-{step}") for step in (20, 30)]
    assert state.all_model_checkpoint_paths == kept
    assert saver.last_checkpoints == [path, str(folder / "other-31")]
    later = tf.train.Saver(max_to_keep=1)
    later.recover_last_checkpoints([str(folder / "gone"), *saver.last_checkpoints])
    assert later.last_checkpoints == saver.last_checkpoints
    folder.rename(tmp_path / "moved")  # the state file has relative paths
    assert tf.train.latest_checkpoint(tmp_path / "moved") == str(
        tmp_path / "moved" / "model.ckpt-30"
    )


def test_one_now_and_then_is_kept_for_good(tmp_path, monkeypatch, session):
    now = [1000.0]
    monkeypatch.setattr("tpuref.interface.checkpoints.kept.time.time", lambda: now[0])
    v = tf.get_variable("v", initializer=1.0)
    saver = tf.train.Saver(max_to_keep=1, keep_checkpoint_every_n_hours=2)
    session.run(v.initializer)
    for hour in range(6):
        now[0] = 1000.0 + 3600 * hour
        saver.save(session, str(tmp_path / "m"), global_step=hour)
    kept = [name for name in names(tmp_path) if name.endswith(".index")]
    assert kept == ["m-3.index", "m-5.index"]  # TensorFlow 1.15.5 keeps these too


def test_a_prefix_that_is_saved_again_is_replaced(tmp_path, session):
    v = tf.get_variable("v", initializer=[1.0, 2.0])
    saver = tf.train.Saver()
    session.run(v.initializer)
    for value in range(3):
        v.load([value, value], session)
        path = saver.save(session, str(tmp_path / "m"))
        assert tf.train.load_variable(path, "v:0").tolist() == [value, value]
        assert len(names(tmp_path)) == 3
    assert saver.last_checkpoints == [path]


def test_lists_and_dicts_of_variables(tmp_path, session):
    path = saved(tmp_path, a=[1.0], b=[2.0], scope__c=[3])
    assert tf.train.list_variables(str(tmp_path)) == [
        ("a", [1]), ("b", [1]), ("scope/c", [1])
    ]  # fmt: skip
    x, y = tf.get_variable("x", [1]), tf.get_variable("b", [1])
    tf.train.Saver({"a": x}).restore(session, path)
    tf.train.Saver([y]).restore(session, path)
    assert [v.tolist() for v in session.run([x, y])] == [[1.0], [2.0]]
    with tf.Graph().as_default():
        other = tf.get_variable("x", [1])
    with pytest.raises(ValueError, match="two variables have the name 'x'"):
        tf.train.Saver([x, other])
    with pytest.raises(TypeError, match="must hold variables"):
        tf.train.Saver({"a": tf.constant(1.0)})


def test_what_a_checkpoint_lacks_or_has_otherwise(tmp_path, session):
    path = saved(tmp_path, v=[1.0, 2.0])
    wide, unset = tf.get_variable("v", [3]), tf.get_variable("unset", [1])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"shape \[2\].*\(3,\)"):
        tf.train.Saver([wide]).restore(session, path)
    column = tf.Variable([[0.0], [0.0]], name="column")
    tf.train.Saver({"v": column}, reshape=True).restore(session, path)
    assert session.run(column).tolist() == [[1.0], [2.0]]
    with pytest.raises(tf.errors.NotFoundError, match=codes.NOT_IN_CHECKPOINT):
        tf.train.Saver({"w": wide}).restore(session, path)
    with pytest.raises(tf.errors.NotFoundError, match=codes.NO_CHECKPOINT):
        tf.train.Saver().restore(session, str(tmp_path / "gone"))
    with pytest.raises(ValueError, match="latest_checkpoint returns None"):
        tf.train.Saver().restore(session, None)
    with pytest.raises(tf.errors.FailedPreconditionError):
        tf.train.Saver([unset]).save(session, str(tmp_path / "n"))


def test_checkpoints_of_tensorflow_are_refused_with_the_way_out(tmp_path):
    (tmp_path / "m.index").write_bytes(
        b"\x00\x00\x08\x01\xff\x57\xfb\x80\x8b\x24\x75\x47\xdb"
    )
    (tmp_path / "m.data-00000-of-00001").write_bytes(b"1234")
    (tmp_path / "old.ckpt").write_bytes(b"\x00" * 100)
    for name in ("m", "old.ckpt"):
        with pytest.raises(tf.errors.UnimplementedError, match="docs/checkpoints.md"):
            tf.train.load_checkpoint(str(tmp_path / name))


def test_initializers_that_are_replaced(tmp_path, evaluate):
    path = saved(tmp_path, bert__w=[1.0, 2.0], bert__b=3.0, other=[4])
    with tf.variable_scope("here"):
        w, b = tf.get_variable("w", [2]), tf.get_variable("b", [])
    plain, fresh = tf.get_variable("plain", [2]), tf.get_variable("fresh", [1])
    named = tf.get_variable("named", [1], tf.int32)
    assignment = {"bert/": "here/", "bert/w": plain, "other": "named"}
    tf.train.init_from_checkpoint(str(tmp_path), assignment)
    found = [np.asarray(v).tolist() for v in evaluate([w, b, plain, named])]
    assert found == [[1.0, 2.0], 3.0, [1.0, 2.0], [4]]
    assert evaluate(fresh).shape == (1,)
    for wrong in ({"no": fresh}, {"other": "no"}, {"bert/": "no/"}, {"other/": "/"}):
        with pytest.raises(ValueError, match=codes.NOT_IN_CHECKPOINT):
            tf.train.init_from_checkpoint(path, wrong)
    with pytest.raises(tf.errors.InvalidArgumentError, match=codes.VARIABLE_MISMATCH):
        tf.train.init_from_checkpoint(path, {"other": fresh})
    for untyped in (7, ["other"], [(1, fresh)], {"other": 7}, {"bert/": [7]}):
        with pytest.raises(TypeError, match=r"init_from_checkpoint: assignment_map"):
            tf.train.init_from_checkpoint(path, untyped)


def test_computations_start_from_a_checkpoint(tmp_path):
    path = saved(tmp_path, w=[5.0])
    with tf.config.override(cores=2), tf.Session() as sess:
        w = tf.get_variable("w", [1])
        tf.train.init_from_checkpoint(path, {"w": w})
        result = tf.tpu.replicate(lambda x: x * w, [[1.0], [2.0]])
        sess.run(tf.global_variables_initializer())
        assert [r[0].tolist() for r in sess.run(result)] == [[5.0], [10.0]]


@pytest.mark.parametrize("local", [False, True])
def test_variables_of_towers(local, tmp_path, strategy_of):
    more = {"synchronization": tf.VariableSynchronization.ON_READ} if local else {}
    with strategy_of(2).scope(), tf.Session() as sess:
        v = tf.get_variable(
            "v", initializer=[2.0], aggregation=tf.VariableAggregation.SUM, **more
        )
        saver = tf.train.Saver([v])
        sess.run(v.initializer)
        path = saver.save(sess, str(tmp_path / "m"))
        before = sess.run(v).tolist()
        v.load(np.float32([7.0]), sess)
        saver.restore(sess, path)
        assert sess.run(v).tolist() == before == [4.0 if local else 2.0]


def test_each_new_checkpoint_of_a_directory(tmp_path):
    asked = []

    def save_another():
        asked.append(len(asked))
        if len(asked) < 3:
            folder, done = tmp_path / str(len(asked)), tmp_path / f"done{len(asked)}"
            saved(folder, v=1.0)
            os.replace(folder, done)
            tf.train.update_checkpoint_state(str(tmp_path), str(done / "m"))
        return len(asked) == 3

    found = tf.train.checkpoints_iterator(
        str(tmp_path), timeout=0.01, timeout_fn=save_another
    )
    assert list(found) == [str(tmp_path / "done1" / "m"), str(tmp_path / "done2" / "m")]


def test_checkpoints_elsewhere(session):
    pytest.importorskip("fsspec")
    v = tf.get_variable("v", initializer=[1.0, 2.0])
    saver = tf.train.Saver(max_to_keep=1)
    session.run(v.initializer)
    for step in range(2):
        saver.save(session, "memory://folder/model", global_step=step)
    v.load([0.0, 0.0], session)
    saver.restore(session, tf.train.latest_checkpoint("memory://folder"))
    assert session.run(v).tolist() == [1.0, 2.0]
    assert tf.gfile.ListDirectory("memory://folder") == [
        "checkpoint", "model-1.index", "model-1.safetensors"
    ]  # fmt: skip
    tf.gfile.DeleteRecursively("memory://folder")


def test_assigning_from_a_checkpoint(tmp_path, session):
    assign = tf.contrib.framework.assign_from_checkpoint_fn
    path = saved(tmp_path, old=[[1.0, 2.0]])
    v, w = (tf.get_variable(name, [2, 1]) for name in "vw")
    assign(path, {"old": v, "w": w}, True, reshape_variables=True)(session)
    assert session.run(v).tolist() == [[1.0], [2.0]]
    assert assign(path, [w], ignore_missing_vars=True) is None
    with pytest.raises(tf.errors.NotFoundError):
        assign(path, [w])(session)
    with pytest.raises(ValueError, match="var_list is empty"):
        assign(path, [])


def test_values_of_a_checkpoint_as_feeds(tmp_path, caplog, session):
    assign = tf.contrib.framework.assign_from_checkpoint
    path = saved(tmp_path, old=[[1.0, 2.0]])
    v, w = (tf.get_variable(name, [2, 1]) for name in "vw")
    operation, feeds = assign(path, {"old": v, "w": w}, ignore_missing_vars=True)
    assert [fed.tolist() for fed in feeds.values()] == [[[1.0], [2.0]]]
    session.run(operation, feeds)
    assert session.run(v).tolist() == [[1.0], [2.0]]
    assert "has no w" in caplog.text
    with pytest.raises(ValueError, match="has no 'w'; set ignore_missing_vars"):
        assign(path, [w])
    with pytest.raises(ValueError, match=r"expected as many elements as in \(3,\)"):
        assign(path, {"old": tf.get_variable("x", [3])})


def test_nothing_is_saved_where_there_is_nothing(tmp_path, session):
    """As 1.15.5 does, except for the graph, which it writes."""
    saver = tf.train.Saver([], allow_empty=True)
    assert saver.save(session, str(tmp_path / "empty")) is None
    saver.restore(session, str(tmp_path / "none"))
    assert saver.last_checkpoints == list(tmp_path.iterdir()) == []
