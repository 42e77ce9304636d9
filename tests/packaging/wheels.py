"""What every wheel holds."""

import zipfile

SOURCES = {
    "tpuref/py.typed",
    *(f"tpuref/kernels/cython/{name}.pyx" for name in ("padding", "sharding")),
    "tpuref/kernels/cython/status.pxd",
    "tpuref/kernels/python/links.py",
}


def names_in(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())
