"""The pytest plugin: fixtures and a marker for tests of TPU programs.

pytest loads it in every run, so nothing here imports NumPy or the rest of tpuref until
a test needs it.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Generator, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tpuref.interface.distribute.tpu_strategy import TPUStrategy
    from tpuref.tools.testing.fake_cloud_tpu import FakeCloudTPU
    from tpuref.tools.testing.lent_system import KeptSystem, TPUSystem
    from tpuref.tools.testing.tpu_marker import Request, Wanted
    from tpuref.tools.testing.watchdog import Watchdog

MARKER = (
    "tpu(cores=None, topology=None, executor=None, timeout=None, compiles=None): run "
    "the test on a "
    "TPU system with that many cores or that mesh, on 'pool', 'lockstep' or 'xla', "
    "once for each value of a list; fail it after timeout seconds, or if its programs "
    "do not compile for a TPU such as 'v3-8', or do not fit."
)
_KEPT: pytest.StashKey[KeptSystem] = pytest.StashKey()
_DEFAULTS: pytest.StashKey[dict[str, Any]] = pytest.StashKey()
_LIMIT: pytest.StashKey[float] = pytest.StashKey()
_WATCHDOG: pytest.StashKey[Watchdog] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options, and the setting for the default timeout."""
    group = parser.getgroup("tpu", "TPU systems of tpuref")
    group.addoption(
        "--tpu-cores",
        metavar="N[,N...]",
        help="run tests that use a TPU system on one with N cores, once for each N, if "
        "their markers name neither cores nor a topology",
    )
    group.addoption(
        "--tpu-executor",
        metavar="NAME[,NAME...]",
        help="run them on 'pool', 'lockstep' or 'xla', if their markers name no "
        "executor",
    )
    group.addoption(
        "--tpu-as-tensorflow",
        action="store_true",
        help="let `import tensorflow` mean tpuref, in all tests and what they start",
    )
    for number in (1, 2):
        group.addoption(
            f"--tpu-as-tensorflow={number}",
            action="store_const",
            const=number,
            dest="tpu_as_tensorflow",
            help=f"the same, with the meaning of TensorFlow {number}",
        )
    parser.addini(
        "tpu_timeout",
        "seconds after which a test on a TPU system fails, with the stacks of host and "
        "cores; 0, the default, means no limit",
        default="0",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(
    early_config: pytest.Config, parser: pytest.Parser, args: list[str]
) -> None:
    """Install tpuref as TensorFlow, and add the suite's options, if requested."""
    # A conftest.py may import tensorflow, so this must happen before any is loaded.
    asked = early_config.known_args_namespace.tpu_as_tensorflow
    if asked or os.environ.get("TPUREF_AS_TENSORFLOW"):
        from tpuref.tools import as_tensorflow

        try:
            as_tensorflow.install(None if asked in (True, False, None) else asked)
        except (ImportError, ValueError) as error:
            raise pytest.UsageError(f"--tpu-as-tensorflow: {error}") from None
    if any(one.split("::")[0] == "tpuref.tools.conformance" for one in args):
        _add_conformance_options(parser)


def _add_conformance_options(parser: pytest.Parser) -> None:
    group = parser.getgroup("tpuref.tools.conformance")
    group.addoption("--subject", metavar="NAME", help="a module or its subject file")
    group.addoption("--known", metavar="FILE", help="its known deviations, as TOML")
    group.addoption(
        "--include-releases",
        action="store_true",
        help="judge it also by what releases of TensorFlow do",
    )


def pytest_report_header(config: pytest.Config) -> str | None:
    """Return a header line if tpuref replaces TensorFlow."""
    asked = config.getoption("tpu_as_tensorflow")
    option = "--tpu-as-tensorflow" + ("" if asked is True else f"={asked}")
    return f"tensorflow: tpuref ({option})" if asked else None


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, and read options and setting."""
    config.addinivalue_line("markers", MARKER)
    _read_timeout(config)
    config.stash[_DEFAULTS] = _defaults(config)


def _defaults(config: pytest.Config) -> dict[str, Any]:
    """Return the options as arguments of the marker."""
    cores: str | None = config.getoption("tpu_cores")
    executor: str | None = config.getoption("tpu_executor")
    if cores is None and executor is None:
        return {}
    from tpuref.tools.testing.tpu_marker import MarkerError, request_of

    arguments: dict[str, Any] = {}
    if cores is not None:
        arguments["cores"] = [int(n) if n.isdecimal() else n for n in cores.split(",")]
    if executor is not None:
        arguments["executor"] = executor.split(",")
    try:
        request_of([pytest.mark.tpu(**arguments)])
    except MarkerError as error:
        raise pytest.UsageError(f"--tpu-cores, --tpu-executor: {error}") from None
    return arguments


def _read_timeout(config: pytest.Config) -> None:
    text = config.getini("tpu_timeout")
    if text == "0":
        return
    from tpuref.tools.testing.tpu_marker import MarkerError, seconds

    try:
        config.stash[_LIMIT] = seconds(text)
    except MarkerError as error:
        raise pytest.UsageError(f"tpu_timeout: {error}") from None


# -- markers ------------------------------------------------------------------


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrize a test by the systems that its markers or the options request."""
    node = metafunc.definition
    uses = node.get_closest_marker("tpu") or "tpu_system" in metafunc.fixturenames
    if not uses:
        return
    systems = _request(node).systems
    if not any(wanted.settings for wanted in systems):
        return
    if "_tpu_wanted" not in metafunc.fixturenames:
        metafunc.fixturenames.append("_tpu_wanted")
    # Session scope, so that tests on the same system run one after another.
    metafunc.parametrize(
        "_tpu_wanted", systems, indirect=True, ids=str, scope="session"
    )


def pytest_itemcollected(item: pytest.Item) -> None:
    """Make a marked test use the system before its own fixtures build anything."""
    names: list[str] = getattr(item, "fixturenames", [])
    if item.get_closest_marker("tpu") is not None or "tpu_system" in names:
        _use_first(item, names)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Return a scheduler that keeps the tests of one system in one process."""
    from tpuref.tools.testing.xdist_groups import SCHEDULINGS

    scheduling = SCHEDULINGS.get(config.getoption("dist"))
    return scheduling(config, log) if scheduling else None


def _use_first(item: pytest.Item, names: list[str]) -> None:
    """Move `tpu_system` before all other fixtures of function scope."""
    # It replaces the default graph, so fixtures that build a graph must come after it.
    if "tpu_system" in names:
        names.remove("tpu_system")
    known = getattr(item, "_fixtureinfo").name2fixturedefs  # noqa: B009
    first = (
        place
        for place, name in enumerate(names)
        if name in known and known[name][-1].scope == "function"
    )
    names.insert(next(first, len(names)), "tpu_system")


def _request(node: pytest.Item, defaults: Mapping[str, Any] | None = None) -> Request:
    """Return the request of a test's markers, completed by the options."""
    from tpuref.tools.testing.tpu_marker import MarkerError, request_of

    try:
        if defaults is None:
            defaults = node.config.stash[_DEFAULTS]
        return request_of(node.iter_markers("tpu"), defaults)
    except MarkerError as error:
        path, line, name = node.location
        pytest.fail(f"{path}:{(line or 0) + 1}: {name}: {error}", pytrace=False)


# -- fixtures ------------------------------------------------------------------


@pytest.fixture(scope="session")
def _tpu_wanted(request: pytest.FixtureRequest) -> Wanted | None:
    return getattr(request, "param", None)


@pytest.fixture(scope="session")
def _tpu_kept(request: pytest.FixtureRequest) -> Iterator[KeptSystem]:
    from tpuref.tools.testing.lent_system import KeptSystem

    kept = KeptSystem()
    request.config.stash[_KEPT] = kept
    yield kept
    del request.config.stash[_KEPT]
    kept.close()


@pytest.fixture
def tpu_system(
    request: pytest.FixtureRequest, _tpu_kept: KeptSystem, _tpu_wanted: Wanted | None
) -> Iterator[TPUSystem]:
    """An initialised TPU system with the size and executor of the `tpu` markers."""
    with _tpu_kept.lent(_tpu_wanted or _only_one(request.node)) as system:
        yield system


def _only_one(node: pytest.Item) -> Wanted:
    """Return the request of a test that cannot run several times."""
    systems = _request(node).systems
    if len(systems) > 1 and len(_request(node, {}).systems) > 1:
        pytest.fail(
            f"{node.nodeid}: pytest cannot run a test of unittest.TestCase more than "
            "once; pass single values to tpu(), or write a plain function",
            pytrace=False,
        )
    return systems[0]


@pytest.fixture
def tpu_strategy(tpu_system: TPUSystem) -> TPUStrategy:
    """A TPUStrategy with a tower on each core of `tpu_system`."""
    from tpuref.interface.cluster_resolver.contrib import TPUClusterResolver
    from tpuref.interface.distribute.tpu_strategy import TPUStrategy

    return TPUStrategy(TPUClusterResolver("local"), steps_per_run=1)


@pytest.fixture
def fake_cloud_tpu() -> Iterator[FakeCloudTPU]:
    """Return a local Cloud TPU service, and direct the environment to it.

    It starts without TPUs: add some to ``fake_cloud_tpu.nodes``.
    """
    from tpuref.tools.testing.fake_cloud_tpu import FakeCloudTPU

    with FakeCloudTPU() as cloud, cloud.environment():
        yield cloud


# -- failures ------------------------------------------------------------------


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """Hide the frames of tpuref in the report, as in the traceback of a program."""
    if call.excinfo is None or "tpuref.base" not in sys.modules:
        return
    from tpuref.base import tracebacks

    if not item.config.getoption("fulltrace"):
        tracebacks.shorten(call.excinfo.value)
        call.excinfo = pytest.ExceptionInfo.from_exception(call.excinfo.value)


# -- timeouts ------------------------------------------------------------------


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, Any, Any]:
    """Watch the setup of a test."""
    with _watch(item, "setup"):
        return (yield)


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Watch a test, and compile its programs if the marker asks for it."""
    compiles = any("compiles" in m.kwargs for m in item.iter_markers("tpu"))
    compiling = _compiling_programs(item) if compiles else contextlib.nullcontext()
    with compiling, _watch(item, "call"):
        return (yield)


@contextlib.contextmanager
def _compiling_programs(item: pytest.Item) -> Iterator[None]:
    """Compile the programs that run in a ``with`` block for the TPUs of the marker."""
    from tpuref.engine.runtime.replication import OBSERVERS
    from tpuref.tools.tpu_compiler.jobs import judge, require_compiler
    from tpuref.tools.tpu_compiler.request import Recorder
    from tpuref.tools.tpu_compiler.targets import targets_of
    from tpuref.tools.tpu_compiler.text import as_text, succeeded

    try:
        require_compiler()
    except ImportError as error:
        pytest.fail(str(error), pytrace=False)
    recorder = Recorder()
    OBSERVERS.append(recorder.observe)
    try:
        yield
    finally:
        OBSERVERS.remove(recorder.observe)
    requests, wanted = recorder.requests.values(), targets_of(_request(item).compiles)
    if not requests:
        pytest.fail("tpu(compiles=...): no replicated program ran", pytrace=False)
    cores = {request.replicas for request in requests} - {1}
    targets = [target for target in wanted if not cores or target.cores in cores]
    report = judge(requests, targets or wanted)
    if not succeeded(report):
        pytest.fail(as_text(report), pytrace=False)


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, Any, Any]:
    """Watch the teardown of a test."""
    with _watch(item, "teardown"):
        return (yield)


@contextlib.contextmanager
def _watch(item: pytest.Item, when: str) -> Iterator[None]:
    limit = _limit(item)
    if not limit:
        yield
        return
    from tpuref.tools.testing.watchdog import Watchdog

    def core_stacks() -> str:
        kept = item.config.stash.get(_KEPT, None)
        return "  none were started" if kept is None else kept.stacks()

    watchdog = Watchdog(f"{item.nodeid} ({when})", limit, core_stacks)
    item.config.stash[_WATCHDOG] = watchdog
    try:
        with watchdog:
            yield
    finally:
        del item.config.stash[_WATCHDOG]
        if watchdog.report is not None:
            item.add_report_section(when, "stacks", watchdog.report)


def _limit(item: pytest.Item) -> float | None:
    """Return the timeout of a test that uses a TPU system."""
    if "tpu_system" not in getattr(item, "fixturenames", ()):
        return None
    own = _request(item).timeout
    return item.config.stash.get(_LIMIT, None) if own is None else own


def pytest_enter_pdb(config: pytest.Config) -> None:
    """Suspend the timeout while a debugger is open."""
    watchdog = config.stash.get(_WATCHDOG, None)
    if watchdog is not None:
        watchdog.call_off()
