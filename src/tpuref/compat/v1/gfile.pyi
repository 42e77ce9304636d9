"""The names under ``tf.compat.v1.gfile``."""

from tpuref.files.file import GFile as GFile
from tpuref.files.operations import copy
from tpuref.files.operations import exists
from tpuref.files.operations import glob
from tpuref.files.operations import isdir
from tpuref.files.operations import listdir
from tpuref.files.operations import makedirs
from tpuref.files.operations import mkdir
from tpuref.files.operations import remove
from tpuref.files.operations import rename
from tpuref.files.operations import rmtree
from tpuref.files.operations import stat
from tpuref.files.operations import walk

Copy = copy
DeleteRecursively = rmtree
Exists = exists
FastGFile = GFile
Glob = glob
IsDirectory = isdir
ListDirectory = listdir
MakeDirs = makedirs
MkDir = mkdir
Open = GFile
Remove = remove
Rename = rename
Stat = stat
Walk = walk
