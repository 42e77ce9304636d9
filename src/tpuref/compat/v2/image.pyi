"""The names under ``tf.compat.v2.image``."""

from tpuref.compat.both.image import *
from tpuref.interface.functions.colors import stateless_random_brightness as stateless_random_brightness
from tpuref.interface.functions.colors import stateless_random_contrast as stateless_random_contrast
from tpuref.interface.functions.colors import stateless_random_hue as stateless_random_hue
from tpuref.interface.functions.colors import stateless_random_saturation as stateless_random_saturation
from tpuref.interface.functions.images import crop_and_resize as crop_and_resize
from tpuref.interface.functions.images import random_crop as random_crop
from tpuref.interface.functions.images import resize_with_pad as resize_with_pad
from tpuref.interface.functions.images import stateless_random_crop as stateless_random_crop
from tpuref.interface.functions.images import stateless_random_flip_left_right as stateless_random_flip_left_right
from tpuref.interface.functions.images import stateless_random_flip_up_down as stateless_random_flip_up_down
from tpuref.interface.functions.images import transpose as transpose
from tpuref.interface.functions.resizing import ResizeMethod as ResizeMethod
from tpuref.interface.functions.resizing import resize as resize
