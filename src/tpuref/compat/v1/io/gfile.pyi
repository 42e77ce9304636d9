"""The names under ``tf.compat.v1.io.gfile``."""

from tpuref.interface.files.file import GFile as GFile
from tpuref.interface.files.operations import copy as copy
from tpuref.interface.files.operations import exists as exists
from tpuref.interface.files.operations import glob as glob
from tpuref.interface.files.operations import isdir as isdir
from tpuref.interface.files.operations import join as join
from tpuref.interface.files.operations import listdir as listdir
from tpuref.interface.files.operations import makedirs as makedirs
from tpuref.interface.files.operations import mkdir as mkdir
from tpuref.interface.files.operations import remove as remove
from tpuref.interface.files.operations import rename as rename
from tpuref.interface.files.operations import rmtree as rmtree
from tpuref.interface.files.operations import stat as stat
from tpuref.interface.files.operations import walk as walk
