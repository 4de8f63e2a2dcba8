"""kube-scheduler lets pods that came while there was no node wait for their back-off: the youngest take the first node, as on a virtual cluster."""
import time

from kit import objects
from kit.cluster import Cluster, wait_for

OLD, YOUNG = [f"old-{i}" for i in range(3)], [f"young-{i}" for i in range(3)]


def tell(story):
    with Cluster(story, scheduler=True) as cluster:
        api = cluster.api
        began = time.monotonic()
        until = lambda second: time.sleep(max(0.0, began + second - time.monotonic()))
        on = lambda pods: {api.get("Pod", name)["spec"].get("nodeName") for name in pods}
        api.create_all([objects.pod(name, scheduler="default-scheduler", cpu="1") for name in OLD])
        until(6)
        api.create_all([objects.pod(name, scheduler="default-scheduler", cpu="1") for name in YOUNG])
        # The old ones are tried 1, 2, 4 and 8 s after they failed, the young ones 1, 2 and 4 s: from 15 s and from 13 s on.
        until(12.5)
        cluster.add_nodes([objects.fake_node("first", cores=3)])
        wait_for(lambda: on(YOUNG) == {"first"}, 15, lambda: f"the young pods are on {on(YOUNG)}, the old ones on {on(OLD)}")
        story.figure("from a node until those that came last are bound", time.monotonic() - began - 12.5, "s", at_most=15)
        until(24)  # until then the old ones have found the node full
        cluster.add_nodes([objects.fake_node("second", cores=3)])
        added = time.monotonic()
        wait_for(lambda: on(OLD) == {"second"}, 15, lambda: f"the old pods are on {on(OLD)}")
        story.figure("from the second node until the others are bound, which have seen a node", time.monotonic() - added, "s", at_most=5)
