"""Estimator: its calls, files, errors and copies."""

import os

import numpy as np
import pytest

import tpuref as tf

ModeKeys = tf.estimator.ModeKeys


def pairs(count=8, repeat=None):
    def input_fn():
        x = np.arange(count, dtype=np.float32).reshape(-1, 1)
        dataset = tf.data.Dataset.from_tensor_slices((x, 3.0 * x + 1.0))
        return dataset.repeat(repeat).batch(4)

    return input_fn


def model_fn(features, labels, mode, params):
    y = tf.layers.dense(features, 1, name="line")
    if mode == ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"x": features, "y": y})
    loss = tf.losses.mean_squared_error(labels, y)
    return tf.estimator.EstimatorSpec(
        mode,
        loss=loss,
        train_op=tf.train.GradientDescentOptimizer(
            (params or {}).get("rate", 0.01)
        ).minimize(loss, tf.train.get_global_step()),
        eval_metric_ops={"mean": tf.metrics.mean(labels)},
    )


@pytest.fixture
def estimator(tmp_path):
    return tf.estimator.Estimator(model_fn, str(tmp_path), params={})


def saving(folder, **settings):
    """Return an estimator whose configuration says when it saves."""
    config = tf.estimator.RunConfig(str(folder), **settings)
    return tf.estimator.Estimator(model_fn, config=config, params={})


def test_train_evaluate_predict(tmp_path):
    estimator = tf.estimator.Estimator(model_fn, str(tmp_path), params={"rate": 0.02})
    assert estimator.train(pairs(), steps=400) is estimator
    metrics = estimator.evaluate(pairs(repeat=1))
    assert metrics["loss"] < 1e-3
    assert metrics["mean"] == pytest.approx(11.5)
    assert list(metrics) == ["global_step", "loss", "mean"]
    rows = list(estimator.predict(pairs(6, repeat=1), predict_keys="y"))
    assert [list(row) for row in rows] == [["y"]] * 6
    assert rows[5]["y"] == pytest.approx([16.0], abs=0.1)
    assert estimator.get_variable_names() == ["global_step", "line/bias", "line/kernel"]
    assert estimator.get_variable_value("line/kernel").shape == (1, 1)


def test_evaluations_have_directories_of_their_own(tmp_path, estimator):
    estimator.train(pairs(), steps=2)
    estimator.evaluate(pairs(), steps=1, name="other")
    assert estimator.eval_dir() == f"{tmp_path}/eval"
    (file,) = os.listdir(estimator.eval_dir("other"))
    events = tf.train.summary_iterator(f"{tmp_path}/eval_other/{file}")
    tags = {v.tag: event.step for event in events for v in event.summary.value}
    assert tags == {"loss": 2, "mean": 2}


def test_an_older_checkpoint(tmp_path):
    estimator = saving(tmp_path, save_checkpoints_steps=2)
    estimator.train(pairs(), max_steps=4)
    old = f"{tmp_path}/model.ckpt-2"
    assert estimator.evaluate(pairs(), steps=1, checkpoint_path=old)["global_step"] == 2


def test_checkpoints_are_kept_as_configured(tmp_path):
    estimator = saving(tmp_path, save_checkpoints_steps=1, keep_checkpoint_max=2)
    estimator.train(pairs(), steps=5)
    kept = sorted(n for n in os.listdir(tmp_path) if n.endswith(".index"))
    assert kept == ["model.ckpt-4.index", "model.ckpt-5.index"]


def test_the_end_of_the_input_ends_training(estimator):
    estimator.train(pairs(8, repeat=3))
    assert estimator.get_variable_value("global_step") == 6


def test_hooks_and_listeners_are_called(estimator):
    calls = []

    class Hook(tf.estimator.SessionRunHook):
        def before_run(self, run_context):
            calls.append("run")

    class Listener(tf.estimator.CheckpointSaverListener):
        def after_save(self, session, global_step_value):
            calls.append(f"saved {global_step_value}")

    estimator.train(pairs(), [Hook()], steps=2, saving_listeners=[Listener()])
    assert calls == ["saved 0", "run", "run", "saved 2"]
    calls.clear()
    estimator.evaluate(pairs(), steps=3, hooks=[Hook()])
    list(estimator.predict(pairs(8, repeat=1), hooks=[Hook()]))
    assert calls == ["run"] * 6  # the last one finds the end of the input


def test_scaffold_of_the_model(tmp_path):
    def model(features, labels, mode):
        w = tf.get_variable("w", initializer=1.0)
        return tf.estimator.EstimatorSpec(
            mode,
            loss=w * 1.0,
            train_op=tf.train.get_global_step().assign_add(1),
            scaffold=tf.train.Scaffold(init_fn=lambda _, sess: w.load(5.0, sess)),
        )

    estimator = tf.estimator.Estimator(model, str(tmp_path)).train(pairs(), steps=1)
    assert estimator.get_variable_value("w") == 5.0


def test_warm_start(tmp_path):
    first = tf.estimator.Estimator(model_fn, f"{tmp_path}/first", params={})
    first.train(pairs(), steps=3)
    second = tf.estimator.Estimator(
        model_fn,
        f"{tmp_path}/second",
        params={"rate": 0.0},
        warm_start_from=f"{tmp_path}/first",
    ).train(pairs(), steps=1)
    learnt = first.get_variable_value("line/kernel")
    assert second.get_variable_value("line/kernel") == learnt
    assert second.get_variable_value("global_step") == 1


def test_config_and_params_are_copies(tmp_path):
    given = {"rate": 0.5, "list": [1]}
    estimator = tf.estimator.Estimator(model_fn, str(tmp_path), params=given)
    given["list"].append(2)
    estimator.params["list"].append(3)
    assert estimator.params == {"rate": 0.5, "list": [1]}
    estimator.config.model_dir = "elsewhere"
    assert estimator.model_dir == str(tmp_path)


def test_predictions_leave_the_default_graph_alone(estimator):
    graph = tf.get_default_graph()
    rows = estimator.predict(pairs())
    assert next(rows)["x"] == [0.0]
    assert tf.get_default_graph() is graph
    rows.close()


def test_train_and_evaluate_takes_turns(tmp_path):
    estimator = saving(tmp_path, save_checkpoints_steps=2)
    evaluated = []

    class Exporter(tf.estimator.Exporter):
        name = "kept"

        def export(self, *given):
            evaluated.append(int(given[3]["global_step"]))
            return given[4]

    metrics, exported = tf.estimator.train_and_evaluate(
        estimator,
        tf.estimator.TrainSpec(pairs(), max_steps=4),
        tf.estimator.EvalSpec(pairs(), 1, exporters=Exporter(), throttle_secs=0),
    )
    assert metrics["global_step"] == 4
    assert evaluated == [2, 4, 4]
    assert exported == [False, False, True]


FUNCTIONS = [
    (lambda labels: None, None, "must take features.*E245"),
    (lambda features: None, {"a": 1}, "must take params"),
    (lambda features, extra: None, None, r"unexpected parameters \['extra'\]"),
]


@pytest.mark.parametrize(("function", "params", "message"), FUNCTIONS)
def test_wrong_model_functions(function, params, message):
    with pytest.raises(ValueError, match=message):
        tf.estimator.Estimator(function, "folder", params=params)


CALLS = [
    (lambda e: e.train(pairs(), steps=1, max_steps=2), "both steps and max_steps"),
    (lambda e: e.train(pairs(), steps=0), "steps > 0"),
    (lambda e: e.train(pairs(), max_steps=-1), "max_steps > 0"),
    (lambda e: e.evaluate(pairs(), steps=0), "steps > 0"),
    (lambda e: e.train(lambda: (1, 2, 3), steps=1), r"\(features, labels\)"),
    (lambda e: next(e.predict(pairs(), predict_keys=["z"])), "at least one output"),
    (lambda e: e.get_variable_names(), "Could not find trained model"),
    (lambda e: tf.estimator.Estimator(model_fn, "a",
     tf.estimator.RunConfig(model_dir="b"), {}), "different values"),
    (lambda e: tf.estimator.RunConfig(save_checkpoints_steps=1,
     save_checkpoints_secs=1), "not both"),
    (lambda e: tf.estimator.RunConfig().replace(master="x"), "replaceable are"),
    (lambda e: tf.estimator.RunConfig(save_summary_steps=-1), "0 or more"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "message"), CALLS)
def test_wrong_calls(call, message, estimator):
    with pytest.raises(ValueError, match=message):
        call(estimator)


SPECIFICATIONS = [
    ({"mode": "train", "train_op": None}, ValueError, "Missing train_op"),
    ({"mode": "eval", "loss": None}, ValueError, "Missing loss"),
    ({"mode": "infer"}, ValueError, "Missing predictions"),
    ({"mode": "test"}, ValueError, "must be one of"),
    ({"mode": "eval", "loss": [1.0, 2.0]}, ValueError, "Loss must be scalar"),
    ({"mode": "eval", "eval_metric_ops": {"a": 1}}, TypeError, "must be a pair"),
    ({"mode": "eval", "evaluation_hooks": [1]}, TypeError, "SessionRunHook"),
    ({"mode": "infer", "predictions": {"a": 1}}, TypeError, "must be tensors"),
    ({"mode": "eval", "scaffold": 1}, TypeError, "must be a Scaffold"),
]


@pytest.mark.parametrize(("given", "kind", "message"), SPECIFICATIONS)
def test_wrong_specifications(given, kind, message):
    with pytest.raises(kind, match=message):
        tf.estimator.EstimatorSpec(**{"loss": 1.0, **given})


def test_programs_add_attributes_to_specifications():
    """As they can in 1.15.5; transformer-xl carries its memories so."""
    for spec in (
        tf.estimator.EstimatorSpec("infer", predictions=tf.constant(1.0)),
        tf.contrib.tpu.TPUEstimatorSpec("infer", predictions={"x": tf.constant(1.0)}),
        tf.contrib.tpu.TPUConfig(),
    ):
        spec.cache = 1
        assert spec.cache == 1


def test_there_is_no_saved_model(tmp_path, estimator):
    with pytest.raises(NotImplementedError, match="latest_checkpoint"):
        estimator.export_saved_model(str(tmp_path), lambda: None)
