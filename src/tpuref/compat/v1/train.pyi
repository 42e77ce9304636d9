"""The names under ``tf.compat.v1.train``."""

from tpuref.compat.v1._hooks import *
from tpuref.compat.v2.train import *
from tpuref.interface.checkpoints.initialization import init_from_checkpoint as init_from_checkpoint
from tpuref.interface.checkpoints.saver import Saver as Saver
from tpuref.interface.checkpoints.saver import SaverDef as SaverDef
from tpuref.interface.checkpoints.state import generate_checkpoint_state_proto as generate_checkpoint_state_proto
from tpuref.interface.checkpoints.state import update_checkpoint_state as update_checkpoint_state
from tpuref.interface.checkpoints.stored import CheckpointReader
from tpuref.interface.checkpoints.stored import checkpoint_exists as checkpoint_exists
from tpuref.interface.checkpoints.stored import remove_checkpoint as remove_checkpoint
from tpuref.interface.cluster_resolver.server import Server as Server
from tpuref.interface.summary.event_file import summary_iterator as summary_iterator
from tpuref.interface.training.adadelta import AdadeltaOptimizer as AdadeltaOptimizer
from tpuref.interface.training.adagrad import AdagradOptimizer as AdagradOptimizer
from tpuref.interface.training.adam import AdamOptimizer as AdamOptimizer
from tpuref.interface.training.ftrl import FtrlOptimizer as FtrlOptimizer
from tpuref.interface.training.global_step import assert_global_step as assert_global_step
from tpuref.interface.training.global_step import create_global_step as create_global_step
from tpuref.interface.training.global_step import get_global_step as get_global_step
from tpuref.interface.training.global_step import get_or_create_global_step as get_or_create_global_step
from tpuref.interface.training.global_step import global_step as global_step
from tpuref.interface.training.gradient_descent import GradientDescentOptimizer as GradientDescentOptimizer
from tpuref.interface.training.learning_rate_decay import cosine_decay as cosine_decay
from tpuref.interface.training.learning_rate_decay import exponential_decay as exponential_decay
from tpuref.interface.training.learning_rate_decay import inverse_time_decay as inverse_time_decay
from tpuref.interface.training.learning_rate_decay import piecewise_constant as piecewise_constant
from tpuref.interface.training.learning_rate_decay import piecewise_constant_decay as piecewise_constant_decay
from tpuref.interface.training.learning_rate_decay import polynomial_decay as polynomial_decay
from tpuref.interface.training.momentum import MomentumOptimizer as MomentumOptimizer
from tpuref.interface.training.monitored_session import MonitoredSession as MonitoredSession
from tpuref.interface.training.monitored_session import SingularMonitoredSession as SingularMonitoredSession
from tpuref.interface.training.monitored_training_session import MonitoredTrainingSession as MonitoredTrainingSession
from tpuref.interface.training.optimizer import Optimizer as Optimizer
from tpuref.interface.training.rmsprop import RMSPropOptimizer as RMSPropOptimizer
from tpuref.interface.training.scaffold import Scaffold as Scaffold
from tpuref.interface.training.session_creator import ChiefSessionCreator as ChiefSessionCreator
from tpuref.interface.training.session_creator import SessionCreator as SessionCreator
from tpuref.interface.training.session_creator import WorkerSessionCreator as WorkerSessionCreator
from tpuref.interface.training.warm_start import warm_start as warm_start

NewCheckpointReader = CheckpointReader
