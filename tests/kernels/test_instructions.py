"""The sets of instructions that the compiled kernels add with."""

import shlex
import subprocess
import sysconfig
from pathlib import Path

import pytest

import tpuref.kernels.cython
from tpuref.kernels.python import links as python

pytestmark = pytest.mark.usefixtures("compiled")


def test_the_instructions_in_use_have_a_name(compiled):
    assert compiled.links.vector_instructions() in ("avx512f", "avx2", "plain")
    assert python.vector_instructions() == "numpy"


@pytest.mark.parametrize(
    "program", ["passes.c", "convolutions.c", "chains.c", "products.c"]
)
def test_all_sets_of_instructions_have_equal_bits(tmp_path, program):
    # This processor takes one set only, so a program of their own compares them all.
    compiler = shlex.split(sysconfig.get_config_var("CC") or "cc")
    source, program = Path(__file__).with_name(program), tmp_path / "program"
    headers = Path(tpuref.kernels.cython.__file__).parent
    command = [*compiler, "-O3", f"-I{headers}", str(source), "-o", str(program), "-lm"]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
    except FileNotFoundError:
        pytest.skip(f"there is no C compiler: {compiler}")
    outcome = subprocess.run([program], capture_output=True, text=True, check=False)
    assert (outcome.stdout, outcome.returncode) == ("equal\n", 0)
