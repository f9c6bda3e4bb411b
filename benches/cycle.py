"""What a decision of the core costs in a large installation, by how many jobs wait."""

import json
import os
import subprocess

from measure import say

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Step, and at most so many milliseconds at 100,000 waiting jobs (none: no target).
STEPS = {
    "nothing placeable": 50,
    "forecasts of a thousand": 1000,
    "a thousand ends": 200,
    "one end": 2,
    "one arrives": None,
}


def main(options):
    print("cycle: 1,000 nodes, 200 teams, about 10,000 running jobs, medians")
    if options.peers_only:
        print("skipped: nothing of the peers is measured here")
        return
    sizes = options.count(
        smoke=["1000"],
        quick=["1000", "100000"],
        full=["1000", "10000", "100000", "1000000"],
    )
    words = ["cargo", "bench", "--bench", "cycle"]
    if options.size == "smoke":
        # Only that it runs: what the tests built is good enough.
        words += ["--profile", "dev"]
    made = subprocess.run(words + ["--", *sizes], cwd=ROOT, check=True, stdout=subprocess.PIPE)
    for line in made.stdout.decode().splitlines():
        if not line.startswith("{"):
            continue
        row = json.loads(line)
        name = f"{row['queued']:>9,} waiting: {row['step']}"
        if "count" in row:
            print(f"  {name}: {row['count']:,}")
            continue
        most = STEPS.get(row["step"])
        target = f"(at most {most} ms)" if most else ""
        met = row["queued"] != 100_000 or most is None or row["median_ms"] <= most
        say(name, f"{row['median_ms']:.2f} ms", target, met)
