"""The names under ``tf.compat.v1.image``."""

from tpuref.compat.both.image import *
from tpuref.interface.functions.former_resizing import ResizeMethod as ResizeMethod
from tpuref.interface.functions.former_resizing import resize_area as resize_area
from tpuref.interface.functions.former_resizing import resize_bicubic as resize_bicubic
from tpuref.interface.functions.former_resizing import resize_bilinear as resize_bilinear
from tpuref.interface.functions.former_resizing import resize_image_with_pad as resize_image_with_pad
from tpuref.interface.functions.former_resizing import resize_images as resize_images
from tpuref.interface.functions.former_resizing import resize_nearest_neighbor as resize_nearest_neighbor
from tpuref.interface.functions.images import random_crop as random_crop

resize = resize_images
