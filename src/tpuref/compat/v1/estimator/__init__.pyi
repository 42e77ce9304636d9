"""The names under ``tf.compat.v1.estimator``."""

from tpuref.compat.v1._hooks import *
from tpuref.compat.v1.estimator import export as export
from tpuref.compat.v1.estimator import tpu as tpu
from tpuref.interface.estimator.estimator import Estimator as Estimator
from tpuref.interface.estimator.exporter import BestExporter as BestExporter
from tpuref.interface.estimator.exporter import Exporter as Exporter
from tpuref.interface.estimator.exporter import FinalExporter as FinalExporter
from tpuref.interface.estimator.exporter import LatestExporter as LatestExporter
from tpuref.interface.estimator.mode_keys import ModeKeys as ModeKeys
from tpuref.interface.estimator.run_config import RunConfig as RunConfig
from tpuref.interface.estimator.spec import EstimatorSpec as EstimatorSpec
from tpuref.interface.estimator.train_and_evaluate import EvalSpec as EvalSpec
from tpuref.interface.estimator.train_and_evaluate import TrainSpec as TrainSpec
from tpuref.interface.estimator.train_and_evaluate import train_and_evaluate as train_and_evaluate
from tpuref.interface.training.warm_start import WarmStartSettings as WarmStartSettings
