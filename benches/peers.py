"""The peers: what a person would use instead. Each runs in a scratch directory of its own."""

import os
import shutil
import signal
import subprocess
import time

from measure import run, until

PACKAGES = {"tsp": "task-spooler", "nq": "nq", "parallel": "parallel"}


def install(wanted):
    """Installs what is missing, where that is possible; names what stays missing."""
    missing = [name for name in wanted if name in PACKAGES and not shutil.which(name)]
    if missing and os.getuid() == 0 and shutil.which("apt-get"):
        env = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
        quiet = {"env": env, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run(["apt-get", "update", "-qq"], **quiet, check=False)
        packages = [PACKAGES[name] for name in missing]
        subprocess.run(["apt-get", "install", "-qq", "-y", *packages], **quiet, check=False)
    if "pueue" in wanted and not shutil.which("pueue"):
        subprocess.run(["cargo", "install", "--locked", "pueue"], check=False)
    for name in wanted:
        if not shutil.which(name):
            print(f"skipped: {name} is not installed ({PACKAGES.get(name, name)})", flush=True)


def environment(scratch, **more):
    """A small fixed environment, about 2 KiB like a developer's shell."""
    path = "/usr/local/bin:/usr/bin:/bin"
    cargo = os.path.join(os.path.expanduser("~"), ".cargo", "bin")
    env = {"PATH": f"{path}:{cargo}", "HOME": scratch, "LANG": "C.UTF-8", "SHELL": "/bin/sh"}
    env.update({f"PAD_{i:02}": "x" * 48 for i in range(32)})
    env.update(more)
    return env


class Peer:
    """A way to run jobs two at a time."""

    program = ""

    def __init__(self, scratch):
        self.scratch = scratch
        self.env = environment(scratch)

    def available(self):
        return shutil.which(self.program) is not None

    def start(self):
        """Makes it ready."""

    def stop(self):
        """Ends whatever it left running."""

    def drain(self, count):
        """Runs `true` so many times, from the first submit to the last exit."""
        raise NotImplementedError

    def submit(self, argv):
        """One submission, or None where there is no such thing."""
        return None


class Xargs(Peer):
    """The floor: no queue, no record, nothing kept."""

    program = "xargs"

    def drain(self, count):
        path = os.path.join(self.scratch, "lines")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(f"{n}\n" for n in range(count))
        return run(["xargs", "-P2", "-n1", "true"], self.env, stdin=path).seconds


class Parallel(Peer):
    """GNU parallel with its job log: a list of commands, results written to a file."""

    program = "parallel"

    def start(self):
        os.makedirs(os.path.join(self.scratch, ".parallel"), exist_ok=True)
        open(os.path.join(self.scratch, ".parallel", "will-cite"), "w", encoding="utf-8").close()

    def drain(self, count):
        path = os.path.join(self.scratch, "commands")
        with open(path, "w", encoding="utf-8") as file:
            file.write("true\n" * count)
        log = os.path.join(self.scratch, "joblog")
        return run(["parallel", "-j2", "--joblog", log, "-a", path], self.env).seconds


class Nq(Peer):
    """One slot per directory, so two directories in turn."""

    program = "nq"

    def start(self):
        self.turn = 0
        self.dirs = [os.path.join(self.scratch, f"nq{n}") for n in range(2)]
        for path in self.dirs:
            shutil.rmtree(path, ignore_errors=True)
            os.makedirs(path)

    def submit(self, argv):
        self.turn += 1
        return run(["nq", "-q", *argv], dict(self.env, NQDIR=self.dirs[self.turn % 2])).seconds

    def drain(self, count):
        self.start()
        began = time.perf_counter()
        for _ in range(count):
            self.submit(["true"])
        for path in self.dirs:
            run(["nq", "-w"], dict(self.env, NQDIR=path))
        return time.perf_counter() - began


class Tsp(Peer):
    """task-spooler: a server in memory, a client that waits for every job."""

    program = "tsp"

    def start(self):
        directory = os.path.join(self.scratch, "tsp")
        os.makedirs(directory, exist_ok=True)
        socket = os.path.join(directory, "s")
        self.env = environment(
            self.scratch, TS_SOCKET=socket, TMPDIR=directory, TS_SLOTS="2", TS_MAXFINISHED="100000"
        )
        run(["tsp", "-l"], self.env)

    def stop(self):
        run(["tsp", "-K"], self.env, check=False)

    def submit(self, argv):
        return run(["tsp", "-n", *argv], self.env).seconds

    def unfinished(self):
        text = run(["tsp", "-l"], self.env).output
        return sum(text.count(f" {state} ") for state in ("queued", "running", "allocating"))

    def drain(self, count):
        self.start()
        began = time.perf_counter()
        for _ in range(count):
            self.submit(["true"])
        until(lambda: self.unfinished() == 0, 600, "task-spooler to finish")
        seconds = time.perf_counter() - began
        self.stop()
        return seconds


class Pueue(Peer):
    """Only on request: it must be compiled, and starts jobs from a 300 ms timer."""

    program = "pueue"

    def start(self):
        directory = os.path.join(self.scratch, "pueue")
        shutil.rmtree(directory, ignore_errors=True)
        os.makedirs(directory)
        config = os.path.join(self.scratch, "pueue.yml")
        with open(config, "w", encoding="utf-8") as file:
            file.write(
                f"shared:\n  pueue_directory: {directory}\n  runtime_directory: {directory}\n"
                "  use_unix_socket: true\ndaemon: {}\nclient: {}\n"
            )
        self.env = environment(self.scratch, PUEUE_CONFIG_PATH=config)
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.daemon = subprocess.Popen(["pueued", "-c", config], env=self.env, **quiet)
        ready = ["pueue", "group"]
        until(lambda: run(ready, self.env, check=False).code == 0, 20, "pueued to answer")
        run(["pueue", "parallel", "2"], self.env)

    def stop(self):
        self.daemon.send_signal(signal.SIGTERM)
        self.daemon.wait(30)

    def submit(self, argv):
        return run(["pueue", "add", "--", *argv], self.env).seconds

    def unfinished(self):
        with open(os.path.join(self.scratch, "pueue", "state.json"), "rb") as file:
            state = file.read()
        return state.count(b'"original_command"') - state.count(b'"Done"')

    def drain(self, count):
        self.start()
        began = time.perf_counter()
        for _ in range(count):
            self.submit(["true"])
        until(lambda: self.unfinished() == 0, 1800, "pueue to finish")
        seconds = time.perf_counter() - began
        self.stop()
        return seconds


ALL = {"xargs": Xargs, "parallel": Parallel, "nq": Nq, "tsp": Tsp, "pueue": Pueue}
