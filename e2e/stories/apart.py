"""Pods of others keep LiPS off their node by anti-affinity that selects namespaces: of equal pods, one for kube-scheduler and one for LiPS, both start or none."""
import time

from kit import objects
from kit.cluster import Cluster, wait_for
from kit.operator import Operator

SCHEDULERS = ("default-scheduler", "lips")
HOST = "kubernetes.io/hostname"
SPACES = {"owner": {}, "team-a": {"team": "a"}, "team-b": {"team": "b"}, "both": {"team": "a", "tier": "test"}}


def labels(**wanted):
    return {"namespaceSelector": {"matchLabels": wanted}}


def expression(key, relation, *values):
    return {"namespaceSelector": {"matchExpressions": [{"key": key, "operator": relation, **({"values": list(values)} if values else {})}]}}


# Fields of a term whose pod is in the namespace owner.
TERMS = [{}, {"namespaces": ["team-a", "both"]}, {"namespaceSelector": {}}, {"namespaces": ["team-a"], "namespaceSelector": {}}, labels(team="a"),
         labels(team="a", tier="test"), {"namespaces": ["owner"], **labels(team="b")}, labels(**{"kubernetes.io/metadata.name": "team-b"}),
         expression("team", "In", "b", "c"), expression("team", "NotIn", "a"), expression("tier", "Exists"), expression("tier", "DoesNotExist")]


def holder(number):
    """On the only node already, whoever bound it."""
    term = {"topologyKey": HOST, "labelSelector": {"matchLabels": {"app": f"app-{number}"}}, **TERMS[number]}
    return objects.pod(f"holder-{number}", "owner", scheduler="nobody", cpu="10m", memory="1Mi", nodeName="node",
                       affinity={"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}})


def outcome(pod):
    """True: it is bound. False: its scheduler says that it cannot be. None: nobody has said."""
    if pod["spec"].get("nodeName"):
        return True
    told = [c for c in pod.get("status", {}).get("conditions", []) if c["type"] == "PodScheduled" and c["status"] == "False"]
    return False if told else None


def pairs(api, round_name):
    """By namespace and number of the term: what kube-scheduler and LiPS have made of equal pods so far."""
    found = {(pod["metadata"]["namespace"], pod["metadata"]["name"]): outcome(pod) for space in SPACES for pod in api.list("Pod", space)}
    return {(space, number): tuple(found[space, f"{round_name}-{number}-{scheduler}"] for scheduler in SCHEDULERS)
            for space in SPACES for number in range(len(TERMS))}


def compare(story, api, round_name):
    api.create_all(objects.pod(f"{round_name}-{number}-{scheduler}", space, scheduler=scheduler, cpu="10m", memory="1Mi", labels={"app": f"app-{number}"})
                   for space in SPACES for number in range(len(TERMS)) for scheduler in SCHEDULERS)
    made = {}

    def agree():
        made.update(pairs(api, round_name))
        return all(theirs is not None and theirs == ours for theirs, ours in made.values())

    try:
        wait_for(agree, 60, "they differ", pause=0.5)
    finally:
        for (space, number), (theirs, ours) in made.items():
            story.expect(theirs == ours, f"{round_name}: beside {TERMS[number]}, in {space}: bound by kube-scheduler: {theirs}, by LiPS: {ours}")
    story.figure(f"pairs kept out, {round_name}", sum(not ours for _, ours in made.values()), at_least=12)
    return len(made)


def tell(story):
    with Cluster(story, scheduler=True) as cluster:
        api = cluster.api
        cluster.add_nodes([objects.fake_node("node", cores=16, pods=1000)])
        for space, own in SPACES.items():
            api.create({**objects.namespace(space), "metadata": {"name": space, "labels": own}})
        for space in SPACES:
            wait_for(lambda: api.find("ServiceAccount", "default", space), 30, "no service account")
        api.create_all(holder(number) for number in range(len(TERMS)))
        Operator(cluster, {"leaderElection": {"enabled": False}}).start().wait_ready()
        compared = compare(story, api, "first")
        for space, change in {"team-b": {"team": "a"}, "both": {"team": "b", "tier": None}}.items():
            api.patch("Namespace", space, {"metadata": {"labels": change}})
        time.sleep(2)  # both schedulers have heard of it
        compared += compare(story, api, "later")
        story.figure("pairs of equal pods of which both schedulers made the same", compared)
