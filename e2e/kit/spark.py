"""Real Spark on real nodes: a driver in client mode beside the cluster, executors in pods, and what Spark's own event log says of its shuffle."""
import collections
import json
import os
import subprocess
import time

from kit.cluster import E2E, TOOLS, wait_for
from kit.operator import Process
from kit.story import Missing, StoryFailed

FOLDER = os.path.join(TOOLS, "spark")
PACKAGE = os.path.join(FOLDER, "package")
IMAGE = os.path.join(FOLDER, "image.tar")
JOB = os.path.join(E2E, "tools", "spark", "shuffle_job.py")
JAVA = "/usr/lib/jvm/java-17-openjdk-amd64"
HOST = "10.0.0.1"  # of the cluster's network namespace: the API server's and the driver's address
# What Spark's launcher opens for Java 17.
OPENED = [f"java.base/java.{name}" for name in ("lang", "lang.invoke", "lang.reflect", "io", "net", "nio", "util", "util.concurrent", "util.concurrent.atomic")]
OPENED += [f"java.base/sun.{name}" for name in ("nio.ch", "nio.cs", "security.action", "util.calendar")]


def need_spark():
    if not os.path.isdir(JAVA):
        raise Missing("no Java 17 (Debian: openjdk-17-jre-headless)")
    if not os.path.exists(IMAGE):
        raise Missing(f"no Spark in {FOLDER}: e2e/build-tools spark gets it, by pip")


class Shuffle:
    """Bytes by executor, from the event log."""

    def __init__(self, folder):
        self.wrote, self.remote, self.local = (collections.Counter() for _ in range(3))
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                for line in file:
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
    """`namespaces`: of executors, with their labels; the service account `spark` of each may make them."""

    def __init__(self, cluster, namespaces):
        self.cluster = cluster
        for node in sorted(os.listdir(os.path.join(cluster.folder, "nodes"))):
            socket = os.path.join(cluster.folder, "nodes", node, "containerd.sock")
            found = subprocess.run(["ctr", "-a", socket, "-n", "k8s.io", "images", "import", IMAGE], capture_output=True, text=True)
            if found.returncode != 0:
                raise StoryFailed(f"{node} does not take Spark's image: {found.stderr}")
        for space, labels in namespaces.items():
            cluster.api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": space, "labels": labels}})
            for words in (f"-n {space} create serviceaccount spark",
                          f"-n {space} create rolebinding spark-edit --clusterrole edit --serviceaccount {space}:spark"):
                cluster.kubectl(*words.split())

    def run(self, name, namespace, executors, rows, properties=None, patience=240):
        """Runs the job to its end. Returns the bytes of its shuffle, and each executor's pod."""
        events = os.path.join(self.cluster.story.folder, f"{name}-events")
        os.makedirs(events)
        token = self.cluster.kubectl("-n", namespace, "create", "token", "spark", "--duration", "1h").strip()
        conf = {
            "spark.master": f"k8s://https://{HOST}:443", "spark.app.name": name, "spark.kubernetes.namespace": namespace,
            "spark.kubernetes.authenticate.caCertFile": os.path.join(self.cluster.folder, "pki", "ca.crt"),
            "spark.kubernetes.authenticate.oauthToken": token,
            "spark.kubernetes.container.image": "local.test/spark:1", "spark.kubernetes.container.image.pullPolicy": "IfNotPresent",
            "spark.kubernetes.executor.podNamePrefix": name, "spark.executor.instances": executors, "spark.executor.cores": 1,
            "spark.executor.memory": "1g", "spark.kubernetes.executor.request.cores": "450m",
            "spark.driver.host": HOST, "spark.driver.bindAddress": HOST, "spark.driver.memory": "1g", "spark.ui.enabled": "false",
            "spark.sql.adaptive.enabled": "false", "spark.eventLog.enabled": "true", "spark.eventLog.dir": "file:" + events,
            "spark.ui.showConsoleProgress": "false"}
        command = [os.path.join(JAVA, "bin", "java"), "-Xmx1g", "-cp", os.path.join(PACKAGE, "deps", "jars", "*"),
                   *(f"--add-opens={package}=ALL-UNNAMED" for package in OPENED), "org.apache.spark.deploy.SparkSubmit"]
        command += ["--properties-file", properties] if properties else []
        for key, value in conf.items():
            command += ["--conf", f"{key}={value}"]
        python = os.path.join(PACKAGE, "lib")
        libraries = [PACKAGE, *(os.path.join(python, file) for file in os.listdir(python) if file.startswith("py4j"))]
        driver = Process(self.cluster, name, [*command, JOB, str(rows), "12", str(patience)], {
            "SPARK_LOCAL_IP": HOST, "JAVA_HOME": JAVA, "PYTHONPATH": ":".join(libraries), "PYSPARK_PYTHON": "python3",
            "SPARK_JARS_DIR": os.path.join(PACKAGE, "deps", "jars")}).start()
        pods = {}
        deadline = time.monotonic() + patience + 240
        while driver.running():
            for pod in self.cluster.api.list("Pod", namespace):
                labels = pod["metadata"].get("labels", {})
                if labels.get("spark-role") == "executor" and pod["spec"].get("nodeName"):
                    pods[labels["spark-exec-id"]] = pod
            if time.monotonic() > deadline:
                raise StoryFailed(f"{name} does not end: {driver.log()[-800:]}")
            time.sleep(0.5)
        if driver.child.returncode != 0:
            raise StoryFailed(f"{name} ended with {driver.child.returncode}: {driver.log()[-800:]}")
        executors_left = lambda: self.cluster.api.list("Pod", namespace, "spark-role=executor")
        wait_for(lambda: not executors_left(), 60, lambda: f"{len(executors_left())} executors stay")
        return Shuffle(events), pods
