"""Processes of a system under test: which they are, and what they use."""

import glob
import os


def pids():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def read(pid, file):
    """A file in /proc of a process; nothing once it is gone."""
    try:
        with open("/proc/%d/%s" % (pid, file), "rb") as found:
            return found.read()
    except OSError:
        return b""


def link(path):
    try:
        return os.readlink(path)
    except OSError:
        return ""


def stat(pid):
    """State and parent of a process; a process that is gone is as good as a zombie."""
    fields = read(pid, "stat").rpartition(b")")[2].split()
    return (fields[0].decode(), int(fields[1])) if fields else ("Z", 0)


def is_running(pid):
    return stat(pid)[0] != "Z"


def is_helper(pid):
    """Whether it is one of our own children or clients, not the system under test."""
    return os.path.basename(link("/proc/%d/exe" % pid)).startswith("tb-helper")


def title(pid):
    """Its program, and the beginning of what it was told to do."""
    words = read(pid, "cmdline").decode(errors="replace").split("\0")
    return " ".join([os.path.basename(link("/proc/%d/exe" % pid)), *words[1:]]).strip()[:60]


def uses(pid, directory):
    """Whether it names this directory in its arguments, environment, working directory or open files."""
    if any(directory.encode() in read(pid, file) for file in ("cmdline", "environ")):
        return True
    open_files = glob.glob("/proc/%d/fd/*" % pid)
    return any(link(path).startswith(directory) for path in ["/proc/%d/cwd" % pid, *open_files])


def tagged(tag, directory):
    """Processes that carry the tag in their environment or use the directory, and all their descendants.

    A detached server may have built its environment anew, so the tag alone would miss it. Both are random and
    made for one instance: what is found was started by this run.
    """
    variable = b"TB_TAG=" + tag.encode()
    everyone = [pid for pid in pids() if pid != os.getpid()]
    children = {}
    for pid in everyone:
        children.setdefault(stat(pid)[1], []).append(pid)
    is_root = lambda pid: variable in read(pid, "environ").split(b"\0") or uses(pid, directory)
    found, waiting = set(), [pid for pid in everyone if is_root(pid)]
    while waiting:
        pid = waiting.pop()
        if pid not in found:
            found.add(pid)
            waiting += children.get(pid, [])
    return {pid for pid in found if is_running(pid)}


def cpu_ns(processes):
    """Processor time of all their threads."""
    schedstats = [path for pid in processes for path in glob.glob("/proc/%d/task/*/schedstat" % pid)]
    total = 0
    for path in schedstats:
        try:
            with open(path) as file:
                total += int(file.read().split()[0])
        except OSError:
            pass
    return total


def pss_mb(processes):
    """Memory in use, each shared page divided by its users."""
    lines = [line for pid in processes for line in read(pid, "smaps_rollup").splitlines()]
    return sum(int(line.split()[1]) for line in lines if line.startswith(b"Pss:")) / 1000
