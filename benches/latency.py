"""How long a person waits: to submit, to see the queue, until a job begins."""

import os
import shutil
import tempfile
import time

import peers
from measure import median, p95, say, text_of, until
from ours import Ours

# Jobs in one request when a long queue is filled.
CHUNK = 5000


def milliseconds(values):
    return f"{median(values) * 1e3:.1f} / {p95(values) * 1e3:.1f} ms"


def fill(ours, have, want):
    while have < want:
        chunk = min(CHUNK, want - have)
        ours.batch(["true"] * chunk)
        have += chunk
    return have


def submits(ours, calls):
    return [ours.submit("true")[0] for _ in range(calls)]


def start(submit, folder, calls):
    """From the call until the first instruction of the job, which writes down the time."""
    script = os.path.join(folder, "stamp.sh")
    with open(script, "w", encoding="utf-8") as file:
        file.write('#!/bin/sh\ndate +%s%N >"$1.new"\nmv "$1.new" "$1"\n')
    os.chmod(script, 0o755)
    found = []
    for n in range(calls):
        # Spread over whatever timer there is.
        time.sleep(0.02 + n * 0.037 % 0.3)
        stamp = os.path.join(folder, f"stamp{n}")
        began = time.time()
        submit([script, stamp])
        until(lambda path=stamp: text_of(path).strip(), 30, "a job to begin")
        found.append(int(text_of(stamp)) / 1e9 - began)
    return found


def of_peer(name, calls):
    scratch = tempfile.mkdtemp(prefix="peer-")
    subject = peers.ALL[name](scratch)
    subject.start()
    try:
        submit = [subject.submit(["true"]) for _ in range(calls)]
        return submit, start(subject.submit, scratch, calls)
    finally:
        subject.stop()
        shutil.rmtree(scratch, ignore_errors=True)


def of_ours(options, calls):
    with Ours() as ours:
        begins = start(lambda argv: ours.submit(*argv), ours.home, calls)
        say("holdshort: call to first instruction", milliseconds(begins), "(at most 10 ms)",
            median(begins) <= 0.010)
        ours.hold()
        found = submits(ours, calls)
        say("holdshort: submit, empty queue", milliseconds(found), "(at most 6 ms)",
            median(found) <= 0.006)
        queued = calls
        for size in options.count(smoke=[200], quick=[10_000], full=[10_000, 100_000]):
            began = time.perf_counter()
            added = size - queued
            queued = fill(ours, queued, size)
            rate = added / (time.perf_counter() - began)
            say(f"holdshort: batches up to {size} queued", f"{rate:.0f}/s", "(at least 2000)",
                rate >= 2000)
            found = submits(ours, calls)
            queued += calls
            say(f"holdshort: submit, {size} queued", milliseconds(found), "(at most 6 ms)",
                median(found) <= 0.006)
            found = [ours.call("ls").seconds for _ in range(calls)]
            say(f"holdshort: first page of ls, {size} queued", milliseconds(found),
                "(at most 20 ms)", median(found) <= 0.020)
        return begins


def main(options):
    calls = options.count(smoke=3, quick=20, full=40)
    print(f"latency: median / p95 of {calls} calls, whole process")
    begins = {}
    for name in options.peers:
        if name in ("nq", "tsp", "pueue") and shutil.which(peers.ALL[name].program):
            submit, begins[name] = of_peer(name, calls)
            say(f"{name}: submit, empty queue", milliseconds(submit))
            say(f"{name}: call to first instruction", milliseconds(begins[name]))
    if not options.peers_only:
        own = median(of_ours(options, calls))
        for name, values in begins.items():
            say(f"start of holdshort / {name}", f"{own / median(values):.2f}")
