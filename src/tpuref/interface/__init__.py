"""The documented interface: functions and classes behind the public names."""
