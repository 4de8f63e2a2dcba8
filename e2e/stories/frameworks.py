"""Pods of JobSet, Ray, Dask and Flink start together in the cheapest zone with room for all; those of Argo each where it is cheapest.

The server takes examples/frameworks as they are. The controllers are played: their pods and Jobs have the names, labels and owners that the real ones
give them.
"""
import collections
import json
import os

from kit import foreign_kinds, objects
from kit.cluster import E2E, Cluster, wait_for
from kit.operator import Operator
from kit.recorder import Recorder

EXAMPLES = os.path.join(os.path.dirname(E2E), "examples", "frameworks")
PRICES = {"zone-a": 0.1, "zone-b": 0.2, "zone-c": 0.4}  # USD an hour, of a node of four cores
CORES_LEFT_IN_A = 3                                     # for no framework's pods together


def owned(kind, name, labels, spec, owner, annotations=None, version="v1"):
    reference = {"apiVersion": owner["apiVersion"], "kind": owner["kind"], "name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"],
                 "controller": True}
    return {"apiVersion": version, "kind": kind, "spec": spec,
            "metadata": {"name": name, "namespace": "default", "labels": labels, "annotations": annotations or {}, "ownerReferences": [reference]}}


def of_jobset(one):
    for part in one["spec"]["replicatedJobs"]:
        name = f"{one['metadata']['name']}-{part['name']}-0"
        labels = {"jobset.sigs.k8s.io/jobset-name": one["metadata"]["name"], "jobset.sigs.k8s.io/replicatedjob-name": part["name"],
                  "jobset.sigs.k8s.io/job-index": "0"}
        spec = part["template"]["spec"]
        spec["template"]["metadata"] = {"labels": labels}
        yield owned("Job", name, labels, spec, one, version="batch/v1")


def of_ray(one):
    name = one["metadata"]["name"]
    head = {"ray.io/cluster": name, "ray.io/node-type": "head", "ray.io/group": "headgroup", "ray.io/is-ray-node": "yes"}
    yield owned("Pod", f"{name}-head", head, one["spec"]["headGroupSpec"]["template"]["spec"], one)
    for group in one["spec"]["workerGroupSpecs"]:
        for i in range(group["replicas"]):
            labels = {**head, "ray.io/node-type": "worker", "ray.io/group": group["groupName"]}
            yield owned("Pod", f"{name}-{group['groupName']}-worker-{i}", labels, group["template"]["spec"], one)


def of_dask(one):
    name = one["metadata"]["name"]
    for component, count in [("scheduler", 1), ("worker", one["spec"]["worker"]["replicas"])]:
        for i in range(count):
            labels = {"dask.org/cluster-name": name, "dask.org/component": component}
            yield owned("Pod", f"{name}-{component}-{i}", labels, one["spec"][component]["spec"], one)


def of_argo(one):
    steps, report = one["spec"]["templates"]
    for i in range(int(steps["steps"][0][0]["withSequence"]["count"])):
        spec = {"schedulerName": one["spec"]["schedulerName"], "restartPolicy": "Never", "containers": [{"name": "main", **report["container"]}]}
        node = {"workflows.argoproj.io/node-name": f"{one['metadata']['name']}[0].report({i})"}
        labels = {"workflows.argoproj.io/workflow": one["metadata"]["name"], "workflows.argoproj.io/completed": "false"}
        yield owned("Pod", f"{one['metadata']['name']}-report-{i}", labels, spec, one, node)


def of_flink(template):
    """The pods that the JobManager's Deployment and the JobManager make of the template, at 0.5 and 1 cores."""
    for name, component, cpu in [("sessions", "jobmanager", "500m")] + [(f"sessions-taskmanager-1-{i}", "taskmanager", "1") for i in range(1, 5)]:
        labels = {"app": "sessions", "component": component, "type": "flink-native-kubernetes"}
        container = {**objects.container(cpu, "1Gi"), "name": template["spec"]["containers"][0]["name"]}
        yield {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default", "labels": labels},
               "spec": {**template["spec"], "containers": [container]}}


CASES = {"jobset.yaml": (of_jobset, 5), "ray-cluster.yaml": (of_ray, 5), "dask-cluster.yaml": (of_dask, 5), "flink-pod-template.yaml": (of_flink, 5),
         "argo-workflow.yaml": (of_argo, 6)}


def tell(story):
    with Cluster(story) as cluster:
        api = cluster.api
        foreign_kinds.install(cluster, *foreign_kinds.KINDS)
        nodes = [objects.fake_node(f"{zone}-{i}", zone, cores=4) for zone in objects.ZONES for i in range(2)]
        for node in nodes:
            node["metadata"]["annotations"]["lips.dev/usd-per-hour"] = str(PRICES[node["metadata"]["labels"]["topology.kubernetes.io/zone"]])
        cluster.add_nodes(nodes)
        for node, cores in [("zone-a-0", 4), ("zone-a-1", 4 - CORES_LEFT_IN_A)]:
            api.create(objects.pod(f"other-{node}", scheduler="nobody", cpu=str(cores), nodeName=node))
        with Recorder(cluster) as seen:
            Operator(cluster, {"leaderElection": {"enabled": False}}).start().wait_ready()
            for file, (controller, count) in CASES.items():
                apply = ["create", "-f", os.path.join(EXAMPLES, file), "-o", "json"]
                example = json.loads(cluster.kubectl(*apply, *(["--dry-run=client"] if controller is of_flink else [])))
                before = {pod.uid for pod in seen.bound()}
                made = list(controller(example))
                api.create_all(made)
                bound = lambda: [pod for pod in seen.bound() if pod.uid not in before]
                wait_for(lambda: len(bound()) == count, 40, lambda: f"{file}: {len(bound())} of {count} pods are bound")
                zones = collections.Counter(pod.node.rsplit("-", 1)[0] for pod in bound())
                if controller is of_argo:
                    story.check(zones == {"zone-a": CORES_LEFT_IN_A, "zone-b": count - CORES_LEFT_IN_A}, lambda: f"{file}: {dict(zones)}")
                else:
                    story.check(zones == {"zone-b": count}, lambda: f"{file}: {dict(zones)}, though zone-b is the cheapest with room for all")
                    first, last = min(pod.bound_at for pod in bound()), max(pod.bound_at for pod in bound())
                    story.figure(f"{file}: from the first binding to the last", last - first, "s", at_most=5)
                for one in made:
                    cluster.kubectl("delete", one["kind"], one["metadata"]["name"], "--cascade=foreground", "--wait=false")
                wait_for(lambda: len([p for p in api.list("Pod") if p["spec"]["schedulerName"] == "lips"]) == 0, 60, f"{file}: pods are still there")
            story.check(not seen.broken, lambda: "; ".join(seen.broken))
