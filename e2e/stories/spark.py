"""Real Spark, two lines of configuration: all executors are in the cheapest zone with room for them, and no byte of the shuffle crosses zones.

Three real nodes in a dear, a cheap and a middle zone; another pod leaves room for two of four executors in the cheap one. The same job under
kube-scheduler, under LiPS, and under kube-scheduler in a namespace with the label by which LiPS steers. What crosses zones is counted from
Spark's event log.
"""
import os

from kit import objects
from kit.cluster import E2E, Cluster, need_tools, wait_for
from kit.operator import Operator
from kit.spark import Spark, need_spark
from kit.steering import gate_pods

LIMIT, FULL_LIMIT = 560, 1800
LANE = "real nodes"
PRICES = {"test.dear": 0.4, "test.cheap": 0.1, "test.middle": 0.2}
ZONE = {"real-0": "zone-a", "real-1": "zone-b", "real-2": "zone-c"}
EXECUTORS = 4
PROPERTIES = os.path.join(os.path.dirname(E2E), "examples", "spark", "spark-defaults.conf")


def crunch(api):
    """A pod on the cheap node, beside which two executors of 450m fit."""
    pod = objects.pod("placeholder", scheduler="default-scheduler")
    sleeper = objects.container("1050m", "16Mi", command=["sh", "-c", "sleep 100000"])
    pod["spec"] = objects.pod_spec("default-scheduler", nodeName="real-1", containers=[sleeper])
    api.create(pod)
    wait_for(lambda: api.get("Pod", "placeholder").get("status", {}).get("phase") == "Running", 60, "the placeholder does not run")


def usd_per_hour(nodes):
    """Of an executor's cores on each of them, which have two."""
    price = dict(zip(sorted(ZONE), PRICES.values()))
    return sum(price[node] * 0.45 / 2 for node in nodes)


def tell(story):
    need_spark()
    need_tools("helm")
    rows = 12_000_000 if story.full else 1_000_000
    with Cluster(story, real_nodes=3, scheduler=True, kwok=False) as cluster:
        cluster.install_custom_resources()
        for node, kind in zip(sorted(ZONE), PRICES):
            cluster.label_node(node, **{"node.kubernetes.io/instance-type": kind, "topology.kubernetes.io/region": objects.REGION})
        crunch(cluster.api)
        spark = Spark(cluster, {"plain": {}, "steered": {"lips.dev/mode": "steer"}})
        gate_pods(cluster, "steered")
        operator = Operator(cluster, {"mode": "steer", "leaderElection": {"enabled": False}, "prices": {"instances": PRICES}}).start().wait_ready()

        def run(name, namespace, properties=None):
            """Bytes across zones, and the executors' pods."""
            shuffle, pods = spark.run(name, namespace, EXECUTORS, rows, properties)
            zone_of = {executor: ZONE[pod["spec"]["nodeName"]] for executor, pod in pods.items()}
            found = sorted(zone_of.values())
            total, crossed = sum(shuffle.wrote.values()), shuffle.across(zone_of)
            story.check(len(pods) == EXECUTORS, f"{name}: {len(pods)} of {EXECUTORS} executors")
            story.check(total > rows * 20, f"{name}: only {total} bytes were shuffled")
            story.figure(f"{name}: executors", ", ".join(f"{found.count(zone)} in {zone}" for zone in dict.fromkeys(found)))
            story.figure(f"{name}: of {total / 1e6:.0f} MB of shuffle, across zones", crossed / 1e6, "MB", digits=1)
            story.figure(f"{name}: CPU that the executors hold", usd_per_hour(pod["spec"]["nodeName"] for pod in pods.values()), "USD/h", digits=3)
            return crossed, found, pods

        crossed, _, _ = run("kube-scheduler", "plain")
        story.expect(crossed > 0, "nothing crosses zones under kube-scheduler: the comparison says nothing")
        for name, namespace, properties, scheduler in (("lips", "plain", PROPERTIES, "lips"), ("steered", "steered", None, "default-scheduler")):
            crossed, zones, pods = run(name, namespace, properties)
            story.expect(crossed == 0, f"{name}: {crossed} bytes cross zones")
            story.expect(set(zones) == {"zone-c"}, f"{name}: the cheapest zone with room for all is zone-c, but executors are in {zones}")
            story.expect({pod["spec"]["schedulerName"] for pod in pods.values()} == {scheduler}, f"{name}: {scheduler} does not schedule all")
        story.check(operator.running(), "the operator ended")
