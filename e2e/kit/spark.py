"""Real Spark on real nodes: a driver beside the cluster (client mode) or in a pod (cluster mode), executors in pods, and what Spark's own event
log says of its shuffle."""
import collections
import contextlib
import dataclasses
import json
import os
import time

from kit import objects
from kit.cluster import E2E, TOOLS, Cluster, is_ready, need_tools, wait_for
from kit.operator import Operator, Process
from kit.steering import gate_pods
from kit.story import Missing, StoryFailed

FOLDER = os.path.join(TOOLS, "spark")
PACKAGE = os.path.join(FOLDER, "package")
IMAGE = os.path.join(FOLDER, "image.tar")
JOB = os.path.join(E2E, "tools", "spark", "shuffle_job.py")
JAVA = "/usr/lib/jvm/java-17-openjdk-amd64"
HOST = "10.0.0.1"  # of the cluster's network namespace: the API server's address, and that of a driver in client mode
# The packages that Spark's launcher opens for Java 17.
OPENED = [f"java.base/java.{name}" for name in ("lang", "lang.invoke", "lang.reflect", "io", "net", "nio", "util", "util.concurrent", "util.concurrent.atomic")]
OPENED += [f"java.base/sun.{name}" for name in ("nio.ch", "nio.cs", "security.action", "util.calendar")]
PARTITIONS = 12
PATIENCE = 240  # seconds, of the job for its executors
PROPERTIES = os.path.join(os.path.dirname(E2E), "examples", "spark", "spark-defaults.conf")
# The prices of the nodes of three_zones(): dear, cheap and middle; USD/h by instance type.
PRICES = {"test.dear": 0.4, "test.cheap": 0.1, "test.middle": 0.2}
ZONE = {"real-0": "zone-a", "real-1": "zone-b", "real-2": "zone-c"}
PRICE = dict(zip(ZONE.values(), PRICES.values()))
ZONE_LABEL = "topology.kubernetes.io/zone"
DRIVER = 150  # millicores of a driver in a pod


def need_spark():
    if not os.path.isdir(JAVA):
        raise Missing("no Java 17 (Debian: openjdk-17-jre-headless)")
    if not os.path.exists(IMAGE):
        raise Missing(f"no Spark in {FOLDER}: e2e/build-tools spark gets it, by pip")


def spark_cluster(story, real_nodes):
    """So many nodes, and those that are added later, with the image that each application's pods run."""
    need_spark()
    return Cluster(story, real_nodes=real_nodes, scheduler=True, kwok=False, dns=True, images=[IMAGE])


@contextlib.contextmanager
def three_zones(story):
    """A real node in each zone, and LiPS: it binds pods that name it in the namespace `plain`, and steers those of `steered`."""
    need_tools("helm")
    with spark_cluster(story, len(ZONE)) as cluster:
        cluster.install_custom_resources()
        price_nodes(cluster, dict(zip(ZONE, PRICES)))
        spark = Spark(cluster, {"plain": {}, "steered": {"lips.dev/mode": "steer"}})
        gate_pods(cluster, "steered")
        operator = Operator(cluster, {"mode": "steer", "leaderElection": {"enabled": False}, "prices": {"instances": PRICES}}).start().wait_ready()
        yield cluster.api, spark, operator
        story.check(operator.running(), "the operator ended")


def price_nodes(cluster, types):
    for node, kind in types.items():
        cluster.label_node(node, **{"node.kubernetes.io/instance-type": kind, "topology.kubernetes.io/region": objects.REGION})


def sleeper(name, scheduler, cpu, seconds, **more):
    """A pod that holds so many millicores for so long."""
    pod = objects.pod(name, scheduler=scheduler, **more)
    pod["spec"]["containers"] = [objects.container(f"{cpu}m", "16Mi", command=["sh", "-c", f"sleep {seconds}"])]
    return pod


def fill(api, name, node, room):
    """A pod of kube-scheduler, beside which the node has so many millicores left."""
    taken = round(1000 * float(api.get("Node", node)["status"]["allocatable"]["cpu"])) - room
    api.create(sleeper(name, "default-scheduler", taken, 100_000, nodeName=node))
    wait_for(lambda: api.get("Pod", name).get("status", {}).get("phase") == "Running", 60, f"{name} does not run")


@dataclasses.dataclass
class Application:
    name: str
    namespace: str
    rows: int
    executors: int = 4
    cpu: int = 450                 # millicores of each
    properties: str | None = None  # a file
    conf: dict = dataclasses.field(default_factory=dict)  # None: without this line


@dataclasses.dataclass
class Run:
    seconds: float        # from spark-submit to its end
    shuffle: "Shuffle"
    executors: dict       # pods as last seen on their nodes, by Spark's ids
    driver: dict | None   # in cluster mode
    zone_of: dict         # by node

    def pods(self):
        return [*self.executors.values(), *([self.driver] if self.driver else [])]

    def zone(self, pod):
        return self.zone_of[pod["spec"]["nodeName"]]

    def zones(self):
        """The phases of its pods."""
        return [self.zone(pod) for pod in self.pods()]

    def shuffled(self):
        return sum(self.shuffle.wrote.values())

    def crossed(self):
        return self.shuffle.across({name: self.zone(pod) for name, pod in self.executors.items()})

    def places(self):
        found = sorted(map(self.zone, self.executors.values()))
        text = ", ".join(f"{found.count(place)} in {place}" for place in dict.fromkeys(found))
        return text + (f"; driver in {self.zone(self.driver)}" if self.driver else "")


def log_lines(folder):
    """The lines of the event log; while it is being written, its last line may lack its end."""
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "rb") as file:
            yield from file


class Shuffle:
    """Bytes by executor, from the event log."""

    def __init__(self, folder):
        self.wrote, self.remote, self.local = (collections.Counter() for _ in range(3))
        for line in log_lines(folder):
            self.take(json.loads(line))

    def take(self, event):
        if event["Event"] != "SparkListenerTaskEnd" or not event.get("Task Metrics"):
            return
        executor, metrics = event["Task Info"]["Executor ID"], event["Task Metrics"]
        self.wrote[executor] += metrics["Shuffle Write Metrics"]["Shuffle Bytes Written"]
        self.remote[executor] += metrics["Shuffle Read Metrics"]["Remote Bytes Read"]
        self.local[executor] += metrics["Shuffle Read Metrics"]["Local Bytes Read"]

    def across(self, zone_of):
        """Bytes read from executors of another zone: each reads from the others in proportion to what they wrote."""
        crossing = 0
        for executor, read in self.remote.items():
            others = {other: size for other, size in self.wrote.items() if other != executor}
            away = sum(size for other, size in others.items() if zone_of[other] != zone_of[executor])
            if away:
                crossing += read * away / sum(others.values())
        return round(crossing)


class Spark:
    """`namespaces`: of applications, with their labels; the service account `spark` of each may make pods."""

    def __init__(self, cluster, namespaces):
        self.cluster = cluster
        for space, labels in namespaces.items():
            cluster.api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": space, "labels": labels}})
            for words in (f"-n {space} create serviceaccount spark",
                          f"-n {space} create rolebinding spark-edit --clusterrole edit --serviceaccount {space}:spark"):
                cluster.kubectl(*words.split())

    def event_log(self, app):
        """Its folder, on all nodes the same, in which any user may write."""
        folder = os.path.join(self.cluster.story.folder, f"{app.name}-events")
        os.makedirs(folder)
        os.chmod(folder, 0o777)
        return folder

    def run(self, app):
        """The job in client mode, to its end."""
        events = self.event_log(app)
        python = os.path.join(PACKAGE, "lib")
        libraries = [PACKAGE, *(os.path.join(python, file) for file in os.listdir(python) if file.startswith("py4j"))]
        return self.watch(app, self.submit(app, {
            **self.credentials("spark.kubernetes.authenticate", app.namespace),
            "spark.driver.host": HOST, "spark.driver.bindAddress": HOST, "spark.ui.enabled": "false", "spark.eventLog.dir": "file:" + events,
        }, JOB, {"PYTHONPATH": ":".join(libraries), "PYSPARK_PYTHON": "python3"}), events)

    def run_in_cluster(self, app, once_it_works=None):
        """The job with its driver in a pod, to its end. `once_it_works` is called with the executors' pods when the job has begun."""
        events = self.event_log(app)
        volume = "spark.kubernetes.driver.volumes.hostPath.events"
        name = f"{app.name}-driver"
        done = self.watch(app, self.submit(app, {
            **self.credentials("spark.kubernetes.authenticate.submission", app.namespace),
            "spark.submit.deployMode": "cluster", "spark.kubernetes.authenticate.driver.serviceAccountName": "spark",
            "spark.kubernetes.driver.pod.name": name, "spark.kubernetes.driver.request.cores": f"{DRIVER}m",
            f"{volume}.mount.path": "/events", f"{volume}.options.path": events, "spark.eventLog.dir": "file:/events",
        }, "local:///opt/spark/jobs/shuffle_job.py"), events, once_it_works)
        if not done.driver:
            raise StoryFailed(f"nobody has seen {name}")
        self.cluster.api.delete("Pod", name, app.namespace)
        return done

    def credentials(self, prefix, namespace):
        token = self.cluster.kubectl("-n", namespace, "create", "token", "spark", "--duration", "1h").strip()
        return {f"{prefix}.caCertFile": os.path.join(self.cluster.folder, "pki", "ca.crt"), f"{prefix}.oauthToken": token}

    def submit(self, app, conf, job, env=None):
        """spark-submit, started. The application's `conf` over that of its mode, over what both modes share."""
        conf = {
            "spark.master": f"k8s://https://{HOST}:443", "spark.app.name": app.name, "spark.kubernetes.namespace": app.namespace,
            "spark.kubernetes.container.image": "local.test/spark:1", "spark.kubernetes.container.image.pullPolicy": "IfNotPresent",
            "spark.kubernetes.executor.podNamePrefix": app.name, "spark.executor.instances": app.executors, "spark.executor.cores": 1,
            "spark.executor.memory": "1g", "spark.kubernetes.executor.request.cores": f"{app.cpu}m", "spark.driver.memory": "1g",
            "spark.sql.adaptive.enabled": "false", "spark.eventLog.enabled": "true", "spark.ui.showConsoleProgress": "false", **conf, **app.conf}
        command = [os.path.join(JAVA, "bin", "java"), "-Xmx1g", "-cp", os.path.join(PACKAGE, "deps", "jars", "*"),
                   *(f"--add-opens={package}=ALL-UNNAMED" for package in OPENED), "org.apache.spark.deploy.SparkSubmit"]
        command += ["--properties-file", app.properties] if app.properties else []
        for key, value in conf.items():
            command += ["--conf", f"{key}={value}"] if value is not None else []
        return Process(self.cluster, app.name, [*command, job, str(app.rows), str(PARTITIONS), str(PATIENCE)], {
            "SPARK_LOCAL_IP": HOST, "JAVA_HOME": JAVA, "SPARK_JARS_DIR": os.path.join(PACKAGE, "deps", "jars"), **(env or {})}, ends_itself=True).start()

    def watch(self, app, client, events, once_it_works=None):
        """Until spark-submit has ended. `events`: the folder of the event log."""
        pods, driver, zone_of = {}, None, {}
        began = time.monotonic()
        while True:
            last, seconds = not client.running(), time.monotonic() - began
            for pod in self.cluster.api.list("Pod", app.namespace):
                labels = pod["metadata"].get("labels", {})
                if labels.get("spark-role") == "driver":
                    driver = pod
                elif labels.get("spark-role") == "executor" and pod["spec"].get("nodeName"):
                    pods[labels["spark-exec-id"]] = pod
                node = pod["spec"].get("nodeName")
                if node and node not in zone_of:
                    zone_of[node] = self.cluster.api.get("Node", node)["metadata"]["labels"][ZONE_LABEL]
            if last:
                break
            if once_it_works and any(b"SparkListenerJobStart" in line for line in log_lines(events)):
                once_it_works(pods)
                once_it_works = None
            if seconds > 2 * PATIENCE:
                raise StoryFailed(f"{client.name} does not end: {client.log()[-800:]}")
            time.sleep(0.5)
        if client.child.returncode != 0:
            raise StoryFailed(f"{client.name} ended with {client.child.returncode}: {client.log()[-800:]}")
        if driver and driver["status"]["phase"] != "Succeeded":
            name = driver["metadata"]["name"]
            raise StoryFailed(f"{name} did not succeed: {self.cluster.kubectl('-n', app.namespace, 'logs', name)[-800:]}")

        def executors_left():
            """On nodes that live: nobody ends those of others."""
            ready = {node["metadata"]["name"] for node in self.cluster.api.list("Node") if is_ready(node)}
            return [pod for pod in self.cluster.api.list("Pod", app.namespace, "spark-role=executor") if pod["spec"].get("nodeName") in {None, *ready}]
        wait_for(lambda: not executors_left(), 60, lambda: f"{len(executors_left())} executors stay")
        return Run(seconds, Shuffle(events), pods, driver, zone_of)
