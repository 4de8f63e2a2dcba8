"""Reduces that arrive one by one, even after a restart, go where the maps ran, and their shuffle is charged once.

The maps have to run in the dear zone; the reduces may run anywhere. The pods of the maps are cleared away before the operator comes back.
"""
import re
import time

from kit import objects
from kit.cluster import Cluster, wait_for
from kit.operator import Operator
from kit.recorder import Recorder

LIMIT = 200
MAPS, REDUCES, SECONDS = 3, 4, 20
# The prices of the zones: the cheap one saves less than a cent by the minute, and 40 GiB across zones cost 80 cents.
PRICES = {"instances": {"test.cheap": 0.02, "test.dear": 0.08}}


def stage(name, kind, tasks, **more):
    return objects.indexed_job(name, tasks, run_for=f"{SECONDS if kind == 'reduce' else 1}s", cpu="1" if kind == "map" else "2", annotations={
        "lips.dev/job": "sort", "lips.dev/stage": kind, "lips.dev/shuffle": "40Gi", "lips.dev/cpu-seconds": "5"}, **more)


def dollars(operator, term):
    text = operator.ask("/metrics")[1]
    return sum(float(value) for value in re.findall(rf'lips_spend_dollars_total{{pool="default",term="{term}"}} (\S+)', text))


def tell(story):
    with Cluster(story) as cluster:
        api = cluster.api
        cluster.add_nodes([objects.fake_node("cheap", "zone-a", cores=16, instance_type="test.cheap"),
                           objects.fake_node("dear", "zone-b", cores=16, instance_type="test.dear")])
        settings = {"leaderElection": {"enabled": False}, "prices": PRICES}
        with Recorder(cluster) as seen:
            operator = Operator(cluster, settings).start().wait_ready()
            # The operator sees the Job before its pods, so that the Job carries what is to be remembered, not a pod that is deleted below.
            maps = stage("maps", "map", MAPS, nodeSelector={"topology.kubernetes.io/zone": "zone-b"})
            maps["spec"]["suspend"] = True
            api.create(maps)
            time.sleep(2)
            api.patch("Job", "maps", {"spec": {"suspend": False}})
            wait_for(lambda: len(seen.finished(job="maps")) == MAPS, 60, "the maps have not ended")
            api.create(stage("reduces", "reduce", REDUCES))
            wait_for(lambda: len(seen.bound(job="reduces")) == REDUCES, 30, "the reduces are not bound")
            written = lambda: api.get("Job", "maps")["metadata"].get("annotations", {}).get("lips.dev/finished-maps")
            wait_for(lambda: written() == f"zone-b={MAPS}", 30, lambda: f"where the maps ran is written down as {written()}")
            wait_for(lambda: len(seen.finished(job="reduces")) == REDUCES, 90, "the reduces have not ended")
            story.check(dollars(operator, "shuffle") == 0, lambda: f"reduces beside their maps pay {dollars(operator, 'shuffle')} USD for shuffle")
            spent = dollars(operator, "cpu")
            least = REDUCES * SECONDS * 2 * 0.08 / 16 / 3600
            story.check(least * 0.9 < spent < least * 2, lambda: f"{spent} USD of CPU for pods that were there {SECONDS} s each ({least} USD)")
            operator.end()
            for pod in api.list("Pod"):
                if pod["metadata"]["name"].startswith("maps-"):
                    api.delete("Pod", pod["metadata"]["name"])
            operator = Operator(cluster, settings, name="lips-1").start().wait_ready()
            for i in range(REDUCES):
                api.create(stage(f"late-{i}", "reduce", 1))
                wait_for(lambda: len(seen.bound(job=f"late-{i}")) == 1, 30, f"late-{i} is not bound")
            late = [pod for i in range(REDUCES) for pod in seen.of(job=f"late-{i}")]
            story.check(all(pod.node == "dear" for pod in late), lambda: f"reduces after the restart: {[pod.node for pod in late]}")
            # One that has to run in the other zone pays its share of the shuffle: a ninth by then, not all of it.
            api.create(stage("far", "reduce", 1, nodeSelector={"topology.kubernetes.io/zone": "zone-a"}))
            wait_for(lambda: len(seen.finished(job="far")) == 1, 90, "the far reduce has not ended")
            share = 40 * 2**30 / 1e9 * 0.02 / (2 * REDUCES + 1)
            wait_for(lambda: dollars(operator, "shuffle") > 0, 15, "no shuffle is paid")
            paid = dollars(operator, "shuffle")
            story.check(not seen.broken, lambda: "; ".join(seen.broken))
    story.figure("shuffle that the far reduce is charged, over its share", paid / share, at_least=0.98, at_most=1.02)
