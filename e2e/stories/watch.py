"""Installed without risk: LiPS only watches kube-scheduler, writes nothing to pods, and reports what it would have saved in dollars that the story computes itself. Then it gets the same job, and saves that."""
import collections
import datetime
import json
import subprocess

from kit import objects
from kit.cluster import Cluster, wait_for
from kit.operator import Operator
from kit.recorder import Recorder

DATA_ZONE = "zone-b"
PRICES = {"zone-a": 0.8, "zone-b": 0.4, "zone-c": 1.2}  # of a node, an hour
CORES = 8
ACROSS = 0.02  # USD a GB between zones, the default of the configuration


def elastic(name, zone):
    node = objects.fake_node(name, zone, cores=CORES, memory="64Gi", instance_type="m7g.2xlarge", labels={"karpenter.sh/nodepool": "batch"})
    node["metadata"]["annotations"]["lips.dev/usd-per-hour"] = str(PRICES[zone])
    return node


def seconds(pod):
    status = pod["status"]
    ended = max(c["state"]["terminated"]["finishedAt"] for c in status["containerStatuses"])
    parse = lambda text: datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    return (parse(ended) - parse(status["startTime"])).total_seconds()


BLOCK = 512 * 2**20


def dollars(pods, zone_of):
    """Of the pods' shares of their nodes, and of their reads: each reads one block."""
    nodes = sum(PRICES[zone_of[pod.node]] / CORES * seconds(pod.pod) / 3600 for pod in pods)
    return nodes, sum(zone_of[pod.node] != DATA_ZONE for pod in pods) * BLOCK / 1e9 * ACROSS


def nightly(name, tasks, scheduler):
    return objects.indexed_job(name, tasks, "etl", scheduler=scheduler, run_for="8s", cpu="1",
                               annotations={"lips.dev/dataset": "books", "lips.dev/run-time": "8s"})


def hand_over(story, cluster, seen, zone_of, row, tasks):
    """The same job with LiPS as its scheduler: what the report promised, in points of the dollars under kube-scheduler."""
    cluster.api.create(nightly("handed-over", tasks, "lips"))
    done = lambda: [s for s in seen.finished(space="etl") if s.name.startswith("handed-over-")]
    wait_for(lambda: len(done()) == tasks, 90, lambda: f"{len(done())} of {tasks} pods have finished", pause=0.2)
    before, promised = row["actual"]["invoice"], row["planned"]["invoice"]
    apart = 100 * (sum(dollars(done(), zone_of)) - promised) / before
    story.figure("saving that the report promised", 100 * (1 - promised / before), "%")
    story.figure("points between it and the saving that happened", abs(apart), at_most=5)


def rows_of(story, operator):
    said = subprocess.run([story.lips, "report", "--url", f"http://127.0.0.1:{operator.port}", "--format", "json"], capture_output=True, text=True)
    story.check(said.returncode == 0, lambda: said.stderr)
    return {row["job"]: row for row in json.loads(said.stdout)}


def exchange(story, cluster, operator, seen, zone_of):
    """Executors that kube-scheduler spreads over zones: what they exchange, while they run and in the end."""
    executors, size = 6, 8 * 2**30
    cluster.api.create(objects.indexed_job("executors", executors, "etl", scheduler="default-scheduler", run_for="12s", cpu="1", labels={
        "spark-app-selector": "spark-7", "spark-role": "executor"}, annotations={"lips.dev/shuffle": "8Gi", "lips.dev/tasks": str(executors), "lips.dev/run-time": "12s"}))
    row = lambda: rows_of(story, operator).get("spark-7", {"running": 0, "pods": 0, "actual": {"elasticNodes": 0, "shuffle": 0}})
    wait_for(lambda: row()["running"] == executors and row()["actual"]["elasticNodes"] > 0 and row()["actual"]["shuffle"] > 0, 30,
             lambda: f"running pods do not count: {row()}", pause=0.5)
    done = lambda: [s for s in seen.finished(scheduler="default-scheduler", space="etl") if s.name.startswith("executors-")]
    wait_for(lambda: len(done()) == executors, 60, lambda: f"{len(done())} of {executors} executors have finished", pause=0.2)
    wait_for(lambda: row()["pods"] == executors, 30, lambda: f"the report says {row()}", pause=0.5)
    counts = collections.Counter(zone_of[s.node] for s in done())
    across = 1 - sum((pods / executors) ** 2 for pods in counts.values())
    last = row()
    story.figure("share of the exchange that crosses zones under kube-scheduler", across, at_least=0.3)
    story.figure("dollars of it in the report, over those of the pods' zones", last["actual"]["shuffle"] / (size / 1e9 * ACROSS * across), at_most=1.001)
    story.expect(last["actual"]["shuffle"] / (size / 1e9 * ACROSS * across) >= 0.999, "they are less")
    story.figure("dollars of it with LiPS", last["planned"]["shuffle"], at_most=0.001)


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
            operator = Operator(cluster, {"leaderElection": {"enabled": False}}).start().wait_ready()
            wait_for(lambda: operator.metric("lips_epochs_total") > 0, 30, "no plan is made")
            api.create(nightly("nightly", tasks, "default-scheduler"))
            done = lambda: seen.finished(scheduler="default-scheduler", space="etl")
            wait_for(lambda: len(done()) == tasks, 90, lambda: f"{len(done())} of {tasks} pods have finished", pause=0.2)
            wait_for(lambda: operator.metric("lips_watched_pods_total") == tasks, 30,
                     lambda: f"{operator.metric('lips_watched_pods_total'):.0f} of {tasks} pods are in the report")
            rows = rows_of(story, operator)
            story.check([(row["namespace"], row["job"]) for row in rows.values()] == [("etl", "nightly")], lambda: f"rows: {rows}")
            row = rows["nightly"]
            story.say(subprocess.run([story.lips, "report", "--url", f"http://127.0.0.1:{operator.port}"], capture_output=True, text=True).stdout
                      .split("\n\n")[0].replace("\n", "\n          "))
            across = sum(zone_of[s.node] != DATA_ZONE for s in done())
            nodes_cost, reads_cost = dollars(done(), zone_of)
            story.figure("tasks that kube-scheduler put outside the zone of their data", across, at_least=1)
            story.figure("dollars of its nodes in the report, over those of the pods' times", row["actual"]["elasticNodes"] / nodes_cost, at_most=1.01)
            story.expect(row["actual"]["elasticNodes"] / nodes_cost >= 0.99, "they are less")
            story.figure("dollars of its reads, over those of its nodes' zones", row["actual"]["transfer"] / reads_cost, at_most=1.001)
            story.expect(row["actual"]["transfer"] / reads_cost >= 0.999, "they are less")
            story.figure("share of the pods that are compared", row["podsBy"]["compared"] / tasks, at_least=0.9)
            story.figure("dollars with LiPS, over dollars of the invoice", row["planned"]["invoice"] / row["actual"]["invoice"], at_most=0.9)
            exchange(story, cluster, operator, seen, zone_of)
            wrote = {key: value for key, value in operator.metrics().items() if key.startswith("lips_api_requests_total") and any(
                f'verb="{verb}"' in key for verb in ("create", "update", "patch", "delete")) and ('resource="pods' in key or 'resource="jobs' in key)}
            story.check(not wrote, f"it wrote to pods or Jobs: {wrote}")
            touched = [s.name for s in done() if any((key.startswith("lips.dev/s") and key != "lips.dev/shuffle") or key == "lips.dev/input" for key in s.pod["metadata"].get("annotations", {}))
                       or any(m["manager"].startswith("lips") for m in s.pod["metadata"].get("managedFields", []))]
            story.check(not touched, f"changed: {touched[:5]}")
            hand_over(story, cluster, seen, zone_of, row, tasks)
            story.check(not seen.broken, lambda: "; ".join(seen.broken))
