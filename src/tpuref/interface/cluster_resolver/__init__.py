"""The clusters that a session can use."""
