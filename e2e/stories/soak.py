"""Objects come and go for a long time: the operator's memory and metrics depend on the live objects, not on all that ever existed.

Jobs with their data sets and moves, lone pods, namespaces, pools, nodes with their stores and pods that fit nowhere all get new names all the time;
as many are alive at the end as at the beginning. Watches are cut, and some find their version too old, all the while.
"""
import concurrent.futures
import os
import re
import statistics
import threading
import time

from kit import objects
from kit.cluster import E2E, Cluster, wait_for
from kit.operator import FaultProxy, Operator, sum_of
from kit.recorder import Recorder

LIMIT, FULL_LIMIT = 300, 2400
TASKS, JOBS, LONE, NODES, STORES, MOVES, LOST = 10, 6, 160, 36, 6, 4, 12
TYPES = ("m7g.2xlarge", "m6i.2xlarge", "of-unknown-price")
JOBS_A_SPACE, JOBS_A_POOL = 15, 10
WARM = 2000  # pods that have come and gone
STAGES = """---
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: lone-pod-complete}
spec:
  resourceRef: {apiGroup: v1, kind: Pod}
  selector:
    matchLabels: {test.lips.dev/lone: "yes"}
    matchExpressions:
    - {key: '.metadata.deletionTimestamp', operator: DoesNotExist}
    - {key: '.status.phase', operator: In, values: [Running]}
  delay: {durationMilliseconds: 1000}
  next:
    statusTemplate: |
      phase: Succeeded
---
apiVersion: config.kwok.x-k8s.io/v1alpha1
kind: KwokConfiguration
options: {podPlayStageParallelism: 32, nodePlayStageParallelism: 8, nodeLeaseParallelism: 4}
"""
EVERY_WATCH_TOO_OLD = {"name": "too old", "verb": "WATCH", "path": "(pods|nodes|jobs|datasets|datastores)$", "expire": True, "count": 12}
SOME_WATCHES_TOO_OLD = {"name": "too old", "verb": "WATCH", "expire": True, "share": 0.1}
SPACES_AND_POOLS = 30  # alive at once, at most, and gone but not listed yet
SHORT_MEMORY = "--event-ttl=60s --etcd-compaction-interval=30s"  # of the API server, so that it is not what grows


class Wheel:
    """All objects that come and go; names never repeat."""

    def __init__(self, cluster, seen):
        self.api, self.seen = cluster.api, seen
        self.counts = dict.fromkeys(("Job", "DataSet", "DataMove", "Namespace", "Pool", "Node", "lone Pod", "Pod that fits nowhere"), 0)
        self.hands = concurrent.futures.ThreadPoolExecutor(16)
        self.calls = []  # of this turn
        self.jobs = {}  # name: what belongs to it
        self.done = {}  # name: its pods that have ended
        self.lone, self.lone_done = set(), []
        self.moving = {}  # name: its namespace and data set
        self.spaces, self.pools, self.lost, self.leaving, self.nodes = [], [], [], [], []
        self.due = {}
        seen.watchers["Pod"].append(self.look)
        for _ in range(NODES):
            self.add_node()
        self.send()
        self.add_space()

    def number(self, kind):
        self.counts[kind] += 1
        return self.counts[kind]

    def look(self, _, pod):
        owner = next((o["name"] for o in pod["metadata"].get("ownerReferences", [])), None)
        if pod["metadata"].get("labels", {}).get("test.lips.dev/lone") and pod.get("status", {}).get("phase") == "Succeeded":
            self.lone_done.append(pod["metadata"]["name"])
        if owner in self.done and pod.get("status", {}).get("phase") == "Succeeded":
            self.done[owner].add(pod["metadata"]["name"])

    def every(self, seconds, what):
        now = time.monotonic()
        if now >= self.due.get(what, now):
            self.due[what] = now + seconds
            what()

    def turn(self):
        self.every(0.2, self.replace_lost)
        self.every(3, self.replace_node)
        self.every(1, self.end_moves)
        self.end_jobs()
        self.replace_lone()
        while len(self.jobs) < JOBS:
            self.add_job()
        for pool in [p for p in self.pools[:-1] if all(job["pool"] != p for job in self.jobs.values())]:
            self.pools.remove(pool)
            self.delete("Pool", pool)
        for space in [s for s in self.spaces[:-2] if s not in self.spaces_in_use()]:
            self.spaces.remove(space)
            self.delete("Namespace", space)
        self.send()

    # Requests of one turn, in no order and several at once.
    def create(self, obj):
        self.calls.append(lambda: self.api.create(obj))

    def delete(self, kind, name, space="default", grace=None):
        self.calls.append(lambda: self.api.delete(kind, name, space, grace))

    def send(self):
        calls, self.calls = self.calls, []
        for sent in [self.hands.submit(call) for call in calls]:
            sent.result()

    def spaces_in_use(self):
        return {job["space"] for job in self.jobs.values()} | {space for space, _ in self.moving.values()}

    def add_space(self):
        self.spaces.append(f"space-{self.number('Namespace')}")
        self.api.create(objects.namespace(self.spaces[-1]))
        wait_for(lambda: self.api.find("ServiceAccount", "default", self.spaces[-1]), 60, f"no service account in {self.spaces[-1]}")

    def add_job(self):
        n = self.number("Job")
        name, data, notes = f"job-{n}", None, {"lips.dev/cpu-seconds": "1"}
        if n % JOBS_A_SPACE == 0:
            self.add_space()
        space = self.spaces[-1]
        if n % JOBS_A_POOL == 1:
            self.pools.append(f"pool-{self.number('Pool')}")
            self.create(objects.pool(self.pools[-1], weight=1 + n % 3, allowedNamespaces=["*"]))
        if n % 3 == 0:
            notes["lips.dev/pool"] = self.pools[-1]
        if n % 4 == 0:
            data = f"set-{self.number('DataSet')}"
            self.create(objects.data_set(data, TASKS, {f"store-{n // 4 % STORES}": f"0-{TASKS - 1}"}, space=space))
            notes["lips.dev/dataset"] = data
        self.jobs[name] = {"space": space, "pool": notes.get("lips.dev/pool"), "data": data}
        self.done[name] = set()
        # No two jobs ask for the same amount of memory.
        self.create(objects.indexed_job(name, TASKS, space=space, run_for="1s", annotations=notes, cpu="500m", memory=f"{65536 + n}Ki"))
        if n % 8 == 0 and len(self.moving) < MOVES:
            move = f"move-{self.number('DataMove')}"
            self.moving[move] = (space, data)
            self.create(objects.data_move(move, data, f"store-{n // 4 % STORES}", f"store-{(n // 4 + 1) % STORES}", blocks="0-1", space=space))

    def end_jobs(self):
        for name in [n for n in self.jobs if len(self.done[n]) == TASKS]:
            job = self.jobs.pop(name)
            del self.done[name]
            self.delete("Job", name, job["space"])
            if job["data"] and (job["space"], job["data"]) not in self.moving.values():
                self.delete("DataSet", job["data"], job["space"])

    def end_moves(self):
        """And the data sets that they moved, once no job reads them."""
        over = {m["metadata"]["name"] for m in self.api.list("DataMove") if m.get("status", {}).get("finished")}
        read = {job["data"] for job in self.jobs.values()}
        for move in [m for m, (_, data) in self.moving.items() if m in over and data not in read]:
            space, data = self.moving.pop(move)
            self.delete("DataMove", move, space)
            self.delete("DataSet", data, space)

    def replace_lone(self):
        """Pods of no Job, and half of them one by one of a job that only an annotation names."""
        done, self.lone_done = self.lone_done, []
        for name in self.lone.intersection(done):
            self.lone.remove(name)
            self.delete("Pod", name, grace=0)
        while len(self.lone) < LONE:
            n = self.number("lone Pod")
            self.lone.add(f"lone-{n}")
            self.create(objects.pod(f"lone-{n}", annotations={"lips.dev/job": f"loners-{n // 8}"} if n % 2 else {}, labels={"test.lips.dev/lone": "yes"},
                                    cpu=f"{200 + n % 200}m"))

    def replace_lost(self):
        """No node has what they select, and no two select the same."""
        n = self.number("Pod that fits nowhere")
        self.lost.append(f"lost-{n}")
        self.create(objects.pod(self.lost[-1], nodeSelector={"test.lips.dev/ticket": str(n)}))
        if len(self.lost) > LOST:
            self.delete("Pod", self.lost.pop(0), grace=0)

    def add_node(self):
        """The first few hold the data and stay."""
        n = self.number("Node") - 1
        name, zone = f"node-{n}", objects.ZONES[n % 3]
        node = objects.fake_node(name, zone, cores=8, memory="32Gi", instance_type=TYPES[n % 3])
        self.seen.know_node(node)
        self.create(node)
        self.create(objects.node_store(f"store-{n}", name, zone))
        self.nodes.append(n)

    def replace_node(self):
        """One is emptied, those that are empty go; as many come."""
        for n in [n for n in self.leaving if not self.seen.used.get(f"node-{n}", {}).get("pods")]:
            self.leaving.remove(n)
            self.delete("Node", f"node-{n}")
            self.add_node()
        n = self.nodes.pop(STORES)
        self.leaving.append(n)
        self.calls.append(lambda: self.api.patch("Node", f"node-{n}", {"spec": {"unschedulable": True}}))
        self.delete("DataStore", f"store-{n}")

    def stop(self):
        """Lets all jobs end and removes everything except the nodes."""
        while self.jobs or self.moving:
            self.every(0.5, self.end_moves)
            self.end_jobs()
            self.send()
            time.sleep(0.1)
        for name in self.lone:
            self.delete("Pod", name, grace=0)
        for name in self.lost:
            self.delete("Pod", name, grace=0)
        for pool in self.pools:
            self.delete("Pool", pool)
        for space in self.spaces:
            self.delete("Namespace", space)
        self.send()
        self.hands.shutdown()


class Sizes:
    """The memory of the operator, once a second, beside how many pods had come and gone."""

    def __init__(self, operator, seen, wheel):
        self.operator, self.seen, self.wheel, self.began = operator, seen, wheel, time.monotonic()
        self.samples, self.pools = [], []
        self.over = threading.Event()
        self.taking = threading.Thread(target=self.take_all, daemon=True)
        self.taking.start()

    # On a thread of its own: on a busy machine the API server takes seconds for the requests of a turn.
    def take_all(self):
        while not self.over.wait(1):
            self.take()

    def stop(self):
        self.over.set()
        self.taking.join()

    def take(self):
        resident, anonymous = self.operator.memory()
        self.samples.append((time.monotonic() - self.began, self.seen.gone, resident / 1024, anonymous / 1024))
        self.pools.append((self.samples[-1][0], self.wheel.counts["Pool"] + self.wheel.counts["Namespace"]))

    def pools_since(self, time):
        """Pools that came then or later; a namespace is one too."""
        return self.pools[-1][1] - max((count for at, count in self.pools if at < time), default=0)

    def between(self, first, last, column):
        return [sample[column] for sample in self.samples if first <= sample[0] <= last]


def slope(xs, ys):
    """The slope of the line nearest to the points."""
    x, y = statistics.fmean(xs), statistics.fmean(ys)
    return sum((a - x) * (b - y) for a, b in zip(xs, ys)) / max(1e-9, sum((a - x) ** 2 for a in xs))


class Series:
    """The series of the operator's metrics: how many there are beside those of pools, and which pools have some."""

    def __init__(self, operator):
        found = operator.metrics()
        label = re.compile(r'[{,]pool="([^"]*)"')
        of_pools = {key: label.search(key).group(1) for key in found if label.search(key)}
        self.others = {key.split("_bucket{")[0] for key in found if key not in of_pools}
        self.pools = set(of_pools.values())
        self.pools_now = {pool for key, pool in of_pools.items() if key.startswith("lips_pool_cores{")}


def tell(story):
    warm_up, rest = (420, 900) if story.full else (35, 70)
    seconds = float("inf")  # until it is known when it is warm
    stages = os.path.join(story.folder, "stages.yaml")
    with open(os.path.join(E2E, "stages.yaml"), encoding="utf-8") as usual, open(stages, "w", encoding="utf-8") as file:
        file.write(usual.read() + STAGES)
    cluster = Cluster(story, scheduler=True, stages=stages)
    cluster.flags["kube-apiserver"] += " " + SHORT_MEMORY
    with cluster:
        cluster.install_custom_resources()
        proxy = FaultProxy(cluster, seed=story.seed).start()
        with Recorder(cluster, keep=False) as seen:
            wheel = Wheel(cluster, seen)
            operator = Operator(cluster, {"leaderElection": {"enabled": False}, "policy": {"epoch": "1s"}}, kubeconfig=proxy.kubeconfig).start().wait_ready()
            sizes, cuts, cut_at, first = Sizes(operator, seen, wheel), 0, 0, None
            while (passed := time.monotonic() - sizes.began) < seconds:
                wheel.turn()
                if passed > max(cut_at + 7, warm_up / 2):
                    # At first all, so that everything is listed once more when as much is alive as later.
                    if cuts < 2:
                        proxy.rules(SOME_WATCHES_TOO_OLD if cuts else EVERY_WATCH_TOO_OLD)
                    cuts, cut_at = cuts + 1, passed
                    proxy.cut()
                # On a busy machine everything that is listed once more, and grows once, comes later.
                if first is None and (passed >= 3 * warm_up or passed >= warm_up and seen.gone >= WARM):
                    first, gone, warm_up, seconds = Series(operator), seen.gone, passed, passed + rest
                    story.say(f"warmed up: {gone} pods have come and gone, {len(first.others)} series, {len(first.pools)} pools")
                story.check(not seen.broken, lambda: "; ".join(seen.broken[:5]))
                time.sleep(0.05)
            sizes.stop()
            last = Series(operator)
            turned = seen.gone
            too_old = proxy.counts().get("too old", 0)
            with open(os.path.join(story.folder, "sizes.csv"), "w", encoding="ascii") as file:
                file.write("seconds,pods,resident_kib,anonymous_kib\n")
                file.writelines(f"{t:.1f},{n},{resident:.0f},{anonymous:.0f}\n" for t, n, resident, anonymous in sizes.samples)
            wheel.stop()
            empty = lambda: sum_of(operator.metrics(), "lips_pending_pods") + sum_of(operator.metrics(), "lips_running_tasks") == 0
            wait_for(empty, 60, lambda: f"of what was deleted the operator still counts {operator.metric('lips_pending_pods')} pods as waiting and "
                                        f"{operator.metric('lips_running_tasks')} as running", pause=0.5)
            story.check(not seen.broken, lambda: "; ".join(seen.broken[:5]))
    part = rest / 4
    at_first = statistics.median(sizes.between(warm_up, warm_up + part, 2))
    at_last = statistics.median(sizes.between(seconds - part, seconds, 2))
    half = (warm_up + seconds) / 2
    trend = slope(sizes.between(half, seconds, 1), sizes.between(half, seconds, 2))
    story.figure("come and gone", ", ".join(f"{count} {kind}s" if kind[-1] != "e" else f"{count} {kind}" for kind, count in wheel.counts.items()))
    story.figure("pods come and gone", turned)
    story.figure("a second", turned / seconds, digits=0)
    story.figure("watches cut, and found too old", f"{cuts} times all, {too_old}")
    story.figure(f"resident after a warm-up of {warm_up:.0f} s and {gone} pods", at_first / 1024, "MiB", digits=1)
    story.figure(f"resident at the end, after {turned} pods", at_last / 1024, "MiB", digits=1)
    story.figure("grown", 100 * (at_last / at_first - 1), "%", at_most=10, digits=1)
    story.figure("trend in the second half, for 1,000 pods", 1000 * trend, "KiB", digits=0)
    story.figure("series of metrics beside those of pools, after the warm-up", len(first.others))
    story.figure("at the end", len(last.others), at_most=len(first.others) + 20)
    story.say(f"new ones: {sorted(last.others - first.others)}")
    story.figure("pools that there are, by the metrics, at the end", len(last.pools_now), at_most=SPACES_AND_POOLS)
    story.figure("pools that have sums, after the warm-up", len(first.pools))
    # Those that are gone keep them for five minutes, and some more until the next plan.
    story.figure("at the end", len(last.pools), at_most=SPACES_AND_POOLS + sizes.pools_since(seconds - 360))
