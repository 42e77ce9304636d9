"""The plugin in runs of pytest of its own."""

import importlib.metadata
import os
from pathlib import Path

import pytest

import tpuref

pytest_plugins = ["pytester"]

PLUGIN = "tpuref.testing.pytest_plugin"
SETTINGS = """
[pytest]
addopts = --strict-markers --strict-config -p no:cacheprovider
filterwarnings = error
"""


@pytest.fixture(autouse=True)
def alone(pytester, monkeypatch):
    """Let inner runs have this tpuref, no other plugins, and no settings from here."""
    for name in list(os.environ):
        if name.startswith(("COV_", "PYTEST_", "TPUREF_")) and name != "TPUREF_KERNELS":
            monkeypatch.delenv(name)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTHONPATH", str(Path(tpuref.__file__).resolve().parents[1]))
    pytester.makeini(SETTINGS)


def run(pytester, *arguments):
    return pytester.runpytest_subprocess("-p", PLUGIN, *arguments, timeout=300)


def passed(result, count):
    assert result.ret == 0
    result.assert_outcomes(passed=count)


def test_a_test_for_each_system(pytester):
    pytester.makepyfile(
        """
        import pytest
        import tpuref as tf

        used = []

        @pytest.fixture
        def sums():
            return tf.tpu.replicate(tf.tpu.cross_replica_sum, [[1.0]] * tf.config.cores)

        @pytest.mark.tpu(cores=[1, 2], executor=["lockstep", "pool"], timeout=200)
        def test_sum(sums, tpu_system):
            cores = tpu_system.cores
            assert tpu_system.evaluate(sums) == [(cores,)] * cores
            assert tf.config.executor == tpu_system.executor
            if tpu_system.executor == "pool" and cores == 2:
                used.append(pids())

        @pytest.mark.tpu(cores=2, executor="pool")
        class TestClass:
            @pytest.mark.tpu(executor="lockstep")
            def test_closer(self, tpu_system):
                assert (tpu_system.cores, tpu_system.executor) == (2, "lockstep")

            def test_strategy(self, tpu_strategy):
                assert tpu_strategy.num_towers == 2
                used.append(pids())

        @pytest.mark.tpu(topology="1x2x1")
        def test_topology(tpu_system):
            assert tpu_system.topology.mesh_shape.tolist() == [1, 2, 1]

        def test_that_says_nothing(tpu_system):
            assert (tpu_system.cores, tpu_system.executor) == (3, "lockstep")

        def pids():
            from tpuref.engine.runtime.system import LOCAL, LOCAL_JOB
            return LOCAL._systems[LOCAL_JOB]._executor.process_ids

        def test_the_same_processes():
            assert len(used) == 2 and used[0] == used[1]
        """
    )
    pytester.makeconftest(
        """
        import tpuref as tf

        tf.config.cores, tf.config.executor = 3, "lockstep"
        """
    )
    result = run(pytester, "-v")
    passed(result, 9)
    result.stdout.fnmatch_lines(
        [
            "*test_sum?cores=1-lockstep?*",
            "*TestClass::test_closer?cores=2-lockstep?*",
            "*test_sum?cores=2-pool?*",  # tests of one system, one by one
            "*TestClass::test_strategy?cores=2-pool?*",
            "*test_topology?topology=1x2x1?*",
            "*test_that_says_nothing PASSED*",
        ]
    )


def test_tests_do_not_see_each_other(pytester):
    pytester.makepyfile(
        """
        import pytest
        import tpuref as tf

        outside = tf.constant(1.0, name="outside")
        pytestmark = pytest.mark.tpu(cores=2, executor="lockstep")

        def clean():
            assert not tf.get_default_graph().get_operations()
            assert not tf.executing_eagerly()
            assert tf.get_default_session() is None
            assert (tf.config.cores, tf.config.timeout) == (2, 120.0)

        def test_graph(tpu_system):
            clean()
            tf.get_variable("v", initializer=1.0)
            tf.config.timeout = 5
            tf.config.cores = 4
            tpu_system.session.run(tf.tpu.shutdown_system())
            assert 0, "expected"

        def test_eager():
            clean()
            tf.enable_eager_execution()
            assert float(tf.constant(1.0) + 1.0) == 2.0

        def test_reset(tpu_system):
            clean()
            v = tf.get_variable("v", initializer=tf.zeros([2]))
            assert tpu_system.evaluate(v).tolist() == [0, 0]
            assert tpu_system.evaluate(v.assign_add([1, 1])).tolist() == [1, 1]
            w = tf.Variable(2.0)
            assert tpu_system.evaluate([v, w])[0].tolist() == [1, 1]
            tf.reset_default_graph()
            clean()

        @pytest.fixture
        def plain():
            assert tf.get_default_graph() is not outside.graph

        def test_fixtures_come_later(plain, tpu_system):
            assert tpu_system.session is tpu_system.session
        """
    )
    pytester.makepyfile(
        test_without="""
        import tpuref as tf

        def test_nothing_is_left():
            assert tf.config.cores is None
            sums = tf.tpu.replicate(tf.tpu.cross_replica_sum, [[1.0]] * 3)
            with tf.config.override(executor="lockstep"), tf.Session() as session:
                assert session.run(sums)[0] == (3.0,)
        """
    )
    result = run(pytester, "-v")
    result.assert_outcomes(passed=4, failed=1)
    result.stdout.fnmatch_lines(["*AssertionError: expected*"])


def test_a_test_that_takes_too_long(pytester):
    pytester.makepyfile(
        """
        import os
        import signal
        import threading
        import time

        import pytest
        import tpuref as tf

        pytestmark = pytest.mark.tpu(cores=2, executor="pool", timeout=0)

        def test_first(tpu_system):
            sums = tf.tpu.replicate(tf.tpu.cross_replica_sum, [[1.0]] * 2)
            assert tpu_system.evaluate(sums)[1] == (2.0,)

        @pytest.mark.tpu(timeout=3)
        def test_stuck(tpu_system):
            def forever(x):
                return tf.while_loop(lambda k: k < 5, lambda k: k * 1, [x])

            tpu_system.evaluate(tf.tpu.replicate(forever, [[1], [7]]))

        def test_second(tpu_system):
            test_first(tpu_system)
            os.kill(pids()[0], signal.SIGKILL)
            while state(pids()[0]) != "Z":
                time.sleep(0.01)

        def test_third(tpu_system):
            test_first(tpu_system)

        def pids():
            from tpuref.engine.runtime.system import LOCAL, LOCAL_JOB
            return LOCAL._systems[LOCAL_JOB]._executor.process_ids

        def state(pid):
            with open(f"/proc/{pid}/stat") as file:
                return file.read().rpartition(")")[2].split()[0]

        @pytest.mark.tpu(timeout=1)
        def test_swallowed():
            nap = threading.Thread(target=time.sleep, args=(60,), name="napping")
            nap.daemon = True
            nap.start()
            try:
                time.sleep(300)
            except BaseException:
                pass

        """
    )
    pytester.makepyfile(
        test_teardown="""
        import time

        import pytest

        @pytest.fixture
        def late(tpu_system):
            yield
            time.sleep(300)

        @pytest.mark.tpu(cores=1, executor="lockstep")
        def test_late(late):
            pass

        def test_that_uses_no_system():
            time.sleep(2)
        """
    )
    result = run(pytester, "-o", "tpu_timeout=1.5", "-v")
    result.assert_outcomes(passed=5, failed=2, errors=1)
    result.stdout.fnmatch_lines(
        [
            "* test_stuck*",
            "*Failed: *test_stuck?cores=2-pool? (call) took longer than 3 s",
            "*Captured stacks call*",
            "the host",
            "  thread MainThread",
            "*test_a_test_that_takes_too_long.py*, in test_stuck",
            "the cores",
            "  core 0 (replica 0, logical core 0, process *) in *built at *",
            "    *Stack (most recent call first):",
            "      File *",
            "  core 1 (*",
            "*it has answered",
            "*Failed: *test_swallowed*took longer than 1 s",
            "  thread napping",
            "*pool: no program runs on its 2 cores",
        ]
    )
    text = result.stdout.str()
    assert "test_late[cores=1-lockstep] (teardown) took longer than 1.5 s" in text
    assert "_pytest" not in text.partition("the host")[2].partition("the cores")[0]


def test_bad_arguments(pytester):
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.tpu(cores=0)
        def test_zero(): pass
        """
    )
    result = run(pytester)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(
        ["test_bad_arguments.py:3: test_zero: tpu(cores=...) must be a positive*"]
    )
    assert "Traceback" not in result.stdout.str()
    result = run(pytester, "-o", "tpu_timeout=soon")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: tpu_timeout: *number of seconds*'soon'"])


def test_a_test_case(pytester):
    pytester.makepyfile(
        """
        import unittest

        import pytest
        import tpuref as tf

        class Case(unittest.TestCase):
            @pytest.mark.tpu(cores=2, executor="lockstep")
            def test_one(self):
                assert tf.config.cores == 2

            @pytest.mark.tpu(cores=[1, 2])
            def test_two(self):
                pass
        """
    )
    result = run(pytester)
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*cannot run a test of unittest.TestCase more than *"])


UNMARKED = """
import sys

def test_what_is_loaded():
    assert "numpy" not in sys.modules
    loaded = {m for m in sys.modules if m.partition(".")[0] == "tpuref"}
    testing = "tpuref.tools.testing"
    assert loaded == {"tpuref", "tpuref.tools", testing, testing + ".pytest_plugin"}
"""


def test_others_are_left_alone(pytester):
    pytester.makepyfile(UNMARKED)
    passed(run(pytester), 1)
    run(pytester, "--markers").stdout.fnmatch_lines(["@pytest.mark.tpu(cores=None, *"])


def test_collecting_loads_little(pytester):
    pytester.makepyfile(
        """
        import sys

        import pytest

        def test_what_is_loaded():
            assert "numpy" not in sys.modules
            assert "tpuref.engine.graph" not in sys.modules

        @pytest.mark.tpu(cores=[1, 2], executor="pool")
        def test_sum(tpu_strategy):
            pass
        """
    )
    run(pytester, "-m", "not tpu").assert_outcomes(passed=1, deselected=2)


def test_it_can_be_left_out(pytester):
    pytester.makepyfile("import pytest\n@pytest.mark.tpu\ndef test_a(): pass")
    result = run(pytester, "-p", f"no:{PLUGIN}")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*'tpu' not found in `markers`*"])


POINTS = importlib.metadata.entry_points(group="pytest11")


@pytest.mark.skipif(
    PLUGIN not in {point.name for point in POINTS},
    reason="tpuref is not installed, so pytest does not find it",
)
def test_pytest_finds_it(pytester, monkeypatch):
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    monkeypatch.setenv("TPUREF_EXECUTOR", "lockstep")
    pytester.makepyfile("def test_a(tpu_system): assert tpu_system.cores == 8")
    passed(pytester.runpytest_subprocess(timeout=300), 1)
    result = pytester.runpytest_subprocess("-p", f"no:{PLUGIN}", timeout=300)
    result.assert_outcomes(errors=1)


def test_a_cloud_of_its_own_for_each_test(pytester):
    pytester.makepyfile(
        """
        import os
        import pytest
        import tpuref as tf

        @pytest.fixture
        def resolver(fake_cloud_tpu):
            fake_cloud_tpu.nodes["my-tpu"] = ["10.1.2.3:8470", "10.1.2.4:8470"]
            return tf.distribute.cluster_resolver.TPUClusterResolver

        def test_a_name(resolver, fake_cloud_tpu):
            pytest.importorskip("googleapiclient")
            anonymous = pytest.importorskip("google.auth.credentials")
            made = resolver("my-tpu", credentials=anonymous.AnonymousCredentials())
            assert made.master() == "grpc://10.1.2.3:8470"
            assert fake_cloud_tpu.requests

        def test_another(fake_cloud_tpu):
            assert not fake_cloud_tpu.nodes and not fake_cloud_tpu.requests
            assert os.environ["GCE_METADATA_HOST"] == fake_cloud_tpu.host

        def test_without():
            assert "GCE_METADATA_HOST" not in os.environ
        """
    )
    result = run(pytester)
    assert result.ret == 0
    outcomes = result.parseoutcomes()
    assert outcomes["passed"] + outcomes.get("skipped", 0) == 3


def test_options_count_where_markers_say_nothing(pytester):
    pytester.makepyfile(
        """
        import unittest
        import pytest

        def test_plain(tpu_system):
            assert tpu_system.executor == "lockstep"

        @pytest.mark.tpu(cores=4)
        def test_marked(tpu_system):
            assert (tpu_system.cores, tpu_system.executor) == (4, "lockstep")

        @pytest.mark.tpu(topology="1x1x2", executor="pool")
        def test_all_said(tpu_system):
            assert (tpu_system.cores, tpu_system.executor) == (2, "pool")

        class TestOld(unittest.TestCase):
            @pytest.fixture(autouse=True)
            def system(self, tpu_system):
                self.cores = tpu_system.cores

            def test_first_of_the_option(self):
                assert self.cores == 1

        def test_without():
            pass
        """
    )
    result = run(pytester, "-v", "--tpu-cores=1,2", "--tpu-executor=lockstep")
    passed(result, 6)
    for name in ("plain[cores=1-lockstep]", "plain[cores=2-lockstep]"):
        result.stdout.fnmatch_lines([f"*::test_{name.replace('[', '[[]')} PASSED*"])


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("--tpu-cores=1,x", "*must be a positive integer*'x'*"),
        ("--tpu-cores=2,2", "*must not repeat*"),
        ("--tpu-executor=gpu", "*must be 'pool' or 'lockstep'*'gpu'*"),
    ],
)
def test_wrong_options(pytester, option, words):
    result = run(pytester, option)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: --tpu-cores, --tpu-executor: {words}"])


def test_tensorflow_is_tpuref(pytester):
    pytester.makeconftest("import tensorflow as tf\nassert tf.__name__ == 'tpuref'")
    pytester.makepyfile(
        """
        import tensorflow.compat.v1 as tf

        def test_sum(tpu_system):
            def computation(x):
                return tf.matmul(x, x)

            tf.tpu.rewrite(computation, [tf.zeros([2, 3])])
        """
    )
    options = ["--tpu-as-tensorflow", "--tpu-executor=lockstep"]
    result = run(pytester, *options)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["tensorflow: tpuref (--tpu-as-tensorflow)"])
    assert "replication.py" not in result.stdout.str()  # only the user's lines
    result = run(pytester, *options, "--full-trace")
    assert "replication.py" in result.stdout.str()


@pytest.mark.parametrize(("release", "kept"), [(1, 0.1), (2, 0.9)])
def test_tensorflow_of_a_release(pytester, release, kept):
    pytester.makepyfile(
        f"""
        import tensorflow as tf
        import tensorflow.compat.v1 as v1

        def test_dropout():
            dropped = tf.nn.dropout(tf.ones([4000]), 0.1)
            kept = tf.reduce_mean(tf.cast(dropped > 0, tf.float32))
            assert tf.executing_eagerly() == ({release} == 2)
            value = kept.numpy() if {release} == 2 else v1.Session().run(kept)
            assert abs(value - {kept}) < 0.03
        """
    )
    option = f"--tpu-as-tensorflow={release}"
    result = run(pytester, option)
    passed(result, 1)
    result.stdout.fnmatch_lines([f"tensorflow: tpuref ({option})"])


@pytest.mark.parametrize("distribution", [[], ["--dist", "loadgroup"]])
def test_xdist_keeps_a_system_in_one_process(pytester, distribution):
    pytest.importorskip("xdist")
    pytester.makepyfile(
        """
        import os
        import pytest
        import tpuref
        from tpuref.base.processors import processors

        @pytest.mark.tpu(cores=[1, 2], executor="lockstep")
        @pytest.mark.parametrize("k", range(4))
        def test_sum(tpu_system, k, request):
            assert os.environ["PYTEST_XDIST_WORKER"]
            assert tpuref.config.processes == max(1, processors() // 2)
            with open(f"cores{tpu_system.cores}", "a") as file:
                print(os.getpid(), file=file)
        """
    )
    passed(run(pytester, "-p", "xdist", "-n", "2", *distribution), 8)
    for cores in (1, 2):
        lines = (pytester.path / f"cores{cores}").read_text().splitlines()
        assert (len(lines), len(set(lines))) == (4, 1)
