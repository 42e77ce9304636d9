"""What other platforms lack, taken away from Python on Linux.

A file of this text named ``sitecustomize.py`` on the path makes a Python process, and
its children, behave as on the platform that ``PLATFORM`` names.
"""

SITECUSTOMIZE = """
import os
import signal
import sys

# What looks at the platform when it is imported has to see the real one.
import asyncio, ctypes, io, multiprocessing, platform, shutil, socket, subprocess
import sysconfig, tempfile, threading, urllib.request, zipfile

sysconfig.get_config_vars()
LINUX = ("memfd_create", "sched_getaffinity", "pidfd_open", "eventfd")
UNIX = (
    "fork", "getuid", "getpgid", "getppid", "killpg", "mkfifo", "register_at_fork",
    "getloadavg", "setpgid", "setsid", "sysconf",
)
SIGNALS = ("SIGUSR1", "SIGUSR2", "SIGKILL", "SIGHUP", "pthread_kill", "pthread_sigmask")

def take(module, names):
    for name in names:
        if hasattr(module, name):
            delattr(module, name)

class Absent:
    def __init__(self, *names):
        self._names = names

    def find_spec(self, name, path=None, target=None):
        if name in self._names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

def without_proc(event, arguments):
    if event == "open" and str(arguments[0]).startswith(("/proc", "/sys")):
        raise FileNotFoundError(arguments[0])

wanted = os.environ.get("PLATFORM", "")
if wanted in ("darwin", "win32"):
    take(os, LINUX)
    sys.addaudithook(without_proc)
    sys.platform = wanted
if wanted == "win32":
    io._WindowsConsoleIO = type("_WindowsConsoleIO", (), {})
    take(os, UNIX)
    take(signal, SIGNALS)
    for module in ("fcntl", "grp", "pwd", "resource"):
        sys.modules.pop(module, None)
    sys.meta_path.insert(0, Absent("fcntl", "grp", "pwd", "resource"))
for name in wanted.split(","):
    module, _, attribute = name.partition(".")
    if attribute:
        take({"os": os, "signal": signal}[module], [attribute])
"""
