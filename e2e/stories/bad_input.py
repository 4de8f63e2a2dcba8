"""A wrong object gets a condition and an event that name its fault, and stops nothing else."""
import time

from kit import objects
from kit.cluster import Cluster, wait_for
from kit.data import replicas
from kit.operator import Operator
from kit.recorder import Recorder


def conditions(obj, wrong_types=("Ready", "PodScheduled")):
    return [c for c in obj.get("status", {}).get("conditions", []) if c["type"] in wrong_types and c["status"] == "False" and c.get("message")]


def event_about(api, obj):
    for event in api.list("Event"):
        about = event.get("involvedObject") or event.get("regarding") or {}
        if about.get("name") == obj["metadata"]["name"] and about.get("kind") == obj["kind"] and event.get("type") == "Warning":
            return event
    return None


def wrong_pod(name, **annotations):
    return objects.pod(name, annotations={"lips.dev/" + key.replace("_", "-"): text for key, text in annotations.items()})


def cases():
    """By fault: the objects to create, the last of which is the wrong one."""
    more_tasks = objects.indexed_job("more-tasks", 6, annotations={"lips.dev/dataset": "good"})
    return {
        "a data set that names a missing store": [objects.data_set("lost", 4, {"nowhere": "0-3"})],
        "sizes that do not add up": [objects.data_set("wrong-sum", 4, {"store-0": "0-3"}, size="1Gi")],
        "a pool that is its own ancestor": [objects.pool("left", parent="right"), objects.pool("right", parent="left")],
        "an annotation that is no number": [wrong_pod("no-number", cpu_seconds="many")],
        "a pod that names a missing data set": [wrong_pod("no-data", dataset="nowhere")],
        "a job with more tasks than blocks": [more_tasks],
        "a pod that asks for more than any node has": [objects.pod("too-large", cpu="64")],
        "a node selector that no node has": [objects.pod("nowhere", nodeSelector={"disk": "none"})],
    }


def tell(story):
    with Cluster(story) as cluster:
        api = cluster.api
        cluster.install_custom_resources()
        cluster.add_nodes([objects.fake_node(f"node-{i}", objects.ZONES[i % 3]) for i in range(3)])
        api.create(objects.node_store("store-0", "node-0", "zone-a"))
        api.create(objects.data_set("good", 4, {"store-0": "0-3"}))
        with Recorder(cluster) as seen:
            operator = Operator(cluster, {"leaderElection": {"enabled": False}}).start().wait_ready()
            wait_for(lambda: replicas(api.get("DataSet", "good")), 30, "the good data set has no replicas in its status")
            told = 0
            for number, (what, made) in enumerate(cases().items()):
                for obj in made:
                    api.create(obj)
                wrong = told_on = made[-1]
                if wrong["kind"] == "Job":
                    # The pods of the job are what the scheduler sees: those whose index has no block are wrong.
                    pods = wait_for(lambda: [s.pod for s in seen.of(job=wrong["metadata"]["name"])
                                             if int(s.pod["metadata"]["labels"].get("batch.kubernetes.io/job-completion-index", 0)) >= 4] or None,
                                    20, "the job has no pods")
                    wrong = {**pods[-1], "kind": "Pod"}
                meta = wrong["metadata"]
                look = lambda: api.get(wrong["kind"], meta["name"], meta.get("namespace", "default"))
                try:
                    found = wait_for(lambda: conditions(look()), 20, f"{what}: no condition on {wrong['kind']} {meta['name']}")
                    story.say(f"{what}: {found[0]['reason']}: {found[0]['message']}")
                    # For many pods of one job the event is on the job.
                    wait_for(lambda: event_about(api, wrong) or event_about(api, told_on), 20, f"{what}: no event on {wrong['kind']} {meta['name']}")
                    told += 1
                except Exception as error:
                    story.expect(False, str(error))
                began = time.monotonic()
                job = f"fine-{number}"
                api.create(objects.indexed_job(job, 3, run_for="1s", annotations={"lips.dev/dataset": "good"}))
                wait_for(lambda: len(seen.bound(job=job)) == 3, 30, f"after {what} a good job is not bound")
                story.check(time.monotonic() - began < 10, f"after {what} a good job takes {time.monotonic() - began:.0f} s")
                story.check(operator.running(), f"{what} ended the operator")
            story.figure("kinds of bad input, each with a condition and an event on the right object", f"{told} of {len(cases())}")
            story.check(not seen.broken, lambda: "; ".join(seen.broken))
