"""Applications as Spark runs them in Kubernetes: drawn from a seed, submitted and driven as Spark's own client and driver do, and measured.

What Spark writes to its pods is as of 3.5. Bytes are not read: an application's work goes on while its executors run.
"""
import dataclasses
import math
import random
import time

from kit import objects
from kit.bill import PER_GB

BATCH, PAUSE = 5, 1.0            # spark.kubernetes.allocation.batch.size, .delay: executors are created so many at once
LEAST_SHARE, PATIENCE = 0.8, 30  # spark.scheduler.minRegisteredResourcesRatio in Kubernetes, and for how long a driver waits for them
DRIVER = (1, 1024)               # cores and MiB of heap
ZONE = "topology.kubernetes.io/zone"


@dataclasses.dataclass
class Application:
    name: str
    at: float          # seconds after the start
    zone: str | None   # of its data; none: it lies in a regional bucket
    executors: int
    cores: int         # of each
    heap: int          # MiB, of each
    seconds: float     # that all executors together work
    input: float       # MiB
    shuffle: float     # MiB

    @property
    def least(self):
        """Executors with which its driver begins."""
        return math.ceil(LEAST_SHARE * self.executors)


@dataclasses.dataclass
class Kind:
    share: int
    executors: tuple
    seconds: tuple
    input: tuple    # MiB per core-second
    shuffle: tuple  # the same


KINDS = {
    "scan": Kind(3, (2, 8), (30, 90), (2, 4), (0.05, 0.2)),
    "join": Kind(3, (4, 12), (60, 180), (0.5, 1.5), (2, 5)),
    "report": Kind(3, (2, 4), (20, 60), (0.5, 2), (0.1, 0.5)),
    "train": Kind(1, (4, 10), (90, 200), (0.1, 0.3), (1, 3)),
}
SHAPES = ((1, 2048), (2, 4096), (4, 8192))
HOMES = {"zone-a": 50, "zone-b": 20, "zone-c": 15, None: 15}  # shares of the applications


def draw(seed, count, over, pace=1.0):
    """So many, by the time of their arrival within `over` seconds; `pace`: of how long each runs, over the same bytes."""
    dice = random.Random(seed)
    found = []
    for i in range(count):
        name = dice.choices(list(KINDS), [kind.share for kind in KINDS.values()])[0]
        kind = KINDS[name]
        executors, (cores, heap) = dice.randint(*kind.executors), dice.choice(SHAPES)
        seconds = dice.uniform(*kind.seconds)
        work = executors * cores * seconds
        found.append(Application(f"{name}-{i:02}", 0.0 if i == 0 else dice.uniform(0, over), dice.choices(list(HOMES), list(HOMES.values()))[0],
                                 executors, cores, heap, seconds * pace, work * dice.uniform(*kind.input), work * dice.uniform(*kind.shuffle)))
    return sorted(found, key=lambda app: app.at)


@dataclasses.dataclass
class Submission:
    """The words of a user in the configuration of every application. `pinned`: a person has chosen the zone of its data."""
    space: str
    scheduler: str = "default-scheduler"
    names_data: bool = False
    pinned: bool = False


def pod(app, how, role, name, cores, heap, labels, **more):
    memory = heap + max(384, heap // 10)  # spark.executor.memoryOverheadFactor
    notes = {"karpenter.sh/do-not-disrupt": "true"}
    if how.names_data and app.zone and role == "driver":
        notes["lips.dev/dataset"] = app.name
    found = objects.pod(name, space=how.space, scheduler=how.scheduler, annotations=notes, cpu=str(cores), memory=f"{memory}Mi",
                        labels={"spark-app-selector": f"spark-{app.name}", "spark-app-name": app.name, "spark-role": role, "spark-version": "3.5.6", **labels},
                        **more)
    if how.pinned and app.zone:
        found["spec"]["nodeSelector"] = {ZONE: app.zone}
    return found


class Played:
    """One application from its submission to its end. `take` hears of its pods; `step` acts, a few times a second."""

    def __init__(self, app, how, api):
        self.app, self.how, self.api = app, how, api
        self.driver = f"{app.name}-driver"
        self.pods = {}      # by name, as last seen; None: gone
        self.created = {}   # executors, and when
        self.worked = {}    # seconds, of each executor
        self.lost = 0       # executors that were gone before the end
        self.half_started = 0.0
        self.submitted = self.driver_at = self.all_at = self.began = self.ended = self.last = None

    def submit(self):
        """As spark-submit does: the driver's pod, then the ConfigMap that it mounts."""
        app, name = self.app, f"spark-drv-{self.app.name}-conf-map"
        driver = pod(app, self.how, "driver", self.driver, *DRIVER, {},
                     volumes=[{"name": "spark-conf-volume-driver", "configMap": {"name": name}}])
        self.submitted = time.monotonic()
        found = self.api.create(driver)
        self.owner = {"apiVersion": "v1", "kind": "Pod", "name": self.driver, "uid": found["metadata"]["uid"], "controller": True}
        properties = {"spark.app.name": app.name, "spark.executor.instances": app.executors, "spark.executor.cores": app.cores,
                      "spark.executor.memory": f"{app.heap}m", "spark.submit.deployMode": "cluster", "spark.kubernetes.namespace": self.how.space}
        self.api.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": self.how.space, "ownerReferences": [self.owner]},
                         "data": {"spark.properties": "".join(f"{key}={value}\n" for key, value in properties.items())}})

    def take(self, event, seen):
        self.pods[seen["metadata"]["name"]] = None if event == "DELETED" else seen

    def runs(self, name):
        found = self.pods.get(name)
        return found is not None and found.get("status", {}).get("phase") == "Running" and "deletionTimestamp" not in found["metadata"]

    def gone(self, name):
        return name in self.pods and not self.runs(name) and (self.pods[name] is None or "deletionTimestamp" in self.pods[name]["metadata"])

    def step(self, now):
        if self.ended or not self.runs(self.driver):
            return
        if self.driver_at is None:
            self.driver_at = self.last = now
        elapsed, self.last = now - self.last, now
        for name in [name for name in self.created if self.gone(name)]:
            self.lost += 1  # with its work: what it wrote for the others is lost too
            del self.created[name]
        self.create_executors(now)
        up = [name for name in self.created if self.runs(name)]
        if len(up) < self.app.least:
            self.half_started += elapsed
        if len(up) == self.app.executors and self.all_at is None:
            self.all_at = now
        if self.began is None and up and (len(up) >= self.app.least or now - self.driver_at >= PATIENCE):
            self.began = now
        elif self.began is not None:
            for name in up:
                self.worked[name] = self.worked.get(name, 0.0) + elapsed
        if sum(self.worked.get(name, 0.0) for name in self.created) >= self.app.executors * self.app.seconds:
            self.end(now)

    def create_executors(self, now):
        missing = self.app.executors - len(self.created)
        if missing == 0 or (self.created and now - max(self.created.values()) < PAUSE):
            return
        for _ in range(min(BATCH, missing)):
            number = len(self.created) + self.lost + 1
            name = f"{self.app.name}-exec-{number}"
            executor = pod(self.app, self.how, "executor", name, self.app.cores, self.app.heap,
                           {"spark-exec-id": str(number), "spark-exec-resourceprofile-id": "0"})
            executor["metadata"]["ownerReferences"] = [self.owner]
            self.api.create(executor)
            self.created[name] = now

    def end(self, now):
        """The driver stops its executors, and exits."""
        self.ended = now
        for name in self.created:
            self.api.delete("Pod", name, self.how.space)
        done = {"name": "task", "image": "local.test/busybox:1", "imageID": "", "ready": False, "restartCount": 0, "state": {"terminated": {"exitCode": 0}}}
        self.api.patch("Pod", self.driver, {"status": {"phase": "Succeeded", "containerStatuses": [done]}}, self.how.space, "status")

    # ---- what came of it ----

    def shares(self, zone_of):
        """The sum of all work that was done, also by executors that were lost, by zone; `zone_of`: by node."""
        found = {}
        for name, seconds in self.worked.items():
            zone = zone_of[self.nodes[name]]
            found[zone] = found.get(zone, 0.0) + seconds / (self.app.executors * self.app.seconds)
        return found

    def measure(self, nodes, zone_of, cpu_prices):
        """`nodes`: of each pod; `cpu_prices`: USD of a core-hour, by zone."""
        self.nodes = nodes
        shares = self.shares(zone_of)
        read, exchanged = transfer(self.app, shares)
        alone = {zone: usd(self.app, {zone: 1.0}, cpu_prices) for zone in cpu_prices}
        best = min(alone, key=alone.get)
        return {"name": self.app.name, "data": self.app.zone, "executors": self.app.executors, "cores": self.app.cores, "lost": self.lost,
                "shares": {zone: round(share, 3) for zone, share in shares.items()}, "read": read, "exchanged": exchanged,
                "best": best, "inBest": shares.get(best, 0.0) > 0.999, "aboveBest": usd(self.app, shares, cpu_prices) - alone[best],
                "completion": self.ended - self.submitted, "driverAfter": self.driver_at - self.submitted,
                "allAfter": (self.all_at or self.ended) - self.driver_at, "halfStarted": self.half_started}


def transfer(app, shares):
    """USD for what its executors read from another zone, and for what they exchange between zones."""
    read = app.input * sum(share for zone, share in shares.items() if app.zone and zone != app.zone)
    whole = sum(shares.values())
    exchanged = app.shuffle * whole * (1 - sum((share / whole) ** 2 for share in shares.values()))
    return tuple(size * 2**20 / 1e9 * PER_GB for size in (read, exchanged))


def usd(app, shares, cpu_prices):
    core_hours = app.executors * app.cores * app.seconds / 3600
    return sum(share * core_hours * cpu_prices[zone] for zone, share in shares.items()) + sum(transfer(app, shares))


def play(applications, how, api, recorder, patience):
    """All of them at their times, to the end of the last; back, each as played. `recorder`: of pods."""
    played = {f"spark-{app.name}": Played(app, how, api) for app in applications}

    def hear(event, seen):
        selector = seen["metadata"].get("labels", {}).get("spark-app-selector")
        if selector in played:
            played[selector].take(event, seen)

    recorder.watchers["Pod"].append(hear)
    began = time.monotonic()
    waiting = list(played.values())
    while any(one.ended is None for one in played.values()):
        now = time.monotonic()
        if now - began > patience:
            break
        while waiting and began + waiting[0].app.at <= now:
            waiting.pop(0).submit()
        for one in played.values():
            one.step(now)
        time.sleep(0.2)
    return list(played.values())
