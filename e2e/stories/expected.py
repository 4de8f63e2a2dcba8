"""Pods do not wait for room in the cheap zone that the next run of a CronJob will take; without the CronJob they do.

One node of a cheap zone is busy for ten minutes, one of a dear zone is free. The CronJob's schedule is in a time zone of its own, and how much its run
will need comes from its template and from the run times of an earlier run. A list in a file announces jobs as well, and is read again when it changes.
So does a JobSet, whose kind is installed while the operator runs, by a Job that waits for another.
"""
import datetime
import json
import os
import time
import zoneinfo

from kit import foreign_kinds, objects
from kit.cluster import Cluster, wait_for
from kit.operator import Operator
from kit.recorder import Recorder
from kit.story import StoryFailed

LIMIT = 300
CORES, RUN = 4, 5  # of each node; seconds of a task of the CronJob
TASKS = 10_000
ZONE = "Asia/Kolkata"  # five and a half hours ahead of UTC
PATIENCE = 40  # seconds; the operator looks for announcements every 30


def cron_job(comes):
    local = comes.astimezone(zoneinfo.ZoneInfo(ZONE))
    job = objects.indexed_job("nightly", TASKS, "batch", run_for=f"{RUN}s")["spec"]
    return {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "nightly", "namespace": "batch"},
            "spec": {"schedule": f"{local.minute} {local.hour} * * *", "timeZone": ZONE, "jobTemplate": {"spec": {**job, "parallelism": CORES}}}}


def job_set():
    job = lambda seconds: {"spec": objects.indexed_job("step", CORES, "batch", annotations={"lips.dev/cpu-seconds": str(seconds)})["spec"]}
    steps = [{"name": "load", "template": job(300)}, {"name": "fit", "template": job(60), "dependsOn": [{"name": "load", "status": "Complete"}]}]
    return {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "train", "namespace": "batch"}, "spec": {"replicatedJobs": steps}}


def is_known(operator, job):
    try:
        return operator.answers("why", job, "-n", "batch")["standing"] != ""
    except StoryFailed:  # the controller has made none of its pods yet
        return False


def tell(story):
    with Cluster(story) as cluster:
        api = cluster.api
        api.create(objects.namespace("batch"))
        wait_for(lambda: api.find("ServiceAccount", "default", "batch"), 30, "no service account")
        cluster.add_nodes([objects.fake_node("cheap", "zone-a", CORES, instance_type="m7g.xlarge"),
                           objects.fake_node("dear", "zone-b", CORES, instance_type="r6i.xlarge")])
        announced = os.path.join(story.folder, "expected.yaml")
        operator = Operator(cluster, {"expected": {"file": announced}, "leaderElection": {"enabled": False}, "policy": {"settings": {"billing": "use", "waitingPrice": 0.5, "expressLimit": 0}}})

        with Recorder(cluster) as seen:
            bound = lambda job: [pod for pod in seen.bound() if pod.job == job]
            operator.start().wait_ready()
            api.create(objects.indexed_job("nightly-29000000", 2 * CORES, "batch", run_for=f"{RUN}s"))
            wait_for(lambda: len(seen.finished(job="nightly-29000000")) == 2 * CORES, 60, "the run of yesterday does not end")
            api.create(objects.indexed_job("fills", CORES, "batch", run_for="600s", annotations={"lips.dev/cpu-seconds": "600"}))
            wait_for(lambda: len(bound("fills")) == CORES, 30, "the cheap node is not filled")
            story.check(all(pod.node == "cheap" for pod in bound("fills")), "work that could run at once went to the dear zone")

            api.create(objects.indexed_job("waits", CORES, "batch", run_for="60s", annotations={"lips.dev/cpu-seconds": "60"}))
            began = time.monotonic()
            wait_for(lambda: is_known(operator, "waits"), 30, "no pod")
            time.sleep(PATIENCE)
            story.check(not bound("waits"), lambda: f"without an announcement {len(bound('waits'))} pods did not wait")
            story.check(operator.answers("expected") == [], "something is expected that nobody has announced")
            why = operator.answers("why", "waits", "-n", "batch")
            story.check(why["standing"] == "cheaper-later" and why["makesRoom"] is None, lambda: f"it says {why['sentence']}")
            story.figure("without an announcement pods wait", time.monotonic() - began, "s", at_least=PATIENCE)
            story.say(why["sentence"])

            comes = datetime.datetime.now(datetime.timezone.utc).replace(second=0, microsecond=0) + datetime.timedelta(minutes=9)
            api.create(cron_job(comes))
            began = time.monotonic()
            wait_for(lambda: len(bound("waits")) == CORES, PATIENCE + 20, lambda: f"{len(bound('waits'))} pods are bound; expected: {operator.answers('expected')}")
            story.figure("with it they start after", time.monotonic() - began, "s", at_most=PATIENCE)
            story.check(all(pod.node == "dear" for pod in bound("waits")), "a pod is not in the dear zone")
            expected = operator.answers("expected")
            story.check(len(expected) == 1 and expected[0]["job"] == f"batch/nightly-{int(comes.timestamp()) // 60}", lambda: f"expected: {expected}")
            left = comes.timestamp() - time.time()
            story.check(abs(expected[0]["expectedInSeconds"] - left) < 10, lambda: f"it comes in {left:.0f} s: {expected}")
            story.figure("CPU-seconds of a task, learned from the run before", expected[0]["cpuSeconds"] / TASKS, at_least=RUN, at_most=2 * RUN)
            story.say(operator.says("expected").strip())

            # The next pod that waits is told why it does not wait for the cheap zone.
            api.create(objects.indexed_job("next", CORES, "batch", run_for="60s", annotations={"lips.dev/cpu-seconds": "60"}))
            said = wait_for(lambda: (lambda answer: answer if answer.get("makesRoom") else None)(operator.answers("why", "next", "-n", "batch")), 30,
                            lambda: f"why: {operator.answers('why', 'next', '-n', 'batch')}")
            story.check(said["makesRoom"]["jobs"][0]["job"] == expected[0]["job"] and "zone-a" in said["makesRoom"]["jobs"][0]["roomCpuSecondsByZone"],
                        lambda: f"it makes room for {said['makesRoom']}")
            story.say(operator.says("why", "next", "-n", "batch").split("\n\n")[0])

            with open(announced, "w", encoding="utf-8") as file:
                file.write(f"- {{job: etl/listed, at: '{comes + datetime.timedelta(minutes=30):%Y-%m-%dT%H:%M:%SZ}', cpuSeconds: 7200, chance: 0.5}}\n"
                           "- {job: etl/wrong, at: soon, cpuSeconds: 1}\n")
            named = lambda: [job["job"] for job in operator.answers("expected")]
            wait_for(lambda: "etl/listed" in named(), PATIENCE, lambda: f"a list does not announce: {named()}", pause=1)
            story.check("etl/wrong" not in named() and len(named()) == 2, lambda: f"expected: {named()}")
            story.check(f"{announced}:2: 1.at: found 'soon'" in operator.log(), "the log does not name the wrong entry with its line")
            os.remove(announced)
            wait_for(lambda: operator.log().count("cannot read expected.file") == 2, 10, "the log does not say that the list is gone", pause=1)  # once before it was there
            story.check("etl/listed" in named(), "a list that cannot be read is forgotten")
            with open(announced, "w", encoding="utf-8") as file:
                file.write("[]\n")
            wait_for(lambda: "etl/listed" not in named(), PATIENCE, lambda: f"an empty list announces: {named()}", pause=1)
            foreign_kinds.install(cluster, "jobsets.jobset.x-k8s.io")
            train = os.path.join(story.folder, "train.json")
            with open(train, "w", encoding="utf-8") as file:
                json.dump(job_set(), file)
            cluster.kubectl("create", "-f", train)
            wait_for(lambda: "batch/train-fit-0" in named(), PATIENCE, lambda: f"a JobSet announces: {named()}", pause=1)
            fit = next(job for job in operator.answers("expected") if job["job"] == "batch/train-fit-0")
            story.check(fit["cpuSeconds"] == 60 * CORES and 295 < fit["expectedInSeconds"] <= 300, lambda: f"after the first Job: {fit}")
            story.check("batch/train-load-0" not in named(), "a Job that waits for nobody is expected")
            cluster.kubectl("delete", "-f", train)
            wait_for(lambda: "batch/train-fit-0" not in named(), 10, lambda: f"a JobSet that is gone announces: {named()}", pause=1)
            story.check(not seen.broken, lambda: "; ".join(seen.broken))
            story.check(operator.running(), "the operator ended")
