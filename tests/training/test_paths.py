"""Directories given as bytes or as path objects, and names that no file can have."""

from pathlib import Path

import pytest

import tpuref as tf


@pytest.mark.parametrize("kind", [str, Path, lambda text: text.encode()])
def test_directories(kind, tmp_path):
    tf.train.create_global_step()
    step = tf.train.get_global_step().assign_add(1)
    with tf.train.MonitoredTrainingSession(
        checkpoint_dir=kind(f"{tmp_path}/t"), save_summaries_steps=1
    ) as session:
        session.run(step)
    assert {path.name for path in tmp_path.iterdir()} == {"t"}
    assert any("tfevents" in path.name for path in (tmp_path / "t").iterdir())
    config = tf.estimator.RunConfig(model_dir=kind(f"{tmp_path}/m"))
    estimator = tf.estimator.Estimator(lambda features: None, kind(f"{tmp_path}/m"))
    assert config.model_dir == estimator.model_dir == f"{tmp_path}/m"


@pytest.mark.parametrize("name", ["a\0b", "a\ud800"])
def test_names_that_no_file_can_have(name, tmp_path):
    with pytest.raises(tf.errors.InvalidArgumentError, match="no NUL.*E210"):
        tf.train.update_checkpoint_state(str(tmp_path), "m", latest_filename=name)
