"""Pods are bound at least twice as fast as kube-scheduler does it on the same server, and nearly as fast as a loop that decides nothing.

In turn: the same nodes and as many pods each, made while nobody schedules; rates as the API server recorded the bindings.
kube-scheduler has no limit of requests on its side (--kube-api-qps 5000), nor has the server.
"""
import os
import subprocess

from kit import audit, objects
from kit.amounts import amount, pod_requests
from kit.cluster import Cluster, wait_for
from kit.operator import Operator
from kit.story import Missing

LIMIT, FULL_LIMIT = 300, 1200


TICK = os.sysconf("SC_CLK_TCK")


def pods(cluster, space, count, scheduler):
    cluster.api.create(objects.namespace(space))
    wait_for(lambda: cluster.api.find("ServiceAccount", "default", space), 30, f"no service account in {space}")
    cluster.api.create_all(objects.pod(f"{space}-{i}", space, scheduler, cpu="100m") for i in range(count))


def cpu_seconds(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            fields = file.read().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / TICK


def pid_of(cluster, name):
    with open(os.path.join(cluster.folder, "pids", name), encoding="utf-8") as file:
        return int(file.read().split()[0])


def check_placement(story, cluster, bound):
    """No recorder runs during the measurement, because it would use the server's CPU. All pods still exist afterwards."""
    capacity = {n["metadata"]["name"]: {k: amount(k, v) for k, v in n["status"]["allocatable"].items()} for n in cluster.api.list("Node")}
    used = {}
    for space, names in bound.items():
        story.check(len(names) == len(set(names)), lambda: f"a pod of {space} was bound twice")
        if space.startswith("bare-"):  # the loop that decides nothing may overcommit
            continue
        for pod in cluster.api.list("Pod", space):
            node = pod["spec"].get("nodeName")
            story.check(node in capacity, lambda: f"{pod['metadata']['name']} is on {node}")
            for resource, value in pod_requests(pod).items():
                used.setdefault(node, {}).setdefault(resource, 0)
                used[node][resource] += value
                story.check(used[node][resource] <= capacity[node].get(resource, 0), lambda: f"{node} is overcommitted: {used[node]}")


def tell(story):
    nodes, count, rounds = (1000, 5000, 2) if story.full else (200, 600, 2)
    bare = os.path.join(os.path.dirname(story.lips), "bare_bind")
    if not os.access(bare, os.X_OK):
        raise Missing(f"no program {bare}")
    costs = {}
    # Nobody runs the pods: only binding is measured.
    with Cluster(story, scheduler=True, kwok=False, record_bindings=True, own_nodes=True) as cluster:
        cluster.script("control-plane", "stop", "kube-scheduler")
        cluster.api.create_all(objects.ready_node(f"node-{i}", objects.ZONES[i % 3], cores=32, pods=1000) for i in range(nodes))
        done = audit.Counter(story.folder)
        servers = {name: pid_of(cluster, name) for name in ("kube-apiserver", "etcd")}

        def turn_of(who, turn, scheduler, begin, end):
            space = f"{who}-{turn}"
            pods(cluster, space, count, scheduler)
            before = {name: cpu_seconds(pid) for name, pid in servers.items()}
            binder = begin(space)
            wait_for(lambda: done.of(space) == count, 300, lambda: f"{done.of(space)} of {count} pods of {space} are bound", pause=0.25)
            for name, pid in servers.items():
                costs.setdefault(who, {}).setdefault(name, []).append(cpu_seconds(pid) - before[name])
            costs[who].setdefault("itself", []).append(cpu_seconds(binder))
            end()

        def kube(_):
            cluster.script("control-plane", "start", "kube-scheduler")
            return pid_of(cluster, "kube-scheduler")

        operators = []

        def lips(space):
            operators.append(Operator(cluster, {"leaderElection": {"enabled": False}}, name=space).start())
            return operators[-1].child.pid

        loops = []

        def loop(space):
            loops.append(subprocess.Popen([bare, cluster.kubeconfig, space, "32"], stdout=subprocess.DEVNULL))
            return loops[-1].pid

        for turn in range(rounds):
            turn_of("kube", turn, "default-scheduler", kube, lambda: cluster.script("control-plane", "stop", "kube-scheduler"))
            turn_of("lips", turn, "lips", lips, lambda: operators[-1].end())
            turn_of("bare", turn, "nobody", loop, lambda: loops[-1].wait(60))
        check_placement(story, cluster, done.bound)
    requests = audit.bindings(story.folder)
    rates = {}
    for who in ("kube", "lips", "bare"):
        each = [audit.rate([r for r in requests if r.pod[0] == f"{who}-{turn}"]) for turn in range(rounds)]
        rates[who] = sum(each) / rounds
        story.say(f"{who}: {', '.join(f'{x:.0f}' for x in each)} pods/s; CPU ms a pod: " + ", ".join(
            f"{name} {sum(each) * 1000 / count / rounds:.2f}" for name, each in costs[who].items()))
    story.figure(f"{count} pods on {nodes} nodes, pods/s", f"LiPS {rates['lips']:.0f}, kube-scheduler {rates['kube']:.0f}, bare loop {rates['bare']:.0f}")
    cpu = {who: sum(sum(each) for each in parts.values()) * 1000 / count / rounds for who, parts in costs.items()}
    story.figure("CPU of server, etcd and scheduler a pod, ms", ", ".join(f"{name} {cpu[who]:.2f}" for who, name in (
        ("lips", "LiPS"), ("kube", "kube-scheduler"), ("bare", "bare loop"))))
    # Figures from a busy machine mean little: the thresholds are for --full.
    story.figure("of kube-scheduler's rate", rates["lips"] / rates["kube"], "times", at_least=2.0 if story.full else None)
    story.figure("of the bare loop's rate", rates["lips"] / rates["bare"], "times", at_least=0.9 if story.full else None)
