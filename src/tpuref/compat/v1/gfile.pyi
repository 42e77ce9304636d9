"""The names under ``tf.compat.v1.gfile``."""

from tpuref.interface.files.file import GFile as GFile
from tpuref.interface.files.gfile import Copy as Copy
from tpuref.interface.files.gfile import DeleteRecursively as DeleteRecursively
from tpuref.interface.files.gfile import Exists as Exists
from tpuref.interface.files.gfile import Glob as Glob
from tpuref.interface.files.gfile import IsDirectory as IsDirectory
from tpuref.interface.files.gfile import ListDirectory as ListDirectory
from tpuref.interface.files.gfile import MakeDirs as MakeDirs
from tpuref.interface.files.gfile import MkDir as MkDir
from tpuref.interface.files.gfile import Remove as Remove
from tpuref.interface.files.gfile import Rename as Rename
from tpuref.interface.files.gfile import Stat as Stat
from tpuref.interface.files.gfile import Walk as Walk

FastGFile = GFile
Open = GFile
