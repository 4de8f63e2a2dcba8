"""Real Spark on machines that the real Karpenter buys: all pods where an exhaustive search finds them cheapest, and no shuffle across zones.

A real kubelet with containerd boots for each machine that Karpenter launches (kit/cloud.py), and ends when Karpenter gives it back. Nothing is
there when an application is submitted, in cluster mode. Its data lies in the dearest zone, or nowhere (--full); the search goes over all ways to
divide its pods over zones, each on the machines that hold them for the fewest dollars, with what they read and exchange. The bill is counted from
the lives of Node and NodeClaim objects and from Spark's event log, by nothing that the operator says.
"""
import collections
import contextlib
import functools
import itertools
import time

from kit import bill, karpenter, objects
from kit.cloud import LATER, Cloud, need_room
from kit.cluster import need_tools, wait_for
from kit.data import replicas
from kit.operator import Operator
from kit.recorder import Recorder
from kit.spark import DRIVER, Application, Spark, spark_cluster
from kit.steering import gate_pods

LIMIT, FULL_LIMIT = 1200, 2400
LANE = "real nodes"
TYPES = ["c6i.large", "m6i.large"]
BOOT = "30s"                 # as the operator is told; a busy machine takes as long
EXECUTORS, CPU = 4, 550      # millicores of each: no machine holds them all
MEMORY = 1024 + 384          # MiB of each pod
ROWS = 1_000_000
DATA = {"data": 512, "none": 0}  # MiB; read from afar they cost more than the machines
HOME = "zone-c"              # dearest on spot
HALF_STARTED = 45            # seconds, for which a driver's executors are there and do not all run
MOST = 0.8                   # of kube-scheduler's invoice, for LiPS
EMPTY_AFTER = 120            # seconds, from the application's end until the last machine has gone

Way = collections.namedtuple("Way", "about space conf")
# Without the annotation Karpenter would end pods to save what is left of a node; LiPS writes it itself.
KEPT = {f"spark.kubernetes.{role}.annotation.karpenter.sh/do-not-disrupt": "true" for role in ("driver", "executor")}
WAYS = {
    "kube": Way("kube-scheduler", "plain", KEPT),
    "bind": Way("LiPS binds", "plain", {"spark.kubernetes.scheduler.name": "lips"}),
    "steer": Way("LiPS steers kube-scheduler", "steered", {}),
}
Place = collections.namedtuple("Place", "executors driver")  # in one zone: how many


def add_options(group):
    group.add_argument("--ways", metavar="NAME,...", help=f"of {', '.join(WAYS)} (default: all)")


def places():
    """All ways to divide the application over zones."""
    for executors in itertools.product(range(EXECUTORS + 1), repeat=len(objects.ZONES)):
        for home in range(len(objects.ZONES)):
            if sum(executors) == EXECUTORS:
                yield {zone: Place(executors[i], int(i == home)) for i, zone in enumerate(objects.ZONES)}


def machine_price(offers, zone):
    """USD an hour of the machines in a zone that hold so many pods and cost least."""
    machines = karpenter.machines(TYPES)
    cheapest = {kind: min(price for offer, price in offers.items() if (offer.type, offer.zone) == (kind, zone)) for kind in TYPES}

    def holds(kind, part):
        return (part.executors * CPU + part.driver * DRIVER <= 1000 * machines[kind].cores and
                sum(part) * MEMORY <= 1024 * machines[kind].memory_gib)

    @functools.cache
    def least(left):
        """The first machine takes some of them, the others the rest."""
        parts = [Place(*part) for part in itertools.product(range(left.executors + 1), range(left.driver + 1)) if any(part)]
        return min((cheapest[kind] + least(Place(left.executors - part.executors, left.driver - part.driver))
                    for part in parts for kind in TYPES if holds(kind, part)), default=0)
    return least


def transfer(shares, home, input_bytes, shuffled):
    """USD of what executors read from afar and exchange across zones, by the share of them in each zone."""
    away = sum(share for zone, share in shares.items() if home and zone != home)
    return (input_bytes * away + shuffled * (1 - sum(share**2 for share in shares.values()))) * bill.PER_GB / 1e9


def cheapest(offers, data, done):
    """The dollars of all ways to divide the application, for as long as this run took and with the bytes that it shuffled."""
    price = {zone: machine_price(offers, zone) for zone in objects.ZONES}
    hours = max(bill.LEAST_SECONDS, done.seconds) / 3600

    def usd(division):
        shares = {zone: part.executors / EXECUTORS for zone, part in division.items()}
        return (hours * sum(price[zone](part) for zone, part in division.items()) +
                transfer(shares, HOME if DATA[data] else None, DATA[data] * 2**20, done.shuffled()))
    return min(places(), key=usd)


def division(done):
    """How a run was divided."""
    executors = collections.Counter(done.zone(pod) for pod in done.executors.values())
    return {zone: Place(executors[zone], int(done.zone(done.driver) == zone)) for zone in objects.ZONES}


def half_started(seen, app):
    """Seconds from the creation of the first executor until all run."""
    pods = [pod for pod in seen.of(scheduler=app.conf.get("spark.kubernetes.scheduler.name", "default-scheduler"), space=app.namespace)
            if pod.name.startswith(f"{app.name}-exec")]
    return max(pod.running_at for pod in pods) - min(pod.appeared for pod in pods)


@contextlib.contextmanager
def elastic(story):
    """A cluster without nodes, Karpenter, the machines that it buys, and LiPS; with what runs of an application need."""
    offers = karpenter.prices(types=TYPES)
    with spark_cluster(story, 0) as cluster:
        buyer = karpenter.Karpenter(cluster, offers).install(LATER).start()
        wait_for(buyer.ready, 60, "Karpenter's NodePool is not ready")
        cluster.install_custom_resources()
        spark = Spark(cluster, {"plain": {}, "steered": {"lips.dev/mode": "steer"}})
        gate_pods(cluster, "steered")
        api = cluster.api
        api.create(objects.bucket_store("lake", HOME, "lake", "http://buckets.example"))
        for space in ("plain", "steered"):
            api.create(objects.data_set("input", DATA["data"], {"lake": f"0-{DATA['data'] - 1}"}, "1Mi", space))
        operator = Operator(cluster, {
            "mode": "steer", "leaderElection": {"enabled": False}, "fleet": {**karpenter.FLEET, "instanceTypes": TYPES, "bootTime": BOOT},
            "policy": {"settings": {"keepCopies": False, "waitingPrice": 60}}, "prices": {"metrics": karpenter.PricePage(offers).url}}).start().wait_ready()
        wait_for(lambda: "prices read" in operator.log(), 30, "the operator has not read Karpenter's prices")
        wait_for(lambda: all(replicas(s) for s in api.list("DataSet")), 60, "data sets have no replicas in their status")
        with Recorder(cluster, kinds=("Pod", "Node", "NodeClaim")) as seen, Cloud(cluster):
            yield cluster, spark, seen, offers
        story.check(operator.running(), "the operator ended")


def tell(story):
    karpenter.need_karpenter()
    need_tools("helm")
    need_room(karpenter.machines(TYPES))
    ways = [way for way in WAYS if way in (story.options.ways or ",".join(WAYS)).split(",")]
    invoices = {}
    with elastic(story) as (cluster, spark, seen, offers):

        def run(way, data):
            name, (about, space, conf) = f"{way}-{data}", WAYS[way]
            if DATA[data]:
                conf = {**conf, "spark.kubernetes.driver.annotation.lips.dev/dataset": "input"}
            app = Application(name, space, ROWS, EXECUTORS, CPU, conf=conf)
            began = time.monotonic()
            done = spark.run_in_cluster(app)
            karpenter.wait_empty(cluster, EMPTY_AFTER)
            fleet = [life for life in bill.lives(seen, time.monotonic()) if life.began >= began]
            shares = {zone: part.executors / EXECUTORS for zone, part in division(done).items()}
            moved = transfer(shares, HOME if DATA[data] else None, DATA[data] * 2**20, 0) + done.crossed() * bill.PER_GB / 1e9
            found = bill.of_nodes(fleet, offers, karpenter.machines(TYPES), moved)
            invoices[way, data] = found["invoice"]
            story.figure(f"{name}: {about}", f"{done.places()}; machines {found['machinesByZone']}")
            story.figure(f"{name}: nodes + transfer = invoice", f"{found['nodes']:.4f} + {moved:.4f} = {found['invoice']:.4f} USD")
            story.figure(f"{name}: from spark-submit to its end", done.seconds, "s", digits=0)
            story.figure(f"{name}: from the first executor's creation until all run", half_started(seen, app), "s", digits=0,
                         at_most=None if way == "kube" else HALF_STARTED)
            story.check(len(done.executors) == EXECUTORS, f"{name}: {len(done.executors)} of {EXECUTORS} executors")
            story.check(done.shuffled() > ROWS * 20, f"{name}: only {done.shuffled()} bytes were shuffled")
            story.expect(found["machinesLeft"] == 0, f"{name}: {found['machinesLeft']} machines are left after {EMPTY_AFTER} s")
            if way != "kube":
                best = cheapest(offers, data, done)
                zones = {zone for zone, part in best.items() if any(part)}
                story.expect(division(done) == best, f"{name}: its pods are divided as {division(done)}; cheapest is {best}")
                story.expect(done.crossed() == 0, f"{name}: {done.crossed()} bytes cross zones")
                story.expect(set(found["machinesByZone"]) == zones, f"{name}: machines were bought in {found['machinesByZone']}, not in {zones} alone")

        for data in DATA if story.full else ["data"]:
            for way in ways:
                run(way, data)
            for way in ways if "kube" in ways else ():
                story.figure(f"{way}-{data}: invoice as a share of kube-scheduler's", invoices[way, data] / invoices["kube", data],
                             at_most=MOST if DATA[data] and way != "kube" else None)
        story.check(not seen.broken, lambda: "; ".join(seen.broken[:5]))
