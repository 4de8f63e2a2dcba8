"""Real Spark grows, loses an executor and loses a node: what it asks for anew starts beside its driver, and it ends well.

Four real nodes, two of them in the cheap zone; LiPS binds, applications run in cluster mode. With dynamic allocation an application begins with
one executor; all that follow start in its zone, and no byte of the shuffle crosses zones. The pod of an executor is deleted in the middle of a
run. Then power fails on the node with executors but without the driver, and the other one in its zone is full: Spark goes on with the executors that
are left, because it asks for others only when the pods are gone, which takes Kubernetes five minutes.
"""
from kit.operator import Operator
from kit.spark import DRIVER, Application, Spark, fill, price_nodes, spark_cluster

LIMIT, FULL_LIMIT = 900, 1800
LANE = "real nodes"
NODES = 4  # real-0 and real-3 are in zone-a
PRICES = {"test.cheap": 0.1, "test.dear": 0.2}
CHEAP = {"real-0", "real-3"}
EXECUTORS, CPU = 4, 350  # millicores of each
ROWS = 6_000_000
# So that the driver learns soon of executors whose node is gone; Spark's default is two minutes.
NOTICES = {"spark.network.timeout": "20s", "spark.network.timeoutInterval": "5s", "spark.executor.heartbeatInterval": "5s"}
GROWS = {
    "spark.executor.instances": None, "spark.dynamicAllocation.enabled": "true", "spark.dynamicAllocation.shuffleTracking.enabled": "true",
    "spark.dynamicAllocation.minExecutors": 1, "spark.dynamicAllocation.maxExecutors": EXECUTORS, "spark.dynamicAllocation.schedulerBacklogTimeout": "1s"}


def tell(story):
    with spark_cluster(story, NODES) as cluster:
        api = cluster.api
        cluster.install_custom_resources()
        price_nodes(cluster, {node: "test.cheap" if node in CHEAP else "test.dear" for node in (f"real-{i}" for i in range(NODES))})
        spark = Spark(cluster, {"plain": {}})
        operator = Operator(cluster, {"leaderElection": {"enabled": False}, "prices": {"instances": PRICES}}).start().wait_ready()

        def run(name, once_it_works=None, rows=ROWS, conf=None):
            app = Application(name, "plain", rows, EXECUTORS, CPU, conf={"spark.kubernetes.scheduler.name": "lips", **(conf or {})})
            done = spark.run_in_cluster(app, once_it_works)
            story.figure(f"{name}: executors", done.places())
            story.figure(f"{name}: of {done.shuffled() / 1e6:.0f} MB of shuffle, across zones", done.crossed() / 1e6, "MB", digits=1)
            story.figure(f"{name}: from spark-submit to its end", done.seconds, "s", digits=0)
            story.expect({pod["spec"]["schedulerName"] for pod in done.pods()} == {"lips"}, f"{name}: LiPS does not schedule all")
            return done

        def together(name, done):
            story.expect(set(done.zones()) == {"zone-a"}, f"{name}: zone-a is cheapest and has room, but its pods are in {done.zones()}")
            story.expect(done.crossed() == 0, f"{name}: {done.crossed()} bytes cross zones")

        done = run("grows", conf=GROWS)
        together("grows", done)
        story.expect(1 < len(done.executors), f"it has not grown: {done.places()}")

        lost = []  # by the story

        def delete_one(executors):
            lost.append(executors["1"]["metadata"]["name"])
            api.delete("Pod", lost[0], "plain", grace=3)  # of an end by force Spark learns up to 30 s later, when it next lists its pods
        done = run("loses-an-executor", delete_one, 3 * ROWS)
        together("loses-an-executor", done)
        story.expect(len(done.executors) > EXECUTORS, f"nothing came in place of {lost}: {done.places()}")

        # Each node of the cheap zone holds two executors, and one of them the driver too.
        for node in CHEAP:
            fill(api, f"load-{node}", node, 2 * CPU + DRIVER + 50)
        crashed = []

        def crash_one(executors):
            nodes = {pod["spec"]["nodeName"] for pod in executors.values()}
            story.expect(nodes == CHEAP, f"executors are on {nodes}")
            home = api.get("Pod", "loses-a-node-driver", "plain")["spec"]["nodeName"]
            crashed.extend(CHEAP - {home})
            cluster.script("real-nodes", "crash", *crashed)
        done = run("loses-a-node", crash_one, 3 * ROWS, NOTICES)
        story.check(crashed, "no node has crashed")
        together("loses-a-node", done)
        later = [pod["spec"]["nodeName"] for pod in done.executors.values() if int(pod["metadata"]["labels"]["spark-exec-id"]) > EXECUTORS]
        story.expect(not set(later) & set(crashed), "an executor was bound to the node that had crashed")
        story.check(operator.running(), "the operator ended")
