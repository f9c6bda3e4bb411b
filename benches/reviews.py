"""Thousands of open reviews: a page of them, a filter, a card, a vote, through the API."""

import http.client
import json
import os
import socket
import time

from measure import median, p95, say, until
from ours import Ours

# Open reviews that one job may have.
OF_ONE_JOB = 50
# What each of the calls may take.
TARGET_MS = 50


class Unix(http.client.HTTPConnection):
    """HTTP over the server's socket."""

    def __init__(self, path):
        super().__init__("holdshort")
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.path)

    def call(self, method, path, body=None):
        text = None if body is None else json.dumps(body)
        head = {} if body is None else {"content-type": "application/json"}
        self.request(method, "/api/v1" + path, text, head)
        answer = self.getresponse()
        document = json.loads(answer.read())
        if answer.status != 200:
            raise SystemExit(f"{method} {path}: {answer.status} {document}")
        return document


def ask(api, job, number):
    effect = ("money", "external", "reversible")[number % 3]
    args = {"argv": ["payctl", "transfer", "--to", f"DE{number % 97:02}", "--ref", str(number)]}
    action = {"kind": "command", "tool": "payctl", "args": args, "target": "acme"}
    if effect == "money":
        action["amount"] = {"value": f"{number}.00", "currency": "EUR"}
    wait = {"mode": "hold", "most_ms": 86_400_000}
    body = {"job": job, "effect": effect, "summary": "bench", "wait": wait, "action": action}
    return api.call("POST", "/reviews", body)["review"]


def timed(name, times, call):
    taken = []
    for number in range(times):
        began = time.perf_counter()
        call(number)
        taken.append((time.perf_counter() - began) * 1000)
    value = f"{median(taken):.1f} ms, p95 {p95(taken):.1f} ms"
    say(name, value, f"{TARGET_MS} ms", p95(taken) <= TARGET_MS)


def main(options):
    if options.peers_only:
        return
    count = options.count(smoke=40, quick=1000, full=10_000)
    times = options.count(smoke=3, quick=20, full=100)
    jobs = -(-count // OF_ONE_JOB)
    with Ours() as ours:
        line = ["--cpu", "5m", "--mem", "4Mi", "--", "sleep", "3600"]
        ids = [int(ours.call("submit", *line).output.split()[0]) for _ in range(jobs)]
        api = Unix(os.path.join(ours.env["XDG_RUNTIME_DIR"], "holdshort", "socket"))
        runs = lambda: api.call("GET", "/summary")["counts"]["running"] == jobs
        until(runs, 120, "all jobs to run")
        print(f"reviews: {count} open ones of {jobs} jobs")
        began = time.perf_counter()
        asked = [ask(api, ids[number // OF_ONE_JOB], number) for number in range(count)]
        say("ask", f"{(time.perf_counter() - began) / count * 1000:.1f} ms each")
        timed("page of 200", times, lambda _: api.call("GET", "/reviews?limit=200"))
        mine = "/reviews?mine=true&effect=money&limit=50"
        timed("filter", times, lambda _: api.call("GET", mine))
        timed("card", times, lambda n: api.call("GET", f"/reviews/{asked[n]['id']}"))

        def vote(number):
            review = asked[number]
            body = {"verdict": "approve", "action_hash": review["action_hash"]}
            api.call("POST", f"/reviews/{review['id']}/vote", body)

        timed("vote", times, vote)
