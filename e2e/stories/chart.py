"""Helm installs, upgrades, rolls back and removes the operator: a pod, from an image built without a registry, with the chart's rights.

The chart of the version before is installed first, with the definitions of that time (kit/former_chart.py); after the upgrade `helm test` ends
well, pods are bound, and every query of the dashboard returns data from a Prometheus that scraped it. Custom resources survive each step.
"""
import json
import os
import re
import shutil
import socket
import socketserver
import subprocess
import threading
import time
import urllib.parse
import urllib.request

from kit import helm, objects, rights
from kit.cluster import ADDRESS, Cluster, E2E, is_ready, need_tools, wait_for
from kit.former_chart import former_chart
from kit.operator import Process, parse_metrics
from kit.recorder import Recorder
from kit.story import Missing

LIMIT = 400
LANE = "real nodes"
ROOT = os.path.dirname(E2E)
DEFINITIONS = os.path.join(ROOT, "charts", "lips-crds")
FORMER_IMAGE = "local.test/lips:former"
SPACE = ("--namespace", helm.NAMESPACE)
# By helm uninstall: docs/kubernetes.md, "Removing it".
MOVES = "namespace/lips-system-moves"
STAYS = {MOVES, "lease.coordination.k8s.io/lips", "configmap/lips-memory", "pod/lips-test"}
FAKE = {"key": "kwok.x-k8s.io/node", "value": "fake", "effect": "NoSchedule"}
STAND_IN = (ADDRESS, 8090)  # for the Service
RANGES = {"$__rate_interval": "1m", "$__interval": "15s", "$__range": "5m"}


def queries():
    """All of the dashboard, by panel; variables stand for everything."""
    with open(os.path.join(helm.CHART, "dashboards", "lips.json"), encoding="utf-8") as file:
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
    config = os.path.join(cluster.story.folder, "prometheus.yml")
    with open(config, "w", encoding="utf-8") as file:
        json.dump({"global": {"scrape_interval": "1s", "evaluation_interval": "1s"}, "rule_files": [os.path.join(helm.CHART, "rules", "lips.yaml")],
                   "scrape_configs": [{"job_name": "lips", "static_configs": [{"targets": [address]}]}]}, file)
    Process(cluster, "prometheus", ["prometheus", "--config.file", config, "--storage.tsdb.path", os.path.join(cluster.folder, "prometheus"),
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


class Release:
    def __init__(self, cluster):
        self.cluster, self.story, self.api = cluster, cluster.story, cluster.api
        self.values = os.path.join(cluster.story.folder, "values.json")
        with open(self.values, "w", encoding="utf-8") as file:
            json.dump({**helm.VALUES,
                       "test": {"url": f"http://{STAND_IN[0]}:{STAND_IN[1]}"},
                       "config": {"moves": {"image": "local.test/rclone:1"}, "log": {"level": "debug"}, "policy": {"settings": {"meanWait": "10m"}},
                                  "twin": {"every": "5s"}}}, file)

    def values_without(self, *keys):
        """For a chart of before, whose schema lacks these keys of the configuration."""
        with open(self.values, encoding="utf-8") as file:
            values = json.load(file)
        for key in keys:
            del values["config"][key]
        path = self.values + ".former.json"
        with open(path, "w", encoding="utf-8") as file:
            json.dump(values, file)
        return path

    def operators(self):
        return [p for p in self.api.list("Pod", "lips-system") if p["metadata"]["labels"].get("app.kubernetes.io/name") == "lips"]

    def ready(self, image, began, what):
        """The operator's pod with this image, once it is ready and the only one."""
        def alone():
            pods = self.operators()
            ready = [p for p in pods if p["spec"]["containers"][0]["image"] == image and is_ready(p)]
            return ready if len(pods) == 1 else None

        try:
            found = wait_for(alone, 90, lambda: f"{what}: the operator's pod is not ready: " + json.dumps([p.get("status") for p in self.operators()])[:1500])
        finally:
            for pod in self.operators():
                try:
                    helm.keep_log(self.cluster, pod)
                except Exception as error:
                    self.story.say(f"no log of {pod['metadata']['name']}: {error}")
        self.story.figure(f"{what} to a ready operator", time.monotonic() - began, "s")
        return found[0]

    def lend_rights(self, verb):
        """The program of the former version is not here. So beside the former chart's rights the present program needs its own on the cluster."""
        rights = helm.run(self.cluster, "template", "lent", helm.CHART, *SPACE, "--show-only", "templates/rbac.yaml", "--set", "serviceAccount.name=lips")
        of_cluster = [text for text in rights.split("---\n") if "kind: ClusterRole" in text]
        self.cluster.kubectl(verb, "-f", "-", stdin="---\n".join(of_cluster))

    def resources(self, kinds=("DataSet", "DataStore", "Pool")):
        """Custom resources, by what tells them from later ones of the same name."""
        return {(kind, o["metadata"].get("namespace"), o["metadata"]["name"], o["metadata"]["uid"]) for kind in kinds for o in self.api.list(kind)}

    def left(self):
        """All objects of every kind that have the release's label or are in its namespace; not those that Kubernetes makes itself."""
        def look(scope, *where):
            kinds = set(self.cluster.kubectl("api-resources", "--verbs=list", "--output=name", f"--namespaced={scope}").split())
            kinds -= {"events", "events.events.k8s.io"}
            return set(self.cluster.kubectl("get", ",".join(sorted(kinds)), *where, "--output=name", "--ignore-not-found").split())

        label = ("--selector", "app.kubernetes.io/instance=lips")
        found = look("false", *label) | look("true", *label, "--all-namespaces") | look("true", *SPACE)
        return sorted(found - {"configmap/kube-root-ca.crt", "serviceaccount/default"})


def definitions(cluster):
    return [c for c in cluster.api.list("CustomResourceDefinition") if c["metadata"]["name"].endswith(".lips.dev")]


def run_jobs(release, turns, name="job", pause=4.0, meanwhile=lambda: None):
    """Three Indexed Jobs of three pools in each turn, bound by the operator and run to their end."""
    api, story = release.api, release.story
    with Recorder(release.cluster) as seen:
        for turn in range(turns):
            for i in range(3):
                api.create(objects.indexed_job(f"{name}-{turn}", 12, f"pool-{i}", run_for="2s", annotations={
                    "lips.dev/dataset": "logs", "lips.dev/cpu-seconds": "2"}, tolerations=[FAKE]))
            time.sleep(pause)
        meanwhile()
        done = lambda: len([s for s in seen.finished() if s.space.startswith("pool-") and s.name.startswith(name)])
        wait_for(lambda: done() == 36 * turns, 90, lambda: f"{done()} of {36 * turns} pods have finished", pause=0.5)
        story.check(not seen.broken, lambda: "; ".join(seen.broken))
    return done()


def run_theirs(cluster):
    """The work of the cluster before: pods of kube-scheduler, that outlive the story."""
    cluster.api.create(objects.namespace("theirs"))
    wait_for(lambda: cluster.api.find("ServiceAccount", "default", "theirs"), 30, "no service account")
    cluster.api.create(objects.indexed_job("nightly", 6, "theirs", scheduler="default-scheduler", run_for="1h", cpu="250m", tolerations=[FAKE]))
    wait_for(lambda: all(p["spec"].get("nodeName") for p in cluster.api.list("Pod", "theirs")) and len(cluster.api.list("Pod", "theirs")) == 6, 30,
             "kube-scheduler does not bind its pods")


def dollars_of_theirs(operator):
    """The invoice of what kube-scheduler ran, as the page has it."""
    return next(iter(helm.dollars_of_rows(operator, "kube-scheduler, as it ran")), 0)


def tell(story):
    need_tools("helm")
    if not shutil.which("prometheus"):
        raise Missing("no prometheus (scripts/packages.txt)")
    with Cluster(story, real_nodes=1, scheduler=True) as cluster:
        api = cluster.api
        size = helm.build_image(cluster, FORMER_IMAGE)
        cluster.add_nodes([objects.fake_node(f"node-{i}", objects.ZONES[i % 3], instance_type=("m7g.xlarge", "m6i.xlarge")[i % 2], taints=[FAKE],
                                             labels={"lips.dev/fleet": "elastic"}) for i in range(6)])
        api.create(objects.namespace("lips-system"))
        release = Release(cluster)
        former, about = former_chart(ROOT, os.path.join(story.folder, "former"))
        story.figure("the former chart", about)
        began = time.monotonic()
        release.lend_rights("apply")
        helm.run(cluster, "install", "lips", former, *SPACE, "--values", release.values_without("twin"), "--set", f"image.tag={FORMER_IMAGE.rpartition(':')[2]}")
        release.ready(FORMER_IMAGE, began, "helm install of the former chart")
        cluster.wait_for_definitions()
        for i in range(3):
            api.create(objects.node_store(f"store-{i}", f"node-{i}", objects.ZONES[i]))
            api.create(objects.pool(f"pool-{i}"))
            api.create(objects.namespace(f"pool-{i}"))
        for i in range(3):
            wait_for(lambda: api.find("ServiceAccount", "default", f"pool-{i}"), 30, "no service account")
            api.create(objects.data_set("logs", 12, {f"store-{i}": "0-11"}, "64Mi", f"pool-{i}"))
        run_theirs(cluster)
        written = release.resources()
        story.check(len(written) == 9, lambda: f"not all custom resources are there: {written}")

        release.lend_rights("delete")
        began = time.monotonic()
        helm.run(cluster, "upgrade", "--install", "lips-crds", DEFINITIONS, *SPACE, "--take-ownership")
        helm.run(cluster, "upgrade", "lips", helm.CHART, *SPACE, "--values", release.values)
        operator = release.ready(helm.IMAGE, began, "helm upgrade")
        wait_for(lambda: dollars_of_theirs(operator) > 0, 300, "the page shows no dollars of the pods of kube-scheduler", pause=0.5)
        story.figure("helm upgrade to the first dollars of kube-scheduler's pods on the page", time.monotonic() - began, "s", at_most=300)
        story.check(release.resources() == written, lambda: f"after the upgrade: {release.resources() ^ written}")
        stale = [c["metadata"]["name"] for c in definitions(cluster) if c["metadata"].get("labels", {}).get("app.kubernetes.io/instance") != "lips-crds"]
        story.check(not stale, lambda: f"lips-crds has not adopted {stale}")
        if subprocess.run(["diff", "-rq", os.path.join(former, "crds"), os.path.join(helm.CHART, "crds")], stdout=subprocess.DEVNULL).returncode == 1:
            story.figure("definitions that the upgrade changed", sum(c["metadata"]["generation"] > 1 for c in definitions(cluster)), at_least=1)
        story.figure("image", size / 2**20, "MiB", digits=0)
        under_the_chart(release, operator)

        release.lend_rights("apply")
        began = time.monotonic()
        helm.run(cluster, "rollback", "lips", "1", *SPACE)
        release.ready(FORMER_IMAGE, began, "helm rollback")
        story.check(release.resources() == written, lambda: f"after the rollback: {release.resources() ^ written}")
        story.figure("pods bound and finished after the rollback", run_jobs(release, 1, "later", pause=0))
        release.lend_rights("delete")
        remove(release)
        story.figure("custom resources that survived each step", len(written))


def under_the_chart(release, operator):
    """The work of the operator with the chart's rights alone."""
    story, cluster = release.story, release.cluster
    lead_to(STAND_IN, operator)
    began = time.monotonic()
    tested = helm.run(cluster, "test", "lips", *SPACE, "--logs", "--timeout", "60s")
    story.check("Phase:          Succeeded" in tested, lambda: f"helm test: {tested[-600:]}")
    story.check(re.search(r"pending +assigned", tested), lambda: f"helm test lists no plans: {tested[-600:]}")
    story.figure("helm test, on a cluster without work", time.monotonic() - began, "s")
    start_prometheus(cluster, f"{operator['status']['podIP']}:8080")
    # The dashboard shows jobs with targets of their own while they wait or run.
    cluster.api.create(objects.indexed_job("quick", 1, "pool-0", annotations={"lips.dev/max-wait": "10m"}, run_for="90s",
                                               cpu="100m", tolerations=[FAKE], nodeSelector={"kubernetes.io/hostname": "node-0"}))
    story.figure("pods bound and finished under the chart's rights", run_jobs(release, 3))
    with urllib.request.urlopen(f"http://{operator['status']['podIP']}:8080/metrics", timeout=20) as answer:
        rights.note(story.folder, parse_metrics(answer.read().decode()))
    denied = helm.refused(helm.keep_log(cluster, operator))
    story.expect(not denied, lambda: f"the roles do not suffice: {denied[0][:300]}")
    plugin = os.path.join(story.folder, "kubectl-lips")
    if not os.path.lexists(plugin):
        os.symlink(story.lips, plugin)
    asked = subprocess.run([plugin, "plans", "--format", "json", "--kubeconfig", cluster.kubeconfig], capture_output=True, text=True)
    story.check(asked.returncode == 0, lambda: f"kubectl-lips finds no operator: {asked.stderr}")
    story.figure("plans that kubectl-lips lists, from the Service that it found by its label", len(json.loads(asked.stdout)), at_least=1)
    all_queries = queries()
    empty, until = all_queries, time.monotonic() + 120
    while empty and time.monotonic() < until:
        time.sleep(5)
        empty = [(title, query) for title, query in empty if not ask(query)]
    for title, query in empty:
        story.say(f"no data: {title}: {query}")
    story.figure("queries of the dashboard that return data", f"{len(all_queries) - len(empty)} of {len(all_queries)}")
    story.expect(not empty, f"no data for: {', '.join(sorted({title for title, _ in empty}))}")
    refuse_bindings(release)


def refuse_bindings(release):
    """A real fault: the chart's role loses a right. The alert fires, and the pods run once the right is back."""
    story, kubectl = release.story, release.cluster.kubectl
    firing = lambda: {alert["metric"]["alertname"] for alert in ask('ALERTS{alertstate="firing"}')}
    story.check(not firing(), lambda: f"alerts fire though all is well: {firing()}")
    binds = lambda rule: "pods/binding" in rule.get("resources", [])
    roles = json.loads(kubectl("get", "clusterroles", "--selector", "app.kubernetes.io/instance=lips", "--output=json"))["items"]
    role = next(role for role in roles if any(map(binds, role["rules"])))
    role["metadata"] = {key: role["metadata"][key] for key in ("name", "labels", "annotations")}
    # As Helm, which would otherwise find somebody else's rules at its next step.
    put = lambda rules: kubectl("apply", "--server-side", "--field-manager=helm", "-f", "-", stdin=json.dumps({**role, "rules": rules}))

    def until_it_fires():
        began = time.monotonic()
        wait_for(lambda: firing() == {"LipsRefusedWrites"}, 60, lambda: f"bindings are refused, and these alerts fire: {firing()}", pause=0.2)
        story.figure("bindings refused, to the alert", time.monotonic() - began, "s")
        put(role["rules"])

    put([rule for rule in role["rules"] if not binds(rule)])
    story.figure("pods bound and finished once the right was back", run_jobs(release, 1, "refused", pause=0, meanwhile=until_it_fires))


def remove(release):
    """As in docs/kubernetes.md: first the objects, while the operator can still clean up after them; only Pools stay to the end here."""
    story, cluster = release.story, release.cluster
    for kind in ("datasets", "datamoves", "datastores"):
        cluster.kubectl("delete", kind, "--all", "--all-namespaces", "--timeout=60s")
    pools = release.resources(("Pool",))
    helm.run(cluster, "uninstall", "lips", *SPACE, "--wait")
    wait_for(lambda: not release.operators(), 60, "the operator's pod stays after helm uninstall")
    helm.run(cluster, "uninstall", "lips-crds", *SPACE)
    story.check(release.resources(("Pool",)) == pools and len(pools) == 3, "Pools do not survive the end of their operator and of lips-crds")
    left = release.left()
    story.figure("objects left by helm uninstall", ", ".join(left))
    story.expect(set(left) <= STAYS, lambda: f"left, against docs/kubernetes.md: {sorted(set(left) - STAYS)}")
    story.expect(MOVES in left, f"{MOVES} does not outlive the release")
    helm.run(cluster, "upgrade", "--install", "lips-crds", DEFINITIONS, *SPACE, "--take-ownership", "--set", "keep=false")
    helm.run(cluster, "uninstall", "lips-crds", *SPACE, "--wait")
    found = lambda: [c["metadata"]["name"] for c in definitions(cluster)]
    wait_for(lambda: not found(), 60, lambda: f"definitions stay though keep is false: {found()}")
