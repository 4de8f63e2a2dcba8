"""Pods keep their scheduler and get a zone: kube-scheduler binds every one where its data is, even if the operator is killed on the way."""
import collections
import random
import time

from kit import audit, objects
from kit.cluster import Cluster, need_tools, wait_for
from kit.operator import Operator
from kit.recorder import Recorder
from kit.steering import GATE, gate_pods, gates

LIMIT = 300
DATA_ZONE = "zone-b"
LEASE = {"leaseDuration": "3s", "renewDeadline": "2s", "retryPeriod": "500ms"}


def job(name, space, tasks, notes=None):
    return objects.indexed_job(name, tasks, space=space, scheduler="default-scheduler", run_for="4s",
                               annotations={"lips.dev/cpu-seconds": "4", **(notes or {})})


def tell(story):
    need_tools("helm")
    jobs, tasks = (20, 40) if story.full else (4, 20)
    draw = random.Random(story.seed)
    with Cluster(story, scheduler=True, record_bindings=True) as cluster:
        api = cluster.api
        cluster.install_custom_resources()
        # Each zone has room for all, so no pod has a reason to leave the zone of the data; kube-scheduler alone would spread them.
        cores = (jobs + 1) * tasks // 3 + tasks
        cluster.add_nodes([objects.fake_node(f"node-{i}", objects.ZONES[i % 3], cores=cores, memory="512Gi", pods=1000, instance_type="m7g.16xlarge",
                                             capacity_type="spot" if i % 2 else "on-demand") for i in range(9)])
        zone_of = {f"node-{i}": objects.ZONES[i % 3] for i in range(9)}
        for space, labels in (("etl", {"lips.dev/mode": "steer"}), ("web", {})):
            api.create({**objects.namespace(space), "metadata": {"name": space, "labels": labels}})
        for space in ("etl", "web"):
            wait_for(lambda space=space: any(s["metadata"]["namespace"] == space for s in api.list("ServiceAccount")), 30, f"{space} has no service account")
        # All data is in one zone, and remote reads are expensive.
        api.create(objects.node_store("store", "node-1", DATA_ZONE, endpoint="http://files.example"))
        api.create(objects.data_set("books", 200, {"store": "0-199"}, block_size="512Mi", space="etl"))
        gate_pods(cluster, "etl")
        with Recorder(cluster) as seen:
            first = {}  # as each pod was made
            changed = []  # pods of other namespaces that carry anything of ours
            def watch(event, pod):
                meta = pod["metadata"]
                first.setdefault(meta["uid"], pod)
                if meta["namespace"] != "etl" and (gates(pod) or any(key.startswith("lips.dev/s") for key in meta.get("annotations", {}))
                                                   or pod["spec"].get("nodeSelector")):
                    changed.append(meta["name"])
            seen.watchers["Pod"].append(watch)
            operator = Operator(cluster, {"mode": "steer", "leaderElection": LEASE}, kubeconfig=cluster.second_kubeconfig()).start()
            operator.wait_ready()
            api.create(job("others", "web", tasks))
            wanted = jobs * tasks
            ours = lambda: seen.of(scheduler="default-scheduler", space="etl")
            kills, waiting = 0, 0
            for i in range(jobs):
                wait_for(operator.leads, 30, "the operator does not lead", pause=0.02)
                api.create(job(f"job-{i}", "etl", tasks, {"lips.dev/dataset": "books", "lips.dev/tasks": str(tasks)}))
                wait_for(lambda: len(ours()) > i * tasks, 30, "the Job makes no pods", pause=0.002)
                time.sleep(draw.uniform(0, 0.15))
                operator.kill()
                kills += 1
                waiting += sum(1 for s in ours() if gates(s.pod))
                operator.start()
            wait_for(lambda: len(seen.finished(scheduler="default-scheduler", space="etl")) >= wanted, 400 if story.full else 180,
                     lambda: f"{sum(1 for s in ours() if s.ended_at)} of {wanted} pods have finished", pause=0.5)
            wait_for(lambda: len(seen.finished(scheduler="default-scheduler", space="web")) >= tasks, 60, "the pods of another namespace do not end")
            story.check(not seen.broken, lambda: "; ".join(seen.broken[:5]))
            ungated = [pod["metadata"]["name"] for uid, pod in first.items() if pod["metadata"]["namespace"] == "etl" and gates(pod) != [GATE]]
            story.check(not ungated, f"not gated when they were made: {ungated[:5]}")
            story.check(not changed, f"pods of other namespaces were changed: {changed[:5]}")
            left = [s.name for s in seen.pods.values() if gates(s.pod)]
            story.check(not left, f"still gated: {left[:5]}")
            astray = [s.name for s in ours() if s.pod["spec"].get("nodeSelector", {}).get("topology.kubernetes.io/zone") != zone_of[s.node]]
            story.check(not astray, f"not in the zone of their selector: {astray[:5]}")
            without = [s.name for s in ours() if "lips.dev/input" not in s.pod["metadata"].get("annotations", {})]
            story.check(not without, f"nobody told them where to read: {without[:5]}")
            binders = collections.Counter(b.user for b in audit.bindings(story.folder) if b.pod[0] == "etl" and b.code < 300)
            story.check(set(binders) == {"admin"}, f"bindings by {dict(binders)}: the operator is 'second', kube-scheduler 'admin'")
            story.check(len(ours()) == wanted, f"{len(ours())} pods were made for {wanted} tasks")
            story.figure("pods gated when they were made, and bound, each once", len(ours()))
            story.figure("share of them in the zone of their data", sum(zone_of[s.node] == DATA_ZONE for s in ours()) / wanted, at_least=1.0)
            story.figure("kills of the operator meanwhile", kills)
            story.figure("pods that were gated when it was killed", waiting, at_least=1)
            story.figure("sent to that zone by the last process, as it counts", int(operator.metric("lips_steered_total", pool="etl", zone=DATA_ZONE)))
            story.figure("bindings by kube-scheduler, none by the operator", binders["admin"])
            story.figure("pods of another namespace, as they were made", len(seen.of(scheduler="default-scheduler", space="web")))

            fall_back(story, api, seen, operator, tasks)


def fall_back(story, api, seen, operator, tasks):
    """A pool that has overspent its budget is left to its scheduler, and steered again once the budget is raised."""
    zones = lambda name: [s.pod["spec"].get("nodeSelector", {}).get("topology.kubernetes.io/zone") for s in seen.of(scheduler="default-scheduler", space="etl")
                          if s.name.startswith(name + "-")]
    ended = lambda name: [s for s in seen.finished(scheduler="default-scheduler", space="etl") if s.name.startswith(name + "-")]

    def run(name):
        api.create(job(name, "etl", tasks, {"lips.dev/dataset": "books", "lips.dev/tasks": str(tasks)}))
        wait_for(lambda: len(ended(name)) >= tasks, 120, lambda: f"{len(ended(name))} of {tasks} pods of {name} have finished", pause=0.5)

    def steered():
        conditions = api.get("Pool", "etl").get("status", {}).get("conditions", [])
        return next((c for c in conditions if c["type"] == "Steered"), None)

    api.create(objects.pool("etl", targets={"budgetPerDay": "0.0001"}))
    run("spends")
    wait_for(lambda: steered() is not None, 90, "the Pool does not say that it is left alone", pause=0.5)
    condition = steered()
    story.check((condition["status"], condition["reason"]) == ("False", "BudgetOverspent"), f"the Pool says {condition}")
    story.figure("alert's metric of a pool that is left alone", int(operator.metric("lips_pool_left_alone", pool="etl", reason="BudgetOverspent")), at_least=1)
    run("alone")
    story.check(not any(zones("alone")), lambda: f"steered though the budget is spent: {zones('alone')}")
    api.patch("Pool", "etl", {"spec": {"targets": {"budgetPerDay": "1000"}}})
    wait_for(lambda: steered() is None, 90, "the Pool says that it is left alone though its budget was raised", pause=0.5)
    run("again")
    story.check(set(zones("again")) == {DATA_ZONE}, lambda: f"not steered to the data: {zones('again')}")
    story.figure("pods let go without a zone while the budget was overspent", len(zones("alone")), at_least=tasks)
