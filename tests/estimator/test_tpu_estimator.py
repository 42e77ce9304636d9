"""TPUEstimator: on the host as TensorFlow 1.15.5, and on cores as on the host."""

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import tpuref as tf

from . import problems
from .release_1_15_5 import METRICS, PREDICTIONS, VARIABLES

tpu = tf.contrib.tpu
ModeKeys = tf.estimator.ModeKeys
TESTS = Path(__file__).parents[1]
PROBLEMS = ["perceptron", "convolution", "bert"]


@pytest.fixture(autouse=True)
def lockstep():
    with tf.config.override(executor="lockstep"):
        yield


def require_release(name, rows, variables):
    """Require the predictions and variables of TensorFlow 1.15.5."""
    assert set(VARIABLES[name]) <= set(variables)
    for found, expected in (rows, PREDICTIONS), (variables, VARIABLES):
        for key, numbers in expected[name].items():
            assert problems.condensed(found[key]) == pytest.approx(numbers, abs=1e-4)


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_host_learns_what_tensorflow_learns(name, tmp_path):
    metrics, rows, variables = problems.results(tf, name, str(tmp_path), False)
    assert metrics == pytest.approx(METRICS[name], abs=1e-5)
    require_release(name, rows, variables)


@pytest.mark.parametrize("name", ["perceptron", "bert"])
def test_cores_learn_the_same(name, tmp_path):
    metrics, rows, variables = problems.results(tf, name, str(tmp_path), True, 2)
    assert metrics["accuracy"] == METRICS[name]["accuracy"]
    require_release(name, rows, variables)


def line(features):
    with tf.variable_scope("line", reuse=tf.AUTO_REUSE):
        w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
    return features * w


def model_fn(features, labels, mode, params):
    product = line(features)
    if mode == ModeKeys.PREDICT:
        predictions = {"product": product, "row": features}
        return tpu.TPUEstimatorSpec(mode, predictions=predictions)
    loss = tf.reduce_mean(tf.square(product - labels))
    optimizer = tf.train.GradientDescentOptimizer(params.get("rate", 0.25))
    if params["use_tpu"]:
        optimizer = tpu.CrossShardOptimizer(optimizer)
    step = tf.train.get_global_step()
    return tpu.TPUEstimatorSpec(
        mode,
        loss=loss,
        train_op=optimizer.minimize(loss, step),
        eval_metrics=(lambda rows: {"mean": tf.metrics.mean(rows)}, {"rows": features}),
        host_call=params.get("host_call", lambda *_: None)(loss, step, features),
    )


def batches(count, repeat=True, drop=True):
    def input_fn(params):
        x = np.arange(1, count + 1, dtype=np.float32)
        dataset = tf.data.Dataset.from_tensor_slices((x, 2 * x))
        dataset = dataset.repeat() if repeat else dataset
        return dataset.batch(params["batch_size"], drop_remainder=drop)

    return input_fn


def made(folder, model=model_fn, **given):
    params = given.pop("params", {})
    uses = given.pop("use_tpu", True)
    sizes = {
        key: given.pop(key, 4)
        for key in ("train_batch_size", "eval_batch_size", "predict_batch_size")
    }
    run = given.pop("run", {})
    config = tpu.RunConfig(
        model_dir=str(folder),
        tpu_config=tpu.TPUConfig(**{"num_shards": 2, **given}),
        **run,
    )
    return tpu.TPUEstimator(model, config=config, params=params, use_tpu=uses, **sizes)


def steps_saved(folder):
    return sorted(int(path.stem.split("-")[1]) for path in folder.glob("*.index"))


def test_a_loop_stops_at_the_last_step_and_goes_on_from_its_checkpoint(tmp_path):
    saves = {"save_checkpoints_steps": 4}
    made(tmp_path, iterations_per_loop=4, run=saves).train(batches(4), max_steps=6)
    assert steps_saved(tmp_path) == [0, 4, 6]
    again = made(tmp_path, iterations_per_loop=4, run=saves)
    again.train(batches(4), steps=3)
    assert again.get_variable_value("global_step") == 9
    again.train(batches(4), max_steps=9)  # nothing left to do
    assert again.latest_checkpoint().endswith("model.ckpt-9")


def test_each_step_is_one_step_of_the_whole_batch(tmp_path):
    estimator = made(tmp_path, params={"rate": 0.01}, iterations_per_loop=3)
    estimator.train(batches(4), max_steps=3)
    w = 0.0
    for _ in range(3):
        w -= 0.01 * 2 * (w - 2) * 7.5  # the mean of the squares of 1 to 4
    assert estimator.get_variable_value("line/w") == pytest.approx(w, rel=1e-5)


PIPELINES = [
    # pipeline, batch_size of input_fn, its calls, of model_fn
    (tpu.InputPipelineConfig.PER_SHARD_V1, 2, 2, 2),
    (tpu.InputPipelineConfig.PER_HOST_V1, 4, 1, 2),
    (tpu.InputPipelineConfig.PER_HOST_V2, 2, 1, 2),
    (tpu.InputPipelineConfig.BROADCAST, 4, 1, 4),
]


def taking(taken):
    """Return a host call that keeps the rows of each step."""

    def keep(rows):
        return tf.py_func(lambda rows: taken.append(rows.tolist()), [rows], [])

    return lambda loss, step, features: (keep, [features])


@pytest.mark.parametrize(("pipeline", "size", "calls", "own"), PIPELINES)
def test_pipelines(pipeline, size, calls, own, tmp_path):
    inputs, models, taken = [], [], []

    def input_fn(params):
        inputs.append((params["batch_size"], params["context"]))
        return batches(8)(params)

    def model(features, labels, mode, params):
        models.append((params["batch_size"], features.shape.as_list()))
        return model_fn(features, labels, mode, params)

    made(
        tmp_path,
        model,
        per_host_input_for_training=pipeline,
        params={"host_call": taking(taken)},
        iterations_per_loop=2,
    ).train(input_fn, max_steps=2)
    assert [batch for batch, _ in inputs] == [size] * calls
    contexts = [context.current_input_fn_deployment() for _, context in inputs]
    assert [(k, of) for _, k, of, _ in contexts] == [(k, calls) for k in range(calls)]
    assert models == [(own, [own])]
    first = {
        tpu.InputPipelineConfig.PER_SHARD_V1: [1, 2, 1, 2],
        tpu.InputPipelineConfig.BROADCAST: [1, 2, 3, 4, 1, 2, 3, 4],
    }
    assert taken[0] == first.get(pipeline, [1, 2, 3, 4])
    assert len(taken) == 2


def test_host_calls_see_each_step(tmp_path):
    seen = []

    def host_call(loss, step, features):
        def note(step, loss):
            return tf.py_func(
                lambda *values: seen.append([v.tolist() for v in values]),
                [step, loss],
                [],
            )

        return note, {"step": tf.reshape(step, [1]), "loss": loss}

    estimator = made(tmp_path, params={"host_call": host_call}, iterations_per_loop=2)
    estimator.train(batches(4), max_steps=3)
    assert [step for step, _ in seen] == [[1, 1], [2, 2], [3, 3]]
    assert seen[0][1] == [10.0, 50.0]  # (1, 2) and (3, 4), with w = 0


def test_host_calls_in_every_second_step_of_a_loop(tmp_path):
    steps = []

    def host_call(loss, step, features):
        def note(step):
            return tf.py_func(lambda step: steps.append(int(step[0])), [step], [])

        return note, [tf.reshape(step, [1])]

    estimator = made(
        tmp_path,
        params={"host_call": host_call},
        iterations_per_loop=3,
        experimental_host_call_every_n_steps=2,
    )
    estimator.train(batches(4), max_steps=7)
    assert steps == [1, 3, 4, 6, 7]
    assert estimator.evaluate(batches(4), steps=3)["mean"] == 2.5


HOSTS = [
    # pipeline, batch_size of input_fn, its calls, rows of all replicas in a step
    (tpu.InputPipelineConfig.PER_SHARD_V1, 2, 16, [1, 2] * 16),
    (tpu.InputPipelineConfig.PER_HOST_V1, 16, 2, [*range(1, 17)] * 2),
    (tpu.InputPipelineConfig.PER_HOST_V2, 2, 2, [*range(1, 17)] * 2),
    (tpu.InputPipelineConfig.BROADCAST, 32, 1, [*range(1, 33)] * 16),
]


@pytest.mark.parametrize(("pipeline", "size", "calls", "rows"), HOSTS)
def test_pipelines_of_two_hosts(pipeline, size, calls, rows, tmp_path):
    inputs = []
    taken = []

    def input_fn(params):
        inputs.append(params["context"])
        assert params["batch_size"] == size
        return batches(64)(params)

    with tf.config.override(cores=16):
        estimator = made(
            tmp_path,
            num_shards=16,
            per_host_input_for_training=pipeline,
            params={"host_call": taking(taken), "rate": 1e-4},
            iterations_per_loop=2,
            train_batch_size=32,
            eval_batch_size=32,
        )
        estimator.train(input_fn, max_steps=4)
        values = estimator.evaluate(batches(32), steps=2)
    assert taken[0] == rows
    assert len(taken) == 4 + 2
    deployed = [context.current_input_fn_deployment() for context in inputs]
    hosts = {0, 1} if calls > 1 else {0}
    assert {context.num_hosts for context in inputs} == {2}
    assert [number for _, number, _, _ in deployed] == list(range(calls))
    assert {int(device.split("task:")[1][0]) for device, *_ in deployed} == hosts
    assert values["global_step"] == 4


def test_evaluation_joins_the_cores_and_takes_the_loss_of_the_first(tmp_path):
    values = made(tmp_path).evaluate(batches(8), steps=2)
    assert values["mean"] == 4.5
    assert values["loss"] == (4 * 2.5 + 4 * 30.5) / 2  # rows 1, 2 and 5, 6
    assert values["global_step"] == 0


def test_prediction_pads_the_last_batch(tmp_path):
    estimator = made(tmp_path, params={"rate": 0.01})
    estimator.train(batches(4), max_steps=2)
    rows = list(estimator.predict(batches(6, repeat=False, drop=False)))
    assert [float(row["row"]) for row in rows] == [1, 2, 3, 4, 5, 6]
    w = estimator.get_variable_value("line/w")
    assert rows[5]["product"] == pytest.approx(6 * w)
    whole = estimator.predict(
        batches(6, repeat=False, drop=False),
        predict_keys=["row"],
        yield_single_examples=False,
    )
    assert [batch["row"].tolist() for batch in whole] == [[1, 2, 3, 4], [5, 6]]


def test_prediction_with_an_input_for_each_replica(tmp_path):
    rows = made(
        tmp_path, per_host_input_for_training=tpu.InputPipelineConfig.PER_HOST_V2
    ).predict(batches(5, repeat=False, drop=False))
    assert [float(row["row"]) for row in rows] == [1, 2, 3, 4, 5]


def test_replicas_of_two_cores(tmp_path):
    def split(features, labels, mode, params):
        with tf.device(tf.tpu.core(1)):
            features = features + 0.0
        return model_fn(features, labels, mode, params)

    with tf.config.override(topology="1x2x2"):
        estimator = made(
            tmp_path, split, num_shards=None, num_cores_per_replica=2
        ).train(batches(4), max_steps=3)
        assert estimator.evaluate(batches(4), steps=1)["mean"] == 2.5
    assert estimator.get_variable_value("global_step") == 3


def test_the_pool_trains_evaluates_and_predicts(tmp_path):
    with tf.config.override(executor="pool"):
        estimator = made(tmp_path, iterations_per_loop=10, params={"rate": 0.05})
        estimator.train(batches(4), max_steps=30)
        assert estimator.evaluate(batches(4), steps=2)["loss"] < 1e-6
        row = next(estimator.predict(batches(3, repeat=False, drop=False)))
        assert row["product"] == pytest.approx(2.0, abs=1e-3)


def test_tensors_feed_the_cores_too(tmp_path):
    def input_fn(params):
        x = tf.reshape(tf.range(1.0, 5.0), [params["batch_size"]])
        return x, 2 * x

    estimator = made(tmp_path, params={"rate": 0.05}).train(input_fn, max_steps=40)
    assert estimator.get_variable_value("line/w") == pytest.approx(2.0, abs=1e-3)


def test_evaluation_on_the_host_of_a_model_trained_on_cores(tmp_path):
    made(tmp_path, params={"rate": 0.05}).train(batches(4), max_steps=40)
    assert made(tmp_path, use_tpu=False).evaluate(batches(4), steps=2)["loss"] < 1e-5


KILLED = """
import os, signal, sys
import tpuref as tf
from estimator.test_tpu_estimator import batches, made

class Kill(tf.estimator.SessionRunHook):
    def before_run(self, context):
        saved = tf.train.latest_checkpoint(sys.argv[1])
        if saved and saved.endswith("-4"):
            os.kill(os.getpid(), signal.SIGKILL)

with tf.config.override(executor="pool"):
    estimator = made(sys.argv[1], iterations_per_loop=2, params={"rate": 0.01},
                     run={"save_checkpoints_steps": 4})
    estimator.train(batches(8), max_steps=10, hooks=[Kill()])
"""


def test_training_goes_on_after_a_kill(tmp_path):
    script = [sys.executable, "-c", KILLED, str(tmp_path)]
    done = subprocess.run(script, cwd=TESTS, check=False, timeout=300)
    assert done.returncode == -signal.SIGKILL
    saves = {"save_checkpoints_steps": 4}
    given = {"iterations_per_loop": 2, "params": {"rate": 0.01}, "run": saves}
    estimator = made(tmp_path, **given)
    assert estimator.get_variable_value("global_step") == 4
    estimator.train(batches(8), max_steps=10)
    assert steps_saved(tmp_path) == [0, 4, 8, 10]
    whole = made(tmp_path / "whole", **given).train(batches(8), max_steps=4)
    whole.train(batches(8), max_steps=10)
    weights = [one.get_variable_value("line/w") for one in (estimator, whole)]
    assert weights[0] == pytest.approx(weights[1], rel=1e-6)


@pytest.mark.parametrize("executor", ["lockstep", "pool"])
def test_an_input_that_ends_too_early_is_an_error(executor, tmp_path):
    tf.config.executor = executor
    estimator = made(tmp_path, iterations_per_loop=2)
    with pytest.raises(tf.errors.OutOfRangeError, match="ended with 1 steps left"):
        estimator.train(batches(8, repeat=False), max_steps=3)
    with pytest.raises(tf.errors.OutOfRangeError, match="steps left"):
        estimator.evaluate(batches(4, repeat=False), steps=2)
    deadline = time.monotonic() + 10
    while "tpuref host calls" in {thread.name for thread in threading.enumerate()}:
        assert time.monotonic() < deadline  # it would take what others send
        time.sleep(0.05)


def test_evaluations_between_loops(tmp_path):
    estimator = made(tmp_path, iterations_per_loop=2, run={"save_checkpoints_steps": 2})
    evaluated = []

    class Hook(tf.estimator.SessionRunHook):
        def end(self, session):
            evaluated.append(int(session.run(tf.train.get_global_step())))

    ends = tf.estimator.TrainSpec(batches(20, repeat=False), max_steps=6)
    every = tf.estimator.EvalSpec(batches(4), 1, hooks=[Hook()], throttle_secs=0)
    with pytest.raises(tf.errors.OutOfRangeError, match="ended with 2 steps left"):
        tf.estimator.train_and_evaluate(estimator, ends, every)
    assert evaluated == [2, 4]
    longer = tf.estimator.TrainSpec(batches(20), max_steps=6)
    metrics, _ = tf.estimator.train_and_evaluate(estimator, longer, every)
    assert metrics["global_step"] == 6
    assert evaluated[-1] == 6


def test_nan_stops(tmp_path):
    estimator = made(tmp_path, params={"rate": 1e30}, iterations_per_loop=5)
    refusal = pytest.raises(tf.estimator.NanLossDuringTrainingError, match="NaN loss")
    with np.errstate(all="ignore"), refusal:
        estimator.train(batches(4), max_steps=10)


def test_a_host_call_that_fails_is_the_error_of_training(tmp_path):
    def host_call(loss, step, features):
        def fail(loss):
            return tf.py_func(lambda loss: 1 // 0, [loss], tf.int64)

        return fail, [loss]

    estimator = made(tmp_path, params={"host_call": host_call})
    with pytest.raises(Exception, match="ZeroDivisionError|division"):
        estimator.train(batches(4), max_steps=2)


def without_sum(features, labels, mode, params):
    params["use_tpu"] = False
    return model_fn(features, labels, mode, params)


def of_the_host(features, labels, mode, params):
    loss = tf.reduce_mean(line(features))
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=tf.no_op())


WRONG = [
    ({"train_batch_size": 3}, batches(4), {"max_steps": 1}, "divisible by number"),
    ({}, batches(4), {}, "one of `steps` or `max_steps` must be set"),
    ({}, lambda: None, {"steps": 1}, "does not include params"),
    ({}, lambda params: (1, 2, 3), {"steps": 1}, r"\(features, labels\)"),
    ({}, batches(4, drop=False), {"steps": 1}, "drop_remainder=True"),
    ({"num_shards": 9}, batches(4), {"steps": 1}, "num_shards is not set correctly"),
    ({"model": without_sum}, batches(4), {"steps": 1}, "CrossShardOptimizer must be"),
    ({"model": of_the_host}, batches(4), {"steps": 1}, "must return TPUEstimatorSpec"),
]


@pytest.mark.parametrize(("given", "input_fn", "steps", "message"), WRONG)
def test_wrong_training(given, input_fn, steps, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        made(tmp_path, **given).train(input_fn, **steps)


def test_evaluation_needs_steps_and_prediction_a_dataset(tmp_path):
    estimator = made(tmp_path)
    with pytest.raises(ValueError, match="Evaluate `steps` must be set"):
        estimator.evaluate(batches(4))
    with pytest.raises(TypeError, match=r"must return a tf\.data\.Dataset"):
        next(estimator.predict(lambda params: tf.zeros([4])))


CONSTRUCTIONS = [
    ({"train_batch_size": None}, "`train_batch_size` cannot be `None`"),
    ({"eval_batch_size": 0}, "must be positive"),
    ({"eval_batch_size": "8"}, "must be an integer"),
    ({"params": {"batch_size": 3}}, "reserved keys"),
    ({"iterations_per_loop": 0}, "iterations_per_loop must be positive"),
    ({"num_cores_per_replica": 3}, "must be 1, 2, 4, 8"),
    ({"per_host_input_for_training": 7}, "InputPipelineConfig"),
    ({"run": {"master": "", "cluster": object()}}, "Both master and cluster"),
]


@pytest.mark.parametrize(("given", "message"), CONSTRUCTIONS)
def test_wrong_arguments(given, message, tmp_path):
    with pytest.raises((ValueError, TypeError), match=message):
        made(tmp_path, **given)


def test_summaries_of_the_model_are_left_out(tmp_path, caplog):
    def model(features, labels, mode, params):
        tf.summary.scalar("inside", tf.reduce_mean(features))
        return model_fn(features, labels, mode, params)

    made(tmp_path, model).train(batches(4), max_steps=2)
    assert "write them in a host_call" in caplog.text


def test_lines_of_progress(tmp_path, caplog):
    caplog.set_level("INFO", logger="tensorflow")
    counts = {"log_step_count_steps": 2}
    made(tmp_path, iterations_per_loop=2, run=counts).train(batches(4), max_steps=6)
    for said in ("loss = ", "step = 2", "examples/sec: ", "Loss for final step: "):
        assert said in caplog.text
    tags = set()
    for path in tmp_path.glob("events*"):
        for event in tf.train.summary_iterator(str(path)):
            tags |= {value.tag for value in event.summary.value}
    assert {"loss", "global_step/sec", "examples/sec"} <= tags
