"""A pool of weight 10 beside a stream of small Jobs of a pool of weight 1, both with more work than fits: each gets its share."""
import threading
import time

from kit import objects
from kit.cluster import Cluster, wait_for
from kit.operator import Operator
from kit.recorder import Recorder

NODES, CORES = 11, 4
ENTITLED = 40  # cores, of 44, at weights 10 to 1
TASK, SMALL = 30, 6  # seconds of a task of the large Job, and of small ones


def stream(cluster, stop):
    """Small Jobs for more than the whole cluster: one of ten tasks each second."""
    count = 0
    while not stop.wait(1):
        cluster.api.create(objects.indexed_job(f"small-{count}", 10, space="small", run_for=f"{SMALL}s",
                                               annotations={"lips.dev/cpu-seconds": str(SMALL)}))
        count += 1


def core_seconds(pods, begin, end):
    return sum(max(0.0, min(end, s.ended_at or end) - max(begin, s.bound_at)) for s in pods)


def tell(story):
    window = 300 if story.full else 60
    with Cluster(story) as cluster:
        cluster.install_custom_resources()
        for name, weight in (("large", 10), ("small", 1)):
            cluster.api.create(objects.namespace(name))
            cluster.api.create(objects.pool(name, weight, namespaces=[name]))
        cluster.add_nodes([objects.fake_node(f"node-{i}", objects.ZONES[i % 3], cores=CORES) for i in range(NODES)])
        with Recorder(cluster) as seen:
            operator = Operator(cluster, {"leaderElection": {"enabled": False}}).start().wait_ready()
            stop = threading.Event()
            small = threading.Thread(target=stream, args=(cluster, stop), daemon=True)
            small.start()
            # The stream comes first and has the whole cluster.
            wait_for(lambda: len(seen.finished(space="small")) >= NODES * CORES, 60, "the small Jobs do not run")
            tasks = ENTITLED * (window // TASK + 3)
            cluster.api.create(objects.indexed_job("large", tasks, space="large", run_for=f"{TASK}s",
                                                   annotations={"lips.dev/cpu-seconds": str(TASK)}))
            wait_for(lambda: len(seen.bound(space="large")) > 0, 60, "the large Job does not start")
            began = time.monotonic() + SMALL
            time.sleep(window + SMALL)
            used = core_seconds(seen.bound(space="large"), began, began + window)
            both = used + core_seconds(seen.bound(space="small"), began, began + window)
            stop.set()
            small.join()
            waiting = len(seen.of(space="large")) - len(seen.bound(space="large"))
            story.check(waiting > 0, "the large Job wants no more than it has")
            story.figure("of the cores that it is entitled to, the large Job had", used / window / ENTITLED, at_least=0.95)
            story.figure("of all cores, both had", both / window / (NODES * CORES))
            story.check(operator.running(), "the operator ended")
            story.check(not seen.broken, lambda: "; ".join(seen.broken))
