"""Pods are bound at least twice as fast as kube-scheduler does it on the same server, and nearly as fast as a loop that decides nothing.

In turn: the same nodes and as many pods each, made while nobody schedules; rates as the API server recorded the bindings.
"""
import os
import subprocess

from kit import audit, objects
from kit.cluster import Cluster, wait_for
from kit.operator import Operator
from kit.recorder import Recorder
from kit.story import Missing

LIMIT, FULL_LIMIT = 300, 1200


def pods(cluster, space, count, scheduler):
    cluster.api.create(objects.namespace(space))
    wait_for(lambda: cluster.api.find("ServiceAccount", "default", space), 30, f"no service account in {space}")
    cluster.api.create_all(objects.pod(f"{space}-{i}", space, scheduler, cpu="100m") for i in range(count))


def tell(story):
    nodes, count, rounds = (1000, 5000, 2) if story.full else (200, 600, 2)
    bare = os.path.join(os.path.dirname(story.lips), "bare_bind")
    if not os.access(bare, os.X_OK):
        raise Missing(f"no program {bare}")
    # Nobody runs the pods: what is measured is binding alone.
    with Cluster(story, scheduler=True, kwok=False, record_bindings=True, own_nodes=True) as cluster:
        cluster.script("control-plane", "stop", "kube-scheduler")
        cluster.api.create_all(objects.ready_node(f"node-{i}", objects.ZONES[i % 3], cores=32, pods=1000) for i in range(nodes))
        with Recorder(cluster) as seen:
            for turn in range(rounds):
                space = f"kube-{turn}"
                pods(cluster, space, count, "default-scheduler")
                cluster.script("control-plane", "start", "kube-scheduler")
                wait_for(lambda: len(seen.bound(scheduler="default-scheduler", space=space)) == count, 300, f"{space} is not bound")
                cluster.script("control-plane", "stop", "kube-scheduler")

                space = f"lips-{turn}"
                pods(cluster, space, count, "lips")
                operator = Operator(cluster, {"leaderElection": {"enabled": False}}, name=space).start()
                wait_for(lambda: len(seen.bound(space=space)) == count, 300, f"{space} is not bound")
                operator.end()

                space = f"bare-{turn}"
                pods(cluster, space, count, "nobody")
                subprocess.run([bare, cluster.kubeconfig, space, "32"], check=True, stdout=subprocess.DEVNULL)
                wait_for(lambda: len(seen.bound(scheduler="nobody", space=space)) == count, 300, f"{space} is not bound")
            broken = [text for text in seen.broken if " bare-" not in text]  # the loop that decides nothing may overcommit
            story.check(not broken, lambda: "; ".join(broken[:5]))
    requests = audit.bindings(story.folder)
    rates = {}
    for who in ("kube", "lips", "bare"):
        each = [audit.rate([r for r in requests if r.pod[0] == f"{who}-{turn}"]) for turn in range(rounds)]
        rates[who] = sum(each) / rounds
        story.say(f"{who}: {', '.join(f'{x:.0f}' for x in each)} pods/s")
    story.figure(f"{count} pods on {nodes} nodes, pods/s", f"LiPS {rates['lips']:.0f}, kube-scheduler {rates['kube']:.0f}, bare loop {rates['bare']:.0f}")
    # A busy machine says little: the bars are for --full.
    story.figure("of kube-scheduler's rate", rates["lips"] / rates["kube"], "times", at_least=2.0 if story.full else None)
    story.figure("of the bare loop's rate", rates["lips"] / rates["bare"], "times", at_least=0.9 if story.full else None)
