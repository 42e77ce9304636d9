"""The table of TensorFlow's names, and what to do about them."""

import pytest

from tpuref.names.lookup import first_missing, part_there
from tpuref.names.message import about
from tpuref.names.releases import FILE, table
from tpuref.names.ways_out import WAYS_OUT

ALL = ["1.8", "1.11", "1.15", "2.4", "2.21"]
V1 = "tf.compat.v1"


@pytest.mark.parametrize(
    ("name", "tf", "v1"),
    [
        ("Session", ALL[:3], ALL[2:]),
        ("gradients", ALL, ALL[2:]),
        ("contrib.tpu.TPUEstimator", ALL[:3], []),
        ("contrib.slim.nets.inception", ALL[:3], []),
        ("estimator.tpu.TPUEstimator", ["1.15"], ["1.15", "2.4"]),
        ("tpu.shard", ["1.15"], ALL[2:]),
        ("tpu.experimental.initialize_tpu_system", ALL[2:], ALL[2:]),
        ("app.flags.DEFINE_string", ALL[:3], ALL[2:]),
        ("data.Dataset.list_files", ALL, ALL[2:]),
        ("summary.scalar", ALL, ALL[2:]),
        ("keras.layers.Dense", ALL, ALL[2:]),
        ("shrad", [], []),
    ],
)
def test_releases_of_a_name(name, tf, v1):
    assert (table().releases(name), table().releases(name, V1)) == (tf, v1)


def test_every_release_was_measured():
    assert table().every_release == ALL
    for release in ALL:
        own = [n for n in table().below("") if release in table().releases(n)]
        assert len(own) > 150, release


def test_names_of_one_object():
    assert table().same("debugging.assert_equal")[0] == "assert_equal"
    assert "debugging.assert_equal" in table().same("assert_equal")
    assert table().same("python.tpu.tpu.rewrite")[0] == "tpu.rewrite"
    assert table().same("Session") == ["python.client.session.Session"]
    assert table().same("shrad") == []


def test_the_file_is_small():
    assert FILE.stat().st_size < 150_000


@pytest.mark.parametrize("entry", WAYS_OUT, ids=lambda entry: entry.patterns[:30])
def test_an_entry_is_about_what_is_missing(entry):
    """An entry is taken out once tpuref has the name."""
    for pattern in entry.patterns.split():  # type: ignore[attr-defined]
        if "*" not in pattern:
            assert first_missing(pattern) is not None, pattern


@pytest.mark.parametrize("entry", WAYS_OUT, ids=lambda entry: entry.patterns[:30])
def test_an_entry_says_it_in_sentences(entry):
    sentence = entry.sentence  # type: ignore[attr-defined]
    assert sentence[0].isupper() or sentence.startswith("tpuref ")
    assert sentence.endswith(".")


def test_the_names_that_advice_mentions_are_there():
    for entry in WAYS_OUT:
        for word in entry.sentence.replace("(", " ").replace("`", " ").split():
            name = word.strip(".,:;)")
            if name.startswith("tf."):
                assert first_missing(name.removeprefix("tf.")) is None, entry.sentence


@pytest.mark.parametrize(
    "name",
    ["layers.conv3d", "losses.mean_pairwise_squared_error", "image.ssim",
     "contrib.tpu.keras_to_tpu_model",
     "contrib.tpu.python.tpu.tpu_context.TPUContext", "autograph.to_graph",
     "config.experimental_list_devices", "distribute.CentralStorageStrategy",
     "contrib.framework.variable", "feature_column.input_layer"],
)  # fmt: skip
def test_what_programs_take_most_has_a_way_out(name):
    assert first_missing(name) is not None
    assert about(f"tf.{name}").way_out, name


def test_private_names_lead_to_the_documented_ones():
    for private, public in (
        ("python.tpu.tpu.rewrite", "tf.tpu.rewrite"),
        ("python.framework.ops.get_default_graph", "tf.get_default_graph"),
        ("contrib.tpu.python.tpu.tpu.shard", "tf.contrib.tpu.shard"),
    ):
        assert about(f"tf.{private}").instead[0] == public
    module = about("tf.python.tpu.tpu").advice
    assert module == "Use the documented names, which are in tf.tpu."


@pytest.mark.parametrize(
    "name",
    ["Session", "tpu.shard", "contrib.tpu.shard", "compat.v1.tpu.replicate", "nn.relu",
     "float32.name", "data.Dataset.from_tensors", "random.normal", "config.cores",
     "profiler.experimental", "__version__", "GraphKeys.LOSSES", "compat.v1"],
)  # fmt: skip
def test_what_is_there(name):
    assert first_missing(name) is None


@pytest.mark.parametrize(
    ("name", "missing"),
    [
        ("keras.layers.Dense", "keras.layers"),
        ("tpu.padding", "tpu.padding"),  # a module of tpuref's own
        ("distribute.values", "distribute.values"),
        ("profiler.profile", "profiler.profile"),
        ("data.Dataset.window", "data.Dataset.window"),
        ("config.virtual.x", "config.virtual"),
        ("random.Any", "random.Any"),
    ],
)
def test_what_is_missing(name, missing):
    assert first_missing(name) == missing


def test_attributes_of_values_are_not_looked_at():
    assert part_there("float32.name") == "float32"
    assert part_there("Session.run.x") == "Session.run"
