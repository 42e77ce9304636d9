"""Where compiled programs are kept for later processes."""

import pytest

from ..pythons import python
from .conftest import ONE_DEVICE

pytest.importorskip("jax")
pytestmark = ONE_DEVICE


SCRIPT = """
import jax
from tpuref.engine.runtime.xla.executor import XlaExecutor
XlaExecutor()
print(jax.config.jax_compilation_cache_dir)
"""


def folder(**variables):
    return python("-c", SCRIPT, env=variables, check=True).stdout.strip()


def test_programs_are_kept_in_the_users_cache(tmp_path):
    assert folder(XDG_CACHE_HOME=str(tmp_path)) == str(tmp_path / "tpuref" / "xla")
    assert (tmp_path / "tpuref" / "xla").is_dir()


def test_a_folder_of_the_users_choice_stays(tmp_path):
    chosen = str(tmp_path / "mine")
    variables = {"XDG_CACHE_HOME": str(tmp_path), "JAX_COMPILATION_CACHE_DIR": chosen}
    assert folder(**variables) == chosen
    assert not (tmp_path / "tpuref").exists()


def test_without_a_place_to_write_nothing_is_kept(tmp_path):
    (tmp_path / "file").touch()
    assert folder(XDG_CACHE_HOME=str(tmp_path / "file")) == "None"
