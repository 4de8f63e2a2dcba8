"""A MapReduce workload costs less with LiPS than with kube-scheduler on the same cluster, by as much as the simulator says.

Nine indexed jobs of three pools read data sets in three zones, on nodes of three types at today's prices; kwok plays the nodes. Dollars, locality and
makespan are counted from what the API server recorded of each pod: its node, its start and its end.
"""
import csv
import datetime
import json
import os
import subprocess
import time

from kit import objects
from kit.cluster import Cluster, E2E, wait_for
from kit.data import replicas
from kit.operator import Operator
from kit.recorder import Recorder

LIMIT = 400

TYPES = {"zone-a": "m7g.xlarge", "zone-b": "m6i.xlarge", "zone-c": "r6i.xlarge"}
# The nodes of each zone: room for two of its jobs at once. On a busy machine kwok ends pods late; in a full zone tasks would go elsewhere.
NODES, CORES = 24, 4
JOBS, TASKS, SECONDS, EVERY = 9, 36, 6, 4
BLOCK = 4  # MiB
PER_GB = 0.02


def prices():
    """USD a core and second, by zone: the newest row of the shipped sheet for the type there."""
    found = {}
    with open(os.path.join(os.path.dirname(E2E), "config", "prices", "ec2-on-demand.csv"), encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["region"] == objects.REGION and row["instance_type"] in TYPES.values():
                found[row["instance_type"]] = (row["as_of"], float(row["usd_per_hour"]) / int(row["vcpu"]) / 3600)
    return {zone: found[kind][1] for zone, kind in TYPES.items()}


def zone_of_job(job):
    return objects.ZONES[job % 3]


def scenario():
    """The same for the simulator."""
    fast = "1000Gbit/s"
    return {
        "name": "least-dollars", "billing": "use", "zones": {zone: objects.REGION for zone in objects.ZONES},
        "nodes": [{"name": zone, "count": NODES, "zone": zone, "instanceType": kind} for zone, kind in TYPES.items()],
        "stores": {"volumes": [{"name": f"volume-{zone}", "zone": zone, "capacity": "100Gi"} for zone in objects.ZONES], "nodeDirectories": False},
        "network": {"localRead": fast, "nodeLink": fast, "zoneStream": fast, "remoteStream": fast},
        "blockSize": f"{BLOCK}Mi",
        "pools": [{"name": f"pool-{i}"} for i in range(3)],
        "dataSets": [{"name": f"set-{j}", "blocks": TASKS, "placement": {"replicas": 1, "store": f"volume-{zone_of_job(j)}"}} for j in range(JOBS)],
        "jobs": [{"name": f"job-{j}", "input": f"set-{j}", "cpuPerTask": SECONDS, "arrival": f"{j * EVERY}s", "pool": f"pool-{j // 3}"} for j in range(JOBS)],
    }


def simulated_saving(story):
    path = os.path.join(story.folder, "scenario.yaml")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(scenario(), file, indent=1)
    result = os.path.join(story.folder, "simulated.json")
    with open(os.path.join(story.folder, "simulated.log"), "w", encoding="utf-8") as log, open(result, "w", encoding="utf-8") as file:
        subprocess.run([story.lips, "simulate", path, "--policy", "lips,spread", "--baseline", "spread", "--no-progress", "--format", "json"], check=True, stdout=file, stderr=log)
    with open(result, encoding="utf-8") as file:
        runs = {run["policy"]: run for run in json.load(file)["runs"]}
    for policy, run in runs.items():
        story.say(f"simulated {policy}: {run['dollars']['total']:.4f} USD, {run['locality']['tasks']['zone']} of {JOBS * TASKS} tasks read in their zone, "
                  f"makespan {run['makespanSeconds']:.0f} s")
    return 1 - runs["lips"]["dollars"]["total"] / runs["spread"]["dollars"]["total"]


def seconds(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def span(pod):
    """Its start and end, as the API server recorded them."""
    status = pod["status"]
    return seconds(status["startTime"]), seconds(status["containerStatuses"][0]["state"]["terminated"]["finishedAt"])


def bill(pods, zone_of_node, took=lambda start, end: end - start):
    """Dollars, tasks that read in their own zone, and makespan, from the API server's records."""
    rate = prices()
    dollars, local, spans = 0.0, 0, [span(seen.pod) for seen in pods]
    for seen, (start, end) in zip(pods, spans):
        zone = zone_of_node[seen.node]
        dollars += took(start, end) * rate[zone]
        if zone == zone_of_job(int(seen.job.rpartition("-")[2])):
            local += 1
        else:
            dollars += BLOCK * 2**20 / 1e9 * PER_GB
    return dollars, local, max(end for _, end in spans) - min(start for start, _ in spans)


def saving_of_places(pods, zone_of_node):
    """kwok ends pods late on a busy machine, some later than others. No scheduler can help that, so here every pod takes what it asks for."""
    cost = {who: bill(which, zone_of_node, lambda start, end: SECONDS)[0] for who, which in pods.items()}
    return 1 - cost["LiPS"] / cost["kube-scheduler"]


def run_jobs(cluster, seen, prefix, scheduler):
    """Submits all jobs at their times; returns when the last has ended."""
    began = time.monotonic()
    for job in range(JOBS):
        time.sleep(max(0.0, began + job * EVERY - time.monotonic()))
        cluster.api.create(objects.indexed_job(f"{prefix}-{job}", TASKS, f"pool-{job // 3}", scheduler, run_for=f"{SECONDS}s", cpu="1", memory="256Mi",
                                               annotations={"lips.dev/dataset": f"set-{job}", "lips.dev/cpu-seconds": str(SECONDS)}))
    done = lambda: sum(len(seen.finished(scheduler=scheduler, job=f"{prefix}-{job}")) for job in range(JOBS))
    wait_for(lambda: done() == JOBS * TASKS, 300, lambda: f"{done()} of {JOBS * TASKS} tasks of {scheduler} have ended", pause=0.3)
    return [pod for job in range(JOBS) for pod in seen.of(scheduler=scheduler, job=f"{prefix}-{job}")]


def tell(story):
    expected = simulated_saving(story)
    fast = "1000Gbit/s"
    with Cluster(story, scheduler=True) as cluster:
        api = cluster.api
        cluster.install_custom_resources()
        nodes = [objects.fake_node(f"{zone}-{i}", zone, CORES, instance_type=kind) for zone, kind in TYPES.items() for i in range(NODES)]
        cluster.add_nodes(nodes)
        zone_of_node = {n["metadata"]["name"]: n["metadata"]["labels"]["topology.kubernetes.io/zone"] for n in nodes}
        api.create_all(objects.node_store(f"volume-{zone}", f"{zone}-0", zone) for zone in objects.ZONES)
        for i in range(3):
            api.create(objects.namespace(f"pool-{i}"))
            api.create(objects.pool(f"pool-{i}"))
        for job in range(JOBS):
            space = f"pool-{job // 3}"
            wait_for(lambda: api.find("ServiceAccount", "default", space), 30, f"no service account in {space}")
            api.create(objects.data_set(f"set-{job}", TASKS, {f"volume-{zone_of_job(job)}": f"0-{TASKS - 1}"}, f"{BLOCK}Mi", space))
        with Recorder(cluster) as seen:
            story.say("kube-scheduler places the workload")
            pods = {"kube-scheduler": run_jobs(cluster, seen, "kube", "default-scheduler")}
            operator = Operator(cluster, {"leaderElection": {"enabled": False}, "policy": {"settings": {"billing": "use"}}, "network": {
                "localRead": fast, "nodeLink": fast, "zoneStream": fast, "remoteStream": fast}}).start().wait_ready()
            wait_for(lambda: all(replicas(s) for s in api.list("DataSet")), 30, "data sets have no replicas in their status")
            story.say("LiPS places the same workload")
            pods["LiPS"] = run_jobs(cluster, seen, "lips", "lips")
            story.check(not seen.broken, lambda: "; ".join(seen.broken[:5]))
            story.check(operator.running(), "the operator ended")
    spent = {}
    for who, which in pods.items():
        spent[who], local, makespan = bill(which, zone_of_node)
        took = sorted(end - start for start, end in (span(seen.pod) for seen in which))
        story.figure(who, f"{spent[who]:.4f} USD, {100 * local / (JOBS * TASKS):.0f} % of the tasks read in their zone, makespan {makespan:.0f} s; "
                          f"pods took {sum(took) / len(took):.1f} s in the mean and {took[-1]:.0f} s at most")
    saving = saving_of_places(pods, zone_of_node)
    story.figure("saved", 100 * (1 - spent["LiPS"] / spent["kube-scheduler"]), "%", digits=1)
    story.figure("saved, where every pod takes what it asks for", 100 * saving, "%", digits=1)
    story.figure("the simulator says", 100 * expected, "%", digits=1)
    story.figure("difference between the two", 100 * abs(saving - expected), "points", at_most=2.0, digits=1)
