"""The bill of a run on bought nodes, from the lives of Node and NodeClaim objects and from where each task ran.

Counted from what the API server told the recorder, by nothing that the operator says.
"""
import collections
import dataclasses
import math
import statistics
import time

from kit.amounts import amount, pod_requests
from kit.cluster import holds
from kit.karpenter import Offer, is_going

LEAST_SECONDS = 60  # of a machine's bill
PER_GB = 0.02       # USD, across zones

LABELS = Offer("node.kubernetes.io/instance-type", "topology.kubernetes.io/zone", "karpenter.sh/capacity-type")


@dataclasses.dataclass
class Life:
    """The life of a machine that was launched: from its NodeClaim's creation to its Node's deletion. Seconds of the recorder's clock."""
    name: str
    offer: Offer
    began: float
    ended: float
    gone: bool

    @property
    def billed(self):
        return max(LEAST_SECONDS, self.ended - self.began)


def offer_of(obj):
    labels = obj["metadata"].get("labels", {})
    return Offer(*(labels.get(label) for label in LABELS))


def lives(recorder, now):
    """The lives of all machines that were launched so far. A NodeClaim that found no machine is not among them."""
    launched, nodes = {}, {}
    with recorder.lock:
        for at, event, claim in recorder.history["NodeClaim"]:
            machine = claim.get("status", {}).get("providerID")
            if not machine:
                continue
            created = claim["metadata"]["uid"]
            life = launched.setdefault(machine, {"claim": created, "gone": None})
            life["offer"], life["name"] = offer_of(claim), claim["metadata"]["name"]
            if event == "DELETED":
                life["gone"] = at
        first = {}
        for at, _, claim in recorder.history["NodeClaim"]:
            first.setdefault(claim["metadata"]["uid"], at)
        for at, event, node in recorder.history["Node"]:
            nodes[node["spec"].get("providerID")] = at if event == "DELETED" else None
    found = []
    for machine, life in launched.items():
        # The machine of a NodeClaim that goes while it boots is paid until then; of any other, until its Node is gone.
        end = nodes[machine] if machine in nodes else life["gone"]
        found.append(Life(life["name"], life["offer"], first[life["claim"]], end if end is not None else now, end is not None))
    return found


def delays(recorder, pods):
    """Mean seconds from a NodeClaim's creation until Karpenter says that its node takes pods, from the taint of a node that goes to its end, and from the end
    of the last pod of a node that goes because it is empty."""
    created, ready, tainted, ended, emptied, names = {}, {}, {}, {}, {}, {}
    for pod in pods:
        emptied[pod.node] = max(emptied.get(pod.node, 0), pod.ended_at or pod.gone_at or math.inf)
    with recorder.lock:
        for at, _, claim in recorder.history["NodeClaim"]:
            created.setdefault(claim["metadata"]["uid"], at)
            if holds(claim, "Initialized"):
                ready.setdefault(claim["metadata"]["uid"], at)
        for at, event, node in recorder.history["Node"]:
            names[node["metadata"]["uid"]] = node["metadata"]["name"]
            if is_going(node):
                tainted.setdefault(node["metadata"]["uid"], at)
            if event == "DELETED":
                ended[node["metadata"]["uid"]] = at
    spans = {"launchSeconds": [ready[claim] - created[claim] for claim in ready],
             "terminationSeconds": [ended[node] - tainted[node] for node in tainted if node in ended],
             "emptySeconds": [ended[node] - emptied[names[node]] for node in tainted if node in ended and emptied.get(names[node], math.inf) <= tainted[node]]}
    return {name: statistics.mean(seconds) if seconds else None for name, seconds in spans.items()}


def zones_of_nodes(recorder):
    with recorder.lock:
        return {node["metadata"]["name"]: node["metadata"]["labels"].get(LABELS.zone) for _, _, node in recorder.history["Node"]}


def cores(pod):
    return pod_requests(pod).get("cpu", 0) / 1000


def of_nodes(fleet, offers, machines, transfer):
    """The invoice for the lives of a fleet and so many USD of transfer."""
    nodes = sum(life.billed / 3600 * offers[life.offer] for life in fleet)
    return {"nodes": nodes, "transfer": transfer, "invoice": nodes + transfer,
            "paidCoreHours": sum(life.billed / 3600 * machines[life.offer.type].cores for life in fleet),
            "machines": len(fleet), "machinesByZone": dict(collections.Counter(life.offer.zone for life in fleet)),
            "machinesLeft": sum(not life.gone for life in fleet),
            "fleet": [{"name": life.name, **life.offer._asdict(), "seconds": round(life.ended - life.began, 1)} for life in fleet]}


def until(fleet, at):
    """The lives of machines that were launched before that time, cut off there."""
    return [dataclasses.replace(life, ended=min(life.ended, at)) for life in fleet if life.began < at]


def bill(recorder, scheduler, offers, machines, created):
    """USD and hours of jobs, by when they were created; everything up to now counts. `created`: (job, time) of each."""
    now = time.monotonic()
    fleet = lives(recorder, now)
    zone_of = zones_of_nodes(recorder)
    transfer, used, runs, astray = 0.0, 0.0, 0, 0
    completions, last, every = [], 0, []
    for job, at in created:
        pods = [pod for pod in recorder.of(scheduler=scheduler, job=job.name) if pod.node]
        runs += len(pods)
        every += pods
        for pod in pods:
            used += cores(pod.pod) * (next((t for t in (pod.ended_at, pod.gone_at) if t), now) - pod.bound_at) / 3600
            if zone_of.get(pod.node) != job.zone:
                astray += 1
                transfer += job.mebibytes * 2**20 / 1e9 * PER_GB
        ends = [pod.ended_at for pod in pods if pod.pod["status"].get("phase") == "Succeeded"]
        completions.append((max(ends) if ends else now) - at)
        last = max(last, completions[-1] + at)
    return {**of_nodes(fleet, offers, machines, transfer), **delays(recorder, every), "toLastTask": of_nodes(until(fleet, last), offers, machines, transfer)["invoice"],
            "meanCompletion": statistics.mean(completions), "usedCoreHours": used,
            "tasks": sum(job.tasks for job, _ in created), "runs": runs, "runsOutsideTheZoneOfTheirData": astray}
