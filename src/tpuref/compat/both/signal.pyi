"""The names that ``tf.signal`` has in both releases, with one meaning."""

from tpuref.interface.functions.signal import fft as fft
from tpuref.interface.functions.signal import fft2d as fft2d
from tpuref.interface.functions.signal import frame as frame
from tpuref.interface.functions.signal import hamming_window as hamming_window
from tpuref.interface.functions.signal import hann_window as hann_window
from tpuref.interface.functions.signal import ifft as ifft
from tpuref.interface.functions.signal import ifft2d as ifft2d
from tpuref.interface.functions.signal import inverse_stft as inverse_stft
from tpuref.interface.functions.signal import inverse_stft_window_fn as inverse_stft_window_fn
from tpuref.interface.functions.signal import irfft as irfft
from tpuref.interface.functions.signal import overlap_and_add as overlap_and_add
from tpuref.interface.functions.signal import rfft as rfft
from tpuref.interface.functions.signal import stft as stft
