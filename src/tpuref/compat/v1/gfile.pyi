"""The names under ``tf.compat.v1.gfile``."""

from tpuref.files.file import GFile as GFile
from tpuref.files.gfile import Copy as Copy
from tpuref.files.gfile import DeleteRecursively as DeleteRecursively
from tpuref.files.gfile import Exists as Exists
from tpuref.files.gfile import Glob as Glob
from tpuref.files.gfile import IsDirectory as IsDirectory
from tpuref.files.gfile import ListDirectory as ListDirectory
from tpuref.files.gfile import MakeDirs as MakeDirs
from tpuref.files.gfile import MkDir as MkDir
from tpuref.files.gfile import Remove as Remove
from tpuref.files.gfile import Rename as Rename
from tpuref.files.gfile import Stat as Stat
from tpuref.files.gfile import Walk as Walk

FastGFile = GFile
Open = GFile
