"""The engine: gives programs their meaning and runs them."""
