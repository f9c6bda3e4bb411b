"""holdshort with directories of its own, so that nothing of the user's is touched."""

import json
import os
import shutil
import signal
import tempfile

from measure import processes_with, run, until
from peers import environment

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def binary():
    """The program to measure."""
    path = os.environ.get("HOLDSHORT", os.path.join(TOP, "target", "release", "holdshort"))
    path = os.path.abspath(path)
    if not os.access(path, os.X_OK):
        raise SystemExit(f"there is no {path}: run `cargo build --release`, or set HOLDSHORT")
    return path


class Ours:
    """One private installation: a node with so many slots, a server that is started on demand."""

    def __init__(self, slots=2):
        self.binary = binary()
        # Short, since a socket's path must fit into 108 bytes.
        self.home = tempfile.mkdtemp(prefix="hs-")
        folders = {
            "XDG_CONFIG_HOME": "config",
            "XDG_DATA_HOME": "data",
            "XDG_STATE_HOME": "state",
            "XDG_CACHE_HOME": "cache",
            "XDG_RUNTIME_DIR": "run",
        }
        paths = {name: os.path.join(self.home, folder) for name, folder in folders.items()}
        for path in paths.values():
            os.makedirs(path, mode=0o700)
        config = os.path.join(paths["XDG_CONFIG_HOME"], "holdshort")
        os.makedirs(config)
        with open(os.path.join(config, "config.toml"), "w", encoding="utf-8") as file:
            file.write(f'[[node]]\nname = "n1"\ncpu = "{slots}"\n')
        self.env = environment(self.home, **paths)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.call("server", "stop", "--with-jobs", check=False)
        for pid in self.processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        shutil.rmtree(self.home, ignore_errors=True)

    def call(self, *words, check=True):
        return run([self.binary, *words], self.env, check=check)

    def json(self, *words):
        return json.loads(self.call(*words, "--json").output)

    def start(self):
        self.call("server", "start")

    def pid(self):
        """The server's process, or None."""
        ran = self.call("server", "status", "--json", check=False)
        return json.loads(ran.output)["pid"] if ran.code == 0 else None

    def processes(self):
        """Everything that runs in this installation: server, supervisors, jobs."""
        return processes_with(f"HOME={self.home}\0")

    def kill(self):
        """kill -9 of the server, and only of a server of this installation."""
        pid = self.pid()
        if pid is None or pid not in self.processes():
            return False
        os.kill(pid, signal.SIGKILL)
        gone = f"/proc/{pid}/exe"
        until(lambda: not os.path.exists(gone), 10, "the killed server to be gone")
        return True

    def submit(self, *argv, options=()):
        """One job; seconds the call took, and its number."""
        ran = self.call("submit", "--mem", "16Mi", *options, "--", *argv)
        return ran.seconds, int(ran.output.split()[0])

    def batch(self, commands):
        """Many jobs in one request; seconds."""
        path = os.path.join(self.home, "batch")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(f"{command}\n" for command in commands)
        return self.call("submit", "--mem", "16Mi", "--batch", path).seconds

    def hold(self):
        self.call("pause", "all", "--reason", "benchmark", "--yes")

    def release(self):
        self.call("resume", "all", "--yes")

    def wait(self):
        return self.call("wait", "--all", "--timeout", "600s", check=False)
