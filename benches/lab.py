"""How long a recorded workload takes in the lab: the whole call, reading the trace included."""

import json
import os

from measure import median, run, say
from ours import binary

TRACE = "traces/hpc/CTC-SP2-77199.swf"
# Policy, the published mean bounded slowdown, and at most so many seconds.
POLICIES = [
    ("fcfs", "3651.57", 0.3),
    ("easy", "49.571290", 0.3),
    ("easy-sjbf", "30.041070", 0.3),
    ("easy++", "85.767172", 0.3),
    ("easy++-request", "26.533786", 0.3),
    ("conservative", "53.110473", 2.0),
]


def main(options):
    print("lab: CTC-SP2 (77,199 jobs, 338 processors), call to exit")
    data = os.environ.get("HOLDSHORT_TEST_DATA")
    if options.peers_only:
        print("skipped: nothing of the peers is measured here")
        return
    if not data or not os.path.exists(os.path.join(data, TRACE)):
        print(f"skipped: HOLDSHORT_TEST_DATA has no {TRACE}")
        return
    rounds = options.count(smoke=1, quick=3, full=9)
    for policy, published, limit in POLICIES:
        words = ["lab", "run", "--reference", "--trace", os.path.join(data, TRACE)]
        words = [binary(), *words, "--policy", policy, "--json"]
        runs = [run(words, dict(os.environ)) for _ in range(rounds)]
        value = json.loads(runs[0].output)["bounded_slowdown"]["mean"]
        digits = len(published.partition(".")[2])
        if f"{value:.{digits}f}" != published:
            raise SystemExit(f"{policy}: mean bounded slowdown {value}, published {published}")
        seconds = median([ran.seconds for ran in runs])
        say(policy, f"{1000 * seconds:.0f} ms", f"(at most {1000 * limit:.0f})", seconds <= limit)
