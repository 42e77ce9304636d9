"""What programs written for TensorFlow take from ``tf``, found without running them."""
