"""The pytest plugin: fixtures and a marker for tests of TPU programs.

pytest loads it in every run, so nothing here imports NumPy or the rest of tpuref until
a test needs it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tpuref.distribute.tpu_strategy import TPUStrategy
    from tpuref.testing.fake_cloud_tpu import FakeCloudTPU
    from tpuref.testing.lent_system import KeptSystem, TPUSystem
    from tpuref.testing.tpu_marker import Request, Wanted
    from tpuref.testing.watchdog import Watchdog

MARKER = (
    "tpu(cores=None, topology=None, executor=None, timeout=None): run the test on a "
    "TPU system with that many cores or that mesh, on 'pool' or 'lockstep', once for "
    "each value of a list; fail it after timeout seconds."
)
_KEPT: pytest.StashKey[KeptSystem] = pytest.StashKey()
_LIMIT: pytest.StashKey[float] = pytest.StashKey()
_WATCHDOG: pytest.StashKey[Watchdog] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the setting for the default timeout."""
    parser.addini(
        "tpu_timeout",
        "seconds after which a test on a TPU system fails, with the stacks of host and "
        "cores; 0, the default, means no limit",
        default="0",
    )


def pytest_load_initial_conftests(parser: pytest.Parser, args: list[str]) -> None:
    """Add the options of the conformance suite where its tests are asked for."""
    if not any(one.split("::")[0] == "tpuref.conformance" for one in args):
        return
    group = parser.getgroup("tpuref.conformance")
    group.addoption("--subject", metavar="NAME", help="a module or its subject file")
    group.addoption("--known", metavar="FILE", help="its known deviations, as TOML")
    group.addoption(
        "--include-releases",
        action="store_true",
        help="judge it also by what releases of TensorFlow do",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, and read the setting."""
    config.addinivalue_line("markers", MARKER)
    text = config.getini("tpu_timeout")
    if text == "0":
        return
    from tpuref.testing.tpu_marker import MarkerError, seconds

    try:
        config.stash[_LIMIT] = seconds(text)
    except MarkerError as error:
        raise pytest.UsageError(f"tpu_timeout: {error}") from None


# -- markers ------------------------------------------------------------------


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a marked test on each of the systems that it requests."""
    node = metafunc.definition
    if node.get_closest_marker("tpu") is None:
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


def _use_first(item: pytest.Item, names: list[str]) -> None:
    if "tpu_system" in names:
        names.remove("tpu_system")
    known = getattr(item, "_fixtureinfo").name2fixturedefs  # noqa: B009
    first = (
        place
        for place, name in enumerate(names)
        if name in known and known[name][-1].scope == "function"
    )
    names.insert(next(first, len(names)), "tpu_system")


def _request(node: pytest.Item) -> Request:
    from tpuref.testing.tpu_marker import MarkerError, request_of

    try:
        return request_of(node.iter_markers("tpu"))
    except MarkerError as error:
        path, line, name = node.location
        pytest.fail(f"{path}:{(line or 0) + 1}: {name}: {error}", pytrace=False)


# -- fixtures ------------------------------------------------------------------


@pytest.fixture(scope="session")
def _tpu_wanted(request: pytest.FixtureRequest) -> Wanted | None:
    wanted: Wanted | None = getattr(request, "param", None)
    return wanted


@pytest.fixture(scope="session")
def _tpu_kept(request: pytest.FixtureRequest) -> Iterator[KeptSystem]:
    from tpuref.testing.lent_system import KeptSystem

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
    if len(systems) > 1:
        pytest.fail(
            f"{node.nodeid}: pytest cannot run a test of unittest.TestCase more than "
            "once; pass single values to tpu(), or write a plain function",
            pytrace=False,
        )
    return systems[0]


@pytest.fixture
def tpu_strategy(tpu_system: TPUSystem) -> TPUStrategy:
    """A TPUStrategy with a tower on each core of `tpu_system`."""
    from tpuref.cluster_resolver.contrib import TPUClusterResolver
    from tpuref.distribute.tpu_strategy import TPUStrategy

    return TPUStrategy(TPUClusterResolver("local"), steps_per_run=1)


@pytest.fixture
def fake_cloud_tpu() -> Iterator[FakeCloudTPU]:
    """Return a local Cloud TPU service, and direct the environment to it.

    It starts without TPUs: add some to ``fake_cloud_tpu.nodes``.
    """
    from tpuref.testing.fake_cloud_tpu import FakeCloudTPU

    with FakeCloudTPU() as cloud, cloud.environment():
        yield cloud


# -- timeouts ------------------------------------------------------------------


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, Any, Any]:
    """Watch the setup of a test."""
    with _watched(item, "setup"):
        return (yield)


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Watch a test."""
    with _watched(item, "call"):
        return (yield)


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, Any, Any]:
    """Watch the teardown of a test."""
    with _watched(item, "teardown"):
        return (yield)


@contextlib.contextmanager
def _watched(item: pytest.Item, when: str) -> Iterator[None]:
    limit = _limit(item)
    if not limit:
        yield
        return
    from tpuref.testing.watchdog import Watchdog

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
