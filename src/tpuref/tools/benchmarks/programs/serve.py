"""Take steps of programs in a TensorFlow of another interpreter, for `programs.py`.

Run as a file.  It reads requests as lines of JSON and writes answers.
"""

import importlib
import json
import os
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")


def main():
    """Answer requests until the input ends."""
    answers, sys.stdout = sys.stdout, sys.stderr
    runs = importlib.import_module("runs")  # of this folder
    tf = importlib.import_module("tensorflow")

    def answer(**values):
        answers.write(json.dumps(values) + "\n")
        answers.flush()

    answer(release=tf.__version__)
    prepared = {}
    for line in sys.stdin:
        name, steps = json.loads(line)
        if name not in prepared:
            build = runs.loop if name in runs.LOOPS else runs.graph
            api = tf if name in runs.LOOPS else tf.compat.v1
            prepared[name] = build(api, name)
        began = time.time()
        losses = prepared[name](steps)
        answer(losses=losses, seconds=time.time() - began)


if __name__ == "__main__":
    main()
