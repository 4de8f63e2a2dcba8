"""examples/karpenter as it is: the chart with its values, its NodePool and its Job, on machines that the real Karpenter buys.

The chart runs on a real node, beside nodes of the system in the other zones. Karpenter's provider for kwok plays the machines; a proxy calls for it
by kwok's words what the NodePool calls by those of AWS (kit.karpenter.AWS_WORDS). The cluster has only what the example says, and no EC2NodeClass:
the provider's own class of that name stands for it. Karpenter's page of prices, which that provider lacks, is the story's, at an address instead of a
name: there is no DNS for the cluster. kwok plays the tasks of five minutes in half a minute.
"""
import json
import os
import time

from kit import helm, karpenter, objects
from kit.cluster import ADDRESS, Cluster, is_ready, need_tools, wait_for
from kit.operator import FaultProxy
from kit.recorder import Recorder
from kit.steering import GATE, gates

LIMIT = 400
LANE = "real nodes"
EXAMPLE = os.path.join(helm.ROOT, "examples", "karpenter")
CHEAPER = ["c5a.xlarge", "c5a.2xlarge"]  # Karpenter could buy them, and the NodePool leaves them out
PLAYED = 30                              # seconds of each task
BOOT = "10s"
CHEAPEST = min(karpenter.SPOT, key=karpenter.SPOT.get)
ZONE = "topology.kubernetes.io/zone"
FAMILY = "karpenter.k8s.aws/instance-family"
TYPE = "node.kubernetes.io/instance-type"
SYSTEM = {"key": "CriticalAddonsOnly", "effect": "NoSchedule"}


def install(story, cluster, prices):
    """As values.yaml says in its first line, with an image that is here. Returns the operator's pod once it is ready."""
    began = time.monotonic()
    helm.run(cluster, "install", "lips", helm.CHART, "--namespace", helm.NAMESPACE, "--create-namespace", "--values", os.path.join(EXAMPLE, "values.yaml"),
             *(f"--set-json={key}={json.dumps(value)}" for key, value in helm.VALUES.items()), "--set", f"config.prices.metrics={prices.url}")
    ready = lambda: [pod for pod in cluster.api.list("Pod", helm.NAMESPACE) if is_ready(pod)]
    pod = wait_for(ready, 120, "the operator's pod is not ready", pause=0.5)[0]
    story.figure("helm install to a ready operator", time.monotonic() - began, "s")
    return pod


def bought(seen):
    """The labels of each Node that Karpenter launched."""
    return {node["metadata"]["name"]: node["metadata"]["labels"] for _, _, node in seen.history["Node"]
            if "karpenter.sh/nodepool" in node["metadata"].get("labels", {})}


def tell(story):
    need_tools("helm", "fault-proxy")
    karpenter.need_karpenter()
    offers = karpenter.prices(types=karpenter.TYPES + CHEAPER)
    with Cluster(story, real_nodes=1, scheduler=True, stages=karpenter.stages(story.folder, PLAYED)) as cluster:
        cluster.add_nodes([objects.fake_node(f"system-{zone}", zone, instance_type="m6i.xlarge", taints=[SYSTEM]) for zone in objects.ZONES[1:]])
        proxy = FaultProxy(cluster, renames=karpenter.AWS_WORDS).start()
        buyer = karpenter.Karpenter(cluster, offers, kubeconfig=proxy.kubeconfig).install_definitions(BOOT, "default").start()
        helm.build_image(cluster)
        operator = install(story, cluster, karpenter.PricePage(offers, ADDRESS))
        cluster.kubectl("cordon", operator["spec"]["nodeName"])  # it is for the system too
        apply = lambda name: cluster.kubectl("apply", "-f", os.path.join(EXAMPLE, name))
        apply("node-pool.yaml")
        wait_for(buyer.ready, 60, "Karpenter's NodePool is not ready")
        apply("namespace.yaml")
        with Recorder(cluster, kinds=("Pod", "Node", "NodeClaim")) as seen:
            first = {}
            seen.watchers["Pod"].append(lambda event, pod: first.setdefault(pod["metadata"]["uid"], pod))
            began = time.monotonic()
            apply("job.yaml")
            try:
                finish(story, seen, began)
            finally:
                log = helm.keep_log(cluster, operator)
            story.figure("pods of the Job that were made behind the gate", sum(gates(p) == [GATE] for p in first.values() if p["metadata"]["namespace"] == "batch"),
                         at_least=8)
            dollars = wait_for(lambda: sum(helm.dollars_of_rows(operator, "batch")), 60, "the page shows no dollars of the namespace", pause=1)
            story.figure("on the page, of the namespace", dollars, "USD", digits=4)
            karpenter_ends(story, cluster, began)
        wrong = helm.refused(log) + [line for line in log.splitlines() if "NodePool" in line]  # which is not understood
        story.expect(not wrong, lambda: f"the operator's log: {wrong[0][:300]}")


def finish(story, seen, began):
    """The Job's end, and where its pods ran."""
    done = lambda: seen.finished(scheduler="default-scheduler", space="batch")
    wait_for(lambda: len(done()) == 8, 200, lambda: f"{len(done())} of 8 tasks have ended", pause=0.5)
    story.figure("the Job from its creation to its end", time.monotonic() - began, "s")
    story.check(not seen.broken, lambda: "; ".join(seen.broken))
    nodes = bought(seen)
    pods = seen.of(scheduler="default-scheduler", space="batch")
    where = {pod.name: nodes.get(pod.node, {}) for pod in pods}
    story.check(len(pods) == 8 and all(where.values()), lambda: f"not on machines of the NodePool: {[(p.name, p.node) for p in pods if not where[p.name]]}")
    zones = {pod.name: (pod.pod["spec"].get("nodeSelector", {}).get(ZONE), where[pod.name][ZONE]) for pod in pods}
    story.check(set(zones.values()) == {(CHEAPEST, CHEAPEST)}, lambda: f"not sent to and run in {CHEAPEST}, whose spot nodes are the cheapest: {zones}")
    wrong = [labels for labels in nodes.values() if labels[FAMILY] not in ("c6i", "m6i", "r6i") or not labels[TYPE].startswith(labels[FAMILY] + ".")]
    story.check(not wrong, lambda: f"not what the NodePool allows: {wrong}")
    classes = {claim["spec"]["nodeClassRef"]["kind"] for _, _, claim in seen.history["NodeClaim"]}
    story.check(classes == {"EC2NodeClass"}, lambda: f"NodeClaims name {classes}")
    story.figure("machines", ", ".join(f"{labels[TYPE]} {labels['karpenter.sh/capacity-type']} {labels[ZONE]}" for labels in nodes.values()))


def karpenter_ends(story, cluster, began):
    left = lambda: [n["metadata"]["name"] for n in cluster.api.list("Node") if "karpenter.sh/nodepool" in n["metadata"]["labels"]]
    wait_for(lambda: not left(), 180, lambda: f"Karpenter keeps {left()}", pause=1)
    story.figure("until Karpenter has ended the machines", time.monotonic() - began, "s")
