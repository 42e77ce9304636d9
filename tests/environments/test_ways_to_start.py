"""The pool in scripts, at prompts, in notebooks, threads and forks."""

import importlib.util
import zipapp

import pytest

from ..crashes.terminals import CONTROL_D, Terminal
from .programs import PROGRAM, RESULT, python

RUN = PROGRAM.partition("with ")[0] + "def run():\n" + "".join(
    f"    {line}\n" for line in ("with " + PROGRAM.partition("with ")[2]).splitlines()
)  # fmt: skip
ALONE = {"OPENBLAS_NUM_THREADS": "1"}  # Python warns of forks beside threads


def written(folder, program):
    """The name of a file with the program."""
    file = folder / "program.py"
    file.write_text(program)
    return str(file)


@pytest.mark.parametrize("options", [["-W", "error"], ["-X", "dev"]])
def test_script_without_a_guard(tmp_path, options):
    assert python(tmp_path, *options, written(tmp_path, PROGRAM)) == RESULT


@pytest.mark.parametrize("how", [["-c", PROGRAM], ["-"], ["-m", "program"]])
def test_other_ways_to_name_a_program(tmp_path, how):
    written(tmp_path, PROGRAM)
    assert python(tmp_path, "-W", "error", *how, stdin=PROGRAM) == RESULT


def test_zipped_application(tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    (source / "__main__.py").write_text(PROGRAM)
    zipapp.create_archive(source, tmp_path / "program.pyz")
    assert python(tmp_path, "-W", "error", str(tmp_path / "program.pyz")) == RESULT


def test_modules_in_the_way(tmp_path):
    """Files of the user that are named as modules that the cores need."""
    for name in ("socket", "select", "marshal", "faulthandler", "numpy"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('not this one')\n")
    loaded = "import sys; own = sys.path.pop(0)\n"
    loaded += "import tpuref.engine.runtime.pool.host.pool\n"
    program = loaded + PROGRAM.replace("with ", "sys.path.insert(0, own)\nwith ", 1)
    assert python(tmp_path, written(tmp_path, program)) == RESULT


def test_prompt():
    with Terminal("-q", "-i", "-W", "error", TPUREF_CORES="2") as terminal:
        lines = PROGRAM.splitlines()
        terminal.enter(lines[:2])
        terminal.enter(lines[2:3])
        terminal.enter([lines[3], ""], prompt="... ")
        terminal.enter(lines[4:5])
        terminal.enter([*lines[5:], ""], prompt="... ")
        assert terminal.expect("\n>>> ").endswith(RESULT.strip())
        terminal.type(CONTROL_D)
        assert terminal.process.wait(60) == 0


NOTEBOOK = """\
import sys
from jupyter_client.manager import start_new_kernel

manager, client = start_new_kernel(
    kernel_name="python3", extra_arguments=["--log-level=ERROR"])
def run(code, interrupt=False):
    said = []
    def hook(message):
        kind, content = message["msg_type"], message["content"]
        if kind == "stream":
            said.append((content["name"], content["text"]))
            if interrupt:
                manager.interrupt_kernel()
        elif kind == "error":
            said.append(("error", content["ename"]))
    client.execute_interactive(code, timeout=60, output_hook=hook, allow_stdin=False)
    return said
print(run(sys.argv[1]))
print(run(sys.argv[2], interrupt=True))
print(run(sys.argv[1]))
client.stop_channels()
manager.shutdown_kernel()
"""
FOREVER = """\
endless = tf.tpu.replicate(lambda r: tf.while_loop(
    lambda i: i < 10**9, lambda i: i + 1, [r]), [[0], [1]])
print("running", flush=True)
tf.Session().run(endless)
"""


@pytest.mark.skipif(
    not all(map(importlib.util.find_spec, ("ipykernel", "jupyter_client"))),
    reason="the extra 'test' brings ipykernel and jupyter_client",
)
def test_notebook(tmp_path):
    settings = {"HOME": str(tmp_path), "JUPYTER_PLATFORM_DIRS": "1"}
    settings["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"
    arguments = ["-W", "ignore", "-c", NOTEBOOK, PROGRAM, FOREVER]
    said = python(tmp_path, *arguments, **settings)
    result = str([("stdout", RESULT)])
    stopped = str([("stdout", "running\n"), ("error", "KeyboardInterrupt")])
    assert said.splitlines() == [result, stopped, result]


@pytest.mark.skipif(
    importlib.util.find_spec("xdist") is None, reason="pytest-xdist is not installed"
)
def test_pytest_workers(tmp_path):
    body = "".join(f"def test_{n}(): run()\n" for n in range(4))
    (tmp_path / "test_it.py").write_text(RUN + body)
    arguments = ["-m", "pytest", "-q", "-n", "2", "-W", "error", "test_it.py"]
    base = ["-p", "no:cacheprovider", "--basetemp", str(tmp_path / "base")]
    assert "4 passed" in python(tmp_path, *arguments, *base)


def test_threads(tmp_path):
    body = """\
import threading
def in_a_graph():
    with tf.Graph().as_default():
        run()
threads = [threading.Thread(target=in_a_graph) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""
    assert python(tmp_path, "-W", "error", "-c", RUN + body).split() == ["8.0"] * 8


FORK = """\
import os, sys
run()
sys.stdout.flush()  # or the fork would write it again
child = os.fork()
if not child:
    try:
        run()
    except tf.errors.FailedPreconditionError as error:
        assert f"they belong to process {os.getppid()}" in str(error), error
        assert "initialize_system" in str(error), error
    tf.Session().run(tf.tpu.initialize_system())
    run()
    raise SystemExit(5)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 5
run()
"""


def test_fork(tmp_path):
    """A fork has no cores, says so, and may start its own; its host keeps the old."""
    assert python(tmp_path, "-W", "error", "-c", RUN + FORK, **ALONE) == RESULT * 3


def test_fork_that_dies(tmp_path):
    """It holds no end of the pool open, and ends nothing of it."""
    body = """\
import os, signal
run()
child = os.fork()
if not child:
    os.kill(os.getpid(), signal.SIGKILL)
os.waitpid(child, 0)
run()
"""
    assert python(tmp_path, "-W", "error", "-c", RUN + body, **ALONE) == RESULT * 2


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing_child(tmp_path, method):
    body = f"""\
if __name__ == "__main__":
    import multiprocessing
    context = multiprocessing.get_context("{method}")
    child = context.Process(target=run)
    child.start()
    child.join()
    assert child.exitcode == 0
    run()
"""
    said = python(tmp_path, "-W", "error", written(tmp_path, RUN + body), **ALONE)
    assert said == RESULT * 2


def test_threads_of_openblas_soon_stop_spinning(tmp_path):
    show = "import tpuref, os; print(os.environ['OPENBLAS_THREAD_TIMEOUT'])"
    assert python(tmp_path, "-c", show, OPENBLAS_THREAD_TIMEOUT="20") == "20\n"
    unset = ["env", "-u", "OPENBLAS_THREAD_TIMEOUT"]
    assert python(tmp_path, "-c", show, before=unset) == "16\n"


def test_program_without_standard_streams(tmp_path):
    """As a service may be started: 0, 1 and 2 are then what is opened first."""
    quiet = PROGRAM.replace("print(", "print(file=open('result', 'w'), *(").rstrip()
    file = written(tmp_path, quiet.replace("*(*", "*") + "\n")
    before = ["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh"]
    assert python(tmp_path, file, before=before) == ""
    assert (tmp_path / "result").read_text() == RESULT


def test_children_that_nobody_waits_for(tmp_path):
    ignored = "import signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
    assert python(tmp_path, "-W", "error", "-c", ignored + PROGRAM) == RESULT
