"""Other platforms: what does not need the core pool works there, on lockstep."""

import json
import os
import sys

import pytest

from ..pythons import python
from .platforms import SITECUSTOMIZE

SUMS = """\
import sys
import tpuref as tf

outputs = tf.tpu.replicate(tf.tpu.cross_replica_sum, [[1.0], [2.0], [3.0]])
with tf.Session() as session:
    print([float(total) for total, in session.run(outputs)])
print(sys.platform, tf.config.executor, file=sys.stderr)
"""
WARNING = "[TPUREF-W254]"


def run(tmp_path, platform, *arguments, **variables):
    (tmp_path / "sitecustomize.py").write_text(SITECUSTOMIZE)
    settings = dict.fromkeys(name for name in os.environ if name[:7] == "TPUREF_")
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    settings |= {"PYTHONPATH": path, "PLATFORM": platform, **variables}
    return python(*arguments, env=settings, cwd=tmp_path)


@pytest.fixture(params=["darwin", "win32"])
def platform(request):
    name: str = request.param
    return name


def test_the_pool_falls_back_with_one_warning(tmp_path, platform):
    again = "\nwith tf.Session() as session:\n    session.run(outputs)\n"
    (tmp_path / "sums.py").write_text(SUMS + again)
    done = run(tmp_path, platform, "sums.py")
    assert done.stdout == "[6.0, 6.0, 6.0]\n", done.stderr
    assert done.stderr.count(WARNING) == 1
    assert done.stderr.splitlines()[-1] == f"{platform} lockstep"
    done = run(tmp_path, platform, "sums.py", TPUREF_EXECUTOR="lockstep")
    assert (done.stdout, done.stderr) == ("[6.0, 6.0, 6.0]\n", f"{platform} lockstep\n")


@pytest.mark.parametrize(
    "taken", ["os.sched_getaffinity", "signal.SIGUSR1", "os.memfd_create"]
)
def test_the_pool_without_one_function(tmp_path, taken):
    """Linux distributions, and Pythons built for old kernels, may lack one of them."""
    module, _, name = taken.partition(".")
    line = f"import {module}; assert not hasattr({module}, {name!r})\n"
    (tmp_path / "sums.py").write_text(line + SUMS)
    done = run(tmp_path, taken, "sums.py", TPUREF_EXECUTOR="pool")
    assert (done.stdout, done.stderr) == ("[6.0, 6.0, 6.0]\n", "linux pool\n")


def test_the_command(tmp_path):
    platform = "win32"  # which lacks what macOS lacks, and more
    (tmp_path / "sums.py").write_text(SUMS)
    done = run(tmp_path, platform, "-m", "tpuref", "run", "--cores", "3", "sums.py")
    assert done.stdout == "[6.0, 6.0, 6.0]\n"
    done = run(tmp_path, platform, "-m", "tpuref", "doctor", "--json")
    facts = json.loads(done.stdout)
    assert facts["executor"] == "lockstep"
    assert done.returncode == 0, facts
    for arguments in (["topology", "2x2x2"], ["explain", "E021"], ["port", "sums.py"]):
        done = run(tmp_path, platform, "-m", "tpuref", *arguments)
        assert (done.returncode, done.stderr) == (0, "")
    done = run(tmp_path, platform, "-m", "tpuref", "bench", "steps")
    assert done.returncode == 2
    assert "measures the core pool, which needs Linux" in done.stderr


def test_resolvers_and_the_fake_cloud(tmp_path, platform):
    pytest.importorskip("googleapiclient")
    (tmp_path / "resolve.py").write_text(
        "import tpuref as tf\n"
        "from tpuref.testing import FakeCloudTPU\n"
        "resolver = tf.contrib.cluster_resolver.TPUClusterResolver\n"
        "for _ in range(2):\n"
        "    with FakeCloudTPU({'a': '10.1.2.3:8470'}) as cloud, cloud.environment():\n"
        "        print(resolver('a').master())\n"
        "print(resolver('local').get_master() is not None)\n"
        "with tf.Session(resolver('local').get_master()) as session:\n"
        "    session.run(tf.tpu.initialize_system())\n"
        "    print(len(session.list_devices()))\n"
    )
    done = run(tmp_path, platform, "resolve.py")
    assert done.stdout.split() == ["grpc://10.1.2.3:8470"] * 2 + ["True", "9"], (
        done.stderr
    )


def test_the_pytest_plugin(tmp_path, platform):
    (tmp_path / "test_sums.py").write_text(
        "import time\n"
        "import pytest\n"
        "import tpuref as tf\n\n"
        "@pytest.mark.tpu(cores=[1, 2], executor=['pool', 'lockstep'], timeout=60)\n"
        "def test_sum(tpu_system):\n"
        "    sums = tf.tpu.replicate(\n"
        "        tf.tpu.cross_replica_sum, [[1.0]] * tpu_system.cores)\n"
        "    assert tpu_system.executor == 'lockstep'\n"
        "    assert tpu_system.evaluate(sums)[0] == (tpu_system.cores,)\n\n"
        "@pytest.mark.tpu(timeout=1)\n"
        "def test_slow(tpu_system):\n"
        "    for _ in range(500):\n"
        "        time.sleep(0.1)\n"
    )
    plugin = ["-p", "tpuref.testing.pytest_plugin", "-p", "no:cacheprovider"]
    done = run(
        tmp_path,
        platform,
        *("-m", "pytest", "-q", "-c", os.devnull, "--rootdir", str(tmp_path)),
        # Otherwise it also looks at the folders around, which other tests remove.
        *("--confcutdir", str(tmp_path), *plugin, "test_sums.py"),
        PYTEST_DISABLE_PLUGIN_AUTOLOAD="1",
    )
    assert "4 passed" in done.stdout and "1 failed" in done.stdout, done.stdout
    assert "took longer than 1 s" in done.stdout


def test_the_suite_on_a_mac(tmp_path):
    done = run(
        tmp_path,
        "darwin",
        *("-m", "tpuref", "conformance", "--smoke", "--subject", "tpuref-lockstep"),
    )
    assert done.returncode == 0, done.stdout + done.stderr
