"""Every policy that the program knows places pods of a real API server."""
import subprocess

from kit import objects
from kit.cluster import Cluster, wait_for
from kit.operator import Operator
from kit.recorder import Recorder

LIMIT = 300


def names(story):
    found = subprocess.run([story.lips, "policies"], capture_output=True, text=True, check=True).stdout
    return [line.split()[0] for line in found.splitlines() if line.strip()]


def tell(story):
    policies = names(story)
    story.check(len(policies) > 5, f"the program lists only {policies}")
    with Cluster(story) as cluster:
        cluster.add_nodes([objects.fake_node(f"node-{i}", objects.ZONES[i % 3], instance_type=("m7g.xlarge", "m6i.xlarge")[i % 2]) for i in range(6)])
        with Recorder(cluster) as seen:
            for policy in policies:
                operator = Operator(cluster, {"leaderElection": {"enabled": False}, "policy": {"name": policy, "epoch": "4s", "settings": {
                    "heartbeat": "500ms", "nodeDelay": "500ms", "rackDelay": "500ms", "epoch": "4s"}}}, name="lips-" + policy)
                operator.start()
                job = f"job-{policy}"
                cluster.api.create(objects.indexed_job(job, 4, run_for="1s", annotations={"lips.dev/cpu-seconds": "1"}))
                try:
                    wait_for(lambda: len(seen.bound(job=job)) == 4, 30, "")
                except Exception:
                    story.expect(False, f"{policy} bound {len(seen.bound(job=job))} of 4 pods in 30 s")
                operator.end()
                cluster.api.delete("Job", job)
            story.check(not seen.broken, lambda: "; ".join(seen.broken))
    story.figure("policies that placed pods", f"{len(policies) - len(story.failures)} of {len(policies)}: {' '.join(policies)}")
