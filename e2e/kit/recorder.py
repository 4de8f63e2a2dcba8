"""Events of the API server in their order, checked on arrival against the promises that must hold at every instant.

A pod is bound once, and no node is overcommitted. Times are those of this machine, when the event arrived.
"""
import threading
import time

from kit import api as kube
from kit.amounts import amount, pod_requests

ENDED = ("Succeeded", "Failed")


class Seen:
    """The recorded state of one pod."""

    def __init__(self, pod):
        meta = pod["metadata"]
        self.space, self.name, self.uid = meta["namespace"], meta["name"], meta["uid"]
        self.scheduler = pod["spec"].get("schedulerName", "")
        self.job = next((o["name"] for o in meta.get("ownerReferences", []) if o["kind"] == "Job"), None)
        self.requests = pod_requests(pod)
        self.appeared = time.monotonic()
        self.freed_at = self.bound_at = self.running_at = self.ended_at = self.gone_at = None  # freed: of its scheduling gates
        self.node = None
        self.pod = pod


class Recorder:
    """`with Recorder(cluster) as seen:` follows pods, and the kinds named, until its end."""

    def __init__(self, cluster, kinds=("Pod",), keep=True):
        """`keep`: remembers pods that are gone too."""
        self.api = cluster.api
        self.kinds, self.keep = kinds, keep
        self.pods = {}
        self.gone = 0
        self.used = {}
        self.capacity = {}
        self.broken = []
        self.watchers = {kind: [] for kind in kinds}
        self.history = {kind: [] for kind in kinds if kind != "Pod"}
        self.stop = threading.Event()
        self.lock = threading.Lock()
        self.threads = []

    def __enter__(self):
        for node in self.api.list("Node"):
            self.know_node(node)
        for kind in self.kinds:
            found = self.api.request("GET", kube.path(kind))
            for item in found["items"]:
                self.take(kind, "ADDED", item)
            thread = threading.Thread(target=self.follow, args=(kind, found["metadata"]["resourceVersion"]), daemon=True)
            thread.start()
            self.threads.append(thread)
        return self

    def __exit__(self, *_):
        self.stop.set()
        for thread in self.threads:
            thread.join(10)

    def know_node(self, node):
        self.capacity[node["metadata"]["name"]] = {k: amount(k, v) for k, v in node["status"]["allocatable"].items()}

    def follow(self, kind, version):
        while not self.stop.is_set():
            try:
                for event, obj in self.api.watch(kind, version, self.stop):
                    if event == "ERROR":
                        self.broken.append(f"the recorder lost the history of {kind}: {obj.get('message')}")
                        version = self.api.request("GET", kube.path(kind))["metadata"]["resourceVersion"]
                        break
                    version = obj["metadata"]["resourceVersion"]
                    if event != "BOOKMARK":
                        self.take(kind, event, obj)
            except Exception:  # the server may be restarted on purpose; go on where we were
                time.sleep(0.2)

    def take(self, kind, event, obj):
        with self.lock:
            if kind == "Pod":
                self.take_pod(event, obj)
            else:
                self.history[kind].append((time.monotonic(), event, obj))
                if kind == "Node" and event != "DELETED" and "allocatable" in obj.get("status", {}):
                    self.know_node(obj)
            for watcher in self.watchers[kind]:
                watcher(event, obj)

    def take_pod(self, event, pod):
        uid = pod["metadata"]["uid"]
        seen = self.pods.get(uid)
        if seen is None:
            seen = self.pods[uid] = Seen(pod)
        seen.pod = pod
        if seen.freed_at is None and not pod["spec"].get("schedulingGates"):
            seen.freed_at = time.monotonic()
        node = pod["spec"].get("nodeName")
        if node and seen.node and node != seen.node:
            self.broken.append(f"{seen.name} was bound to {seen.node}, then to {node}")
        if node and not seen.node:
            seen.node, seen.bound_at = node, time.monotonic()
            self.add(seen, 1)
        if seen.running_at is None and pod.get("status", {}).get("phase") == "Running":
            seen.running_at = time.monotonic()
        if seen.ended_at is None and pod.get("status", {}).get("phase") in ENDED:
            seen.ended_at = time.monotonic()
            if seen.node:
                self.add(seen, -1)
        if event == "DELETED" and seen.gone_at is None:
            seen.gone_at = time.monotonic()
            self.gone += 1
            if seen.node and seen.ended_at is None:
                self.add(seen, -1)
            if not self.keep:
                del self.pods[uid]

    def add(self, seen, sign):
        used = self.used.setdefault(seen.node, {})
        for resource, value in seen.requests.items():
            used[resource] = used.get(resource, 0) + sign * value
            have = self.capacity.get(seen.node, {}).get(resource)
            if sign > 0 and seen.node in self.capacity and used[resource] > (have or 0) and value > 0:
                self.broken.append(f"{seen.node} is overcommitted by {seen.name}: {used[resource]} of {have} {resource}")

    # ---- questions ----

    def of(self, scheduler="lips", job=None, space=None):
        with self.lock:
            return [s for s in self.pods.values() if s.scheduler == scheduler and (job is None or s.job == job) and
                    (space is None or s.space == space)]

    def bound(self, **which):
        return [s for s in self.of(**which) if s.node]

    def finished(self, **which):
        return [s for s in self.of(**which) if s.ended_at]
