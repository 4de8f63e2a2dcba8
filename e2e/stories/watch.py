"""Installed without risk: LiPS only watches kube-scheduler, writes nothing to pods, and reports what it would have saved in dollars that the story computes itself. Then it gets the same job, and saves that."""
import collections
import datetime

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


def of_nodes(pods, zone_of):
    """Dollars of the pods' shares of their nodes."""
    return sum(PRICES[zone_of[pod.node]] / CORES * seconds(pod.pod) / 3600 for pod in pods)


def of_reads(pods, zone_of, zone_of_block=lambda block: DATA_ZONE):
    """Each reads the block of its index."""
    block = lambda pod: int(pod.pod["metadata"]["annotations"]["batch.kubernetes.io/job-completion-index"])
    return sum(zone_of[pod.node] != zone_of_block(block(pod)) for pod in pods) * BLOCK / 1e9 * ACROSS


def share_across(pods, zone_of):
    """The share of what all exchange with all that crosses zones."""
    counts = collections.Counter(zone_of[pod.node] for pod in pods)
    return 1 - sum((count / len(pods)) ** 2 for count in counts.values())


def readers(name, tasks, scheduler, data_set="books"):
    return objects.indexed_job(name, tasks, "etl", scheduler=scheduler, run_for="8s", cpu="1",
                               annotations={"lips.dev/dataset": data_set, "lips.dev/run-time": "8s"})


EXECUTORS, EXCHANGED = 6, 8 * 2**30


def executors(name, app, scheduler):
    return objects.indexed_job(name, EXECUTORS, "etl", scheduler=scheduler, run_for="12s", cpu="1", labels={
        "spark-app-selector": app, "spark-role": "executor"}, annotations={"lips.dev/shuffle": "8Gi", "lips.dev/tasks": str(EXECUTORS), "lips.dev/run-time": "12s"})


def ended(seen, job):
    """The pods of a Job, once all have finished."""
    name, count = job["metadata"]["name"], job["spec"]["completions"]
    scheduler = job["spec"]["template"]["spec"]["schedulerName"]
    done = lambda: [s for s in seen.finished(scheduler=scheduler, space="etl") if s.name.startswith(name + "-")]
    wait_for(lambda: len(done()) == count, 90, lambda: f"{len(done())} of {count} pods of {name} have finished", pause=0.2)
    return done()


def hand_over(story, cluster, seen, row, job, dollars):
    """The same job with LiPS as its scheduler: what the report promised, in points of the dollars under kube-scheduler."""
    cluster.api.create(job)
    happened = dollars(ended(seen, job))
    before, promised = row["actual"]["invoice"], row["planned"]["invoice"]
    story.figure(f"{row['job']}: saving that the report promised", 100 * (1 - promised / before), "%")
    story.figure(f"{row['job']}: points between it and the saving that happened", abs(100 * (happened - promised) / before), at_most=5)


def rows_of(operator):
    return {row["job"]: row for row in operator.answers("report")["watched"]}


def exchange(story, cluster, operator, seen, zone_of):
    """Executors that kube-scheduler spreads over zones: what they exchange, while they run and in the end."""
    job = executors("executors", "spark-7", "default-scheduler")
    cluster.api.create(job)
    row = lambda: rows_of(operator).get("spark-7", {"running": 0, "pods": 0, "actual": {"elasticNodes": 0, "shuffle": 0}})
    wait_for(lambda: row()["running"] == EXECUTORS and row()["actual"]["elasticNodes"] > 0 and row()["actual"]["shuffle"] > 0, 30,
             lambda: f"running pods do not count: {row()}", pause=0.5)
    across = share_across(ended(seen, job), zone_of)
    wait_for(lambda: row()["pods"] == EXECUTORS, 30, lambda: f"the report says {row()}", pause=0.5)
    last = row()
    story.figure("share of the exchange that crosses zones under kube-scheduler", across, at_least=0.3)
    story.figure("dollars of it in the report, over those of the pods' zones", last["actual"]["shuffle"] / (EXCHANGED / 1e9 * ACROSS * across), at_most=1.001)
    story.expect(last["actual"]["shuffle"] / (EXCHANGED / 1e9 * ACROSS * across) >= 0.999, "they are less")
    story.figure("dollars of it with LiPS", last["planned"]["shuffle"], at_most=0.001)
    return last


def parted(story, cluster, operator, seen, zone_of_block, tasks):
    """A job whose data lies half in one zone and half in another."""
    blocks = {}
    for node, zone in (("node-0", "zone-a"), ("node-2", "zone-c")):
        held = [block for block in range(tasks) if zone_of_block(block) == zone]
        blocks[f"store-{node}"] = f"{held[0]}-{held[-1]}"
        cluster.api.create(objects.node_store(f"store-{node}", node, zone, endpoint="http://files.example"))
    cluster.api.create(objects.data_set("films", tasks, blocks, block_size="512Mi", space="etl"))
    job = readers("parted", tasks, "default-scheduler", "films")
    cluster.api.create(job)
    ended(seen, job)
    row = lambda: rows_of(operator).get("parted", {"pods": 0})
    wait_for(lambda: row()["pods"] == tasks, 30, lambda: f"the report says {row()}", pause=0.5)
    return row()


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
            api.create(readers("nightly", tasks, "default-scheduler"))
            done = lambda: seen.finished(scheduler="default-scheduler", space="etl")
            wait_for(lambda: len(done()) == tasks, 90, lambda: f"{len(done())} of {tasks} pods have finished", pause=0.2)
            wait_for(lambda: operator.metric("lips_watched_pods_total") == tasks, 30,
                     lambda: f"{operator.metric('lips_watched_pods_total'):.0f} of {tasks} pods are in the report")
            rows = rows_of(operator)
            story.check([(row["namespace"], row["job"]) for row in rows.values()] == [("etl", "nightly")], lambda: f"rows: {rows}")
            row = rows["nightly"]
            story.say(operator.says("report").split("\n\n")[1].replace("\n", "\n          "))
            across = sum(zone_of[s.node] != DATA_ZONE for s in done())
            nodes_cost, reads_cost = of_nodes(done(), zone_of), of_reads(done(), zone_of)
            story.figure("tasks that kube-scheduler put outside the zone of their data", across, at_least=1)
            story.figure("dollars of its nodes in the report, over those of the pods' times", row["actual"]["elasticNodes"] / nodes_cost, at_most=1.01)
            story.expect(row["actual"]["elasticNodes"] / nodes_cost >= 0.99, "they are less")
            story.figure("dollars of its reads, over those of its nodes' zones", row["actual"]["transfer"] / reads_cost, at_most=1.001)
            story.expect(row["actual"]["transfer"] / reads_cost >= 0.999, "they are less")
            story.figure("share of the pods that are compared", row["podsBy"]["compared"] / tasks, at_least=0.9)
            story.figure("dollars with LiPS, over dollars of the invoice", row["planned"]["invoice"] / row["actual"]["invoice"], at_most=0.9)
            exchanged = exchange(story, cluster, operator, seen, zone_of)
            zone_of_block = lambda block: "zone-a" if block < tasks // 2 else "zone-c"
            films = parted(story, cluster, operator, seen, zone_of_block, tasks)
            wrote = {key: value for key, value in operator.metrics().items() if key.startswith("lips_api_requests_total") and any(
                f'verb="{verb}"' in key for verb in ("create", "update", "patch", "delete")) and ('resource="pods' in key or 'resource="jobs' in key)}
            story.check(not wrote, f"it wrote to pods or Jobs: {wrote}")
            touched = [s.name for s in done() if any((key.startswith("lips.dev/s") and key != "lips.dev/shuffle") or key == "lips.dev/input" for key in s.pod["metadata"].get("annotations", {}))
                       or any(m["manager"].startswith("lips") for m in s.pod["metadata"].get("managedFields", []))]
            story.check(not touched, f"changed: {touched[:5]}")
            reading = lambda where: lambda pods: of_nodes(pods, zone_of) + of_reads(pods, zone_of, where)
            hand_over(story, cluster, seen, row, readers("nightly-again", tasks, "lips"), reading(lambda block: DATA_ZONE))
            hand_over(story, cluster, seen, exchanged, executors("executors-again", "spark-8", "lips"),
                      lambda pods: of_nodes(pods, zone_of) + EXCHANGED / 1e9 * ACROSS * share_across(pods, zone_of))
            hand_over(story, cluster, seen, films, readers("parted-again", tasks, "lips", "films"), reading(zone_of_block))
            story.check(not seen.broken, lambda: "; ".join(seen.broken))
