"""Pods that name a PodGroup (scheduling.k8s.io, as the Job controller makes them) start together in one zone or not at all, bound and steered.

Neither a Job whose PodGroup can have room for some of its pods only nor one whose PodGroup does not exist starts anything.
"""
import collections
import os
import time

from kit import objects
from kit.cluster import E2E, Cluster, need_tools, wait_for
from kit.operator import Operator
from kit.recorder import Recorder
from kit.steering import gate_pods

EXAMPLE = os.path.join(os.path.dirname(E2E), "examples", "frameworks", "pod-group.yaml")
CORES = {"zone-a": 4, "zone-b": 3, "zone-c": 6}         # of the one node
PRICES = {"zone-a": 0.4, "zone-b": 0.1, "zone-c": 0.2}  # USD an hour and core


def group(name, least, space="default"):
    return {"apiVersion": "scheduling.k8s.io/v1alpha2", "kind": "PodGroup", "metadata": {"name": name, "namespace": space},
            "spec": {"schedulingPolicy": {"gang": {"minCount": least}}}}


def member(name, of, **more):
    return objects.pod(name, schedulingGroup={"podGroupName": of}, **more)


def tell(story):
    need_tools("helm")
    with Cluster(story, scheduler=True, pod_groups=True) as cluster:
        api = cluster.api
        nodes = [objects.fake_node(zone, zone, cores=cores) for zone, cores in CORES.items()]
        for node in nodes:
            zone = node["metadata"]["name"]
            node["metadata"]["annotations"]["lips.dev/usd-per-hour"] = str(PRICES[zone] * CORES[zone])
        cluster.add_nodes(nodes)
        cluster.install_custom_resources()
        api.create({**objects.namespace("etl"), "metadata": {"name": "etl", "labels": {"lips.dev/mode": "steer"}}})
        wait_for(lambda: any(s["metadata"]["namespace"] == "etl" for s in api.list("ServiceAccount")), 30, "etl has no service account")
        gate_pods(cluster, "etl")
        with Recorder(cluster) as seen:
            # Where waiting is dearer, as it is by default on such nodes, a gang would rather start in two zones than wait for one.
            operator = Operator(cluster, {"mode": "steer", "leaderElection": {"enabled": False}, "policy": {"settings": {"waitingPrice": 1}}}).start().wait_ready()
            zones = lambda job, scheduler="lips": collections.Counter(pod.node for pod in seen.of(scheduler=scheduler) if pod.node and pod.job == job)

            # Zone b is cheaper and holds three of them, zone a would hold them too and is dearer.
            api.create(objects.indexed_job("four", 4, run_for="25s"))
            wait_for(lambda: sum(zones("four").values()) == 4, 30, lambda: f"four: {dict(zones('four'))}")
            made = api.list("PodGroup")
            story.check([one["spec"]["schedulingPolicy"] for one in made] == [{"gang": {"minCount": 4}}], lambda: f"the Job controller made {made}")
            story.check(zones("four") == {"zone-c": 4}, lambda: f"four: {dict(zones('four'))}, though zone-c is the cheapest with room for all")
            bound = [pod.bound_at for pod in seen.bound() if pod.job == "four"]
            story.figure("from the first binding of four to the last", max(bound) - min(bound), "s", at_most=5)

            # No zone has room for five until four end, and three of ten never come.
            api.create(group("more", 10))
            api.create_all([member(f"more-{i}", "more") for i in range(7)])
            api.create_all([member(f"lost-{i}", "nowhere") for i in range(2)])
            api.create(objects.indexed_job("five", 5, run_for="5s"))
            api.create(objects.pod("alone"))
            wait_for(lambda: any(pod.name == "alone" for pod in seen.bound()), 30, "a pod without a group is not bound")
            why = lambda name: next((c["message"] for c in api.request("GET", f"/api/v1/namespaces/default/pods/{name}")["status"].get("conditions", [])
                                     if c["type"] == "PodScheduled"), "")
            wait_for(lambda: why("lost-0") == "PodGroup 'nowhere' does not exist yet", 30, lambda: f"lost-0 says: {why('lost-0')}")
            time.sleep(5)
            story.check(not zones("five"), lambda: f"five: {dict(zones('five'))} started without the others")
            started = [pod.name for pod in seen.bound() if pod.name.startswith(("more", "lost"))]
            story.check(not started, lambda: f"{started} started, though their group cannot")
            for name in ("lost-0", "lost-1", *(f"more-{i}" for i in range(7))):
                api.request("DELETE", f"/api/v1/namespaces/default/pods/{name}")
            wait_for(lambda: zones("five") == {"zone-c": 5}, 60, lambda: f"five: {dict(zones('five'))}, though zone-c has room for all")
            wait_for(lambda: len([pod for pod in seen.finished() if pod.job == "five"]) == 5, 60, "five does not end")

            cluster.kubectl("create", "-f", EXAMPLE)
            wait_for(lambda: zones("training") == {"zone-c": 4}, 30, lambda: f"{EXAMPLE}: {dict(zones('training'))}")
            cluster.kubectl("delete", "-f", EXAMPLE, "--cascade=foreground", "--timeout=60s")

            # kube-scheduler has the same groups and binds; LiPS says where.
            api.create(objects.indexed_job("steered", 4, run_for="5s", space="etl", scheduler="default-scheduler"))
            steered = lambda: zones("steered", "default-scheduler")
            wait_for(lambda: sum(steered().values()) == 4, 60, lambda: f"steered: {dict(steered())}")
            story.check(steered() == {"zone-c": 4}, lambda: f"steered: {dict(steered())}, though zone-c is the cheapest with room for all")
            story.check(operator.running(), "the operator ended")
            story.check(not seen.broken, lambda: "; ".join(seen.broken))
