"""These tests need the extra keras."""

import importlib.util

collect_ignore = []
if importlib.util.find_spec("keras") is None:
    collect_ignore = [
        "test_networks.py",
        "test_one_tensorflow.py",
        "test_wrong_inputs.py",
    ]


def pytest_report_header(config):
    if collect_ignore:
        return "tests/keras: skipped, because Keras is not installed (tpuref[keras])"
    return None
