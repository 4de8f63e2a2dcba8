"""A virtual cluster in the program answers kubectl: lists, tables, a watch and a description; its clock stops, goes on and is set; it stays when its jobs have ended."""
import json
import os
import subprocess
import time
import urllib.request

from kit.cluster import TOOLS, need_tools, wait_for
from kit.operator import free_port

LIMIT = 120
SPEED = 30


class Playground:
    """`lips operator --cluster virtual:quickstart`, and what people ask it."""

    def __init__(self, story):
        self.story, self.port = story, free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = open(os.path.join(story.folder, "operator.log"), "wb")
        self.child = subprocess.Popen([story.lips, "operator", "--cluster", "virtual:quickstart", "--speed", str(SPEED), "--api", f"127.0.0.1:{self.port}",
                                       "--set", f"server.listen=127.0.0.1:{free_port()}"], stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)

    def __enter__(self):
        wait_for(self.answers, 30, "an answer of the API")
        return self

    def __exit__(self, kind, error, trace):
        if self.child.poll() is None:
            self.child.kill()
            self.child.wait()
        self.log.close()

    def answers(self):
        self.story.check(self.child.poll() is None, "the operator has ended")
        try:
            return self.clock()
        except OSError:
            return None

    def clock(self, query=None):
        request = urllib.request.Request(self.url + "/playground" + (f"?{query}" if query else ""), method="POST" if query else "GET")
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)

    def kubectl(self, *arguments):
        found = subprocess.run([os.path.join(TOOLS, "bin", "kubectl"), "--server", self.url, *arguments], capture_output=True, text=True, timeout=60,
                               env={**os.environ, "KUBECONFIG": os.devnull, "HOME": self.story.folder}, check=False)
        self.story.check(found.returncode == 0, f"kubectl {' '.join(arguments)}: {found.stderr[-600:]}")
        return found.stdout

    def end(self):
        began = time.monotonic()
        self.child.terminate()
        self.story.check(self.child.wait(20) == 0, "the operator failed at its end")
        return time.monotonic() - began


def tell(story):
    need_tools("kubectl")
    with Playground(story) as cluster:
        look(story, cluster)
        follow(story, cluster)
        rule_time(story, cluster)
        wait_for(lambda: cluster.clock()["over"], 60, "the end of the jobs")
        ended = cluster.clock()
        story.figure("jobs that have ended", ended["ended"], at_least=ended["jobs"])
        story.check("cheap-0" in cluster.kubectl("get", "nodes"), "the cluster is gone when its jobs have ended")
        cluster.clock("stopped=true")
        story.figure("the end of a stopped cluster", cluster.end(), "s", at_most=10)


def look(story, cluster):
    """Everything is listed by names that kubectl finds by itself."""
    story.figure("nodes", len(cluster.kubectl("get", "no").splitlines()) - 1, at_least=6)
    ours = cluster.kubectl("get", "lips", "-A")
    for kind in ("dataset.lips.dev/logs", "datastore.lips.dev/cheap-0", "pool.lips.dev/default"):
        story.check(kind in ours, f"kubectl get lips names no {kind}")
    story.check("lips.dev/v1alpha1" in cluster.kubectl("api-resources"), "the API group lips.dev is not discovered")
    story.check("us-east-1b" in cluster.kubectl("describe", "node", "cheap-0"), "kubectl describes no node")


def follow(story, cluster):
    """A watch tells of a pod that runs and ends."""
    command = [os.path.join(TOOLS, "bin", "kubectl"), "--server", cluster.url, "get", "pods", "-A", "--watch"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "KUBECONFIG": os.devnull, "HOME": story.folder}) as watch:
        phases = set()
        while not {"Running", "Succeeded"} <= phases:
            line = watch.stdout.readline()
            story.check(line, "the watch has ended")
            phases.update(line.split()[2:3])
        watch.kill()


def rule_time(story, cluster):
    """A stopped clock stands while the API answers; one that goes on is later."""
    stopped = cluster.clock("stopped=true")
    cluster.kubectl("get", "pods", "-A")
    story.check(cluster.clock()["time"] == stopped["time"], "time has passed while the clock was stopped")
    fast = cluster.clock("stopped=false&speed=600")
    story.check(fast["speed"] == 600 and not fast["stopped"], f"the clock does not obey: {fast}")
    wait_for(lambda: cluster.clock()["time"] > stopped["time"], 20, "time that goes on")
