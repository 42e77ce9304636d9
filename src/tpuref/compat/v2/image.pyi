"""The names under ``tf.compat.v2.image``."""

from tpuref.compat.both.image import *
from tpuref.interface.functions.images import crop_and_resize as crop_and_resize
from tpuref.interface.functions.images import random_crop as random_crop
from tpuref.interface.functions.images import resize_with_pad as resize_with_pad
from tpuref.interface.functions.resizing import ResizeMethod as ResizeMethod
from tpuref.interface.functions.resizing import resize as resize
