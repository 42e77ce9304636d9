"""Find a TPU by its name and train on it, all on this computer.

A second process is the TPU's host: a ``tf.train.Server`` with eight cores.  A local
Cloud TPU service knows it by name.  The resolver asks that service through Google's
client, and a session on the address it returns trains as ``digits.py`` does.

    pip install tpuref[examples,cloud]
    python examples/resolver.py --epochs 5
"""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator

import digits
import numpy as np
from google.auth.credentials import AnonymousCredentials

import tpuref as tf
from tpuref.testing import FakeCloudTPU

NAME = "my-tpu"


def serve() -> None:
    """Act as the host of a TPU: print the address and serve sessions."""
    server = tf.train.Server({"worker": ["localhost:0"]})
    print(server.target.removeprefix("grpc://"), flush=True)
    server.join()


@contextlib.contextmanager
def host() -> Iterator[str]:
    """Run the host of a TPU in its own process and yield its address."""
    variables = os.environ | {"TPUREF_CORES": str(digits.CORES)}
    command = [sys.executable, __file__, "--serve"]
    with subprocess.Popen(
        command, env=variables, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def find(cloud: FakeCloudTPU) -> tf.distribute.cluster_resolver.TPUClusterResolver:
    """Return the resolver of the TPU, once that is ready."""
    resolver = tf.distribute.cluster_resolver.TPUClusterResolver(
        NAME, credentials=AnonymousCredentials()
    )
    resolver.explain()
    cloud.nodes[NAME].state = "CREATING"
    try:
        resolver.master()
    except RuntimeError as error:
        print(f"not yet: {error}")
    cloud.nodes[NAME].state = "READY"
    return resolver


def main(arguments: list[str] | None = None) -> int:
    """Serve, find, train, compare with NumPy."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--epochs", type=int, default=5)
    options = parser.parse_args(
        arguments, argparse.Namespace(batch=160, rate=0.5, seed=1)
    )
    if options.serve:
        serve()
        return 0
    images, labels, test_images, test_labels = digits.load(options.seed)
    with host() as address, FakeCloudTPU({NAME: address}) as cloud, cloud.environment():
        resolver = find(cloud)
        print(f"{resolver.master()} has {resolver.num_accelerators()} cores")
        trained = digits.train_on_cores(
            "softmax", images, labels, options, resolver.master()
        )
    plain = digits.train_in_numpy("softmax", images, labels, options)
    difference = max(
        float(np.max(np.abs(a - b))) for a, b in zip(trained, plain, strict=True)
    )
    reached = digits.accuracy("softmax", trained, test_images, test_labels)
    print(f"test accuracy: {reached:.3f}")
    print(f"largest difference to NumPy: {difference:.1e}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
