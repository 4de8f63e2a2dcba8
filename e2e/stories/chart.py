"""`helm install` puts the operator on the cluster: as a pod, from an image built without a registry, with exactly the chart's rights.

`helm test` ends well, it binds pods there, and every query of the dashboard returns data from a Prometheus that scraped it.
"""
import json
import os
import re
import socket
import socketserver
import subprocess
import threading
import time
import urllib.parse
import urllib.request

from kit import objects
from kit.cluster import Cluster, E2E, TOOLS, need_tools, wait_for
from kit.operator import Process
from kit.recorder import Recorder
from kit.story import Missing

LIMIT = 400
LANE = "real nodes"
ROOT = os.path.dirname(E2E)
CHART = os.path.join(ROOT, "charts", "lips")
IMAGE = "local.test/lips:e2e"
STAND_IN = ("10.0.0.1", 8090)  # for the Service; an address of the cluster's network
RANGES = {"$__rate_interval": "1m", "$__interval": "15s", "$__range": "5m"}


def helm(cluster, *arguments):
    found = subprocess.run([os.path.join(TOOLS, "bin", "helm"), "--kubeconfig", cluster.kubeconfig, *arguments], capture_output=True, text=True,
                           env={**os.environ, "HELM_CACHE_HOME": cluster.folder + "/helm", "HELM_DATA_HOME": cluster.folder + "/helm",
                                "HELM_CONFIG_HOME": cluster.folder + "/helm"})
    cluster.story.check(found.returncode == 0, f"helm {' '.join(arguments[:2])}: {found.stderr[-600:]}")
    return found.stdout


def build_image(cluster):
    """Packed from the program under test, and copied to each node as a file."""
    story = cluster.story
    archive = os.path.join(story.folder, "lips-image.tar")
    subprocess.run([os.path.join(ROOT, "docker", "build-image"), "--program", story.lips, "--name", IMAGE, "--output", archive], check=True)
    for node in sorted(os.listdir(os.path.join(cluster.folder, "nodes"))):
        subprocess.run(["ctr", "-a", os.path.join(cluster.folder, "nodes", node, "containerd.sock"), "-n", "k8s.io", "images", "import", archive],
                       check=True, stdout=subprocess.DEVNULL)
    size = os.path.getsize(archive)
    os.remove(archive)
    return size


def queries():
    """All of the dashboard, by panel; variables stand for everything."""
    with open(os.path.join(CHART, "dashboards", "lips.json"), encoding="utf-8") as file:
        dashboard = json.load(file)
    found = []

    def look(panels):
        for panel in panels:
            look(panel.get("panels", []))
            for target in panel.get("targets", []):
                if target.get("expr"):
                    found.append((panel.get("title", "?"), target["expr"]))

    look(dashboard["panels"])
    names = [v["name"] for v in dashboard.get("templating", {}).get("list", [])]
    filled = []
    for title, query in found:
        for text, value in RANGES.items():
            query = query.replace(text, value)
        for name in names:
            query = re.sub(r"\$\{?" + name + r"\b(:\w+)?\}?", ".*", query)
        filled.append((title, query))
    return filled


def ask(query):
    with urllib.request.urlopen("http://127.0.0.1:9090/api/v1/query?query=" + urllib.parse.quote(query), timeout=20) as answer:
        return json.load(answer)["data"]["result"]


def start_prometheus(cluster, address):
    program = "/usr/bin/prometheus"
    if not os.access(program, os.X_OK):
        raise Missing("no prometheus (scripts/packages.txt)")
    config = os.path.join(cluster.story.folder, "prometheus.yml")
    with open(config, "w", encoding="utf-8") as file:
        json.dump({"global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
                   "scrape_configs": [{"job_name": "lips", "static_configs": [{"targets": [address]}]}]}, file)
    Process(cluster, "prometheus", [program, "--config.file", config, "--storage.tsdb.path", os.path.join(cluster.folder, "prometheus"),
                                    "--web.listen-address", "127.0.0.1:9090"]).start()


def copy(source, sink):
    while data := source.recv(65536):
        sink.sendall(data)
    sink.shutdown(socket.SHUT_WR)


def lead_to(address, pod):
    """Neither kube-proxy nor a DNS for the cluster runs here: connections to the address go to that pod, as through its Service."""
    class Connection(socketserver.BaseRequestHandler):
        def handle(self):
            with socket.create_connection((pod["status"]["podIP"], 8080)) as there:
                back = threading.Thread(target=copy, args=(there, self.request), daemon=True)
                back.start()
                copy(self.request, there)
                back.join()

    server = socketserver.ThreadingTCPServer(address, Connection)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()


def tell(story):
    need_tools("helm")
    with Cluster(story, real_nodes=1, scheduler=True) as cluster:
        api = cluster.api
        size = build_image(cluster)
        fake = {"key": "kwok.x-k8s.io/node", "value": "fake", "effect": "NoSchedule"}
        cluster.add_nodes([objects.fake_node(f"node-{i}", objects.ZONES[i % 3], instance_type=("m7g.xlarge", "m6i.xlarge")[i % 2], taints=[fake])
                           for i in range(6)])
        api.create(objects.namespace("lips-system"))
        values = os.path.join(story.folder, "values.json")
        with open(values, "w", encoding="utf-8") as file:
            json.dump({"image": {"repository": IMAGE.rpartition(":")[0], "tag": "e2e", "pullPolicy": "Never"}, "replicas": 1,
                       "test": {"url": f"http://{STAND_IN[0]}:{STAND_IN[1]}"},
                       "config": {"moves": {"image": "local.test/rclone:1"}, "log": {"level": "debug"}, "policy": {"settings": {"meanWait": "10m"}}}}, file)
        began = time.monotonic()
        helm(cluster, "install", "lips", CHART, "--namespace", "lips-system", "--values", values)
        ready = lambda: [p for p in api.list("Pod", "lips-system") if any(
            c["type"] == "Ready" and c["status"] == "True" for c in p.get("status", {}).get("conditions", []))]
        try:
            operator = wait_for(ready, 90, lambda: "the operator's pod is not ready: " + json.dumps(
                [p.get("status") for p in api.list("Pod", "lips-system")])[:1500])[0]
        finally:
            for pod in api.list("Pod", "lips-system"):
                try:
                    log = api.request("GET", f"/api/v1/namespaces/lips-system/pods/{pod['metadata']['name']}/log")
                    with open(os.path.join(story.folder, "operator-pod.log"), "w", encoding="utf-8") as file:
                        file.write(str(log))
                except Exception as error:
                    story.say(f"no log of {pod['metadata']['name']}: {error}")
        story.figure("helm install to a ready operator", time.monotonic() - began, "s")
        lead_to(STAND_IN, operator)
        began = time.monotonic()
        tested = helm(cluster, "test", "lips", "--namespace", "lips-system", "--logs", "--timeout", "60s")
        story.check("Phase:          Succeeded" in tested, lambda: f"helm test: {tested[-600:]}")
        story.check(re.search(r"pending +assigned", tested), lambda: f"helm test lists no plans: {tested[-600:]}")
        story.figure("helm test, on a cluster without work", time.monotonic() - began, "s")
        story.figure("image", size / 2**20, "MiB", digits=0)
        start_prometheus(cluster, f"{operator['status']['podIP']}:8080")
        for i in range(3):
            api.create(objects.node_store(f"store-{i}", f"node-{i}", objects.ZONES[i]))
            api.create(objects.pool(f"pool-{i}"))
            api.create(objects.namespace(f"pool-{i}"))
        for i in range(3):
            wait_for(lambda: api.find("ServiceAccount", "default", f"pool-{i}"), 30, "no service account")
            api.create(objects.data_set("logs", 12, {f"store-{i}": "0-11"}, "64Mi", f"pool-{i}"))
        with Recorder(cluster) as seen:
            for turn in range(3):
                for i in range(3):
                    api.create(objects.indexed_job(f"job-{turn}", 12, f"pool-{i}", run_for="2s", annotations={
                        "lips.dev/dataset": "logs", "lips.dev/cpu-seconds": "2"}, tolerations=[fake]))
                time.sleep(4)
            done = lambda: len([s for s in seen.finished() if s.space.startswith("pool-")])
            wait_for(lambda: done() == 108, 90, lambda: f"{done()} of 108 pods have finished", pause=0.5)
            story.check(not seen.broken, lambda: "; ".join(seen.broken))
        story.figure("pods bound and finished under the chart's rights", done())
        log = str(api.request("GET", f"/api/v1/namespaces/lips-system/pods/{operator['metadata']['name']}/log"))
        with open(os.path.join(story.folder, "operator-pod.log"), "w", encoding="utf-8") as file:
            file.write(log)
        denied = [line for line in log.splitlines() if "403" in line or "forbidden" in line.lower()]
        story.expect(not denied, lambda: f"the roles do not suffice: {denied[0][:300]}")
        plugin = os.path.join(story.folder, "kubectl-lips")
        if not os.path.lexists(plugin):
            os.symlink(story.lips, plugin)
        asked = subprocess.run([plugin, "plans", "--format", "json", "--kubeconfig", cluster.kubeconfig], capture_output=True, text=True)
        story.check(asked.returncode == 0, lambda: f"kubectl-lips finds no operator: {asked.stderr}")
        story.figure("plans that kubectl-lips lists, from the Service that it found by its label", len(json.loads(asked.stdout)), at_least=1)
        time.sleep(5)
        all_queries = queries()
        empty = [(title, query) for title, query in all_queries if not ask(query)]
        for title, query in empty:
            story.say(f"no data: {title}: {query}")
        story.figure("queries of the dashboard that return data", f"{len(all_queries) - len(empty)} of {len(all_queries)}")
        story.expect(not empty, f"no data for: {', '.join(sorted({title for title, _ in empty}))}")
        # Removal as in docs/kubernetes.md: first the objects, while the operator can still clean up after them.
        for kind in ("datasets", "datamoves", "datastores", "pools"):
            cluster.kubectl("delete", kind, "--all", "--all-namespaces", "--timeout=60s")
        helm(cluster, "uninstall", "lips", "--namespace", "lips-system", "--wait")
        # Jobs that deleted copies have ended, and go five minutes later.
        left = lambda: [p["metadata"]["name"] for p in api.list("Pod", "lips-system") if p["status"].get("phase") != "Succeeded"]
        wait_for(lambda: not left(), 60, lambda: f"pods stay after helm uninstall: {left()}")
        cluster.kubectl("delete", "--wait", "--timeout=60s", "-f", os.path.join(CHART, "crds"))
