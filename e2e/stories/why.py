"""`kubectl-lips why` says, through the API server and with that right alone, why a pod waits; what it says to do starts the pod, in the time and for the dollars that it says."""
import json
import os
import re
import subprocess
import time

from kit import objects
from kit.cluster import Cluster, E2E, TOOLS, need_tools, wait_for
from kit.operator import Operator
from kit.recorder import Recorder

CHART = os.path.join(os.path.dirname(E2E), "charts", "lips")
PEOPLE = ("asks", "stranger")


def role(cluster):
    """The chart's Role for people who ask, as helm renders it."""
    homes = {f"HELM_{name}_HOME": os.path.join(cluster.folder, "helm") for name in ("CACHE", "CONFIG", "DATA")}
    text = subprocess.run([os.path.join(TOOLS, "bin", "helm"), "template", "lips", CHART, "--namespace", "lips-system", "--show-only", "templates/roles.yaml",
                           "--set", "roles.askers[0].kind=User,roles.askers[0].name=asks,roles.askers[0].apiGroup=rbac.authorization.k8s.io"],
                          check=True, capture_output=True, text=True, env={**os.environ, **homes}).stdout
    wanted = [part for part in text.split("\n---\n") if re.search(r"^  name: lips-asker$", part, re.M)]
    assert len(wanted) == 2, text
    return "\n---\n".join(wanted)


def kubeconfigs(cluster):
    """One for each person, with a client certificate of the cluster's authority."""
    pki = os.path.join(cluster.folder, "pki")
    with open(cluster.kubeconfig, encoding="utf-8") as file:
        admin = json.load(file)
    found = {}
    for name in PEOPLE:
        base = os.path.join(cluster.story.folder, name)
        run = lambda *command: subprocess.run(command, check=True, capture_output=True)
        run("openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", base + ".key")
        run("openssl", "req", "-new", "-key", base + ".key", "-subj", f"/CN={name}", "-out", base + ".csr")
        run("openssl", "x509", "-req", "-in", base + ".csr", "-CA", pki + "/ca.crt", "-CAkey", pki + "/ca.key", "-CAcreateserial", "-days", "2",
            "-out", base + ".crt")
        found[name] = base + ".kubeconfig"
        with open(found[name], "w", encoding="utf-8") as file:
            json.dump({**admin, "users": [{"name": name, "user": {"client-certificate": base + ".crt", "client-key": base + ".key"}}],
                       "contexts": [{"name": name, "context": {"cluster": admin["clusters"][0]["name"], "user": name, "namespace": "batch"}}],
                       "current-context": name}, file)
    return found


def through_a_program(cluster, kubeconfig):
    """The same user, whose certificate a program prints, as clouds do it: only kubectl understands that."""
    with open(kubeconfig, encoding="utf-8") as file:
        config = json.load(file)
    user = config["users"][0]["user"]
    read = lambda name: open(user[name], encoding="utf-8").read()
    credential = os.path.join(cluster.story.folder, "credential.json")
    with open(credential, "w", encoding="utf-8") as file:
        json.dump({"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {
            "clientCertificateData": read("client-certificate"), "clientKeyData": read("client-key")}}, file)
    config["users"][0]["user"] = {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": "cat", "args": [credential],
                                           "interactiveMode": "Never"}}
    path = os.path.join(cluster.story.folder, "program.kubeconfig")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(config, file)
    return path


def serve(cluster, port):
    """The Service of the chart, and a pod that stands for the operator, which runs beside the API server: it proxies to pods alone."""
    api, address, space = cluster.api, own_address(), "lips-system"
    core = f"/api/v1/namespaces/{space}/"
    api.request("POST", core + "services", {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "lips", "namespace": space, "labels": {"app.kubernetes.io/name": "lips"}},
                "spec": {"ports": [{"name": "http", "port": 8080}]}})
    api.create(objects.pod("lips-0", space=space, scheduler="nobody"))
    api.request("PATCH", core + "pods/lips-0/status",
                {"status": {"phase": "Running", "podIP": address, "podIPs": [{"ip": address}]}}, "application/merge-patch+json")
    api.request("POST", core + "endpoints", {"apiVersion": "v1", "kind": "Endpoints", "metadata": {"name": "lips", "namespace": space}, "subsets": [{
        "addresses": [{"ip": address, "targetRef": {"kind": "Pod", "namespace": space, "name": "lips-0"}}], "ports": [{"name": "http", "port": port}]}]})


def own_address():
    """Not a loopback address, which no endpoint may have."""
    found = subprocess.run(["hostname", "-I"], capture_output=True, text=True).stdout.split()
    return next(address for address in found if ":" not in address)


def tell(story):
    need_tools("helm")
    plugin = os.path.join(story.folder, "kubectl-lips")
    if not os.path.lexists(plugin):
        os.symlink(story.lips, plugin)
    with Cluster(story) as cluster:
        api = cluster.api
        for space in ("lips-system", "batch"):
            api.create(objects.namespace(space))
            wait_for(lambda space=space: api.find("ServiceAccount", "default", space), 30, "no service account")
        cluster.kubectl("apply", "-f", "-", stdin=role(cluster))
        people = kubeconfigs(cluster)

        def ask(person, *words):
            return subprocess.run([plugin, *words, "--kubeconfig", people[person]], capture_output=True, text=True,
                                  env={**os.environ, "PATH": os.path.join(TOOLS, "bin") + ":" + os.environ["PATH"], "KUBECACHEDIR": cluster.folder + "/kubectl-cache"})

        cluster.add_nodes([objects.fake_node(f"node-{i}", objects.ZONES[i % 3], cores=4, instance_type=("m7g.xlarge", "m6i.xlarge")[i % 2]) for i in range(6)])
        operator = Operator(cluster, {"leaderElection": {"enabled": False}})
        with open(operator.config_path, encoding="utf-8") as file:
            config = json.load(file)
        config["server"]["listen"] = f"0.0.0.0:{operator.port}"
        with open(operator.config_path, "w", encoding="utf-8") as file:
            json.dump(config, file)
        with Recorder(cluster) as seen:
            operator.start().wait_ready()
            serve(cluster, operator.port)
            api.create(objects.indexed_job("fills", 24, "batch", run_for="600s", annotations={"lips.dev/cpu-seconds": "600"}))
            wait_for(lambda: len(seen.bound()) == 24, 60, lambda: f"{len(seen.bound())} of 24 pods are bound")
            api.create(objects.pod("late", space="batch"))
            wait_for(lambda: api.find("Pod", "late", "batch"), 10, "no pod")
            wait_for(lambda: ask("asks", "why", "late").returncode == 0, 30, lambda: ask("asks", "why", "late").stderr)
            began = time.monotonic()
            said = ask("asks", "why", "late", "--format", "json")
            story.figure("kubectl-lips why, with the copy of the state", 1000 * (time.monotonic() - began), "ms", digits=0)
            story.check(said.returncode == 0, lambda: said.stderr)
            answer = json.loads(said.stdout)
            story.say(ask("asks", "why", "late").stdout.strip().replace("\n", "\n          "))
            story.check(answer["standing"] == "no-capacity", lambda: f"it says {answer['standing']}: {answer['sentence']}")
            story.check(540 < answer["startsInSeconds"] <= 601, lambda: f"it expects a start in {answer['startsInSeconds']} s; the first pod ends after 600")
            nodes = [remedy for remedy in answer["remedies"] if remedy["kind"] == "more-nodes"]
            story.check(nodes and nodes[0]["amount"] == 1, lambda: f"no remedy is one more node: {answer['remedies']}")
            like = nodes[0]["like"]
            for command in ("plans", "data", "moves", "ledger", "targets", "applications"):
                found = ask("asks", command)
                story.check(found.returncode == 0, lambda: f"{command}: {found.stderr}")
            then = ask("asks", "what-if", "--like", like["node"], "--format", "json")
            story.check(then.returncode == 0 and json.loads(then.stdout)["after"]["starting"] == 1, lambda: f"what-if: {then.stdout}{then.stderr}")

            page = lambda path="": str(api.request("GET", "/api/v1/namespaces/lips-system/services/lips:http/proxy/" + path))
            wait_for(lambda: "nothing that fits is free" in page() and "come in a moment" not in page(), 30, lambda: f"the page: {page()[-3000:]}")
            story.check("?job=batch%2Ffills" in page(), lambda: f"the page does not lead to the job: {page()[-3000:]}")
            story.check("late waits because nothing that fits is free" in page("?job=batch%2Flate"), lambda: page("?job=batch%2Flate")[-3000:])
            story.figure("tasks on the page of a job", page("?job=batch%2Ffills").count("<td class=\"words\">runs</td>"), at_least=24)

            people["program"] = through_a_program(cluster, people["asks"])
            by_kubectl = ask("program", "why", "late", "--format", "json")
            story.check(by_kubectl.returncode == 0 and json.loads(by_kubectl.stdout)["standing"] == "no-capacity",
                        lambda: f"with credentials from a program: {by_kubectl.stderr}")
            as_plugin = subprocess.run([os.path.join(TOOLS, "bin", "kubectl"), "lips", "why", "late"], capture_output=True, text=True, env={
                **os.environ, "PATH": story.folder + ":" + os.environ["PATH"], "KUBECONFIG": people["asks"]})
            story.check(as_plugin.returncode == 0 and as_plugin.stdout.startswith("batch/late waits because"), lambda: f"kubectl lips: {as_plugin.stderr}")
            refused = ask("stranger", "why", "late")
            story.check(refused.returncode == 1, f"status {refused.returncode} for a user without the right")
            story.check("you lack a right: to get services/proxy 'lips:http' in the namespace lips-system" in refused.stderr
                        and "Role lips-asker" in refused.stderr and refused.stdout == "", lambda: f"it says: {refused.stderr}")
            story.say(refused.stderr.splitlines()[0])
            for verb, path in (("list", "/api/v1/namespaces/batch/pods"), ("list", "/api/v1/nodes")):
                denied = subprocess.run([os.path.join(TOOLS, "bin", "kubectl"), "--kubeconfig", people["asks"], "get", "--raw", path], capture_output=True,
                                        text=True)
                story.check(denied.returncode != 0 and "forbidden" in denied.stderr.lower(), f"who asks may {verb} {path} too")

            began = time.monotonic()
            api.create(objects.fake_node("one-more", like["zone"], cores=4, instance_type=like["instanceType"]))
            late = wait_for(lambda: next((s for s in seen.bound() if s.name == "late"), None), 30, "the pod does not start", pause=0.01)
            story.check(late.node == "one-more", f"it started on {late.node}")
            story.figure("from the node's creation to the pod's binding", time.monotonic() - began, "s", at_most=10.0)
            now = json.loads(ask("asks", "why", "late", "--format", "json").stdout)
            story.check(now["standing"] == "runs" and now["place"]["node"] == "one-more", lambda: f"then it says {now['sentence']}")
            story.figure("dollars by use, over those that it said", now["place"]["dollars"]["total"] / nodes[0]["bill"]["total"], at_most=1.05, at_least=None)
            story.expect(now["place"]["dollars"]["total"] / nodes[0]["bill"]["total"] >= 0.95, "it costs less than it said")
            story.check(not seen.broken, lambda: "; ".join(seen.broken))
