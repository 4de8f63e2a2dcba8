"""The program under test, as a process that can be started, watched, killed and started again."""
import json
import os
import re
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

from kit import rights
from kit.cluster import MUST_RUN, TOOLS, wait_for
from kit.story import Missing, StoryFailed


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def merged(base, change):
    """`change` over `base`, map by map."""
    found = dict(base)
    for key, value in change.items():
        found[key] = merged(found[key], value) if isinstance(value, dict) and isinstance(found.get(key), dict) else value
    return found


class Process:
    """Its output always goes to NAME.log in the story's folder. Unless it `ends_itself`, a story waits for nothing once it has ended."""

    def __init__(self, cluster, name, command, env=None, ends_itself=False):
        self.cluster, self.name, self.command, self.env, self.ends_itself = cluster, name, command, env, ends_itself
        self.child = None
        self.log_path = os.path.join(cluster.story.folder, name + ".log")
        cluster.processes.append(self)

    def start(self):
        with open(self.log_path, "ab") as log:
            self.child = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env={**os.environ, **(self.env or {})})
        if not self.ends_itself and self not in MUST_RUN:
            MUST_RUN.append(self)
        return self

    def may_end(self):
        if self in MUST_RUN:
            MUST_RUN.remove(self)

    def running(self):
        return self.child is not None and self.child.poll() is None

    def kill(self):
        """Kills it, as in a crash."""
        self.may_end()
        if self.running():
            self.child.send_signal(signal.SIGKILL)
            self.child.wait()

    def end(self, patience=20):
        """Asks it to end and returns the seconds that it took. Kills a process that does not end, which fails the story's next check."""
        self.may_end()
        began = time.monotonic()
        if self.running():
            self.child.send_signal(signal.SIGTERM)
            try:
                self.child.wait(patience)
            except subprocess.TimeoutExpired:
                self.child.kill()
                self.child.wait()
                self.cluster.story.failures.append(f"{self.name} did not end within {patience} s of SIGTERM")
        return time.monotonic() - began

    def last_words(self):
        return f"{self.name} ended with {self.child.returncode}: {self.log()[-800:]}"

    def log(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as file:
            return file.read()


class Operator(Process):
    def __init__(self, cluster, config=None, name="lips-0", kubeconfig=None, env=None):
        self.port = free_port()
        settings = merged({
            "apiVersion": "config.lips.dev/v1alpha1", "kind": "OperatorConfig",
            "leaderElection": {"namespace": "default"},
            "moves": {"namespace": "default", "image": "local.test/rclone:1"},
            "server": {"listen": f"127.0.0.1:{self.port}"},
        }, config or {})
        self.config_path = os.path.join(cluster.story.folder, name + ".config.yaml")
        with open(self.config_path, "w", encoding="utf-8") as file:
            json.dump(settings, file, indent=1)
        super().__init__(cluster, name, [cluster.story.lips, "operator", "--kubeconfig", kubeconfig or cluster.kubeconfig,
                                         "--config", self.config_path], {"HOSTNAME": name, **(env or {})})

    def note_rights(self):
        code, text = self.ask("/metrics") if self.running() else (0, "")
        if code == 200:
            rights.note(self.cluster.story.folder, parse_metrics(text))

    def may_end(self):
        self.note_rights()
        super().may_end()

    def ask(self, where):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{where}", timeout=10) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError as error:
            return 0, str(error)

    def says(self, *words):
        """The text that `lips WORDS` prints of this operator."""
        found = subprocess.run([self.cluster.story.lips, *words, "--url", f"http://127.0.0.1:{self.port}"], capture_output=True, text=True)
        if found.returncode != 0:
            raise StoryFailed(f"lips {' '.join(words)}: {found.stderr}")
        return found.stdout

    def answers(self, *words):
        """The same as values."""
        return json.loads(self.says(*words, "--format", "json"))

    def wait_ready(self, seconds=60):
        def ready():
            return self.ask("/readyz")[0] == 200
        wait_for(ready, seconds, f"{self.name} is not ready", pause=0.02)
        return self

    def leads(self):
        """False also when it does not answer (yet)."""
        code, text = self.ask("/metrics")
        return code == 200 and sum_of(parse_metrics(text), "lips_leader") == 1

    def metrics(self):
        """All samples, as {'name{label="value"}': number}."""
        code, text = self.ask("/metrics")
        if code != 200:
            raise StoryFailed(f"/metrics of {self.name} answers {code}: {text[:200]}")
        return parse_metrics(text)

    def metric(self, name, **labels):
        return sum_of(self.metrics(), name, **labels)

    def memory(self):
        """Resident memory, and the part of it without a file behind it; bytes."""
        with open(f"/proc/{self.child.pid}/smaps_rollup", encoding="ascii") as file:
            text = file.read()
        return tuple(int(re.search(name + r":\s+(\d+) kB", text).group(1)) * 1024 for name in ("Rss", "Anonymous"))

    def cpu_seconds(self):
        with open(f"/proc/{self.child.pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory_peak(self):
        """Bytes."""
        with open(f"/proc/{self.child.pid}/status", encoding="ascii") as file:
            return int(re.search(r"VmHWM:\s+(\d+) kB", file.read()).group(1)) * 1024


def parse_metrics(text):
    found = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            key, _, value = line.rpartition(" ")
            found[key] = float(value)
    return found


def sum_of(metrics, name, **labels):
    """The sum of all samples of a metric that carry these labels."""
    total = 0.0
    for key, value in metrics.items():
        if key.split("{")[0] == name and all(f'{label}="{text}"' in key for label, text in labels.items()):
            total += value
    return total


class FaultProxy(Process):
    """Stands in front of the API server; `kubeconfig` leads through it. `renames`: words of its clients, by what the server calls the same."""

    def __init__(self, cluster, name="fault-proxy", seed=1, renames=None):
        program = os.path.join(TOOLS, "bin", "fault-proxy")
        if not os.access(program, os.X_OK):
            raise Missing(f"no fault-proxy in {TOOLS}/bin: e2e/build-tools makes it")
        self.port, self.admin = free_port(), free_port()
        with open(cluster.kubeconfig, encoding="utf-8") as file:
            config = json.load(file)
        server = config["clusters"][0]["cluster"]["server"]
        config["clusters"][0]["cluster"]["server"] = f"https://127.0.0.1:{self.port}"
        self.kubeconfig = os.path.join(cluster.story.folder, name + ".kubeconfig")
        with open(self.kubeconfig, "w", encoding="utf-8") as file:
            json.dump(config, file)
        pki = os.path.join(cluster.folder, "pki")
        super().__init__(cluster, name, [program, "--listen", f"127.0.0.1:{self.port}", "--admin", f"127.0.0.1:{self.admin}", "--server", server,
                                         "--ca", pki + "/ca.crt", "--cert", pki + "/serving.crt", "--key", pki + "/serving.key",
                                         "--seed", str(seed), *[f"--rename={ours}={theirs}" for theirs, ours in (renames or {}).items()]])

    def start(self):
        super().start()
        wait_for(lambda: self.counts() is not None, 20, "the fault proxy does not answer")
        return self

    def ask(self, method, where, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.admin}{where}", data=data, method=method)
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.read()

    def rules(self, *rules):
        self.ask("PUT", "/rules", list(rules))

    def counts(self):
        try:
            return json.loads(self.ask("GET", "/counts"))
        except OSError:
            return None

    def cut(self):
        """Breaks every watch that is open."""
        self.ask("POST", "/cut")
