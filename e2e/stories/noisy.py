"""A tenant who does the worst in its own namespace hurts nobody else: small pods of another start within a second, and the operator stays small.

A victim creates a small pod now and then, and each has to be bound soon. Beside it tenants with the chart's rights for users attack (kit.attacks), one
after the other and then several at once. The nodes are nearly full of other schedulers' pods, so most pods of an attack wait and are in every plan.
A witness binds pods of its own that come at the same moments, and decides nothing (kit.witness): where it is slow too, the API server or the machine is.
The short form draws a few attacks, by a seed that it prints, and its plans order no nodes. It leaves out HEAVY. On a machine that is busy with other work
these break the bar: a plan of a fifth of a second or longer makes small pods wait for the rest after it and for another plan, and three million blocks and
replicas cost the deciding thread tenths of a second whenever a DataSet comes or goes.
"""
import json
import math
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.request

from kit import audit, helm, objects, tenants
from kit.api import ApiError, path
from kit.attacks import ATTACKS, NOBODY, SLOW_CLASS, STORES
from kit.cluster import E2E, Cluster, need_tools, wait_for
from kit.amounts import quantity
from kit.operator import Operator, Process, sum_of
from kit.recorder import Recorder
from kit.story import StoryFailed

LIMIT, FULL_LIMIT = 300, 7200
DRAWN = 4          # attacks of the short form
# They load the API server or plans so much that a busy machine decides how long a pod waits.
HEAVY = ("long_terms", "anti_affinity", "large_annotations", "changing_annotations", "many_blocks", "listings", "claims")
BAR, TIMES = 1.0, 3  # seconds, and of the 99th percentile without an attack and of the witness: the largest counts
CORES = 8
MADE_OF = ("CronJob", "Job", "Pod", "DataSet", "ConfigMap", "PersistentVolumeClaim")  # in the order in which they are deleted
WRITES = 100       # a second, beside bindings: 50 conditions, 5 events and the like
FOR_EACH = 2       # writes for an object that comes: a DataSet's status before and after its files are known, a pod's condition
VICTIM, WITNESS = "victim", "witness"  # namespaces; the witness has a node of its own, of the same name
WRITE = re.compile(r'lips_api_requests_total\{.*verb="(create|update|patch|delete)"')
FLEET = {"instanceTypes": ["m7g.xlarge", "m7g.2xlarge"], "zones": objects.ZONES}


def add_options(group):
    group.add_argument("--attacks", metavar="NAME,...",
                       help="of noisy: " + ", ".join(ATTACKS) + " (all with --full, else a few of the lighter ones, which are drawn)")
    group.add_argument("--attack-seed", type=int, metavar="N", help="of the draw of attacks, and of all that they draw (--seed)")
    group.add_argument("--fleet", choices=("yes", "no"), help="whether plans of noisy may order nodes (no; --full: first no, then yes)")


class Pace:
    """Creates pods of the victim and of the witness at an even pace, on a thread; the audit log says when each was bound."""

    def __init__(self, cluster, every):
        self.api, self.every, self.bindings, self.count = cluster.api, every, audit.Counter(cluster.story.folder), 0
        self.created = {}  # by namespace and name

    def create(self, stop):
        due = time.monotonic()
        while not stop.wait(max(0.0, due - time.monotonic())):
            due = max(due + self.every, time.monotonic() - self.every)
            self.count += 1
            for space, scheduler in ((VICTIM, "lips"), (WITNESS, NOBODY)):
                name = f"pod-{self.count}"
                self.api.create(objects.pod(name, space, scheduler, cpu="100m" if space == VICTIM else "1m"))
                self.created[space, name] = time.time()

    def waits(self, of):
        """Seconds from creation to binding of each, until now of those that wait."""
        self.bindings.read()
        now = time.time()
        return sorted(self.bindings.times.get(pod, now) - created for pod, created in list(self.created.items()) if pod[0] == of)

    def unbound(self):
        self.bindings.read()
        return ["/".join(pod) for pod in list(self.created) if pod not in self.bindings.times]

    def forget(self):
        self.created = {}
        for space in (VICTIM, WITNESS):
            self.api.request("DELETE", path("Pod", space), {"gracePeriodSeconds": 0})


class Beside:
    """How the victim and the witness fared beside attackers, and what the operator did meanwhile."""

    def __init__(self, pace, watcher):
        self.waits, self.witness = pace.waits(VICTIM), pace.waits(WITNESS)
        self.p99, self.p99_of_witness = last_of_hundred(self.waits), last_of_hundred(self.witness)
        self.watcher = watcher

    def words(self):
        return f"median {self.waits[len(self.waits) // 2]:.3f} s; p99 of the witness {self.p99_of_witness:.3f} s; " + self.watcher.words()


def last_of_hundred(waits):
    """The 99th percentile of these in their order, by the nearest rank."""
    return waits[math.ceil(0.99 * len(waits)) - 1]


class Attacker:
    """One attack as a process, with a tenant's kubeconfig."""

    def __init__(self, story, name, kubeconfig, rate, seed):
        attack = ATTACKS[name]
        self.name, self.space = name, space_of(name)
        self.log_path = os.path.join(story.folder, f"{self.space}.log")
        self.lines = open(self.log_path, "w+", encoding="utf-8")
        command = [sys.executable, "-B", "-m", "kit.attacks", name, "--kubeconfig", kubeconfig, "--space", self.space, "--rate", str(rate), "--seed", str(seed),
                   "--count", str(attack.full_count if story.full else attack.count)]
        self.child = subprocess.Popen(command, cwd=E2E, stdin=subprocess.DEVNULL, stdout=self.lines, stderr=self.lines)

    def made(self):
        """The words of the attack once it has made its objects; None before."""
        with open(self.log_path, encoding="utf-8") as file:
            text = file.read()
        found = re.search(r"^\{.*\}$", text, re.MULTILINE)
        return json.loads(found.group()) if found else None

    def end(self):
        self.child.send_signal(signal.SIGTERM)
        try:
            self.child.wait(30)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()
        self.lines.close()

    def log(self):
        with open(self.log_path, encoding="utf-8") as file:
            return file.read()


def space_of(attack):
    return attack.replace("_", "-")


class Watcher:
    """The operator's metrics during one attack, once a second."""

    def __init__(self, operator, api):
        self.operator, self.api = operator, api
        self.above_share = {}  # by pool: room held beyond what it is entitled to, as a part of its dominant resource
        self.held, self.ordered = 0.0, {}
        self.first, self.began, self.cpu = operator.metrics(), time.monotonic(), operator.cpu_seconds()

    def look(self):
        found = self.operator.metrics()
        for key, held in found.items():
            if not key.startswith("lips_pool_held_ratio{") or held <= 0:
                continue
            pool = re.search(r'pool="([^"]*)"', key).group(1)
            self.held = max(self.held, held)
            above = held - sum_of(found, "lips_pool_fair_share_ratio", pool=pool)
            self.above_share[pool] = max(self.above_share.get(pool, 0.0), above)
        ordered = {}
        for order in self.api.list("Pod", "default", "lips.dev/for-namespace"):
            space = order["metadata"]["labels"]["lips.dev/for-namespace"]
            cores = sum(quantity(c["resources"]["requests"].get("cpu", "0")) for c in order["spec"]["containers"])
            ordered[space] = ordered.get(space, 0) + float(cores)
        for space, cores in ordered.items():
            self.ordered[space] = max(self.ordered.get(space, 0), cores)

    def sum_up(self):
        seconds = self.seconds = time.monotonic() - self.began
        last = self.operator.metrics()
        count = lambda found: sum(value for key, value in found.items() if WRITE.match(key) and "binding" not in key)
        self.writes = (count(last) - count(self.first)) / seconds  # a second
        self.cores = (self.operator.cpu_seconds() - self.cpu) / seconds

    def words(self):
        return (f"operator: {self.cores:.2f} cores, {self.operator.memory()[0] / 2**20:.0f} MiB, {self.writes:.1f} writes a second beside bindings; "
                f"held: {self.held:.2f} of the dominant resource")


class Arena:
    """The cluster with its tenants, and what has been seen of it."""

    def __init__(self, story, cluster, seen, witness, seed):
        self.story, self.cluster, self.seen, self.witness, self.seed = story, cluster, seen, witness, seed
        self.window = 45 if story.full else 10
        self.pace = Pace(cluster, 5 if story.full else 1)
        self.tenants, self.quiet, self.operator = {}, None, None

    def start(self, fleet):
        self.operator = Operator(self.cluster, {"leaderElection": {"enabled": False}, "fleet": FLEET if fleet else {}},
                                 name="lips-with-fleet" if fleet else "lips").start().wait_ready()
        self.process = self.operator.child.pid

    def add_tenants(self, names):
        for name in names:
            space = space_of(name)
            self.tenants[name] = tenants.add(self.cluster, space)
            if ATTACKS[name].quota:
                tenants.limit(self.cluster, space, ATTACKS[name].quota)

    def probe(self, attackers):
        watcher, stop, began = Watcher(self.operator, self.cluster.api), threading.Event(), time.monotonic()
        creating = threading.Thread(target=self.pace.create, args=(stop,), daemon=True)
        creating.start()
        ready = None
        while True:
            time.sleep(1)
            watcher.look()
            self.story.check(self.operator.running(), self.operator.last_words)
            now = time.monotonic()
            if ready is None and all(a.made() or a.child.poll() is not None for a in attackers):
                ready = now
            if now - began >= 3 * self.window or ready and now - began >= self.window and now - ready >= self.window / 3:
                break
        watcher.sum_up()
        stop.set()
        creating.join()
        deadline = time.monotonic() + (60 if self.story.full else 30)
        while self.pace.unbound() and time.monotonic() < deadline:
            time.sleep(0.1)
        unbound = self.pace.unbound()
        if unbound:
            self.keep_why(unbound[0])
        self.story.expect(not unbound, lambda: f"{len(unbound)} pods are not bound: {unbound[:3]}")
        self.story.check(self.witness.running(), self.witness.last_words)
        return Beside(self.pace, watcher)

    def keep_why(self, pod):
        """Saves what the operator knows, for `lips why --from FILE`, and says why the pod waits."""
        with (urllib.request.urlopen(f"http://127.0.0.1:{self.operator.port}/state", timeout=10) as answer,
              open(os.path.join(self.story.folder, "state.json.gz"), "wb") as file):
            file.write(answer.read())
        space, name = pod.split("/")
        try:
            self.story.say(self.operator.says("why", name, "--namespace", space))
        except StoryFailed as problem:
            self.story.say(f"why {pod} waits is not known: {problem}")

    def control(self, what):
        found = self.probe([])
        self.quiet = found.p99
        self.story.figure(f"{what}: p99 of {len(found.waits)} pods", f"{found.p99:.3f} s; {found.words()}")
        self.pace.forget()

    def attack(self, names, what=None):
        what = what or f"{names[0]}: {ATTACKS[names[0]].about}"
        rate = (100 if self.story.full else 60) / math.sqrt(len(names))
        attackers = [Attacker(self.story, name, self.tenants[name], rate, self.seed) for name in names]
        try:
            found = self.probe(attackers)
        finally:
            for attacker in attackers:
                attacker.end()
        story, watcher = self.story, found.watcher
        bar = max(BAR, TIMES * self.quiet, TIMES * found.p99_of_witness)
        story.figure(f"{what}; p99 of {len(found.waits)} pods", found.p99, "s", at_most=round(bar, 2), digits=3)
        story.say("        " + found.words())
        came = sum((attacker.made() or {"made": 0})["made"] for attacker in attackers) / watcher.seconds
        most = WRITES + FOR_EACH * came
        story.expect(watcher.writes <= most,
                     f"{what}: {watcher.writes:.0f} writes a second beside bindings (at most {most:.0f}, as {came:.0f} objects came a second)")
        for pool, above in watcher.above_share.items():
            story.expect(above < 0.01, f"{what}: {above:.2f} of its dominant resource is held for {pool} beyond its share")
        for attacker in attackers:
            self.check_attacker(attacker, watcher)
        story.check(not self.seen.broken, lambda: "; ".join(self.seen.broken[:5]))
        story.check(self.operator.running() and self.operator.child.pid == self.process, "the operator ended")
        self.clean(names)

    def check_attacker(self, attacker, watcher):
        """It has done what it should, and its quota holds for the nodes that are ordered for it."""
        story, made = self.story, attacker.made()
        story.expect(made is not None and made["made"] > 0, lambda: f"{attacker.name} has made nothing: {attacker.log()[-500:]}")
        # A quota that is used up is meant, and a server that is too busy to look at it (500) may be.
        refused = {words: n for words, n in (made or {}).get("refused", {}).items() if "exceeded quota" not in words and not words.startswith("5")}
        story.expect(not refused, lambda: f"{attacker.name}: the API server refuses {refused}")
        ordered, quota = watcher.ordered.get(attacker.space, 0), ATTACKS[attacker.name].quota.get("requests.cpu")
        if ordered:
            story.figure(f"  cores of nodes ordered for {attacker.space}", ordered, at_most=float(quota) if quota else None)

    def clean(self, names):
        """Deletes all of them, and waits until they are gone."""
        self.pace.forget()
        api = self.cluster.api
        begin = time.monotonic()

        def delete(kind, space):
            try:
                api.request("DELETE", path(kind, space), {"propagationPolicy": "Background", "gracePeriodSeconds": 0})
            except ApiError as error:
                if error.code != 504:  # thousands of objects can take longer than a request may; the rest goes the next time
                    raise

        for name in names:
            for kind in MADE_OF:
                delete(kind, space_of(name))

        def gone():
            for name in names:
                for kind in MADE_OF:
                    if kind != "ConfigMap" and api.request("GET", path(kind, space_of(name)) + "?limit=1")["items"]:
                        delete(kind, space_of(name))  # pods that a Job has made meanwhile, too
                        return False
            return True
        wait_for(gone, 300 if self.story.full else 60, lambda: f"objects of {names} are not gone", pause=0.5)
        self.story.say(f"cleaned in {time.monotonic() - begin:.1f} s")


def memory_limit():
    """The chart's, in MiB."""
    with open(os.path.join(helm.CHART, "values.yaml"), encoding="utf-8") as file:
        found = re.search(r"^resources:.*?^  limits:\n    memory: (\S+)$", file.read(), re.MULTILINE | re.DOTALL)
    return float(quantity(found.group(1))) / 2**20


def fill(cluster, nodes):
    """Four nodes of five have room for small pods only, the fifth for one of the attacks' or a few small ones."""
    cluster.api.create_all(objects.ready_node(f"node-{i}", objects.ZONES[i % 3], cores=CORES, memory="32Gi", instance_type="m7g.2xlarge")
                           for i in range(nodes))
    cluster.api.create(objects.namespace("others"))
    wait_for(lambda: cluster.api.find("ServiceAccount", "default", "others"), 30, "no service account")
    cluster.api.create_all(objects.pod(f"other-{i}", "others", NOBODY, cpu="7" if i % 5 else "5", nodeName=f"node-{i}") for i in range(nodes))


def tell(story):
    need_tools("helm")
    options = story.options
    seed = options.attack_seed if options.attack_seed is not None else story.seed
    draw = random.Random(seed)
    names = options.attacks.split(",") if options.attacks else list(ATTACKS) if story.full else draw.sample(sorted(set(ATTACKS) - set(HEAVY)), DRAWN)
    fleets = [options.fleet == "yes"] if options.fleet else [False, True] if story.full else [False]
    story.figure("attacks", f"{', '.join(names)} (e2e/run noisy --attack-seed {seed}{' --full' if story.full else ''}), nodes can be ordered: {fleets}")
    with Cluster(story, kwok=False, record_bindings=True, own_nodes=True) as cluster:
        api = cluster.api
        cluster.install_custom_resources()
        tenants.install_roles(cluster)
        fill(cluster, 2000 if story.full else 200)
        for store, zone in zip(STORES, objects.ZONES):
            api.create(objects.bucket_store(store, zone, f"bucket-{zone}", "http://127.0.0.1:1"))
        api.create({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": SLOW_CLASS}, "provisioner": "slow.example",
                    "volumeBindingMode": "WaitForFirstConsumer"})
        for space in (VICTIM, WITNESS):
            api.create(objects.namespace(space))
            wait_for(lambda space=space: api.find("ServiceAccount", "default", space), 30, "no service account")
        api.create(objects.ready_node(WITNESS, pods=10**6, taints=[{"key": WITNESS, "effect": "NoSchedule"}]))
        command = [sys.executable, "-B", "-m", "kit.witness", "--kubeconfig", cluster.kubeconfig, "--space", WITNESS, "--node", WITNESS]
        witness = Process(cluster, WITNESS, command, {"PYTHONPATH": E2E}).start()
        wait_for(lambda: "ready" in witness.log(), 30, "the witness is not ready")
        with Recorder(cluster, keep=False) as seen:
            arena = Arena(story, cluster, seen, witness, seed)
            arena.add_tenants(names)
            peaks = []
            for fleet in fleets:
                arena.start(fleet)
                arena.control("no attack")
                for name in names:
                    arena.attack([name])
                together = names if not story.full else draw.sample(sorted(names), min(len(names), 8))
                arena.attack(together, f"together: {', '.join(together)}")
                peaks.append(arena.operator.memory_peak() / 2**20)
                arena.operator.end()
            story.check(not seen.broken, lambda: "; ".join(seen.broken[:5]))
    story.figure("memory at its peak", max(peaks), "MiB", at_most=memory_limit() / 2, digits=0)
