"""How long two slots take for many jobs that do nothing: the price of a queue."""

import shutil
import tempfile
import time

import peers
from measure import median, say
from ours import Ours


def ours_in_a_batch(count):
    with Ours() as ours:
        began = time.perf_counter()
        ours.batch(["true"] * count)
        waited = ours.wait()
        seconds = time.perf_counter() - began
    if waited.code != 0:
        raise SystemExit(f"jobs failed ({waited.code}):\n{waited.output[:2000]}")
    return seconds


def ours_one_by_one(count):
    with Ours() as ours:
        began = time.perf_counter()
        for _ in range(count):
            ours.submit("true")
        ours.wait()
        return time.perf_counter() - began


def peer(name, count):
    scratch = tempfile.mkdtemp(prefix="peer-")
    try:
        subject = peers.ALL[name](scratch)
        if name != "pueue":
            subject.start()
        return subject.drain(count)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def main(options):
    count = options.count(smoke=20, quick=500, full=2000)
    rounds = options.count(smoke=1, quick=1, full=3)
    names = [name for name in options.peers if shutil.which(peers.ALL[name].program)]
    runs = {name: (lambda name=name: peer(name, count)) for name in names}
    if not options.peers_only:
        runs["holdshort"] = lambda: ours_in_a_batch(count)
        runs["holdshort, call by call"] = lambda: ours_one_by_one(count)
    print(f"drain: {count} x `true`, two slots, first submit to last exit, {rounds} round(s)")
    seconds = {name: [] for name in runs}
    for _ in range(rounds):
        # Everybody in each round, so that noise is shared.
        for name, subject in runs.items():
            seconds[name].append(subject())
    result = {name: median(values) for name, values in seconds.items()}
    for name, value in sorted(result.items(), key=lambda item: item[1]):
        say(name, f"{value:.2f} s, {count / value:.0f}/s")
    own = result.get("holdshort")
    limits = {"parallel": 1.0, "nq": 1.0, "tsp": 3.0, "xargs": 4.0}
    for name, limit in limits.items():
        if own and name in result:
            ratio = own / result[name]
            say(f"time of holdshort / {name}", f"{ratio:.2f}", f"(at most {limit})", ratio <= limit)
