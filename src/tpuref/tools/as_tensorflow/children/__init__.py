"""The folder on the path of child processes in which they find ``tensorflow``."""
