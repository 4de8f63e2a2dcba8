"""Jobs over zonal data cost less where LiPS says in which zone the real Karpenter buys: the whole bill, of nodes and of transfer.

Each run is one workload under one pair of scheduler and Karpenter, in a cluster of its own. The bill is counted from the lives of Node and
NodeClaim objects and from where tasks ran (kit/bill.py). Compare runs of one machine and one hour only.
"""
import collections
import json
import os
import sys
import time

from kit import bill, karpenter, objects, side_by_side, simulated, twin, workloads
from kit.cluster import Cluster, wait_for
from kit.data import replicas
from kit.operator import Operator
from kit.recorder import Recorder

LANE = "karpenter"  # each run has a control plane of its own, so the two stories together are too many
GATE = "lips.dev/zone"
OURS = "lips.dev/"

Pair = collections.namedtuple("Pair", "letter about packed pinned mode")
PAIRS = {
    "kube": Pair("a", "kube-scheduler", False, False, None),
    "packed": Pair("b", "kube-scheduler, MostAllocated", True, False, None),
    "kube-pinned": Pair("c", "kube-scheduler, jobs pinned to their data's zone", False, True, None),
    "packed-pinned": Pair("d", "kube-scheduler, MostAllocated, pinned", True, True, None),
    "steer": Pair("e", "LiPS steers kube-scheduler", False, False, "steer"),
    "bind": Pair("f", "LiPS binds", False, False, "bind"),
    "packed-steer": Pair("g", "LiPS steers kube-scheduler, MostAllocated", True, False, "steer"),
}
DEFAULT = (["brief"], ["kube", "steer"])
MOST = 0.8        # of kube-scheduler's invoice, for LiPS that steers, in the default
RUN_LIMIT = 900   # seconds, of one run
EMPTY_AFTER = 120  # until the last node has gone, after the last task
NOTICE = 120       # from the notice of an interruption until the machine is turned off
LATE = 5           # seconds after a node was tainted: what is bound then was not under way before, on a busy machine too


def add_options(group):
    group.add_argument("--workloads", metavar="NAME,...", help=f"of {', '.join(workloads.WORKLOADS)}, or all (default: brief; --full: the six whose figures are quoted)")
    group.add_argument("--pairs", metavar="NAME,...", help="of " + ", ".join(f"{p.letter} {name}" for name, p in PAIRS.items()) +
                       ", or all (default: kube,steer; --full: all)")
    group.add_argument("--at-once", type=int, default=2, metavar="N", help="runs side by side, each with a control plane of its own (default: 2)")
    group.add_argument("--sold-out", metavar="TYPE,...", default="", help="these types cannot be bought on spot, though Karpenter has a price of them; all: none can")
    group.add_argument("--waiting-price", type=float, metavar="P", help="of LiPS: an hour's wait of a CPU-second costs P times the CPU-second (default: the operator's)")
    group.add_argument("--per-job", type=float, metavar="H", help="of LiPS: a job's wait counts for H core-hours more than its work (default: the operator's)")
    group.add_argument("--worth", type=float, metavar="K", help="instead: an hour's wait of a task is worth K core-hours, so shorter tasks have a higher price")
    group.add_argument("--interrupt", type=int, default=0, metavar="N", help="half-way, N nodes that run tasks get notice: their NodeClaims are deleted; what "
                       f"runs there {NOTICE} s later is lost")
    group.add_argument("--restart-karpenter", action="store_true", help="half-way, kills Karpenter and starts it again")


def chosen(text, known, default, everything):
    if text is None:
        return default
    letters = {getattr(value, "letter", name): name for name, value in known.items()}
    names = everything if text == "all" else [letters.get(name, name) for name in text.split(",")]
    for name in names:
        if name not in known:
            sys.exit(f"no {name}; there are: {', '.join(known)}")
    return names


def runs(options):
    loads = chosen(options.workloads, workloads.WORKLOADS, workloads.WHOLE if options.full else DEFAULT[0], workloads.WHOLE)
    pairs = chosen(options.pairs, PAIRS, list(PAIRS) if options.full else DEFAULT[1], list(PAIRS))
    return [(load, pair) for load in loads for pair in pairs]


def limit(options):
    return (RUN_LIMIT + 60) * -(-len(runs(options)) // max(1, options.at_once)) if options.workloads or options.pairs or options.full else 540


def most_allocated(story, cluster):
    """kube-scheduler's configuration; with one, its flags of the same meaning are not read."""
    path = os.path.join(story.folder, "kube-scheduler.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "leaderElection": {"leaderElect": False},
                   "clientConnection": {"kubeconfig": cluster.kubeconfig, "qps": 5000, "burst": 5000},
                   "profiles": [{"schedulerName": "default-scheduler", "pluginConfig": [{"name": "NodeResourcesFit", "args": {
                       "scoringStrategy": {"type": "MostAllocated", "resources": [{"name": "cpu", "weight": 1}, {"name": "memory", "weight": 1}]}}}]}]},
                  file, indent=1)
    cluster.flags["kube-scheduler"] = f"--config={path}"


def job_object(job, pair):
    """The submissions of the users of that pair. A pod that is evicted is made again, and is no failure of its job."""
    scheduler = "lips" if pair.mode == "bind" else "default-scheduler"
    more = {"nodeSelector": {"topology.kubernetes.io/zone": job.zone}} if pair.pinned else {}
    if pair.mode == "steer":
        more["schedulingGates"] = [{"name": GATE}]
    notes = {OURS + "dataset": job.name, OURS + "cpu-seconds": f"{job.seconds * job.cores:g}"} if pair.mode else {}
    found = objects.indexed_job(job.name, job.tasks, scheduler=scheduler, annotations=notes, run_for=f"{job.seconds}s", cpu=job.cpu,
                                memory=job.memory, **more)
    found["spec"]["podFailurePolicy"] = objects.IGNORES_EVICTIONS
    return found


def settings_of(story, jobs):
    """The operator's settings of waiting: its defaults, unless an option says otherwise."""
    options = story.options
    return workloads.settings_of_worth(jobs, options.worth) if options.worth else workloads.told_of_waiting(options)


def journal_of(story):
    return os.path.join(story.folder, "journal")


def prepare_lips(story, cluster, jobs, pair):
    """The operator, and what it is told of the data. Nothing can copy bytes between played nodes, so no copies are made."""
    cluster.install_custom_resources()
    api = cluster.api
    api.create_all(objects.bucket_store(f"bucket-{zone}", zone, f"data-{zone}", "http://buckets.example") for zone in objects.ZONES)
    for job in jobs:
        api.create(objects.data_set(job.name, job.tasks, {f"bucket-{job.zone}": f"0-{job.tasks - 1}"}, f"{job.mebibytes}Mi"))
    # Who binds is told what Karpenter may launch; who steers reads it from the NodePool.
    fleet = karpenter.FLEET if pair.mode == "bind" else {"fromNodePools": True, "bootTime": karpenter.BOOT}
    operator = Operator(cluster, {"mode": pair.mode, "fleet": fleet, "leaderElection": {"enabled": False}, "journal": {"directory": journal_of(story)},
                                  "policy": {"settings": {"keepCopies": False, **settings_of(story, jobs)}}, "prices": {"metrics": karpenter.PricePage(karpenter.prices()).url}}).start().wait_ready()
    wait_for(lambda: "prices read" in operator.log(), 30, "the operator has not read Karpenter's prices")
    wait_for(lambda: all(replicas(s) for s in api.list("DataSet")), 60, "data sets have no replicas in their status")
    return operator


class Mishaps:
    """The faults that were asked for half-way, once each."""

    def __init__(self, story, cluster, buyer):
        self.story, self.cluster, self.buyer = story, cluster, buyer
        self.interruptions, self.restart = story.options.interrupt, story.options.restart_karpenter
        self.noticed, self.off = {}, {}  # nodes, and when

    def left(self):
        return ", ".join(["the restart of Karpenter"] * self.restart + [f"{self.interruptions} interruptions"] * bool(self.interruptions))

    def happen(self, seen):
        if self.interruptions:
            busy = {pod.node for pod in list(seen.pods.values()) if pod.node and not pod.ended_at}
            for claim in self.cluster.api.list("NodeClaim"):
                if self.interruptions and claim.get("status", {}).get("nodeName") in busy and "deletionTimestamp" not in claim["metadata"]:
                    self.story.say(f"interrupts {claim['metadata']['name']}")
                    self.cluster.api.delete("NodeClaim", claim["metadata"]["name"])
                    self.noticed[claim["status"]["nodeName"]] = time.monotonic()
                    self.interruptions -= 1
        for node in [node for node, at in self.noticed.items() if node not in self.off and time.monotonic() > at + NOTICE]:
            self.turn_off(node, seen)
        # The provider forgets machines that boot when it dies, which a cloud would not.
        if self.restart and all(claim.get("status", {}).get("nodeName") for claim in self.cluster.api.list("NodeClaim")):
            self.story.say("kills Karpenter and starts it again")
            self.buyer.kill()
            self.buyer.start()
            self.restart = False


    def turn_off(self, node, seen):
        """A pod that runs there is gone, whatever Karpenter waits for."""
        self.off[node] = time.monotonic()
        lost = [pod for pod in list(seen.pods.values()) if pod.node == node and not pod.ended_at and not pod.gone_at]
        self.story.say(f"turns {node} off, with {len(lost)} pods on it")
        for pod in lost:
            self.cluster.api.delete("Pod", pod.name, pod.space, grace=0)

    def bound_after_notice(self, seen):
        """Pods that came to an interrupted node when it was tainted."""
        tainted = {}
        for at, _, node in seen.history["Node"]:
            if karpenter.is_going(node):
                tainted.setdefault(node["metadata"]["name"], at)
        for node in self.noticed:
            self.story.check(node in tainted, f"{node} was interrupted and has no taint")
        return [pod.name for pod in list(seen.pods.values()) if pod.node in self.noticed and pod.bound_at > tainted[pod.node] + LATE]


def submit(story, cluster, seen, pair, jobs, mishaps):
    """All jobs at their times; back, with when each was created, when the last task has ended."""
    scheduler = "lips" if pair.mode == "bind" else "default-scheduler"
    began, created = time.monotonic(), []
    for job in jobs:
        while (pause := began + job.at - time.monotonic()) > 0:
            if time.monotonic() - began > jobs[-1].at / 2:
                mishaps.happen(seen)
            time.sleep(min(pause, 1))
        cluster.api.create(job_object(job, pair))
        created.append((job, time.monotonic()))
    wanted = sum(job.tasks for job in jobs)
    succeeded = lambda: sum(1 for pod in seen.of(scheduler=scheduler) if pod.job and pod.pod["status"].get("phase") == "Succeeded")

    def over():
        mishaps.happen(seen)
        return succeeded() >= wanted

    wait_for(over, RUN_LIMIT - 300, lambda: f"{succeeded()} of {wanted} tasks have ended", pause=0.5)
    story.expect(not mishaps.left(), lambda: f"there was no occasion for {mishaps.left()}")
    story.say(f"all tasks have ended {time.monotonic() - began:.0f} s after the first job's arrival")
    return scheduler, created


def run_pair(story, load, name):
    """One run; its bill goes to bill.json of its folder."""
    pair = PAIRS[name]
    jobs = workloads.WORKLOADS[load].draw(story.seed)
    sold_out = list(karpenter.TYPES) if story.options.sold_out == "all" else [kind for kind in story.options.sold_out.split(",") if kind]
    offers = karpenter.prices(sold_out)
    cluster = Cluster(story, scheduler=True, stages=karpenter.stages(story.folder))
    if pair.packed:
        most_allocated(story, cluster)
    with cluster:
        buyer = karpenter.Karpenter(cluster, offers).install().start()
        wait_for(buyer.ready, 60, "Karpenter's NodePool is not ready")
        operator = prepare_lips(story, cluster, jobs, pair) if pair.mode else None
        with Recorder(cluster, kinds=("Pod", "Node", "NodeClaim")) as seen:
            mishaps = Mishaps(story, cluster, buyer)
            scheduler, created = submit(story, cluster, seen, pair, jobs, mishaps)
            karpenter.wait_empty(cluster, EMPTY_AFTER)
            story.check(not seen.broken, lambda: "; ".join(seen.broken[:5]))
            story.check(operator is None or operator.running(), "the operator ended")
            story.check(operator is None or "NodePool" not in operator.log(), "the operator has not understood the NodePool")
            found = bill.bill(seen, scheduler, offers, karpenter.machines(), created)
            late = mishaps.bound_after_notice(seen)
    found = {"workload": load, "pair": name, "seed": story.seed, "interrupted": len(mishaps.noticed), "boundAfterNotice": late, **found}
    if not (pair.packed or sold_out or story.options.interrupt or story.options.restart_karpenter):
        found["simulated"] = simulated.run(story.lips, story.folder, jobs, pair, settings_of(story, jobs))
    if pair.mode:
        found["twin"] = twin.of_journal(story.lips, journal_of(story))
    side_by_side.keep(story, found)
    side_by_side.keep(story, lives_of_pods(seen, scheduler, created), "pods.json")
    story.say(line(found))


def lives_of_pods(seen, scheduler, created):
    """When each pod appeared, lost its gates, was bound and ended, in seconds after the first job's arrival."""
    since = lambda at: at and round(at - created[0][1], 2)
    return [{"pod": pod.name, "job": pod.job, "node": pod.node, "selector": pod.pod["spec"].get("nodeSelector", {}), "appeared": since(pod.appeared),
             "freed": since(pod.freed_at), "bound": since(pod.bound_at), "ended": since(pod.ended_at)} for pod in seen.of(scheduler=scheduler) if pod.job]


def line(found):
    pair = PAIRS[found["pair"]]
    return (f"{found['workload']:7} {pair.letter} {found['pair']:13}  nodes {found['nodes']:.3f}  transfer {found['transfer']:.3f}  "
            f"invoice {found['invoice']:.3f} USD  mean completion {found['meanCompletion']:3.0f} s  core-hours paid {found['paidCoreHours']:.1f} "
            f"used {found['usedCoreHours']:.1f}" + f"  run again {found['runs'] - found['tasks']}" * bool(found["interrupted"]))


def tell(story):
    karpenter.need_karpenter()
    wanted = runs(story.options)
    story.say(f"{len(wanted)} runs, {story.options.at_once} at once: " + ", ".join(f"{load}/{pair}" for load, pair in wanted))
    default = not (story.options.workloads or story.options.pairs or story.full)
    if default:
        story.say("the default: a workload of a minute and a half under two pairs; all pairs: --pairs all, all workloads: --workloads all")
    bills = side_by_side.results(story, wanted, story.options.at_once, run_pair, line)
    found = list(bills.values())
    side_by_side.keep(story, found, "invoice.json")
    for one in found:
        name = f"{one['workload']}/{one['pair']}"
        story.figure(PAIRS[one["pair"]].about, line(one))
        story.expect(one["runs"] >= one["tasks"] and one["machines"] > 0, f"{name}: {one['runs']} runs of {one['tasks']} tasks on {one['machines']} machines")
        story.expect(one["machinesLeft"] == 0, f"{name}: {one['machinesLeft']} machines are left {EMPTY_AFTER} s after the last task")
        story.expect(not one["boundAfterNotice"], f"{name}: bound to a node that had notice: {one['boundAfterNotice']}")
        if one["terminationSeconds"] is not None:
            story.figure(f"{name}: from a launch until a machine takes pods, from its taint until it is off, from its last pod until then",
                         f"{one['launchSeconds']:.1f} s  {one['terminationSeconds']:.1f} s  {one['emptySeconds'] or 0:.1f} s")
        if "simulated" in one:
            said = one["simulated"]
            story.figure(f"{name}: invoice and core-hours as a share of those that the simulator says",
                         f"{one['invoice'] / said['invoice']:.2f} ({said['invoice']:.3f} USD)  {one['paidCoreHours'] / said['core_hours']:.2f}")
    compare(story, bills, at_most=MOST if default else None)
    twin.compare(story, bills)


def compare(story, bills, at_most):
    """The cost of LiPS beside both rivals: the stock pair, and the zones pinned by hand."""
    for (load, pair), one in bills.items():
        for rival in ("kube", "kube-pinned") if PAIRS[pair].mode else ():
            if (load, rival) in bills:
                story.figure(f"{load}: invoice of {pair}, as a share of that of {rival}", one["invoice"] / bills[load, rival]["invoice"], at_most=at_most)
    for pair, rival in ((pair, rival) for pair in PAIRS if PAIRS[pair].mode for rival in ("kube", "kube-pinned")):
        both = [load for load in workloads.WORKLOADS if (load, pair) in bills and (load, rival) in bills]
        if len(both) > 1:
            share = lambda key: sum(bills[load, pair][key] / bills[load, rival][key] for load in both) / len(both)
            story.figure(f"{pair} over {rival}, mean of {len(both)} workloads: invoice, completion", f"{share('invoice'):.2f}  {share('meanCompletion'):.2f}")
