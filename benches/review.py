"""How fast a job that asks gives its room to others, and how fast it is back after the yes.

One slot: an agent asks and ends with 75, another job that waited takes the slot, and once that has
ended the agent gets its yes and comes back into free room. Instants are written down by the jobs
themselves, so starting a process is part of every figure.
"""

import datetime
import http.client
import json
import os
import socket
import time

from measure import median, say, text_of, until
from ours import Ours

AGENT = """#!/bin/sh
stamp() { date +%s%N >"$1.new"; mv "$1.new" "$1"; }
if [ -n "$HOLDSHORT_RESUME" ]; then stamp "$1.back"; exit 0; fi
while [ ! -e "$1.go" ]; do sleep 0.01; done
stamp "$1.ask"
holdshort ask --effect external -- "$1"
exit 75
"""

OTHER = """#!/bin/sh
date +%s%N >"$1.new"; mv "$1.new" "$1"
"""


class Socket(http.client.HTTPConnection):
    """HTTP over the server's socket."""

    def __init__(self, path):
        super().__init__("holdshort")
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.path)

    def ask(self, method, path, body=None):
        self.request(method, path, json.dumps(body) if body else None,
                     {"content-type": "application/json"})
        answer = self.getresponse()
        text = answer.read()
        if answer.status != 200:
            raise SystemExit(f"{method} {path}: {answer.status} {text.decode()}")
        return json.loads(text)


def p99(values):
    return sorted(values)[min(len(values) - 1, int(0.99 * len(values)))]


def shown(values):
    return f"{median(values) * 1e3:.0f} / {p99(values) * 1e3:.0f} ms"


def script(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, 0o755)
    return path


def seconds(stamp):
    until(lambda: text_of(stamp).strip(), 30, stamp)
    return int(text_of(stamp)) / 1e9


def released(ours, job):
    """When its room went to others, by the server's calendar."""
    state = {}

    def there():
        state.update(ours.json("show", str(job))["job"])
        return state["state"] == "in_review"

    until(there, 30, "the agent to be parked")
    return datetime.datetime.fromisoformat(state["since"]).timestamp()


def one(ours, http_to, scripts, base):
    agent, other = scripts
    _, job = ours.submit(agent, base)
    _, waits = ours.submit(other, f"{base}.other")
    open(f"{base}.go", "w", encoding="utf-8").close()
    asked, taken = seconds(f"{base}.ask"), seconds(f"{base}.other")
    free = released(ours, job)
    ours.call("wait", str(waits))
    row = http_to.ask("GET", f"/api/v1/reviews?job={job}")["reviews"][0]
    vote = {"verdict": "approve", "action_hash": row["action_hash"]}
    began = time.time()
    http_to.ask("POST", f"/api/v1/reviews/{row['id']}/vote", vote)
    back = seconds(f"{base}.back") - began
    ours.call("wait", str(job))
    return free - asked, taken - asked, back


def main(options):
    rounds = options.count(smoke=3, quick=20, full=120)
    print(f"review: median / p99 of {rounds} rounds")
    if options.peers_only:
        return
    with Ours(slots=1) as ours:
        path = ours.json("server", "status")["socket"]
        scripts = script(ours.home, "agent.sh", AGENT), script(ours.home, "other.sh", OTHER)
        http_to = Socket(path)
        found = [one(ours, http_to, scripts, os.path.join(ours.home, f"r{n}"))
                 for n in range(rounds)]
    free, taken, back = zip(*found)
    say("ask -> room released", shown(free), "(p99 at most 1 s)", p99(free) <= 1)
    say("ask -> first instruction of the next job", shown(taken))
    say("vote -> running again, free room", shown(back), "(p99 at most 300 ms)", p99(back) <= 0.3)
