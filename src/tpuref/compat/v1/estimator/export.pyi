"""The names under ``tf.compat.v1.estimator.export``."""

from tpuref.interface.estimator.export_outputs import ClassificationOutput as ClassificationOutput
from tpuref.interface.estimator.export_outputs import EvalOutput as EvalOutput
from tpuref.interface.estimator.export_outputs import ExportOutput as ExportOutput
from tpuref.interface.estimator.export_outputs import PredictOutput as PredictOutput
from tpuref.interface.estimator.export_outputs import RegressionOutput as RegressionOutput
from tpuref.interface.estimator.export_outputs import ServingInputReceiver as ServingInputReceiver
from tpuref.interface.estimator.export_outputs import TensorServingInputReceiver as TensorServingInputReceiver
from tpuref.interface.estimator.export_outputs import build_raw_serving_input_receiver_fn as build_raw_serving_input_receiver_fn
