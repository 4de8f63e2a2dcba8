"""The journal of an operator on a real API server reproduces its decisions bit for bit, and says what others would have cost."""
import os
import subprocess

from kit import objects
from kit.cluster import Cluster, wait_for
from kit.operator import Operator
from kit.recorder import Recorder

LIMIT = 240
PODS = 60


def tell(story):
    with Cluster(story) as cluster:
        cluster.add_nodes([objects.fake_node(f"node-{i}", objects.ZONES[i % 3], instance_type=("m7g.xlarge", "odd.type")[i % 2])
                           for i in range(6)])
        journal = os.path.join(story.folder, "journal")
        operator = Operator(cluster, {"leaderElection": {"enabled": False}, "journal": {"directory": journal, "timeShare": 1},
                                      "twin": {"every": "1s"}}).start()
        operator.wait_ready()
        with Recorder(cluster) as seen:
            for i in range(3):
                cluster.api.create(objects.indexed_job(f"job-{i}", PODS // 3, "default", run_for="5s", annotations={"lips.dev/cpu-seconds": "5"}))
            wait_for(lambda: len(seen.finished()) == PODS, 120, lambda: f"{len(seen.finished())} of {PODS} pods have finished", pause=0.5)
        wait_for(lambda: operator.metric("lips_tasks_finished_total") == PODS, 10,
                 lambda: f"{operator.metric('lips_tasks_finished_total')} of {PODS} tasks are counted as finished")
        metrics = operator.metrics()
        story.expect(operator.metric("lips_unknown_price_nodes", instance_type="odd.type") == 3, "three nodes have no known price")
        story.figure("spent", operator.metric("lips_spend_dollars_total", term="cpu"), "USD", digits=6)
        wait_for(lambda: operator.metric("lips_twin_comparisons_total", outcome="made") > 0, 60, "nothing was simulated from the journal")
        for regime in ("ran", "spread"):
            story.figure(f"the same work, simulated: {regime}", operator.metric("lips_twin_dollars", regime=regime), "USD", digits=6)
        story.expect(any(key.startswith("lips_bind_seconds_count") and value > 0 for key, value in metrics.items()), "no binding was timed")
        operator.end()
        found = subprocess.run([story.lips, "replay", journal], capture_output=True, text=True)
        with open(os.path.join(story.folder, "replay.log"), "w", encoding="utf-8") as file:
            file.write(found.stdout + found.stderr)
        story.figure("replay", (found.stdout or found.stderr).strip().splitlines()[-1])
        story.check(found.returncode == 0, "a plan differs: replay.log")
