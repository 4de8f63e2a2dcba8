"""The attacks of a tenant of a namespace on the others, each made of objects that Kubernetes' role `edit` and the chart's `batch-user` allow.

By hand, as that tenant (kit.tenants writes such a kubeconfig), until Ctrl-C:
    PYTHONPATH=e2e python3 -m kit.attacks --kubeconfig FILE --space NAMESPACE [--count N] [--rate N] [--seed N] NAME
"""
import argparse
import datetime
import itertools
import json
import random
import signal
import threading
import time

from kit import api as kube
from kit import objects
from kit.together import together

LARGE = "2"       # cores: the pods of an attack fill what is free for such, and the rest of them waits in every plan
SMALL = "10m"
NOBODY = "nobody"  # a scheduler that does not exist
YEAR = "8784h"     # the longest run time that counts
STORES = [f"store-{zone}" for zone in objects.ZONES]  # of the story's administrator
SLOW_CLASS = "slow"  # a StorageClass whose volumes never come
ATTACKS = {}


class Attack:
    """`make(space, dice, count)` yields its objects; `go_on(api, space, dice, stop)` then acts until `stop` is set."""

    def __init__(self, name, about, count, full_count, quota=None):
        """`quota`: the hard limits of the namespace, {} for none."""
        self.name, self.about, self.count, self.full_count, self.quota = name, about, count, full_count, quota or {}
        self.make, self.go_on = None, None


def attack(about, count, full_count, quota=None):
    def register(make):
        found = ATTACKS[make.__name__] = Attack(make.__name__, about, count, full_count, quota)
        found.make = make
        return make
    return register


def going_on(name):
    def register(act):
        ATTACKS[name].go_on = act
        return act
    return register


def notes(**found):
    return {"lips.dev/" + key.replace("_", "-"): text for key, text in found.items()}


def pods(space, name, count, **more):
    return (objects.pod(f"{name}-{i}", space, **more) for i in range(count))


def node_affinity(terms):
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}


def names_of_nodes(dice, count):
    return [f"node-{dice.randrange(5000)}" for _ in range(count)]


def soon(dice):
    return (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=dice.randrange(60, 6 * 3600))).strftime("%Y-%m-%dT%H:%M:%SZ")


def job_of(space, name, tasks, at_once=1, on_job=None, **more):
    found = objects.indexed_job(name, tasks, space, **more)
    found["spec"]["parallelism"] = at_once
    found["metadata"]["annotations"] = on_job or {}
    return found


# ---- pods ----

@attack("pods of a few bytes with the largest, the smallest and impossible numbers in annotations", 300, 3000)
def extreme_numbers(space, dice, count):
    said = {"tasks": ["100000", "2147483647", "9223372036854775807", "18446744073709551616", "0", "-1"],
            "cpu-seconds": ["1e9", "1e-300", "1e308", "nan", "inf"], "cpu-seconds-per-mebibyte": ["1e6", "0"], "run-time": [YEAR, "0.001s", "1e300s"],
            "shuffle": ["1000000000Mi", "1Ei", "0"], "stage": ["map", "reduce"], "max-wait": ["1s", "0s", YEAR],
            "complete-by": ["2020-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "00:00"], "job": [f"job-{i}" for i in range(5)]}
    for i in range(count):
        keys = dice.sample(sorted(said), dice.randrange(1, 5))
        # The first of each is what counts; others make sense to nobody.
        annotations = {"lips.dev/" + key: said[key][0] if dice.random() < 0.7 else dice.choice(said[key]) for key in keys}
        yield objects.pod(f"pod-{i}", space, annotations=annotations, cpu=LARGE, priorityClassName=dice.choice(["", "system-node-critical"]))


@attack("pods that fit nowhere", 400, 5000)
def fits_nowhere(space, dice, count):
    for i in range(count):
        yield objects.pod(f"pod-{i}", space, cpu="900", nodeSelector={"disk": "none"} if dice.random() < 0.5 else {})


@attack("pods of which no two are alike: sizes, affinities, tolerations", 300, 3000)
def own_classes(space, dice, count):
    for i in range(count):
        affinity = node_affinity([{"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "NotIn", "values": names_of_nodes(dice, 5)}]}])
        yield objects.pod(f"pod-{i}", space, cpu=f"{1500 + i}m", memory=f"{65536 + dice.randrange(10**6)}Ki", affinity=affinity, labels={"own": f"v{i}"},
                          tolerations=[{"key": f"key-{dice.randrange(10**6)}", "operator": "Exists"} for _ in range(20)])


@attack("pods with as many terms of node affinity as are compared, and of 0.8 MB with 8,000 of them", 60, 300)
def long_terms(space, dice, count):
    term = lambda names: {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": names}]}
    for i in range(count):
        terms = [term(names_of_nodes(dice, 1)) for _ in range(8000)] if i % 10 == 9 else [term(names_of_nodes(dice, 5)) for _ in range(199)]
        preferred = [{"weight": 1, "preference": term(names_of_nodes(dice, 3))} for _ in range(50)]
        affinity = node_affinity(terms)
        affinity["nodeAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"] = preferred
        yield objects.pod(f"pod-{i}", space, cpu=LARGE, affinity=affinity)


def unsociable(space, name, dice, terms):
    """A pod of nobody's, on a node that its tenant has chosen, whose anti-affinity keeps out some of the tenant's own."""
    terms = [{"topologyKey": "kubernetes.io/hostname",
              "labelSelector": {"matchExpressions": [{"key": "app", "operator": "In", "values": [f"app-{dice.randrange(500)}" for _ in range(10)]}]}}
             for _ in range(terms)]
    return objects.pod(name, space, NOBODY, labels={"app": f"app-{dice.randrange(500)}"}, cpu="1m", memory="1Mi", nodeName=f"node-{dice.randrange(200)}",
                       affinity={"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}})


@attack("waiting pods beside running ones with dozens of terms of anti-affinity each, of which some come and go all the time", 300, 3000)
def anti_affinity(space, dice, count):
    for i in range(count // 4):
        yield unsociable(space, f"runs-{i}", dice, 30)
    for i in range(count - count // 4):
        yield objects.pod(f"waits-{i}", space, cpu=LARGE, labels={"app": f"app-{dice.randrange(500)}"})


@going_on("anti_affinity")
def replace_unsociable(api, space, dice, stop):
    for i in itertools.count():
        if stop.wait(0.1):
            return
        api.create(unsociable(space, f"new-{i}", dice, 30))
        if i >= 20:
            api.delete("Pod", f"new-{i - 20}", space, grace=0)


@attack("pods with annotations as large as they may be", 40, 200)
def large_annotations(space, dice, count):
    long = "x" * 250_000
    for i in range(count):
        key = dice.choice(["dataset", "job", "tasks", "complete-by", "pool", "memory", "input", "division", "other"])
        text = "s3a://lake/" + "x/" * 120_000 if key == "dataset" and i % 2 else long
        yield objects.pod(f"pod-{i}", space, annotations=notes(**{key: text}), cpu=LARGE)


@attack("annotations of waiting pods that change all the time", 100, 500)
def changing_annotations(space, dice, count):
    return pods(space, "pod", count, cpu=LARGE, annotations=notes(job="one", tasks="1000"))


@going_on("changing_annotations")
def change_annotations(api, space, dice, stop):
    names = [pod["metadata"]["name"] for pod in api.list("Pod", space)]
    while not stop.wait(0.01):
        change = notes(tasks=str(dice.randrange(1, 100000)), cpu_seconds=str(dice.randrange(1, 10**9)), job=f"job-{dice.randrange(9)}",
                       complete_by=soon(dice), shuffle=f"{dice.randrange(10**9)}Mi")
        labels = {f"label-{dice.randrange(50)}": f"v{dice.randrange(10**6)}"}
        api.patch("Pod", dice.choice(names), {"metadata": {"annotations": change, "labels": labels}}, space)


@attack("pods that are created and deleted at once", 50, 500)
def come_and_go(space, dice, count):
    return pods(space, "first", count, cpu=LARGE)


@going_on("come_and_go")
def replace_pods(api, space, dice, stop):
    for i in itertools.count():
        if stop.wait(0.01):
            return
        api.create(objects.pod(f"pod-{i}", space, cpu=dice.choice([SMALL, LARGE, "900"]), memory=f"{2**16 + i}Ki", annotations=notes(job=f"job-{i // 3}")))
        if i >= 5:
            api.delete("Pod", f"pod-{i - 5}", space, grace=0)


@attack("annotations that the operator writes itself, forged on pods and Jobs", 300, 3000)
def forged(space, dice, count):
    memory = json.dumps({"home": "zone-a", "priority": 1e308, "waits": [10**18] * 1000, "x": {"y": [None] * 1000}})
    said = {"steered": ["zone-a", "x"], "capacity-type": ["spot"], "input": ["file:///etc/shadow\n" * 1000, ""], "read-from": [STORES[0], "nowhere"],
            "memory": [memory, "{", "9" * 1000], "finished-maps": ['{"zone-a": 1e300}', "zone-a=999999999999999999999", "zone-a=1000000"],
            "memory-of": ["job-0", "job-1"], "division": ["0-999999999", "[" * 1000, "1000000:1"], "kept-for": [YEAR, "-1s"], "order": ["job-0"],
            "pool": ["victim", "default", "kube-system"], "expected-at": ["2020-01-01T00:00:00Z"], "restore-checked": ["1"]}
    for i in range(count):
        keys = dice.sample(sorted(said), dice.randrange(1, 6))
        annotations = {"lips.dev/" + key: dice.choice(said[key]) for key in keys} | notes(job=f"job-{i % 7}", tasks="100000")
        labels = {"lips.dev/for-namespace": "victim", "lips.dev/for-job": "a", "lips.dev/move": "x", "lips.dev/role": "serve"}
        if i % 10 == 0:
            yield job_of(space, f"job-{i}", 100, on_job=annotations, annotations=annotations, labels=labels, cpu=LARGE)
        else:
            # Some name nobody's scheduler, as a pod of another scheduler that LiPS has steered.
            scheduler = NOBODY if i % 3 == 0 else "lips"
            where = {"topology.kubernetes.io/zone": dice.choice(objects.ZONES), "karpenter.sh/capacity-type": "spot"} if i % 3 == 0 else {}
            yield objects.pod(f"pod-{i}", space, scheduler, annotations, labels, cpu=SMALL if i % 3 == 0 else LARGE, nodeSelector=where)


# ---- applications ----

@attack("gangs of a hundred thousand peers that never come", 100, 1000, {"requests.cpu": "40"})
def gangs(space, dice, count):
    for i in range(count):
        name = f"gang-{i // 2}"
        labels, annotations = [({"kueue.x-k8s.io/pod-group-name": name}, {"kueue.x-k8s.io/pod-group-total-count": "100000"}),
                               ({"ray.io/cluster": name}, notes(tasks="100000", complete_by="2020-01-01T00:00:00Z")),
                               ({"training.kubeflow.org/job-name": name}, notes(tasks="100000", shuffle="1000000000Mi"))][i // 2 % 3]
        yield objects.pod(f"{name}-{i % 2}", space, labels=labels, annotations=annotations, cpu=dice.choice(["100m", "1"]))


def driver(space, i, by_properties):
    """A Spark driver whose executors nobody will create, and what it mounts."""
    found = objects.pod(f"driver-{i}", space, cpu="100m", labels={"spark-role": "driver", "spark-app-selector": f"spark-{i}", "spark-app-name": f"app-{i}"},
                        annotations={} if by_properties else notes(tasks="100000"))
    if not by_properties:
        return [found]
    name = f"driver-{i}-conf-map"
    found["spec"]["volumes"] = [{"name": "spark-conf-volume-driver", "configMap": {"name": name}}]
    properties = {"spark.executor.instances": "100000", "spark.executor.cores": "2", "spark.executor.memory": "1g"}
    text = "".join(f"{key}={value}\n" for key, value in properties.items())
    return [found, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": space}, "data": {"spark.properties": text}}]


@attack("drivers that announce a hundred thousand executors, which nobody creates; new ones all the time", 20, 200, {"requests.cpu": "40"})
def drivers(space, dice, count):
    for i in range(count):
        yield from driver(space, i, i % 2)


@going_on("drivers")
def more_drivers(api, space, dice, stop):
    for i in itertools.count(10**6):
        if stop.wait(1):
            return
        for obj in driver(space, i, i % 2):
            api.create(obj)


# ---- Jobs ----

@attack("Jobs of one task each", 200, 2000)
def small_jobs(space, dice, count):
    for i in range(count):
        yield job_of(space, f"job-{i}", 1, cpu=LARGE, annotations=notes(cpu_seconds=str(dice.randrange(1, 10**6))))


@attack("a Job of a million tasks, as many of them at once as count", 300, 3000)
def huge_job(space, dice, count):
    found = job_of(space, "huge", 1_000_000, count, cpu=LARGE, annotations=notes(run_time=YEAR, shuffle="1000000000Mi"))
    found["spec"]["completionMode"] = "NonIndexed"
    yield found


@attack("suspended Jobs that say when they will come, with the most work that can be declared", 200, 3000)
def announcements(space, dice, count):
    for i in range(count):
        found = job_of(space, f"job-{i}", 100_000, 10_000, on_job={"lips.dev/expected-at": soon(dice), "lips.dev/expected-chance": dice.choice(["1", "1e-9"])},
                       annotations=notes(run_time=YEAR), cpu=LARGE)
        found["spec"]["suspend"] = True
        yield found


@attack("CronJobs with a run in each minute, and suspended ones", 100, 1000)
def cron_jobs(space, dice, count):
    for i in range(count):
        job = objects.indexed_job("run", 1000, space, cpu=LARGE, annotations=notes(run_time=YEAR))["spec"]
        job["parallelism"] = 1
        yield {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": f"cron-{i}", "namespace": space},
               "spec": {"schedule": "* * * * *" if i % 4 else "*/1 */1 1-31 * *", "timeZone": dice.choice(["UTC", "Asia/Kolkata"]), "suspend": i % 5 == 0,
                        "jobTemplate": {"spec": job}}}


# ---- data ----

@attack("DataSets of blocks of one byte, each within all limits and all together not, one of a million blocks in every store, and pods that read them", 18, 40)
def many_blocks(space, dice, count):
    sets = count // 2
    yield objects.data_set("set-0", 1_000_000, {store: "0-999999" for store in STORES}, block_size="1", space=space)
    for i in range(1, sets):
        yield objects.data_set(f"set-{i}", 250_000, {STORES[i % 3]: "0-249999"}, block_size="1", space=space)
    for i in range(count - sets):
        yield objects.pod(f"pod-{i}", space, cpu=LARGE, annotations=notes(dataset=f"set-{i % sets}"))


@attack("tiny DataSets, and pods that read all of them by a path", 200, 3000)
def tiny_sets(space, dice, count):
    for i in range(count):
        store = dice.choice(STORES)
        files = [{"path": f"{space}/set-{i}/part-{part}", "size": 1} for part in range(3)]
        yield objects.custom("DataSet", f"set-{i}", {"files": files, "stores": [{"name": store}], "readers": ["*"]}, space)
        if i % 4 == 0:
            yield objects.pod(f"pod-{i}", space, cpu=LARGE, annotations=notes(dataset=f"s3a://bucket-{store[6:]}/{space}" if i % 8 else f"set-{i}"))


@attack("DataSets that ask for a listing of their folder in each second", 60, 400)
def listings(space, dice, count):
    for i in range(count):
        listing = {"store": dice.choice(STORES), "path": f"{space}/set-{i}"}
        yield objects.custom("DataSet", f"set-{i}", {"discover": {"listing": listing, "everySeconds": 1}}, space)


def claim(space, name):
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name, "namespace": space},
            "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": SLOW_CLASS, "resources": {"requests": {"storage": "1Gi"}}}}


@attack("pods with claims whose volumes never come, and claims that change all the time", 100, 1000)
def claims(space, dice, count):
    for i in range(count):
        yield claim(space, f"claim-{i}")
        yield objects.pod(f"pod-{i}", space, cpu=SMALL, volumes=[{"name": "data", "persistentVolumeClaim": {"claimName": f"claim-{i}"}}])


@going_on("claims")
def change_claims(api, space, dice, stop):
    names = [found["metadata"]["name"] for found in api.list("PersistentVolumeClaim", space)]
    while not stop.wait(0.05):
        api.patch("PersistentVolumeClaim", dice.choice(names), {"metadata": {"annotations": {"changed": str(dice.random())}}}, space)


# ---- how one is made ----

class Maker:
    """Makes an attack's objects at so many a second at most. Counts those that are made, and the server's refusals by their first words."""

    def __init__(self, api, rate):
        self.api, self.rate = api, rate
        self.made, self.refused, self.lock = 0, {}, threading.Lock()

    def make(self, obj):
        try:
            self.api.create(obj)
        except kube.ApiError as error:
            self.refuse(error)
        else:
            with self.lock:
                self.made += 1

    def refuse(self, error):
        with self.lock:
            words = f"{error.code} {error.message}"[:200]
            self.refused[words] = self.refused.get(words, 0) + 1

    def make_all(self, found, stop, workers=4):
        begin, number, next_one = time.monotonic(), itertools.count(), threading.Lock()
        found = iter(found)

        def work():
            while not stop.is_set():
                with next_one:
                    obj, i = next(found, None), next(number)
                if obj is None:
                    return
                stop.wait(max(0.0, begin + i / self.rate - time.monotonic()))
                self.make(obj)

        together(work, workers)

    def counts(self):
        return {"made": self.made, "refused": self.refused}


def carry_out(found, maker, space, dice, count, stop):
    """Prints once what it has made, and once more at its end, how often it has acted since."""
    maker.make_all(found.make(space, dice, count), stop)
    print(json.dumps(maker.counts()), flush=True)
    while not stop.is_set() and found.go_on:
        try:
            found.go_on(maker.api, space, dice, stop)
        except kube.ApiError as error:  # such as a quota that is used up, or an object that is gone
            maker.refuse(error)
            stop.wait(0.2)
    stop.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=sorted(ATTACKS), metavar="NAME", help=", ".join(f"{a.name}: {a.about}" for a in ATTACKS.values()))
    parser.add_argument("--kubeconfig", required=True)
    parser.add_argument("--space", required=True, help="the tenant's namespace")
    parser.add_argument("--count", type=int, help="of objects, or what the attack counts")
    parser.add_argument("--rate", type=float, default=100, help="of objects a second (100)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    found = ATTACKS[options.name]
    maker = Maker(kube.Api(options.kubeconfig), options.rate)
    carry_out(found, maker, options.space, random.Random(options.seed), options.count or found.count, stop)


if __name__ == "__main__":
    main()
