"""A pod of higher priority gets its room from kube-scheduler's preemption: LiPS does not put the next task where the last one was evicted."""
import time

from kit import objects
from kit.cluster import Cluster, wait_for
from kit.operator import Operator
from kit.recorder import Recorder

NODES, CORES = 4, 4


def important(name):
    return objects.pod(name, scheduler="default-scheduler", cpu=str(CORES), priorityClassName="important")


def tell(story):
    wanted = 12 if story.full else 3
    with Cluster(story, scheduler=True) as cluster:
        api = cluster.api
        api.create({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "important"}, "value": 1000})
        cluster.add_nodes([objects.fake_node(f"node-{i}", objects.ZONES[i % 3], cores=CORES) for i in range(NODES)])
        with Recorder(cluster) as seen:
            operator = Operator(cluster, {"leaderElection": {"enabled": False}}).start().wait_ready()
            # More pods than fit, and none ends by itself: a pod waits for every core that is freed. An eviction counts as a failure of the Job.
            backlog = 20 * NODES * CORES
            api.create(objects.indexed_job("backlog", backlog, run_for="1h", backoff=1000))
            wait_for(lambda: len(seen.bound(job="backlog")) == NODES * CORES, 60, "the nodes are not full")
            longest = 0.0
            for i in range(wanted):
                began = time.monotonic()
                api.create(important(f"important-{i}"))
                lands = lambda: any(s.node and s.name == f"important-{i}" for s in seen.of(scheduler="default-scheduler"))
                wait_for(lands, 60, f"important-{i} finds no room: LiPS takes what is evicted for it")
                longest = max(longest, time.monotonic() - began)
                api.request("DELETE", f"/api/v1/namespaces/default/pods/important-{i}")
                wait_for(lambda: sum(1 for s in seen.bound(job="backlog") if s.gone_at is None) == NODES * CORES, 60,
                         "the room of a pod that is gone stays unused")
            evicted = [s for s in seen.bound(job="backlog") if s.gone_at is not None]
            story.figure("pods evicted for each important one", len(evicted) / wanted, at_most=2 * CORES)
            story.figure("longest time until an important pod was bound", longest, "s", at_most=30)
            story.check(operator.running(), "the operator ended")
            story.check(not seen.broken, lambda: "; ".join(seen.broken))
