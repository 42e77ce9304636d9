"""The names under ``tf.compat.v1.estimator.export``."""

from tpuref.estimator.export_outputs import ClassificationOutput as ClassificationOutput
from tpuref.estimator.export_outputs import EvalOutput as EvalOutput
from tpuref.estimator.export_outputs import ExportOutput as ExportOutput
from tpuref.estimator.export_outputs import PredictOutput as PredictOutput
from tpuref.estimator.export_outputs import RegressionOutput as RegressionOutput
from tpuref.estimator.export_outputs import ServingInputReceiver as ServingInputReceiver
from tpuref.estimator.export_outputs import TensorServingInputReceiver as TensorServingInputReceiver
from tpuref.estimator.export_outputs import build_raw_serving_input_receiver_fn as build_raw_serving_input_receiver_fn
