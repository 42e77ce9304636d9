"""The names under ``tf.compat.v1.test``."""

from tpuref.tools.testing.test_case import TestCase as TestCase
from tpuref.tools.testing.test_case import get_temp_dir as get_temp_dir
from tpuref.tools.testing.test_case import is_built_with_cuda as is_built_with_cuda
from tpuref.tools.testing.test_case import is_gpu_available as is_gpu_available
from tpuref.tools.testing.test_case import main as main
from unittest import mock as mock
