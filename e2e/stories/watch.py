"""Installed without risk: LiPS only watches kube-scheduler, writes nothing to pods, and says what the same work would have cost with LiPS, beside an invoice that the story computes itself."""
import os

from kit import objects
from kit.cluster import Cluster, wait_for
from kit.operator import Operator
from kit.recorder import Recorder

DATA_ZONE = "zone-b"
PRICES = {"zone-a": 0.8, "zone-b": 0.4, "zone-c": 1.2}  # of a node, an hour
CORES = 8
EXECUTORS = 6


def elastic(name, zone):
    node = objects.fake_node(name, zone, cores=CORES, memory="64Gi", instance_type="m7g.2xlarge", labels={"karpenter.sh/nodepool": "batch"})
    node["metadata"]["annotations"]["lips.dev/usd-per-hour"] = str(PRICES[zone])
    return node


# A node is billed for a minute at least, so the work takes longer.
def readers(name, tasks):
    return objects.indexed_job(name, tasks, "etl", scheduler="default-scheduler", run_for="70s", cpu="1",
                               annotations={"lips.dev/dataset": "books", "lips.dev/run-time": "70s"})


def executors(name, app):
    return objects.indexed_job(name, EXECUTORS, "etl", scheduler="default-scheduler", run_for="75s", cpu="1", labels={
        "spark-app-selector": app, "spark-role": "executor"}, annotations={"lips.dev/tasks": str(EXECUTORS), "lips.dev/run-time": "75s"})


def tell(story):
    tasks = 200 if story.full else 24
    with Cluster(story, scheduler=True) as cluster:
        api = cluster.api
        cluster.install_custom_resources()
        nodes = [elastic(f"node-{i}", objects.ZONES[i % 3]) for i in range(tasks // 2)]
        cluster.add_nodes(nodes)
        zone_of = {node["metadata"]["name"]: node["metadata"]["labels"]["topology.kubernetes.io/zone"] for node in nodes}
        api.create(objects.namespace("etl"))
        wait_for(lambda: api.find("ServiceAccount", "default", "etl"), 30, "no service account")
        api.create(objects.node_store("store", "node-1", DATA_ZONE, endpoint="http://files.example"))
        api.create(objects.data_set("books", tasks, {"store": f"0-{tasks - 1}"}, block_size="512Mi", space="etl"))
        with Recorder(cluster) as seen:
            operator = Operator(cluster, {"leaderElection": {"enabled": False}, "twin": {"every": "1s"},
                                          "journal": {"directory": os.path.join(story.folder, "journal")}}).start().wait_ready()
            wait_for(lambda: operator.metric("lips_epochs_total") > 0, 30, "no plan is made")
            api.create(readers("nightly", tasks))
            api.create(executors("executors", "spark-7"))
            done = lambda: seen.finished(scheduler="default-scheduler", space="etl")
            wait_for(lambda: len(done()) == tasks + EXECUTORS, 200, lambda: f"{len(done())} of {tasks + EXECUTORS} pods have finished", pause=0.2)
            twin = lambda: operator.answers("report")["twin"]
            known = lambda report: report.get("watched") and not any("had not ended" in fact for fact in report["notKnown"])
            wait_for(lambda: known(twin()), 60, lambda: f"the report says {twin()}", pause=0.5)
            report = twin()
            story.say(operator.says("report").replace("\n", "\n          "))
            across = sum(zone_of[s.node] != DATA_ZONE for s in done() if s.name.startswith("nightly"))
            story.figure("tasks that kube-scheduler put outside the zone of their data", across, at_least=1)
            paid = sum(PRICES[zone] for zone in zone_of.values()) * report["spanSeconds"] / 3600
            story.figure("counted dollars, over those of all nodes in that time", report["countedDollars"] / paid, at_most=1.03)
            story.expect(report["countedDollars"] / paid >= 0.97, "they are less")
            story.figure("the twin's own error", abs(report["ownError"]), at_most=0.05)
            story.check(report["ran"]["policy"] == "spread", lambda: f"it takes {report['ran']} for what ran")
            lips = next(regime for regime in report["others"] if regime["policy"] == "lips")
            story.figure("part of the invoice that LiPS would have saved, on nodes that stay", lips["wouldSaveShare"], at_least=0.1)
            story.figure("the same as a metric", operator.metric("lips_twin_would_save_ratio", regime="lips"), at_least=0.1)
            wrote = {key: value for key, value in operator.metrics().items() if key.startswith("lips_api_requests_total") and any(
                f'verb="{verb}"' in key for verb in ("create", "update", "patch", "delete")) and ('resource="pods' in key or 'resource="jobs' in key)}
            story.check(not wrote, f"it wrote to pods or Jobs: {wrote}")
            touched = [s.name for s in done() if any(key.startswith("lips.dev/s") or key == "lips.dev/input" for key in s.pod["metadata"].get("annotations", {}))
                       or any(m["manager"].startswith("lips") for m in s.pod["metadata"].get("managedFields", []))]
            story.check(not touched, f"changed: {touched[:5]}")
            story.check(not seen.broken, lambda: "; ".join(seen.broken))
