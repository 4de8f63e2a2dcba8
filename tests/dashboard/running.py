"""The parts that a dashboard needs: a running operator, and a Prometheus that scrapes it. Both on free ports, and gone in the end.

The operator's page is tried on such an operator, too."""
import contextlib
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCENARIO = "tests/dashboard/scenario.yaml"


@contextlib.contextmanager
def process(command, **more):
    started = subprocess.Popen(command, **more)
    try:
        yield started
    finally:
        started.terminate()
        started.wait()


@contextlib.contextmanager
def folder():
    path = tempfile.mkdtemp(prefix="lips-dashboard-")
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(url, started):
    for _ in range(300):
        if started.poll() is not None:
            break
        try:
            urllib.request.urlopen(url, timeout=1)
            return
        except OSError:
            time.sleep(0.1)
    sys.exit(f"{url} does not answer")


@contextlib.contextmanager
def simulated_operator(program, scenario, speed, *settings):
    """On the cluster of the scenario, a file below ROOT or a whole path: its process and its address. The page shows the scenario's name."""
    with folder() as path:
        log_path = os.path.join(path, "operator.log")
        with open(log_path, "w", encoding="utf-8") as log, process(
                [os.path.abspath(program), "operator", "--cluster", "simulated:" + scenario, "--speed", str(speed), "--stay",
                 "--set", "server.listen=127.0.0.1:0", f"journal.directory={path}/journal", "policy.settings.meanWait=10m", *settings],
                stderr=log, cwd=ROOT) as operator:
            for _ in range(600):
                with open(log_path, encoding="utf-8") as written:
                    found = re.search(r"listening\" address=(127\.0\.0\.1:\d+)", written.read())
                if found:
                    break
                time.sleep(0.1)
            else:
                sys.exit("the operator does not listen")
            yield operator, found[1]


@contextlib.contextmanager
def prometheus_of(addresses, every):
    """A Prometheus that scrapes these addresses; its URL."""
    with folder() as path:
        with open(os.path.join(path, "prometheus.yml"), "w", encoding="utf-8") as file:
            file.write(f"global: {{scrape_interval: {every}}}\nscrape_configs:\n  - job_name: lips\n    static_configs: [{{targets: {list(addresses)}}}]\n")
        own = f"127.0.0.1:{free_port()}"
        with process(["prometheus", f"--config.file={path}/prometheus.yml", f"--storage.tsdb.path={path}/data", f"--web.listen-address={own}",
                      "--log.level=error"]) as started:
            wait_for(f"http://{own}/-/ready", started)
            yield f"http://{own}"
