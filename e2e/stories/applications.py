"""Spark applications on bought nodes cost less under LiPS, and none has a driver that runs for long without its executors.

Each run is the same applications under one pair of scheduler and Karpenter, in a cluster of its own. Their clients and drivers are played
(kit/applications.py), and so are nodes and containers. The bill is counted from the lives of Node and NodeClaim objects and from where
executors worked, by nothing that the operator says. Compare runs of one machine and one hour only.
"""
import collections
import statistics
import sys
import time

from kit import applications, bill, karpenter, objects, side_by_side
from kit.applications import Submission
from kit.cluster import Cluster, need_tools, wait_for
from kit.data import replicas
from kit.operator import Operator
from kit.recorder import Recorder
from kit.steering import gate_pods
from kit.workloads import told_of_waiting

SPACE = "etl"
Pair = collections.namedtuple("Pair", "about how mode")
PAIRS = {
    "kube": Pair("kube-scheduler", Submission(SPACE), None),
    "kube-pinned": Pair("kube-scheduler, pinned to their data's zone", Submission(SPACE, pinned=True), None),
    "steer": Pair("LiPS steers kube-scheduler", Submission(SPACE, names_data=True), "steer"),
    "bind": Pair("LiPS binds", Submission(SPACE, "lips", names_data=True), "bind"),
}
FEW, MANY = 6, 50
MOST = 0.6          # of kube-scheduler's invoice, for LiPS
HALF_STARTED = 45   # seconds, at most, of the few under LiPS
LANE = "karpenter"  # each run has a control plane of its own, so the two stories together are too many
RUN_LIMIT = 1500    # seconds, of one run of many
EMPTY_AFTER = 120   # until the last node has gone, after the last application


def add_options(group):
    group.add_argument("--count", type=int, metavar="N", help=f"applications (default: {FEW} short ones; --full: {MANY})")
    group.add_argument("--under", metavar="NAME,...", help=f"of {', '.join(PAIRS)}, or all (default: kube,bind; --full: all)")


def count(options):
    return options.count or (MANY if options.full else FEW)


def names(options):
    found = options.under or ("all" if options.full else "kube,bind")
    found = list(PAIRS) if found == "all" else found.split(",")
    for name in found:
        if name not in PAIRS:
            sys.exit(f"no {name}; there are: {', '.join(PAIRS)}")
    return found


def limit(options):
    each = 400 if count(options) == FEW else RUN_LIMIT + 120
    return each * -(-len(names(options)) // max(1, options.at_once))


def drawn(story):
    many = count(story.options)
    return applications.draw(story.seed, many, over=20 if many == FEW else 6 * many, pace=0.3 if many == FEW else 1.0)


def prepare_lips(story, cluster, drawn, pair, offers):
    """The operator, and what it is told of the data. Nothing can copy bytes between played nodes, so no copies are made."""
    cluster.install_custom_resources()
    api = cluster.api
    api.create_all(objects.bucket_store(f"bucket-{zone}", zone, f"data-{zone}", "http://buckets.example") for zone in objects.ZONES)
    for app in (app for app in drawn if app.zone):
        blocks = max(1, round(app.input / 128))
        api.create(objects.data_set(app.name, blocks, {f"bucket-{app.zone}": f"0-{blocks - 1}"}, f"{max(1, round(app.input / blocks))}Mi", SPACE))
    if pair.mode == "steer":
        gate_pods(cluster, SPACE)
    operator = Operator(cluster, {"mode": pair.mode, "fleet": karpenter.FLEET, "leaderElection": {"enabled": False},
                                  "policy": {"settings": {"keepCopies": False, "waitingPrice": 60, "waitingPerJob": 0, **told_of_waiting(story.options)}},
                                  "prices": {"metrics": karpenter.PricePage(offers).url}}).start().wait_ready()
    wait_for(lambda: "prices read" in operator.log(), 30, "the operator has not read Karpenter's prices")
    wait_for(lambda: all(replicas(s) for s in api.list("DataSet")), 60, "data sets have no replicas in their status")
    return operator


def core_prices(offers):
    """USD of a core-hour where it is cheapest, by zone."""
    machines = karpenter.machines()
    return {zone: min(price / machines[offer.type].cores for offer, price in offers.items() if offer.zone == zone) for zone in objects.ZONES}


def run_pair(story, name):
    """One run; what came of it goes to its folder."""
    pair = PAIRS[name]
    wanted = drawn(story)
    offers = karpenter.prices()
    with Cluster(story, scheduler=True, stages=karpenter.stages(story.folder)) as cluster:
        buyer = karpenter.Karpenter(cluster, offers).install().start()
        wait_for(buyer.ready, 60, "Karpenter's NodePool is not ready")
        labels = {"lips.dev/mode": "steer"} if pair.mode == "steer" else {}
        cluster.api.create({**objects.namespace(SPACE), "metadata": {"name": SPACE, "labels": labels}})
        wait_for(lambda: cluster.api.list("ServiceAccount", SPACE), 30, f"{SPACE} has no service account")
        operator = prepare_lips(story, cluster, wanted, pair, offers) if pair.mode else None
        with Recorder(cluster, kinds=("Pod", "Node", "NodeClaim")) as seen:
            played = applications.play(wanted, pair.how, cluster.api, seen, 240 if len(wanted) == FEW else RUN_LIMIT - EMPTY_AFTER - 60)
            left = [one.app.name for one in played if not one.ended]
            story.check(not left, f"{len(left)} applications have not ended: {left[:5]}")
            story.say("all applications have ended")
            karpenter.wait_empty(cluster, EMPTY_AFTER)
            story.check(not seen.broken, lambda: "; ".join(seen.broken[:5]))
            story.check(operator is None or operator.running(), "the operator ended")
            found = measured(seen, played, offers)
    side_by_side.keep(story, {"pair": name, "seed": story.seed, **found})
    story.say(line({"pair": name, **found}))


def measured(recorder, played, offers):
    now = time.monotonic()
    zone_of = bill.zones_of_nodes(recorder)
    pods = [pod for scheduler in ("default-scheduler", "lips") for pod in recorder.of(scheduler=scheduler, space=SPACE) if pod.node]
    nodes = {pod.name: pod.node for pod in pods}
    each = [one.measure(nodes, zone_of, core_prices(offers)) for one in played]
    used = sum(bill.cores(pod.pod) * (next((t for t in (pod.ended_at, pod.gone_at) if t), now) - pod.bound_at) / 3600 for pod in pods)
    read, exchanged = (sum(one[key] for one in each) for key in ("read", "exchanged"))
    return {**bill.of_nodes(bill.lives(recorder, now), offers, karpenter.machines(), read + exchanged), "read": read, "exchanged": exchanged,
            "usedCoreHours": used, "meanCompletion": statistics.mean(one["completion"] for one in each),
            "allAfter": {"mean": statistics.mean(one["allAfter"] for one in each), "max": max(one["allAfter"] for one in each)},
            "halfStarted": {"mean": statistics.mean(one["halfStarted"] for one in each), "max": max(one["halfStarted"] for one in each)},
            "zones": statistics.mean(len(one["shares"]) for one in each), "inBestZone": sum(one["inBest"] for one in each),
            "aboveBest": sum(one["aboveBest"] for one in each), "lost": sum(one["lost"] for one in each), "applications": each}


def line(found):
    return (f"{found['pair']:11}  nodes {found['nodes']:.3f}  reads {found['read']:.3f}  exchange {found['exchanged']:.3f}  "
            f"invoice {found['invoice']:.3f} USD  mean completion {found['meanCompletion']:3.0f} s  core-hours paid {found['paidCoreHours']:.1f} "
            f"used {found['usedCoreHours']:.1f}  all executors after {found['allAfter']['mean']:.0f} s (at most {found['allAfter']['max']:.0f})  "
            f"half started {found['halfStarted']['mean']:.0f} s (at most {found['halfStarted']['max']:.0f})")


def tell(story):
    karpenter.need_karpenter()
    need_tools("helm")
    wanted = names(story.options)
    many = drawn(story)
    story.say(f"{len(many)} applications with {sum(app.executors for app in many)} executors under {', '.join(wanted)}, {story.options.at_once} at once")
    found = side_by_side.results(story, [(name,) for name in wanted], story.options.at_once, run_pair, line)
    found = {name: one for (name,), one in found.items()}
    side_by_side.keep(story, list(found.values()), "applications.json")
    for name, one in found.items():
        story.figure(PAIRS[name].about, line(one))
        story.figure(f"{name}: zones of an application, in the mean", one["zones"])
        story.figure(f"{name}: of {len(many)} applications, wholly in the zone that is cheapest for it alone", one["inBestZone"])
        story.figure(f"{name}: USD above those zones, of CPU and transfer", one["aboveBest"], digits=3)
        if one["lost"]:
            story.figure(f"{name}: executors that were lost", one["lost"])
        story.expect(one["machinesLeft"] == 0, f"{name}: {one['machinesLeft']} machines are left {EMPTY_AFTER} s after the last application")
        if PAIRS[name].mode:
            story.figure(f"{name}: seconds for which an application was half started, at most", one["halfStarted"]["max"],
                         at_most=HALF_STARTED if len(many) == FEW else None)
            if "kube-pinned" in found:
                story.figure(f"{name}: invoice as a share of the pinned applications'", one["invoice"] / found["kube-pinned"]["invoice"])
            if "kube" in found:
                story.figure(f"{name}: invoice as a share of kube-scheduler's", one["invoice"] / found["kube"]["invoice"], at_most=MOST)
