"""A large cluster: the operator starts cold, reads it all and binds its first pod in seconds, in little memory."""
import time

from kit import audit, objects
from kit.cluster import Cluster, wait_for
from kit.operator import Operator
from kit.recorder import Recorder

LIMIT, FULL_LIMIT = 240, 1500


def tell(story):
    nodes, count = (5000, 50000) if story.full else (500, 4000)
    types = ("m7g.xlarge", "m6i.xlarge", "c7g.2xlarge")
    with Cluster(story, kwok=False, record_bindings=True, own_nodes=True) as cluster:
        cluster.api.create_all(objects.ready_node(f"node-{i}", objects.ZONES[i % 3], cores=8, instance_type=types[i % 3]) for i in range(nodes))
        spaces = [f"space-{i}" for i in range(10)]
        for space in spaces:
            cluster.api.create(objects.namespace(space))
        for space in spaces:
            wait_for(lambda: cluster.api.find("ServiceAccount", "default", space), 30, f"no service account in {space}")
        began = time.monotonic()
        cluster.api.create_all((objects.pod(f"pod-{i}", spaces[i % 10], cpu="500m", memory="512Mi") for i in range(count)), workers=16)
        story.say(f"{nodes} nodes and {count} pods made ({time.monotonic() - began:.0f} s for the pods)")
        started = time.time()
        operator = Operator(cluster, {"leaderElection": {"enabled": False}}).start()
        wanted = min(count, nodes * 8 * 2) * 0.9
        with Recorder(cluster) as seen:
            wait_for(lambda: seen.bound(), 120, "no pod is bound")
            wait_for(lambda: len(seen.bound()) >= wanted, 600, lambda: f"{len(seen.bound())} pods are bound", pause=0.5)
            peak = operator.memory_peak()
            story.check(not seen.broken, lambda: "; ".join(seen.broken[:5]))
        story.figure("ends after SIGTERM within", operator.end(), "s", at_most=10)
    requests = [r for r in audit.bindings(story.folder) if r.code == 201]
    story.figure(f"cold start to first binding, {nodes} nodes and {count} pods", requests[0].received - started, "s", at_most=15)
    story.figure("memory at its peak", peak / 2**20, "MiB", at_most=1536, digits=0)
    story.figure("pods bound a second", audit.rate(requests), digits=0)
