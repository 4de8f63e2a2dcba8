"""Installed without risk: LiPS only watches kube-scheduler, writes nothing to pods, and reports what it would have saved in dollars that the story computes itself."""
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
            api.create(objects.indexed_job("nightly", tasks, "etl", scheduler="default-scheduler", run_for="8s", cpu="1",
                                           annotations={"lips.dev/dataset": "books", "lips.dev/run-time": "8s"}))
            done = lambda: seen.finished(scheduler="default-scheduler", space="etl")
            wait_for(lambda: len(done()) == tasks, 90, lambda: f"{len(done())} of {tasks} pods have finished", pause=0.2)
            wait_for(lambda: operator.metric("lips_watched_pods_total") == tasks, 30,
                     lambda: f"{operator.metric('lips_watched_pods_total'):.0f} of {tasks} pods are in the report")
            said = subprocess.run([story.lips, "report", "--url", f"http://127.0.0.1:{operator.port}", "--format", "json"], capture_output=True, text=True)
            story.check(said.returncode == 0, lambda: said.stderr)
            rows = json.loads(said.stdout)
            story.check([(row["namespace"], row["job"]) for row in rows] == [("etl", "nightly")], lambda: f"rows: {said.stdout}")
            row = rows[0]
            story.say(subprocess.run([story.lips, "report", "--url", f"http://127.0.0.1:{operator.port}"], capture_output=True, text=True).stdout
                      .split("\n\n")[0].replace("\n", "\n          "))
            across = sum(zone_of[s.node] != DATA_ZONE for s in done())
            nodes_cost = sum(PRICES[zone_of[s.node]] / CORES * seconds(s.pod) / 3600 for s in done())
            reads_cost = across * 512 * 2**20 / 1e9 * ACROSS
            story.figure("tasks that kube-scheduler put outside the zone of their data", across, at_least=1)
            story.figure("dollars of its nodes in the report, over those of the pods' times", row["actual"]["elasticNodes"] / nodes_cost, at_most=1.01)
            story.expect(row["actual"]["elasticNodes"] / nodes_cost >= 0.99, "they are less")
            story.figure("dollars of its reads, over those of its nodes' zones", row["actual"]["transfer"] / reads_cost, at_most=1.001)
            story.expect(row["actual"]["transfer"] / reads_cost >= 0.999, "they are less")
            story.figure("share of the pods that are compared", row["podsBy"]["compared"] / tasks, at_least=0.9)
            story.figure("dollars with LiPS, over dollars of the invoice", row["planned"]["invoice"] / row["actual"]["invoice"], at_most=0.9)
            wrote = {key: value for key, value in operator.metrics().items() if key.startswith("lips_api_requests_total") and any(
                f'verb="{verb}"' in key for verb in ("create", "update", "patch", "delete")) and ('resource="pods' in key or 'resource="jobs' in key)}
            story.check(not wrote, f"it wrote to pods or Jobs: {wrote}")
            touched = [s.name for s in done() if any(key.startswith("lips.dev/s") or key == "lips.dev/input" for key in s.pod["metadata"].get("annotations", {}))
                       or any(m["manager"].startswith("lips") for m in s.pod["metadata"].get("managedFields", []))]
            story.check(not touched, f"changed: {touched[:5]}")
            story.check(not seen.broken, lambda: "; ".join(seen.broken))
