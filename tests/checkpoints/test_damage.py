"""Checkpoints that are crafted, altered or cut off, and saves that fail."""

import contextlib
import errno
import json
import os
import random
import re
import resource
import stat
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tpuref as tf
from tpuref.base import error_codes as codes
from tpuref.interface.checkpoints.kept import KeptCheckpoints
from tpuref.interface.checkpoints.stored import remove_save, write_checkpoint
from tpuref.interface.files import filesystem

ALTERATIONS = 3000 if os.environ.get("TPUREF_SOAK") == "full" else 300
VALUES = {
    "a": np.arange(12.0, dtype=np.float32).reshape(3, 4),
    "b/bias": np.arange(5, dtype=np.int64),
    "c": np.array([1 + 2j, 3 - 4j], np.complex64),
    "flag": np.array(True),
    "none": np.zeros((0, 2), np.float16),
}


def loaded(prefix):
    reader = tf.train.load_checkpoint(prefix)
    return {
        name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()
    }


def alter(path, change):
    """Change an index, as one of format 1, which has no checksum of its own."""
    index = json.loads(Path(path).read_text())
    index["format"] = "tpuref checkpoint 1"
    Path(path).write_text(json.dumps(change(index)))


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("remover", ["remove_checkpoint", "rotation"])
@pytest.mark.parametrize("kind", ["parent", "absolute", "here", "NUL", "link", "pipe"])
def test_an_index_names_files_of_its_own_folder(kind, remover, tmp_path, caplog):
    victim, folder = tmp_path / "victim.safetensors", tmp_path / "got"
    folder.mkdir()
    prefix = str(folder / "m-1")
    write_checkpoint(prefix, VALUES)
    os.rename(f"{prefix}.safetensors", victim)
    file = {
        "parent": "../victim.safetensors",
        "absolute": str(victim),
        "here": "./m-1.safetensors",
        "NUL": "m-1\0.safetensors",
    }.get(kind, "m-1.safetensors")
    if kind == "link":
        os.symlink("../victim.safetensors", f"{prefix}.safetensors")
    elif kind == "pipe":
        os.mkfifo(f"{prefix}.safetensors")
    alter(f"{prefix}.index", lambda index: {**index, "file": file})
    with pytest.raises(tf.errors.OpError, match=codes.PATTERN):
        loaded(prefix)
    if remover == "remove_checkpoint":
        others = [name for name in names(folder) if name[-6:] != ".index"]
        tf.train.remove_checkpoint(prefix)
        assert names(folder) == ([] if kind == "pipe" else others)
        assert ("only the index" in caplog.text) == (kind != "pipe")
        return
    kept = KeptCheckpoints("tf.train.Saver", 1, None)
    kept.recover([prefix])
    kept.add(f"{folder}/m-2", write_checkpoint(f"{folder}/m-2", VALUES))
    kept.remove_surplus()
    assert victim.exists() and names(folder)[-2:] == ["m-2.index", "m-2.safetensors"]
    assert ("only the index" in caplog.text) == (kind != "pipe")
    write_checkpoint(prefix, VALUES)
    assert victim.exists() and np.array_equal(loaded(prefix)["a"], VALUES["a"])


def test_what_is_not_the_savers_stays(tmp_path):
    """The state file of a copy names the folder that it was copied from."""
    first, other = tmp_path / "first", tmp_path / "copy"
    first.mkdir(), other.mkdir()
    for step in (1, 2):
        write_checkpoint(f"{first}/m-{step}", VALUES)
    kept = KeptCheckpoints("tf.train.Saver", 1, None)
    kept.recover([f"{first}/m-1", f"{other}/../first/m-2"])
    kept.add(f"{other}/m-3", write_checkpoint(f"{other}/m-3", VALUES))
    kept.remove_surplus()
    assert len(names(first)) == 4
    # A tensor file of another checkpoint, and of the user, of whatever name.
    for name in ("m-3.best.safetensors", "weights.safetensors", "checkpoint"):
        os.replace(f"{other}/m-3.safetensors", f"{other}/{name}")
        alter(f"{other}/m-3.index", lambda index, name=name: {**index, "file": name})
        assert loaded(f"{other}/m-3").keys() == VALUES.keys()
        tf.train.remove_checkpoint(f"{other}/m-3")
        assert names(other) == [name]
        write_checkpoint(f"{other}/m-3", VALUES)
        os.remove(other / name)
    # Another process has saved over it.
    kept.add(f"{other}/m-4", write_checkpoint(f"{other}/m-4", VALUES))
    kept.add(f"{other}/m-5", "")
    write_checkpoint(f"{other}/m-4", VALUES)
    kept.remove_surplus()
    assert loaded(f"{other}/m-4").keys() == VALUES.keys()


@pytest.mark.parametrize("save", [None, "0" * 32])
def test_a_checkpoint_that_another_process_removes_first(save, tmp_path, monkeypatch):
    prefix = f"{tmp_path}/m-1"
    write_checkpoint(prefix, VALUES)
    opened = filesystem.LocalFiles.open_regular

    def remove_then_open(files, path):
        os.remove(path)
        return opened(files, path)

    monkeypatch.setattr(filesystem.LocalFiles, "open_regular", remove_then_open)
    remove_save(prefix, save)
    assert names(tmp_path) == ["m-1.safetensors"]  # which the other process removes


def test_each_flipped_bit_of_a_tensor_is_noticed(tmp_path, caplog):
    prefix = str(tmp_path / "m")
    write_checkpoint(prefix, VALUES)
    file = Path(f"{prefix}.safetensors")
    content = file.read_bytes()
    (length,) = struct.unpack_from("<Q", content)
    for place in range(8 + length, len(content)):
        flipped = bytes([content[place] ^ 4])
        file.write_bytes(content[:place] + flipped + content[place + 1 :])
        fault = f"{file}.*checksum of the tensor '[a-z/]+'"
        with pytest.raises(tf.errors.DataLossError, match=fault):
            loaded(prefix)
    assert not caplog.text
    file.write_bytes(content)
    index = json.loads(Path(f"{prefix}.index").read_text())
    for entry in index["tensors"].values():
        del entry["crc32c"]
    old = {"format": "tpuref checkpoint 1", "file": file.name}
    Path(f"{prefix}.index").write_text(json.dumps({**old, "tensors": index["tensors"]}))
    for _ in range(2):
        for name, value in loaded(prefix).items():
            assert np.array_equal(value, VALUES[name])
    assert caplog.text.count("W217") == 1


HEADER = {"dtype": "F32", "shape": [3, 4], "data_offsets": [0, 48]}


@pytest.mark.parametrize(
    ("index", "header"),
    [
        *(
            (lambda index, key=key, value=value: {**index, key: value}, None)
            for key, value in [
                ("file", None), ("file", 7), ("file", []), ("tensors", None),
                ("tensors", []), ("format", 1), ("tensors", {"a": 5}),
                *(
                    ("tensors", {"a": {"dtype": "float32", **entry}})
                    for entry in (
                        {}, {"shape": 1}, {"shape": [-1]}, {"shape": [1.5]},
                        {"shape": [True]}, {"shape": [0, 2**70]}, {"shape": [1] * 70},
                        {"shape": [3, 4], "crc32c": "x"}, {"shape": [3], "dtype": []},
                        {"shape": [3, 4], "dtype": "string"}, {"shape": [4, 3]},
                    )
                ),
            ]
        ),
        *(
            (None, header)
            for header in [
                b"5", b"[" * 100_000, b"{", b"\xff", b'{"a": {"dtype": "F32"}}',
                b'{"a":{"dtype":"F32","shape":[Infinity],"data_offsets":[0,4]}}',
                *(
                    json.dumps({"a": {**HEADER, **entry}}).encode()
                    for entry in (
                        {"shape": [2**70]}, {"data_offsets": [0, 2**70]},
                        {"data_offsets": 5}, {"data_offsets": [-4, 44]},
                        {"dtype": "F9"}, {"dtype": None}, {"shape": [2**32, 2**32]},
                    )
                ),
            ]
        ),
    ],
)  # fmt: skip
def test_damaged_indexes_and_headers(index, header, tmp_path):
    prefix = str(tmp_path / "m")
    write_checkpoint(prefix, {"a": VALUES["a"]})
    if index is not None:
        alter(f"{prefix}.index", index)
    else:
        content = Path(f"{prefix}.safetensors").read_bytes()
        (length,) = struct.unpack_from("<Q", content)
        Path(f"{prefix}.safetensors").write_bytes(
            struct.pack("<Q", len(header)) + header + content[8 + length :]
        )
    with pytest.raises(tf.errors.DataLossError, match=codes.DAMAGED_FILE):
        loaded(prefix)


@pytest.mark.parametrize(
    "text",
    [
        "", "\n", 'model_checkpoint_path: ""', 'model_checkpoint_path: "m', "m: 5",
        'model_checkpoint_path: "m"\nall_model_checkpoint_timestamps: abc\n',
        "model_checkpoint_path: m", 'model_checkpoint_path: "m\\000"', "\0\0\0", "\xff",
        'model_checkpoint_path: "http://127.0.0.1:9/m"',
    ],
)  # fmt: skip
def test_damaged_state_files(text, tmp_path):
    (tmp_path / "checkpoint").write_text(text)
    with pytest.raises(tf.errors.DataLossError, match=codes.DAMAGED_FILE):
        tf.train.latest_checkpoint(str(tmp_path))


def test_paths_in_state_files(tmp_path):
    """TensorFlow writes absolute paths and octal escapes; users write comments."""
    here = f"{tmp_path}/"
    for written, path in [
        ("m", here + "m"), ("../m", here + "../m"), ("/a/m", "/a/m"),
        (r"b\303\244\t\"m\"\\", here + 'bä\t"m"\\'), ("b\\u00e4", here + "bä"),
        (r"\377\x41", here + "\udcffA"),
    ]:  # fmt: skip
        (tmp_path / "checkpoint").write_text(
            f'# by hand\n\nmodel_checkpoint_path : "{written}" # the best\n'
        )
        state = tf.train.get_checkpoint_state(str(tmp_path))
        assert state is not None and state.model_checkpoint_path == path


def altered(content, chance):
    """Alter a content: bits, bytes, digits, cuts, copies and the like."""
    place, size = chance.randrange(len(content)), chance.randrange(1, 9)
    before, after = content[:place], content[place + size :]
    kind = chance.randrange(6)
    if kind == 0:
        bit = bytes([content[place] ^ 1 << chance.randrange(8)])
        return before + bit + content[place + 1 :]
    if kind == 1:
        return before + chance.randbytes(size) + after
    if kind == 2:  # numbers stay numbers
        digits = [m.start() for m in re.finditer(rb"\d", content)] or [place]
        place = chance.choice(digits)
        digit = str(chance.randrange(10)).encode()
        return content[:place] + digit + content[place + 1 :]
    return [before, before + after, content[: place + size] + content[place:]][kind - 3]


def test_altered_checkpoints(tmp_path):
    """Each restore gives the values of a checkpoint or a typed error."""
    chance = random.Random(28)
    values = {}
    for step in (1, 2):
        values[str(tmp_path / f"m-{step}")] = {
            name: (value + step).astype(value.dtype) for name, value in VALUES.items()
        }
    for prefix, arrays in values.items():
        write_checkpoint(prefix, arrays)
    tf.train.update_checkpoint_state(str(tmp_path), prefix, list(values))
    whole = {path: path.read_bytes() for path in tmp_path.iterdir()}
    targets = [path for path in whole if "m-1" not in path.name]
    results = {"values": 0, "error": 0, "none": 0}
    for _ in range(ALTERATIONS):
        path = chance.choice(targets)
        path.write_bytes(altered(whole[path], chance))
        try:
            last = tf.train.latest_checkpoint(str(tmp_path))
            found = loaded(last) if last is not None else None
        except (tf.errors.OpError, ValueError) as error:
            if not codes.PATTERN.search(str(error)):
                raise
            results["error"] += 1
        else:
            results["none" if found is None else "values"] += 1
            if found is not None:
                expected = values[last]
                assert found.keys() == expected.keys()
                for name, value in found.items():
                    assert value.dtype == expected[name].dtype
                    assert np.array_equal(value, expected[name]), path.read_bytes()
        path.write_bytes(whole[path])
    assert results["error"] > ALTERATIONS // 2 and results["values"]


def test_modes_are_those_of_the_umask(tmp_path):
    before = os.umask(0o027)
    try:
        write_checkpoint(str(tmp_path / "m"), VALUES)
        tf.train.update_checkpoint_state(str(tmp_path), str(tmp_path / "m"))
    finally:
        os.umask(before)
    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o640}


def test_what_killed_saves_leave_is_removed(tmp_path):
    users = ["m.safetensors", "m-1.partial", "m.0123abcd.safetensors", "x.tpuref-1.y"]
    for name in users:
        (tmp_path / name).write_text("precious")
    (tmp_path / "m.tpuref-00000000.partial").symlink_to(tmp_path / users[0])
    prefix = str(tmp_path / "m-9")
    write_checkpoint(prefix, VALUES)
    own = ".tpuref-01234567"
    left = [f"m-9.index{own}.partial", f"checkpoint{own}.partial",
            f"m-7{own}.safetensors", "m-7.safetensors"]  # fmt: skip
    for name in left[:3]:
        (tmp_path / name).touch()
    os.link(tmp_path / left[2], tmp_path / left[3])  # killed before the index was there
    with filesystem.LOCAL._new_file(str(tmp_path / "m-8"), ".safetensors") as live:
        write_checkpoint(prefix, VALUES)
        assert os.path.exists(live.name)
    assert len(names(tmp_path)) == len(users) + 4  # the link, the live one, two of m-9
    write_checkpoint(prefix, VALUES)
    kept = [name for name in names(tmp_path) if not name.startswith("m-9")]
    assert kept == sorted([*users, "m.tpuref-00000000.partial"])
    assert loaded(prefix).keys() == VALUES.keys()


@contextlib.contextmanager
def full_disk(monkeypatch, when):
    """Let the file system refuse the flush of the n-th file."""
    flushes = iter(range(when + 1))
    whole = filesystem._flush_to_disk

    def flush(file):
        if next(flushes) == when:
            raise OSError(errno.ENOSPC, "No space left on device")
        whole(file)

    with monkeypatch.context() as patch:
        patch.setattr(filesystem, "_flush_to_disk", flush)
        yield


@contextlib.contextmanager
def limited_files(size):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("fault", ["tensors", "index", "state", 10, 3000])
def test_saves_without_room(fault, tmp_path, monkeypatch, session):
    v = tf.get_variable("v", initializer=np.arange(2000.0))
    saver = tf.train.Saver()
    session.run(v.initializer)
    path = saver.save(session, str(tmp_path / "m"), global_step=1)
    before = names(tmp_path)
    with (
        limited_files(fault)
        if isinstance(fault, int)
        else full_disk(monkeypatch, ["tensors", "index", "state"].index(fault)),
        pytest.raises(tf.errors.ResourceExhaustedError, match=codes.FILE_FAULT),
    ):
        saver.save(session, str(tmp_path / "m"), global_step=2)
    stored = ["m-2.index", "m-2.safetensors"] if fault == "state" else []
    assert names(tmp_path) == sorted([*before, *stored])
    assert tf.train.latest_checkpoint(str(tmp_path)) == path
    saver.restore(session, path)
    later = saver.save(session, str(tmp_path / "m"), global_step=2)
    assert tf.train.latest_checkpoint(str(tmp_path)) == later
    assert len(names(tmp_path)) == 5


TRAINING = """
import logging, sys
logging.basicConfig(level="WARNING")
import tpuref as tf
def model_fn(features, labels, mode):
    w = tf.get_variable("w", initializer=tf.zeros([1000]))
    loss = tf.reduce_sum((w - features) ** 2)
    step = tf.train.get_global_step()
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)
def input_fn():
    return tf.data.Dataset.from_tensors((tf.ones([1000]), 0.0)).repeat()
config = tf.estimator.RunConfig(sys.argv[1], save_checkpoints_steps=1)
print("ready", flush=True)
sys.stdin.readline()
tf.estimator.Estimator(model_fn, config=config).train(input_fn, max_steps=160)
"""


def test_two_trainings_in_one_directory(tmp_path):
    environment = {**os.environ, "TPUREF_EXECUTOR": "lockstep"}
    both = [
        subprocess.Popen(
            [sys.executable, "-c", TRAINING, str(tmp_path)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, env=environment,
        )
        for _ in range(2)
    ]  # fmt: skip
    for process in both:
        process.stdout.readline()
    for process in both:
        process.stdin.write("\n")
        process.stdin.flush()
    errors = [process.communicate(timeout=120)[1] for process in both]
    assert [process.returncode for process in both] == [0, 0], errors
    warned = [error.count("another process writes checkpoints") for error in errors]
    assert max(warned) == 1, errors
    last = tf.train.latest_checkpoint(str(tmp_path))
    assert last is not None and loaded(last)["w"].min() > 0.99
    indexes = list(tmp_path.glob("*.index"))
    named = {json.loads(index.read_text())["file"] for index in indexes}
    assert named == {path.name for path in tmp_path.glob("*.safetensors")}
    assert not list(tmp_path.glob("*.partial"))


def save(path):
    v = tf.get_variable("v", initializer=1.0)
    with tf.Session() as sess:
        sess.run(v.initializer)
        tf.train.Saver().save(sess, path)


def manage(path):
    with tf.eager_execution():
        checkpoint = tf.train.Checkpoint(x=tf.Variable(1.0))
        tf.train.CheckpointManager(checkpoint, path, 2).save()


def train(path):
    tf.train.create_global_step()
    with tf.train.MonitoredTrainingSession(checkpoint_dir=os.fsdecode(path)) as sess:
        sess.run(tf.train.get_global_step())


def log_events(path):
    writer = tf.summary.FileWriter(path)
    writer.add_summary(tf.Summary(), 1)
    writer.close()


WRITERS = [save, manage, train, log_events,
    tf.gfile.MakeDirs, tf.gfile.MkDir, lambda path: tf.gfile.GFile(path, "w").close(),
    lambda path: tf.train.update_checkpoint_state(path, "m"),
    lambda path: tf.train.Checkpoint().write(path, tf.Session()),
    lambda path: tf.gfile.Copy(__file__, path),
    lambda path: tf.python_io.TFRecordWriter(path).close()]  # fmt: skip
READERS = [tf.train.latest_checkpoint, tf.train.checkpoint_exists, tf.gfile.Exists,
    tf.train.load_checkpoint, tf.train.remove_checkpoint, tf.gfile.IsDirectory,
    tf.gfile.Glob, tf.gfile.ListDirectory, tf.gfile.Remove, tf.gfile.Stat,
    tf.train.get_checkpoint_state, tf.gfile.DeleteRecursively,
    lambda path: tf.gfile.GFile(path).read(),
    lambda path: list(tf.gfile.Walk(path)),
    lambda path: tf.train.Saver(allow_empty=True).recover_last_checkpoints([path]),
    lambda path: list(tf.python_io.tf_record_iterator(path))]  # fmt: skip


@pytest.mark.parametrize("use", WRITERS + READERS)
@pytest.mark.parametrize("name", ["a\0b", "a\ud800b", b"a\0b", "x" * 300, b"\xff\xfe"])
def test_paths_of_every_kind(use, name, tmp_path):
    """A path works or gives a typed error; bytes that are no UTF-8 are a path."""
    valid = name == b"\xff\xfe"
    folder = os.fsencode(tmp_path) if isinstance(name, bytes) else str(tmp_path)
    try:
        use(os.path.join(folder, name))
    except tf.errors.NotFoundError as error:
        if use in WRITERS and (not valid or use in WRITERS[:4]):
            raise
        assert codes.PATTERN.search(str(error))  # noqa: PT017 - or it works
    except tf.errors.InvalidArgumentError as error:
        assert not valid and codes.FILE_FAULT in str(error)  # noqa: PT017
    else:
        assert valid or (len(name) == 300 and use in READERS)
