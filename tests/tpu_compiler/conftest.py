"""The TPU compiler, where it is installed."""

import pytest

from tpuref.tools.tpu_compiler.jobs import require_compiler


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory):
    """Keep results of the compiler for these tests alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def compiler():
    try:
        require_compiler()
    except ImportError as error:
        pytest.skip(str(error))
