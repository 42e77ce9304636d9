"""Total and available memory, by the system and its control groups."""

import os

UNLIMITED = 1 << 62  # also where the system does not say


def total_bytes() -> int:
    """Return the memory of this computer, 0 if unknown, as on Windows."""
    if not hasattr(os, "sysconf"):
        return 0
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def available_bytes() -> int:
    """Return the memory that this process can still use, UNLIMITED if unknown."""
    return min(_system_available(), _cgroup_available())


def _system_available() -> int:
    try:
        with open("/proc/meminfo") as file:
            for line in file:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return UNLIMITED


def _cgroup_available() -> int:
    """Return the memory left in the tightest control group of this process."""
    try:
        with open("/proc/self/cgroup") as file:
            lines = [line.strip() for line in file]
    except OSError:
        return UNLIMITED
    levels = []
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers in ("", "memory"):  # version 2, or 1
            root = os.path.join("/sys/fs/cgroup", controllers)
            parts = [part for part in path.split("/") if part]
            levels += [
                os.path.join(root, *parts[:depth]) for depth in range(len(parts) + 1)
            ]
    return min(map(_left_in, levels), default=UNLIMITED)


def _left_in(folder: str) -> int:
    """Return the memory left in a control group; cached files count as free."""
    names = "memory.max", "memory.current"
    if not os.path.exists(f"{folder}/{names[0]}"):
        names = "memory.limit_in_bytes", "memory.usage_in_bytes"
    try:
        with open(f"{folder}/{names[0]}") as file:
            limit = file.read().strip()
        if limit == "max" or int(limit) >= UNLIMITED:
            return UNLIMITED
        with open(f"{folder}/{names[1]}") as file:
            used = int(file.read())
        with open(f"{folder}/memory.stat") as file:
            parts = dict(line.split() for line in file)
    except (OSError, ValueError):
        return UNLIMITED
    cached = sum(int(parts.get(name, 0)) for name in ("inactive_file", "active_file"))
    return max(0, int(limit) - used + cached)
