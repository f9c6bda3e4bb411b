"""How long a recorded workload takes in the lab: the whole call, reading the trace included; and
how much of a fleet's devices each way of placing tasks gives away."""

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

# Lists of the openb trace, and what was published for them (Weng et al., USENIX ATC 2023):
# devices given away when 100 % had been asked for, mean of ten orders of arrival.
FLEET = "traces/gpu/openb_node_list_gpu_node.csv"
LISTS = {
    "default": {"random": 86.30, "best_fit": 92.86, "fgd": 95.23},
    "multigpu50": {"random": 81.28, "best_fit": 95.62, "fgd": 97.09},
    "gpuspec33": {"random": 83.87, "best_fit": 80.40, "fgd": 87.84},
}
# Another chance orders the tasks, so the means lie near each other, not on each other.
NEAR = 0.5


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
    pack(options, data)


def pack(options, data):
    seeds = options.count(smoke=1, quick=10, full=10)
    print(f"lab pack: openb, 1,213 nodes of 6,212 GPUs, mean of {seeds}")
    for name, published in LISTS.items():
        tasks = os.path.join(data, f"traces/gpu/openb_pod_list_{name}.csv")
        words = ["lab", "pack", "--nodes", os.path.join(data, FLEET), "--tasks", tasks]
        ran = run([binary(), *words, "--seeds", str(seeds), "--json"], dict(os.environ))
        for way in json.loads(ran.output)["ways"]:
            given, wanted = way["given_percent"], published.get(way["by"])
            each = way["elapsed_ms"] / seeds
            figures = f"{given:.2f} % in {each:.0f} ms"
            if wanted is None:
                say(f"{name} {way['by']}", figures)
                continue
            near = abs(given - wanted) <= (NEAR if seeds == 10 else 4 * NEAR)
            say(f"{name} {way['by']}", figures, f"(published {wanted:.2f})", near)
