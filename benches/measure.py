"""Measuring: one process at a time around spawn and wait, and what /proc says of a server."""

import glob
import os
import statistics
import tempfile
import time


class Ran:
    """What one process came to: exit code, seconds, output."""

    def __init__(self, code, seconds, output):
        self.code, self.seconds, self.output = code, seconds, output


def run(argv, env, stdin="/dev/null", check=True):
    """Runs a program to its end with output into a file, so that reading costs nothing."""
    with tempfile.TemporaryFile() as out:
        actions = [
            (os.POSIX_SPAWN_OPEN, 0, stdin, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_DUP2, out.fileno(), 1),
            (os.POSIX_SPAWN_DUP2, out.fileno(), 2),
        ]
        began = time.perf_counter()
        pid = os.posix_spawnp(argv[0], argv, env, file_actions=actions)
        _, status = os.waitpid(pid, 0)
        seconds = time.perf_counter() - began
        out.seek(0)
        text = out.read().decode(errors="replace")
    code = os.waitstatus_to_exitcode(status)
    if check and code != 0:
        raise SystemExit(f"{' '.join(argv)} ended with {code}:\n{text}")
    return Ran(code, seconds, text)


def until(fact, seconds, what):
    """Waits for a fact; a fact that does not come ends the program."""
    end = time.monotonic() + seconds
    while not fact():
        if time.monotonic() > end:
            raise SystemExit(f"waited {seconds} s for: {what}")
        time.sleep(0.002)


def median(values):
    return statistics.median(values)


def p95(values):
    return sorted(values)[min(len(values) - 1, int(0.95 * len(values)))]


def text_of(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def fields(path):
    """`name: number` lines of a file under /proc."""
    found = {}
    for line in text_of(path).splitlines():
        name, _, rest = line.partition(":")
        words = rest.split()
        if words and words[0].isdigit():
            found[name] = int(words[0])
    return found


def written(pid):
    """Bytes a process has handed to write calls."""
    return fields(f"/proc/{pid}/io").get("wchar", 0)


def memory_mib(pid, name="VmRSS"):
    return fields(f"/proc/{pid}/status").get(name, 0) / 1024


def private_mib(pid):
    rollup = fields(f"/proc/{pid}/smaps_rollup")
    return (rollup.get("Private_Clean", 0) + rollup.get("Private_Dirty", 0)) / 1024


def cpu_seconds(pid):
    threads = glob.glob(f"/proc/{pid}/task/*/schedstat")
    return sum(int(text_of(thread).split()[0] or 0) for thread in threads) / 1e9


def wakeups(pid):
    threads = glob.glob(f"/proc/{pid}/task/*/status")
    return sum(fields(thread).get("voluntary_ctxt_switches", 0) for thread in threads)


def processes_with(mark):
    """Processes in whose environment `mark` stands."""
    mark = mark.encode()
    found = []
    for path in glob.glob("/proc/[0-9]*/environ"):
        try:
            with open(path, "rb") as file:
                if mark in file.read():
                    found.append(int(path.split("/")[2]))
        except OSError:
            pass
    return found


def say(name, value, target="", met=None):
    """One line of a report."""
    verdict = "" if met is None else ("  meets" if met else "  MISSES")
    print(f"  {name:<52} {value:>16}{verdict} {target}".rstrip(), flush=True)
