"""The console in a terminal of its own: first frame, key to screen, filtering, memory, quiet."""

import fcntl
import os
import pty
import select
import signal
import statistics
import struct
import subprocess
import termios
import time

from latency import fill
from measure import cpu_seconds, memory_mib, say
from ours import Ours

ROWS, COLUMNS = 60, 200


class Console:
    """holdshort in a pty; everything it draws is read and counted."""

    def __init__(self, ours):
        self.master, slave = pty.openpty()
        size = struct.pack("HHHH", ROWS, COLUMNS, 0, 0)
        fcntl.ioctl(slave, termios.TIOCSWINSZ, size)
        self.began = time.perf_counter()
        self.process = subprocess.Popen(
            [ours.binary],
            env={**ours.env, "TERM": "xterm-256color"},
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        os.close(slave)

    def read(self, patience):
        """What comes within `patience` seconds, up to a pause of 30 ms; and when it began."""
        got, first = b"", None
        until = time.perf_counter() + patience
        while True:
            left = until - time.perf_counter()
            pause = max(0, min(left, 0.03 if got else left))
            ready, _, _ = select.select([self.master], [], [], pause)
            if not ready:
                return got, first
            first = first or time.perf_counter()
            got += os.read(self.master, 1 << 16)

    def until(self, text, patience):
        """When a text was drawn; the screen is drawn row by row, so a word comes in one piece."""
        got, until = b"", time.perf_counter() + patience
        while text not in got:
            left = until - time.perf_counter()
            if left <= 0 or not select.select([self.master], [], [], left)[0]:
                raise SystemExit(f"the console did not draw {text!r}: {got[-2000:]!r}")
            got += os.read(self.master, 1 << 16)
        return time.perf_counter()

    def press(self, key):
        """Milliseconds from a key to the first byte of its answer."""
        self.read(0.2)
        began = time.perf_counter()
        os.write(self.master, key)
        got, first = self.read(2)
        return (first - began) * 1000 if got else None

    def close(self):
        os.write(self.master, b"q")
        try:
            self.process.wait(3)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
        os.close(self.master)


def measure(ours, size, seconds):
    console = Console(ours)
    frame = (console.until(b"live", 10) - console.began) * 1000
    say(f"first frame with data, {size} jobs", f"{frame:.0f} ms", "(at most 100)", frame <= 100)
    console.read(2)
    moves = [console.press(key) for key in (b"j", b"k") * 15]
    moves = [ms for ms in moves if ms is not None]
    key = statistics.median(moves)
    say(f"key to screen, {size} jobs", f"{key:.1f} ms", "(at most 16)", key <= 16)
    typed = [console.press(bytes([char])) for char in b"/tru"]
    slowest = max(ms for ms in typed if ms is not None)
    say(f"filter as you type, slowest key, {size} jobs", f"{slowest:.1f} ms")
    console.press(b"\x1b")
    memory = memory_mib(console.process.pid)
    say(f"console memory, {size} jobs", f"{memory:.0f} MiB", "(at most 60)", memory <= 60)
    console.read(2)
    cpu, began = cpu_seconds(console.process.pid), time.perf_counter()
    drawn, _ = console.read(seconds)
    time.sleep(max(0, seconds - (time.perf_counter() - began)))
    percent = (cpu_seconds(console.process.pid) - cpu) / seconds * 100
    quiet = f"quiet for {seconds} s, {size} jobs"
    say(f"{quiet}: share of a core", f"{percent:.2f} %", "(below 0.3)", percent < 0.3)
    say(f"{quiet}: bytes drawn", f"{len(drawn)}")
    console.close()


def main(options):
    print("console: a 200x60 terminal", flush=True)
    if options.peers_only:
        print("skipped: nothing of the peers is measured here")
        return
    sizes = options.count([100], [1000, 10_000], [1000, 100_000])
    seconds = options.count(1, 5, 20)
    with Ours() as ours:
        ours.call("pause", "all", "--reason", "measuring", "--yes")
        queued = 0
        for size in sizes:
            fill(ours, queued, size)
            queued = size
            measure(ours, size, seconds)
