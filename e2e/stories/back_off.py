"""kube-controller-manager makes a Job's pods anew after the same pauses, and gives it up after as many failures, as on a virtual cluster."""
import datetime
import time

from kit import api as kube
from kit import karpenter, objects, tenants, witness
from kit.cluster import Cluster, holds, wait_for
from kit.recorder import Recorder

# The rules of operator/virtual/job_back_off.h: seconds after a first failure and after a first refusal, and how many failures a Job survives.
FIRST, FIRST_REFUSAL, SURVIVED = 10, 1, 6
AFTER_CHANGES = 1  # seconds from a change of a pod until the controller looks at its Job
EARLIER, LATER = 1, 1.5  # the controller knows whole seconds of a pod's end, and requests take time
EVICTED = {"one": 1, "two": 2, "three": 3}  # pods of each Job, all at once
NODE, FULL = "node", "full"


def pause(times, first=FIRST):
    """Each failure, or each refusal, doubles it."""
    return first * 2 ** (times - 1)


def job(name, tasks, **more):
    found = objects.indexed_job(name, tasks, run_for="1h", cpu="10m", backoff=SURVIVED, **more)
    found["spec"]["podFailurePolicy"] = objects.IGNORES_EVICTIONS
    return found


def evict(api, pods):
    """Returns when it asked for the last one."""
    for pod in pods:
        asked = time.monotonic()
        api.request("POST", kube.path("Pod", pod.space, pod.name) + "/eviction",
                    {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod.name, "namespace": pod.space}})
    return asked


def end(api, pod, code):
    """Plays the kubelet, with the container's end, which the controller reads. Returns when."""
    asked, now = time.monotonic(), datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    ended = {"name": "task", "image": "local.test/busybox:1", "imageID": "", "ready": False, "restartCount": 0,
             "state": {"terminated": {"exitCode": code, "startedAt": now, "finishedAt": now}}}
    api.patch("Pod", pod.name, {"status": {"phase": "Failed" if code else "Succeeded", "containerStatuses": [ended]}}, pod.space, "status")
    return asked


def tell(story):
    measured = []

    def in_time(what, seconds, least, most):
        measured.append(f"{what} {seconds:.1f} ({least:g} to {most:g})")
        story.expect(least <= seconds <= most, f"{what}: {seconds:.2f} s, not {least:g} to {most:g} s")

    with Cluster(story, stages=karpenter.stages(story.folder)) as cluster:
        api = cluster.api
        cluster.add_nodes([objects.fake_node(NODE)])
        api.create(objects.namespace(FULL))
        wait_for(lambda: api.find("ServiceAccount", "default", FULL), 30, f"no service account in {FULL}")
        tenants.limit(cluster, FULL, {"pods": "0"})
        with Recorder(cluster, kinds=("Pod", "Event")) as seen:
            pods = lambda name: sorted(seen.of(job=name), key=lambda pod: pod.name)
            since = lambda name, when: sorted(pod.appeared - when for pod in pods(name) if pod.appeared > when)
            status = lambda name: api.get("Job", name)["status"]
            refusals = lambda: [when for when, _, event in list(seen.history["Event"]) if event["reason"] == "FailedCreate"]

            def again(name, when, count, patience):
                """Seconds from then until the new pods come, all together."""
                came = wait_for(lambda: len(since(name, when)) >= count and since(name, when), patience,
                                lambda: f"{len(since(name, when))} of {count} new pods of {name} have come")
                story.expect(len(came) == count and came[-1] - came[0] <= 1, f"{count} new pods of {name} came after {came} s, not together")
                return came[0]

            # There is no scheduler: pods have a node from the start, but for those of many, of which two wait.
            api.create_all([job("many", SURVIVED + 4), *(job(name, count + 1, nodeName=NODE) for name, count in EVICTED.items())])
            wait_for(lambda: len(pods("many")) == SURVIVED + 4, 30, lambda: f"many has {len(pods('many'))} pods")
            fail, others = pods("many")[:SURVIVED + 1], pods("many")[SURVIVED + 1:]
            for pod in [*fail, others[0]]:
                witness.bind(api, pod.pod, NODE)
            run = lambda: sum(1 for name in ("many", *EVICTED) for pod in pods(name) if pod.running_at)
            wait_for(lambda: run() == SURVIVED + 2 + sum(count + 1 for count in EVICTED.values()), 30, lambda: f"{run()} pods run")
            evicted = {name: evict(api, pods(name)[:count]) for name, count in EVICTED.items()}

            # The quota is raised between the third try and the fourth.
            api.create(job("refused", 4, space=FULL, nodeName=NODE))
            tried = wait_for(refusals, 10, "no pod is refused")[0]
            due = [sum(pause(n, FIRST_REFUSAL) for n in range(1, tries)) for tries in range(1, 5)]
            time.sleep(max(0.0, tried + due[2] + 1.5 - time.monotonic()))
            api.request("PATCH", f"/api/v1/namespaces/{FULL}/resourcequotas/limits", {"spec": {"hard": {"pods": "10"}}}, "application/merge-patch+json")

            story.check(not since("three", evicted["three"]), "three has new pods before one of its pods has succeeded")
            succeeded = end(api, pods("three")[-1], 0)
            in_time("success after three evictions", again("three", succeeded, 3, 10), AFTER_CHANGES, AFTER_CHANGES + 2)
            came = again("refused", tried, 4, 30)
            tries = [*(when - tried for when in refusals()), came]
            story.check(len(tries) == len(due), lambda: f"pods were tried after {tries} s, not after {due}")
            for number in (1, 2, 3):
                in_time(f"try {number + 1}", tries[number], due[number] - 0.5, due[number] + LATER)

            says = lambda count: f"after {count} failures many says {status('many')}"
            for count, pod in enumerate(fail[:SURVIVED], 1):
                end(api, pod, 1)
                wait_for(lambda: status("many").get("failed") == count, 10, lambda: says(count))
            time.sleep(3)
            story.check(not status("many").get("conditions"), lambda: says(SURVIVED))
            failed = end(api, fail[-1], 1)
            wait_for(lambda: holds(api.get("Job", "many"), "Failed"), 10, lambda: says(SURVIVED + 1))
            reasons = {condition["reason"] for condition in status("many")["conditions"]}
            story.expect(reasons == {"BackoffLimitExceeded"}, f"many failed because of {reasons}")
            left = lambda: [pod.name for pod in pods("many") if pod.gone_at is None]
            wait_for(lambda: left() == [pod.name for pod in fail], 10, lambda: f"many failed, and its pods are {left()}")
            in_time("last failure until other pods are gone", max(pod.gone_at for pod in others) - failed, 0, 5)

            for name in ("one", "two"):
                count = EVICTED[name]
                in_time(f"{name} evicted", again(name, evicted[name], count, 30), pause(count) - EARLIER, pause(count) + LATER)
            for name in EVICTED:
                story.expect("failed" not in status(name), lambda: f"{name} says {status(name)}, though its policy ignores evictions")
    story.figure("seconds (allowed)", ", ".join(measured))
