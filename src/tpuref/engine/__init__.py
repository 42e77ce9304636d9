"""What gives programs their meaning and runs them."""
