"""What stands around a program: flags, logging, printing, sessions, tests."""

import logging
import os
import sys
import unittest
from pathlib import Path

import numpy as np
import pytest

import tpuref as tf
from tpuref.names.lookup import first_missing

from ..pythons import python


def ran(program, *arguments, folder):
    """Run a program with arguments and return what it writes."""
    path = folder / "program.py"
    path.write_text(program)
    done = python(str(path), *arguments, env={"PYTHONPATH": os.pathsep.join(sys.path)})
    return f"{done.stdout}{done.stderr}status {done.returncode}"


PROGRAM = """
import tpuref as tf
tf.flags.DEFINE_integer("steps", 3, "how many")
tf.app.flags.DEFINE_string(flag_name="name", default_value="x", docstring="whose")
tf.flags.DEFINE_bool("fast", False, "whether")
FLAGS = tf.flags.FLAGS
{before}
def main(argv):
    print(FLAGS.steps, FLAGS.name, FLAGS.fast, argv[1:])
    return 5

{after}
"""


def test_a_program_with_flags(tmp_path):
    program = PROGRAM.format(before="", after="tf.app.run()")
    written = ran(program, "--steps=7", "--fast", "more", folder=tmp_path)
    assert written == "7 x True ['more']\nstatus 5"
    marked = "tf.flags.mark_flag_as_required('name')\nFLAGS.name = None"
    required = ran(PROGRAM.format(before=marked, after="tf.app.run(main)"),
                   folder=tmp_path)  # fmt: skip
    assert "--name must have a value" in required


def test_flags_are_parsed_when_one_is_read(tmp_path):
    program = PROGRAM.format(before="", after="print(FLAGS.steps, 'name' in FLAGS)")
    assert ran(program, "--steps=4", folder=tmp_path) == "4 True\nstatus 0"


def test_without_absl(monkeypatch):
    monkeypatch.setitem(sys.modules, "absl.flags", None)
    monkeypatch.setitem(sys.modules, "absl.app", None)
    for use in (lambda: tf.flags.DEFINE_string("a", "", ""), lambda: tf.app.run(len)):
        with pytest.raises(ImportError, match=r"pip install absl-py"):
            use()


def test_names_that_absl_has():
    assert first_missing("app.flags.DEFINE_string") is None
    with pytest.raises(AttributeError, match="Did you mean tf.flags.DEFINE_list"):
        tf.flags.DEFINE_lst  # noqa: B018


def test_levels_and_lines(caplog):
    with caplog.at_level(logging.DEBUG, logger="tensorflow"):
        tf.logging.info("step %d of %s", 3, "many")
        tf.logging.warn("careful")
        for k in range(5):
            tf.logging.log_first_n(tf.logging.FATAL, "first %d", 2, k)
            tf.logging.log_every_n(tf.logging.ERROR, "every %d", 3, k)
    assert [(record.levelname, record.getMessage()) for record in caplog.records] == [
        ("INFO", "step 3 of many"), ("WARNING", "careful"),
        ("CRITICAL", "first 0"), ("ERROR", "every 0"), ("CRITICAL", "first 1"),
        ("ERROR", "every 3"),
    ]  # fmt: skip
    assert {Path(record.pathname).name for record in caplog.records} == {
        "test_around_programs.py"
    }


def test_what_a_program_shows(tmp_path):
    program = """
import logging
import tpuref as tf
tf.logging.info("hidden")
tf.logging.set_verbosity(tf.logging.INFO)
tf.logging.info("shown")
tf.compat.v1.logging.set_verbosity("ERROR")
tf.logging.warning("hidden")
logging.basicConfig(format="mine %(message)s")
tf.logging.error("once")
"""
    assert ran(program, folder=tmp_path) == "INFO:tensorflow:shown\nmine once\nstatus 0"


def test_print_in_a_graph(capsys, tmp_path, session):
    x = tf.constant([[1, 2], [3, 4]])
    session.run(tf.print("x", x, {"a": tf.constant(b"t")}, [1.5, x[0]], sep="|"))
    assert capsys.readouterr().err == "x|[[1 2]\n [3 4]]|{a: t}|[1.5, [1 2]]\n"
    session.run(tf.print(tf.range(100), output_stream=sys.stdout, summarize=2, end=""))
    assert capsys.readouterr().out == "[0 1 ... 98 99]"
    path = tmp_path / "out"
    to_file = tf.print(tf.constant(1), output_stream=f"file://{path}")
    session.run(to_file)
    session.run(to_file)
    assert path.read_text() == "1\n1\n"
    with pytest.raises(ValueError, match="output_stream must be"):
        tf.print(1, output_stream="somewhere")


def test_print_at_once(capsys, caplog, eager):
    assert tf.print(tf.constant(2.5)) is None
    with caplog.at_level(logging.INFO, logger="tensorflow"):
        tf.print("logged", output_stream=tf.logging.info)
    assert capsys.readouterr().err == "2.5\n"
    assert caplog.messages == ["logged"]


def test_print_the_first_times(capsys, session):
    x = tf.placeholder(tf.int32, [])
    y = tf.Print(x, [x, [1, 2, 3, 4]], "x is ", first_n=2)
    assert [session.run(y, {x: k}) for k in range(4)] == [0, 1, 2, 3]
    assert capsys.readouterr().err == "x is [0][1 2 3...]\nx is [1][1 2 3...]\n"


def test_print_the_first_times_in_a_computation(capsys):
    with tf.config.override(cores=2), tf.Session() as sess:
        result = tf.tpu.replicate(
            lambda v: tf.Print(v, [v], "v ", first_n=3), [[1], [2]]
        )
        for _ in range(3):
            sess.run(result)
    assert capsys.readouterr().err.count("v [") == 3


def test_an_interactive_session():
    session = tf.InteractiveSession()
    assert tf.get_default_session() is session
    assert tf.constant(2.0).eval() == 2.0
    session.close()
    session.close()
    assert tf.get_default_session() is None
    other = tf.Graph()
    with other.as_default():
        x = tf.constant(1)
    session = tf.InteractiveSession(graph=other)
    assert tf.get_default_graph() is other and x.eval() == 1
    session.close()
    assert tf.get_default_graph() is not other


def test_options_that_are_ignored_on_purpose():
    config = tf.ConfigProto(
        allow_soft_placement=True,
        gpu_options=tf.GPUOptions(per_process_gpu_memory_fraction=0.5),
        graph_options=tf.GraphOptions(
            optimizer_options=tf.OptimizerOptions(opt_level=tf.OptimizerOptions.L0)
        ),
        device_count={"GPU": 0},
        intra_op_parallelism_threads=1,
    )
    config.gpu_options.allow_growth = True
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    with tf.Session(config=config) as sess:
        assert sess.run(tf.constant(1)) == 1
    assert tf.ConfigProto().gpu_options is not tf.ConfigProto().gpu_options
    with pytest.raises(TypeError):
        tf.GPUOptions(allow_grwoth=True)


def test_collections_of_a_program(session):
    tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.no_op(name="update"))
    tf.add_to_collections([tf.GraphKeys.LOSSES, "mine"], tf.constant(1.0))
    local = tf.get_variable(
        "count",
        initializer=0.0,
        trainable=False,
        collections=[tf.GraphKeys.LOCAL_VARIABLES],
    )
    assert tf.local_variables() == [local] and not tf.trainable_variables()
    assert tf.global_variables() == [] == tf.moving_average_variables()
    tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, local.assign(3.0).op)
    missing = tf.report_uninitialized_variables()
    assert session.run(missing).tolist() == [b"count"]
    session.run(tf.local_variables_initializer())
    assert session.run(missing).tolist() == []
    session.run(tf.tables_initializer())
    assert session.run(local) == 3.0
    assert [op.name for op in tf.get_collection("update_ops")] == ["update"]
    assert tf.get_collection("losses") == tf.get_collection("mine")


def test_variables_are_not_split():
    for use in (
        lambda: tf.get_variable("v", [4], partitioner=len),
        lambda: tf.variable_scope("s", partitioner=len).__enter__(),
    ):
        with pytest.raises(ValueError, match="not split into parts"):
            use()


class Program(tf.test.TestCase):
    """Each method passes or fails as its name says."""

    __test__ = False  # for pytest

    def pass_sessions(self):
        v = tf.Variable([1.0, 2.0])
        with self.cached_session() as first:
            self.evaluate(v.initializer)
        with self.test_session() as again:
            assert first is again
            self.assertAllClose(v, [1.0, 2.0 + 1e-7])
        with self.session(graph=tf.Graph()) as sess:
            self.assertAllEqual(sess.run(tf.constant([b"a"])), ["a"])
        assert os.path.isdir(self.get_temp_dir())

    def pass_comparisons(self):
        with self.session():
            self.assertAllClose({"a": tf.constant(1.0)}, {"a": 1.0})
            self.assertAllClose([np.ones(2), np.ones(3)], (np.ones(2), np.ones(3)))
            self.assertAllEqual([1, float("nan")], [1, float("nan")])
            self.assertAllCloseAccordingToType(tf.constant(1.001, tf.bfloat16), 1.004)
            self.assertNotAllClose([1.0], [1.1])
            self.assertNear(1.0, 1.05, 0.1)
            self.assertShapeEqual(np.ones((2, 3)), tf.ones([2, 3]))
            self.assertAllInSet([1, 2, 1], {1, 2})
            self.assertAllGreater([2, 3], 1)

    def pass_in_eager_mode(self):
        with tf.eager_execution(), self.session() as sess:
            assert sess is None
            assert self.evaluate(tf.constant(3)) == 3

    def fail_close(self):
        self.assertAllClose([1.0, 2.0], [1.0, 2.1])

    def fail_shapes(self):
        self.assertAllClose([1.0], [1.0, 1.0])

    def fail_equal(self):
        self.assertAllEqual([1, 2], [1, 3])

    def fail_structure(self):
        self.assertAllClose({"a": 1.0}, {"b": 1.0})

    def fail_near(self):
        self.assertArrayNear([1.0, 2.0], [1.0, 2.2], 0.1)

    def fail_not_equal(self):
        self.assertNotAllEqual([1], [1])


@pytest.mark.parametrize(
    "name", [name for name in vars(Program) if name.startswith(("pass_", "fail_"))]
)
def test_a_test_case(name):
    result = unittest.TestResult()
    Program(name).run(result)
    assert not result.errors
    assert bool(result.failures) == name.startswith("fail_")


def test_a_program_of_tests(tmp_path):
    program = """
import tpuref as tf
class One(tf.test.TestCase):
    def test_it(self):
        with self.session():
            self.assertAllEqual(tf.constant([1, 2]), [1, 2])
tf.test.main()
"""
    written = ran(program, folder=tmp_path)
    assert "OK" in written and written.endswith("status 0")


def test_text_and_dimensions():
    assert tf.compat.as_bytes("é") == "é".encode() and tf.compat.as_str(b"a") == "a"
    assert tf.compat.as_str_any(3) == "3"
    with pytest.raises(TypeError, match="expected text or bytes, got 3"):
        tf.compat.as_text(3)  # type: ignore[arg-type]
    assert tf.compat.dimension_value(None) is None


def test_evaluate_without_a_session_opens_the_cached_one():
    case = tf.test.TestCase("evaluate")
    with tf.Graph().as_default():
        variable = tf.Variable(2.0)
        case.evaluate(variable.initializer)
        assert case.evaluate(variable.assign_add(1.0)) == 3.0
        with case.cached_session() as session:
            assert session is not None
            assert session.run(variable) == 3.0
    case.tearDown()
