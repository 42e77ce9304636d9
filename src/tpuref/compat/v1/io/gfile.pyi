"""The names under ``tf.compat.v1.io.gfile``."""

from tpuref.files.file import GFile as GFile
from tpuref.files.operations import copy as copy
from tpuref.files.operations import exists as exists
from tpuref.files.operations import glob as glob
from tpuref.files.operations import isdir as isdir
from tpuref.files.operations import listdir as listdir
from tpuref.files.operations import makedirs as makedirs
from tpuref.files.operations import mkdir as mkdir
from tpuref.files.operations import remove as remove
from tpuref.files.operations import rename as rename
from tpuref.files.operations import rmtree as rmtree
from tpuref.files.operations import stat as stat
from tpuref.files.operations import walk as walk
