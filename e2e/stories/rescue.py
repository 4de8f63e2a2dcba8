"""A node is about to go: the blocks that lie on it alone are copied before it is turned off, and tasks read the copies afterwards.

Real nodes, real bytes and the real Karpenter. A termination handler's taint gives notice; then Karpenter is told to end the node, and waits for
nothing on it but the pods that copy.
"""
import hashlib
import os
import random
import time

from kit import karpenter, objects
from kit.cluster import Cluster, wait_for
from kit.data import replicas
from kit.operator import Operator
from kit.recorder import Recorder

LIMIT = 300
LANE = "real nodes"
BLOCKS, SIZE = 4, 4 << 20
SPEED = 1 << 20   # bytes a second, so that Karpenter would be done long before the copies
NOTICE = 120      # seconds until a spot machine is turned off
GOING, STAYING = "real-0", "real-1"
HANDLER, KARPENTER = "aws-node-termination-handler/spot-itn", "karpenter.sh/disrupted"
NODE_CLASS = {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": "played"}

READ = r"""
set -e
case "$INPUT" in http*) wget -q -O /tmp/in "$INPUT"; in=/tmp/in ;; *) in=$INPUT ;; esac
sha256sum < "$in"
"""


def reading_job():
    env = [{"name": "INPUT", "valueFrom": {"fieldRef": {"fieldPath": "metadata.annotations['lips.dev/input']"}}}]
    task = objects.container("50m", "64Mi", command=["sh", "-c", READ], env=env, mounts=[{"name": "data", "mountPath": "/srv/node/data", "readOnly": True}])
    return objects.indexed_job("read", BLOCKS, containers=[task], annotations={"lips.dev/dataset": "books", "lips.dev/cpu-seconds": "1"},
                               volumes=[{"name": "data", "hostPath": {"path": "/srv/node/data", "type": "DirectoryOrCreate"}}])


def write_blocks(cluster, draw):
    """The checksum of each."""
    folder = os.path.join(cluster.folder, "nodes", GOING, "data", "data", "default", "books")
    os.makedirs(folder)
    sums = []
    for block in range(BLOCKS):
        data = draw.randbytes(SIZE)
        sums.append(hashlib.sha256(data).hexdigest())
        with open(os.path.join(folder, f"part-{block}"), "wb") as file:
            file.write(data)
    return sums


def hand_over(cluster):
    """The node, as one that Karpenter has launched and must end; its NodeClaim. Karpenter must not run yet."""
    api, zone = cluster.api, objects.ZONES[0]
    labels = {"karpenter.sh/nodepool": "batch", "karpenter.sh/capacity-type": "spot", "node.kubernetes.io/instance-type": karpenter.TYPES[0],
              "topology.kubernetes.io/zone": zone, "topology.kubernetes.io/region": objects.REGION, "kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux"}
    provider = f"kwok://{GOING}"
    api.patch("Node", GOING, {"metadata": {"finalizers": ["karpenter.sh/termination"],
                                           "labels": {**labels, "karpenter.sh/registered": "true", "karpenter.sh/initialized": "true"}},
                              "spec": {"providerID": provider}})
    wants = [{"key": key, "operator": "In", "values": [labels[key]]} for key in ("karpenter.sh/capacity-type", "topology.kubernetes.io/zone")]
    claim = api.create({"apiVersion": "karpenter.sh/v1", "kind": "NodeClaim",
                        "metadata": {"name": "launched", "labels": labels, "finalizers": ["karpenter.sh/termination"]},
                        "spec": {"nodeClassRef": NODE_CLASS, "requirements": wants, "expireAfter": "Never"}})
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    conditions = [{"type": kind, "status": "True", "reason": kind, "message": "", "lastTransitionTime": now, "observedGeneration": 1}
                  for kind in ("Launched", "Registered", "Initialized", "Ready")]
    api.patch("NodeClaim", claim["metadata"]["name"], {"status": {"providerID": provider, "nodeName": GOING, "conditions": conditions,
                                                                  "capacity": {"cpu": "4", "memory": "8Gi", "pods": "110"},
                                                                  "allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}}, subresource="status")
    return claim["metadata"]["name"]


def taints(cluster):
    node = cluster.api.find("Node", GOING)
    return {taint["key"] for taint in node["spec"].get("taints", [])} if node else None


def copying(cluster):
    """Pods of moves on the node that run."""
    return [pod["metadata"]["name"] for pod in cluster.api.list("Pod", "default", "lips.dev/move,lips.dev/role in (source,copy)")
            if pod["spec"].get("nodeName") == GOING and pod.get("status", {}).get("phase") == "Running"]


def committed(seen):
    """When the staying store had all blocks, by the recorder's clock."""
    for at, _, version in seen.history["DataSet"]:
        if replicas(version).get("staying", set()) >= set(range(BLOCKS)):
            return at
    return None


def gone(seen):
    return next((at for at, event, node in seen.history["Node"] if event == "DELETED" and node["metadata"]["name"] == GOING), None)


def tell(story):
    karpenter.need_karpenter()
    with Cluster(story, real_nodes=2, scheduler=True, kwok=False) as cluster:
        api = cluster.api
        cluster.install_custom_resources()
        sums = write_blocks(cluster, random.Random(story.seed))
        api.create(objects.node_store("going", GOING, objects.ZONES[0]))
        api.create(objects.node_store("staying", STAYING, objects.ZONES[1]))
        api.create(objects.custom("DataSet", "books", {"files": [{"path": f"default/books/part-{i}", "size": SIZE} for i in range(BLOCKS)],
                                                       "stores": [{"name": "going", "blocks": f"0-{BLOCKS - 1}"}]}, "default"))
        buyer = karpenter.Karpenter(cluster, karpenter.prices()).install()
        # It would end an empty node by itself.
        api.patch("NodePool", "batch", {"spec": {"disruption": {"consolidateAfter": "Never", "budgets": [{"nodes": "0"}]}}})
        claim = hand_over(cluster)
        buyer.start()
        wait_for(buyer.ready, 60, "Karpenter's NodePool is not ready")
        with Recorder(cluster, kinds=("Pod", "Node", "DataSet")) as seen:
            operator = Operator(cluster, {"leaderElection": {"enabled": False}, "moves": {"bandwidth": f"{SPEED >> 20}MiB/s"}}).start().wait_ready()
            wait_for(lambda: replicas(api.get("DataSet", "books")), 30, "the data set has no replicas in its status")
            story.check(api.find("NodeClaim", claim), "Karpenter has given the node up before its time")
            api.patch("Node", GOING, {"spec": {"taints": [{"key": HANDLER, "effect": "NoSchedule", "value": "notice"}]}})
            noticed = time.monotonic()
            wait_for(lambda: copying(cluster), 60, "no copy of the blocks has begun")
            story.figure("from the notice to the first byte", time.monotonic() - noticed, "s")
            api.delete("NodeClaim", claim)
            wait_for(lambda: KARPENTER in (taints(cluster) or ()), 30, "Karpenter does not end the node")
            wait_for(lambda: taints(cluster) is None, noticed + NOTICE - time.monotonic(), "the node has not gone when its machine is turned off")
            cluster.script("real-nodes", "crash", GOING)
            wait_for(lambda: gone(seen), 10, "nobody has told of the node's end")
            story.check(committed(seen), lambda: f"the node has gone, and the other store has only blocks {sorted(replicas(api.get('DataSet', 'books')).get('staying', ()))}")
            story.figure("from the notice until no block lies on the node alone", committed(seen) - noticed, "s", at_most=NOTICE)
            story.figure("from then until Karpenter has ended the node", gone(seen) - committed(seen), "s", at_least=0)
            api.create(reading_job())
            wait_for(lambda: len(seen.finished(job="read")) == BLOCKS, 90, lambda: f"{len(seen.finished(job='read'))} of {BLOCKS} tasks have ended", pause=0.5)
            for task in seen.of(job="read"):
                block = int(task.pod["metadata"]["annotations"]["batch.kubernetes.io/job-completion-index"])
                story.check(task.pod["status"]["phase"] == "Succeeded", f"{task.name}: {task.pod['status']}")
                found = api.request("GET", f"/api/v1/namespaces/default/pods/{task.name}/log").split()[0]
                story.check(found == sums[block], f"{task.name}: block {block} has changed")
            story.figure(f"tasks of {BLOCKS} that read the right bytes afterwards", len(seen.finished(job="read")))
            story.check(not seen.broken, lambda: "; ".join(seen.broken))
            story.check(operator.running(), "the operator ended")
