"""A pod that fits and arrives in an idle cluster is bound at once, not at the end of an epoch."""
import statistics
import time

from kit import objects
from kit.cluster import Cluster, wait_for
from kit.operator import Operator
from kit.recorder import Recorder


def tell(story):
    with Cluster(story) as cluster:
        cluster.add_nodes([objects.fake_node(f"node-{i}", objects.ZONES[i % 3], instance_type="m7g.xlarge") for i in range(9)])
        with Recorder(cluster) as seen:
            Operator(cluster, {"leaderElection": {"enabled": False}}).start().wait_ready()
            waits = []
            for i in range(25):
                name = f"lonely-{i}"
                began = time.monotonic()
                cluster.api.create(objects.pod(name))
                bound = wait_for(lambda: next((s for s in seen.bound() if s.name == name), None), 30, f"{name} is not bound", pause=0.002)
                waits.append(bound.bound_at - began)
                time.sleep(0.15)
            story.check(not seen.broken, lambda: "; ".join(seen.broken))
    story.figure("from the request that makes it to its binding, seen by a watch: median", 1000 * statistics.median(waits), "ms", at_most=100, digits=0)
    story.figure("the slowest of 25", 1000 * max(waits), "ms", digits=0)
