"""What it costs: bytes written, memory, wake-ups while nothing happens."""

import glob
import os
import time

from latency import fill
from measure import cpu_seconds, memory_mib, private_mib, say, text_of, until, wakeups, written
from ours import Ours


def bytes_per_change(ours, size, calls):
    pid = ours.pid()
    before = written(pid)
    for _ in range(calls):
        ours.submit("true")
    each = (written(pid) - before) / calls
    say(f"bytes written per submit, {size} queued", f"{each:.0f}", "(at most 4096)", each <= 4096)


def bytes_per_job(ours, count):
    """A whole job is at least three changes: submitted, running, ended."""
    pid = ours.pid()
    before = written(pid)
    for _ in range(count):
        ours.submit("true")
    ours.wait()
    each = (written(pid) - before) / count / 3
    say("bytes written per change over whole jobs", f"{each:.0f}", "(at most 4096)", each <= 4096)


def idle(ours, seconds, what):
    pid = ours.pid()
    time.sleep(min(1, seconds))
    cpu, woken, began = cpu_seconds(pid), wakeups(pid), time.perf_counter()
    time.sleep(seconds)
    passed = time.perf_counter() - began
    percent = (cpu_seconds(pid) - cpu) / passed * 100
    rate = (wakeups(pid) - woken) / passed
    say(f"idle, {what}: share of a core", f"{percent:.3f} %", "(below 0.1)", percent < 0.1)
    say(f"idle, {what}: wake-ups", f"{rate:.2f}/s", "(no period)", rate < 0.2)


def parent_of(argument):
    """The parent of the process whose last argument this is."""
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        words = text_of(path).rstrip("\0").split("\0")
        if words[-1] == argument and os.path.basename(words[0]) == "sleep":
            status = text_of(os.path.join(os.path.dirname(path), "stat"))
            return int(status.rpartition(")")[2].split()[1])
    return None


def supervisor(ours):
    # A number nobody else sleeps for.
    argument = f"600.{os.getpid()}"
    _, job = ours.submit("sleep", argument)
    until(lambda: parent_of(argument), 20, "the job to run")
    pid = parent_of(argument)
    if pid == ours.pid():
        raise SystemExit("the job's parent is the server: no supervisor was found")
    private = private_mib(pid)
    say("supervisor: private memory", f"{private:.2f} MiB", "(at most 3)", private <= 3)
    ours.call("cancel", str(job))
    ours.wait()


def main(options):
    print("footprint: bytes through write calls, resident memory, voluntary context switches")
    if options.peers_only:
        print("skipped: nothing of the peers is measured here")
        return
    calls = options.count(smoke=5, quick=50, full=200)
    seconds = options.count(smoke=0.2, quick=10, full=30)
    with Ours() as ours:
        supervisor(ours)
        bytes_per_job(ours, calls)
        idle(ours, seconds, "nothing queued")
        ours.hold()
        bytes_per_change(ours, 0, calls)
        size = options.count(smoke=200, quick=10_000, full=100_000)
        fill(ours, calls, size)
        bytes_per_change(ours, size, calls)
        resident, peak = (memory_mib(ours.pid(), name) for name in ("VmRSS", "VmHWM"))
        met = resident <= 200
        say(f"server memory, {size} queued", f"{resident:.0f} MiB", "(at most 200)", met)
        say("server memory, highest so far", f"{peak:.0f} MiB")
        idle(ours, seconds, f"{size} queued")
