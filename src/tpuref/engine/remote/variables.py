"""Access to the variables of the server for operations on the client."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from tpuref.base.callsite import CallSite
from tpuref.base.dtypes import as_dtype
from tpuref.base.errors import OpError
from tpuref.base.shapes import unknown_shape
from tpuref.base.spec import TensorSpec
from tpuref.engine.configuration import config
from tpuref.engine.ops.definition import OpDef
from tpuref.engine.ops.meaning import Array
from tpuref.engine.ops.state import ASSIGN, IS_INITIALIZED, READ
from tpuref.engine.program import Instr, Program
from tpuref.engine.runtime.meaning.run import Run
from tpuref.engine.runtime.meaning.state import State

_NOWHERE = CallSite("", 0, "", "")


class Runs(Protocol):
    """Something that runs programs on the server."""

    def run(self, program: Program, inputs: Sequence[Array], run: Run) -> list[Array]:
        """Run `program` and return its results."""


class ServerVariables:
    """Access to the variables of a session through programs of one operation.

    Functions of datasets, which run on the client, need this.
    """

    def __init__(self, session: Runs) -> None:
        self._session = session
        self._programs: dict[tuple[str, str], Program] = {}

    def read(self, handle: str) -> Array:
        """Return the value of a variable."""
        # The server returns the variable's type, regardless of this one.
        return self._result(_program(READ, handle, np.dtype(np.float32)))

    def write(self, handle: str, value: Array) -> None:
        """Give a variable a new value."""
        self._result(_program(ASSIGN, handle, value.dtype), value)

    def is_initialized(self, handle: str) -> bool:
        """Return whether the variable has a value."""
        return bool(self._result(_program(IS_INITIALIZED, handle, np.dtype(np.bool_))))

    def _result(self, program: Program, *inputs: Array) -> Array:
        (instr,) = program.instrs
        # The session sends a program once for each Python object, so reuse the object.
        cached = self._programs.setdefault((instr.op, instr.name), program)
        run = Run(state=State(), variables=(), functions={}, timeout=config.timeout)
        try:
            return self._session.run(cached, inputs, run)[0]
        except OpError as error:  # the caller adds its own operation and line
            raise type(error)(error.message) from None


def _program(definition: OpDef, handle: str, dtype: np.dtype[np.generic]) -> Program:
    """Return a program of one operation on a variable."""
    values = {"handle": handle, "dtype": as_dtype(dtype).name, "shape": None}
    attrs = {name: values[name] for name in definition.attributes}
    spec = TensorSpec(unknown_shape(), as_dtype(dtype))
    inputs = (0,) if definition.writes else ()
    instr = Instr(definition.name, handle, inputs, (1,), attrs, (spec,), 0, _NOWHERE)
    return Program(f"{definition.name} {handle}", inputs, (instr,), (1,))
