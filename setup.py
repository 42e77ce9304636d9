"""Packages, and the compiled kernels; everything else stands in pyproject.toml."""

import glob
import os
import sys

from setuptools import Extension, find_namespace_packages, find_packages, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CCompilerError, ExecError, PlatformError

KERNELS = sorted(glob.glob("src/tpuref/kernels/cython/*.pyx"))

# With TPUREF_SANITIZE=1 the first fault in a kernel ends the process with a report.
SANITIZED = os.environ.get("TPUREF_SANITIZE") == "1"
SANITIZERS = [
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
    "-fno-omit-frame-pointer",
    "-g",
]

CANNOT_COMPILE = """
tpuref's kernels could not be compiled: {error}

They need a C compiler and the headers of this Python:
  Debian, Ubuntu   apt install gcc python3-dev
  Fedora           dnf install gcc python3-devel

To do without a compiler set TPUREF_PURE=1 and install again: the NumPy kernels are
slower, and give the same bits except in convolutions, which they round differently.
"""


class BuildKernels(build_ext):
    """Compile the kernels, as many at a time as there are processors."""

    def finalize_options(self):
        super().finalize_options()
        if self.parallel is None:
            self.parallel = True

    def run(self):
        try:
            super().run()
        except (CCompilerError, ExecError, PlatformError) as error:
            raise PlatformError(CANNOT_COMPILE.format(error=error)) from error

    def build_extensions(self):
        for extension in self.extensions:
            # Kernels read neither errno nor traps of arithmetic; GCC makes vectors of
            # more loops without them.
            extension.extra_compile_args = [
                "-O3",
                "-fno-math-errno",
                "-fno-trapping-math",
            ]
            if SANITIZED:
                extension.extra_compile_args += SANITIZERS
                extension.extra_link_args = SANITIZERS
            else:  # Python's own flags ask for symbols, 5 of 6 MB
                extension.extra_compile_args.append("-g0")
        super().build_extensions()


def folders_of_the_suite():
    """The packages of the suite and its folders of data."""
    return find_namespace_packages("conformance", exclude=["*__pycache__*"])


def kernel_extensions():
    """The extension modules: none when TPUREF_PURE=1, or where no core pool runs."""
    if os.environ.get("TPUREF_PURE") == "1" or sys.platform != "linux":
        return []
    from Cython.Build import cythonize

    return cythonize(
        [
            Extension(
                "tpuref.kernels.cython." + os.path.basename(path)[: -len(".pyx")],
                [path],
                depends=glob.glob("src/tpuref/kernels/cython/*.h"),
            )
            for path in KERNELS
        ],
        build_dir="build/cython",
    )


setup(
    packages=[
        *find_packages("src"),
        "tpuref_conformance",
        *("tpuref_conformance." + name for name in folders_of_the_suite()),
    ],
    package_dir={"": "src", "tpuref_conformance": "conformance"},
    package_data={
        "tpuref": [
            "py.typed",
            "**/*.pyi",
            "names/*.txt",
            "names/releases.txt.gz",
            "tools/error_catalogue/catalogue.txt",
        ],
        "tpuref.kernels.cython": ["*.h", "*.p[xy][xd]"],
    },
    include_package_data=True,
    ext_modules=kernel_extensions(),
    cmdclass={"build_ext": BuildKernels},
    # A place of its own, or the next build would take its objects for current ones.
    options={"build": {"build_base": "build/sanitized"}} if SANITIZED else {},
)
