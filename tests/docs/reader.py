"""Somebody who has built lips, types what a page says, and compares what comes out."""
import decimal
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request

import pages

LIMIT = 120  # seconds for a command
COPIED = ("charts", "config", "docker", "docs", "e2e", "examples", "scripts")  # what a reader has in the checkout and commands name
OPTIONAL = ("curl", "glpsol", "jq")  # what a reader may have to install: where it is missing, its commands are left out
SERVES = re.compile(r"listen=127\.0\.0\.1:(\d+)")


class Wrong(Exception):
    pass


def alike(shown, printed):
    """Says whether lines are what the page shows: "..." stands for anything in a line, and alone in a line for any lines."""
    parts = [r"(?:.*\n)*?" if line.strip() == "..." else re.escape(line.rstrip()).replace(r"\.\.\.", ".*") + r" *\n" for line in shown]
    return re.fullmatch("".join(parts), "".join(line + "\n" for line in printed.rstrip("\n").split("\n"))) is not None


def shortened(shown, printed, but_for):
    """Says whether the JSON of a page leaves things out of what is printed and changes nothing; numbers have the digits that the page shows."""
    if isinstance(shown, dict):
        return isinstance(printed, dict) and all(
            key in printed and (key in but_for or shortened(value, printed[key], but_for)) for key, value in shown.items())
    if isinstance(shown, list):
        return isinstance(printed, list) and all(any(shortened(value, other, but_for) for other in printed) for value in shown)
    if isinstance(shown, decimal.Decimal):
        return isinstance(printed, decimal.Decimal) and abs(shown - printed) <= decimal.Decimal((0, (5,), shown.as_tuple().exponent - 1))
    return shown == printed


def json_of(text):
    return json.loads(text, parse_float=decimal.Decimal, parse_int=decimal.Decimal)


class Reader:
    """`with Reader(build) as reader:` works in a folder like the checkout, which goes at the end with what it started."""

    def __init__(self, build, patience=1, root=pages.ROOT):
        self.build, self.patience, self.root = build, patience, root
        self.servers, self.ports, self.typed = [], {}, 0

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="lips-page-"))
        for name in COPIED:
            if (self.root / name).exists():
                shutil.copytree(self.root / name, self.folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        (self.folder / "build").mkdir()
        (self.folder / "build/release").symlink_to(self.build)
        (self.folder / "bin").mkdir()
        for name in ("lips", "lips-simulate"):
            (self.folder / "bin" / name).symlink_to(self.build / name)
        kept = {name: value for name, value in os.environ.items() if not name.startswith("LIPS_")}
        self.environment = kept | {"PATH": f"{self.folder}/bin:{os.environ['PATH']}", "KUBECONFIG": "/dev/null", "PYTHONDONTWRITEBYTECODE": "1"}
        return self

    def __exit__(self, *_):
        for server in self.servers:
            self.end(server)
        shutil.rmtree(self.folder, ignore_errors=True)

    def end(self, process, how=signal.SIGTERM):
        if process.poll() is None:
            os.killpg(process.pid, how)
        try:
            process.wait(20 * self.patience)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def missing(self, text):
        """The part of it that this build or machine lacks; "": nothing."""
        if not any(self.build.glob("bench_*")) and re.search(r"\bbench_\w+", text):
            return "no benchmarks in this build"
        return next((f"no {name} here" for name in OPTIONAL if re.search(rf"(^|[|&;]\s*){name}\b", text) and not shutil.which(name)), "")

    def run(self, text, status=0):
        """The text that it prints to stdout. A server is left running, on a free port in place of the page's."""
        for port in SERVES.findall(text):
            if port not in self.ports:
                with socket.create_server(("127.0.0.1", 0)) as free:
                    self.ports[port] = free.getsockname()[1]
        for port, free in self.ports.items():
            text = text.replace(f"127.0.0.1:{port}", f"127.0.0.1:{free}")
        began = time.monotonic()
        self.typed += 1
        with open(self.folder / f".stdout-{self.typed}", "w") as out, open(self.folder / f".stderr-{self.typed}", "w") as errors:
            process = subprocess.Popen(["bash", "-c", "set -o pipefail\n" + text], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                                       stdout=out, stderr=errors, start_new_session=True)
            said = lambda: pathlib.Path(out.name).read_text(errors="replace") + pathlib.Path(errors.name).read_text(errors="replace")[-2000:]
            if SERVES.search(text):
                self.servers.append(process)
                self.wait_until_ready(process, SERVES.search(text)[1], said)
                return ""
            try:
                process.wait(LIMIT * self.patience)
            except subprocess.TimeoutExpired:
                self.end(process, signal.SIGKILL)
                raise Wrong(f"takes more than {LIMIT * self.patience} s; a smaller one may be run 'instead'")
        if process.returncode != status:
            raise Wrong(f"ends with status {process.returncode}, not {status}: {said().strip()}")
        print(f"    {time.monotonic() - began:5.2f} s  {text}", flush=True)
        return pathlib.Path(out.name).read_text(errors="replace")

    def wait_until_ready(self, process, port, said):
        end = time.monotonic() + LIMIT * self.patience
        while time.monotonic() < end:
            if process.poll() is not None:
                raise Wrong(f"ends with status {process.returncode} instead of serving: {said().strip()}")
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5):
                    return
            except OSError:
                time.sleep(0.05)
        raise Wrong(f"does not serve within {LIMIT * self.patience} s")
