"""A store of an erasure-coded data set is lost: readers of a lost block get k others of its stripe, and decode it byte for byte.

Real nodes and real bytes: `lips encode` makes the blocks, `lips decode` in the containers the lost ones.
"""
import hashlib
import os
import random
import shutil
import subprocess

from kit import objects
from kit.cluster import Cluster, wait_for
from kit.data import replicas
from kit.operator import Operator
from kit.recorder import Recorder

LIMIT = 240
LANE = "real nodes"
NATIVE, SIZE = 6, 1 << 20  # of 3 stripes, each with one parity block
LOST = (1, 3, 5)
# Parity block i of stripe i is number NATIVE + i. Each node holds only a part of the rest of each stripe, so tasks must fetch.
HELD = {"store-0": "0,2,7", "store-1": "4,6,8", "store-2": ",".join(map(str, LOST))}

READ = r"""
set -e
case "$INPUT" in
degraded:*)
  set --
  IFS=';'
  for part in $INPUT; do
    case "$part" in
    [0-9]*=http*)
      row=${part%%=*}
      wget -q -O "/tmp/$row" "${part#*=}"
      set -- "$@" --fetched "$row=/tmp/$row" ;;
    esac
  done
  unset IFS
  /srv/node/tool/run decode "$INPUT" "$@" --output /tmp/in
  in=/tmp/in ;;
http*) wget -q -O /tmp/in "$INPUT"; in=/tmp/in ;;
*) in=$INPUT ;;
esac
echo "$INPUT"
sha256sum < "$in"
"""


def put_program(lips, folder):
    """The program with the libraries that it loads, to run in a container that has neither."""
    os.makedirs(folder)
    found = subprocess.run(["ldd", lips], capture_output=True, text=True, check=True).stdout
    libraries = [word for line in found.splitlines() for word in line.split() if word.startswith("/")]
    loader = next(os.path.basename(path) for path in libraries if os.path.basename(path).startswith("ld-"))
    for path in [*libraries, lips]:
        shutil.copy(path, folder)
    with open(os.path.join(folder, "run"), "w", encoding="ascii") as file:
        file.write(f'#!/bin/sh\nexec /srv/node/tool/{loader} --library-path /srv/node/tool /srv/node/tool/{os.path.basename(lips)} "$@"\n')
    os.chmod(os.path.join(folder, "run"), 0o755)


def reading_job():
    env = [{"name": "INPUT", "valueFrom": {"fieldRef": {"fieldPath": "metadata.annotations['lips.dev/input']"}}}]
    task = objects.container("50m", "64Mi", command=["sh", "-c", READ], env=env, mounts=[{"name": "node", "mountPath": "/srv/node", "readOnly": True}])
    return objects.indexed_job("read", NATIVE, containers=[task], annotations={"lips.dev/dataset": "coded", "lips.dev/cpu-seconds": "1"},
                               volumes=[{"name": "node", "hostPath": {"path": "/srv/node", "type": "Directory"}}])


def tell(story):
    draw = random.Random(story.seed)
    with Cluster(story, real_nodes=2, scheduler=True, kwok=False) as cluster:
        api = cluster.api
        cluster.install_custom_resources()
        whole, blocks = os.path.join(cluster.folder, "whole"), os.path.join(cluster.folder, "blocks")
        with open(whole, "wb") as file:
            file.write(draw.randbytes(NATIVE * SIZE - 1000))  # the last block is shorter
        subprocess.run([story.lips, "encode", whole, "--code", "3,2", "--block-size", "1Mi", "--output", blocks], check=True, stdout=subprocess.DEVNULL)
        names = [f"block-{i:05}" for i in range(NATIVE)] + [f"parity-{i:05}" for i in range(NATIVE // 2)]
        hashes = [hashlib.sha256(open(os.path.join(blocks, name), "rb").read()).hexdigest() for name in names]
        for node in (0, 1):
            data = os.path.join(cluster.folder, "nodes", f"real-{node}", "data")
            put_program(story.lips, os.path.join(data, "tool"))
            folder = os.path.join(data, "data", "default", "coded")
            os.makedirs(folder)
            for block in map(int, HELD[f"store-{node}"].split(",")):
                shutil.copy(os.path.join(blocks, names[block]), folder)
        # The third node never comes up, and with it the store that holds one block of each stripe.
        lost = objects.ready_node("lost", "zone-c")
        lost["status"]["conditions"][0].update(status="False", reason="KubeletNotReady")
        api.create(lost)
        for i, node in enumerate(("real-0", "real-1", "lost")):
            api.create(objects.node_store(f"store-{i}", node, objects.ZONES[i]))
        api.create(objects.data_set("coded", NATIVE, HELD, str(SIZE), size=str(NATIVE * SIZE - 1000), erasureCode={"n": 3, "k": 2}))
        with Recorder(cluster) as seen:
            operator = Operator(cluster, {"leaderElection": {"enabled": False}, "policy": {"name": "degraded-first", "settings": {"heartbeat": "500ms"}}})
            operator.start().wait_ready()
            wait_for(lambda: replicas(api.get("DataSet", "coded")), 30, "the data set has no replicas in its status")
            served = lambda: [s["metadata"]["name"] for s in api.list("DataStore") if s.get("status", {}).get("endpoint")]
            wait_for(lambda: {"store-0", "store-1"} <= set(served()), 60, lambda: f"only {served()} are served")
            api.create(reading_job())
            wait_for(lambda: len(seen.finished(job="read")) == NATIVE, 90, lambda: f"{len(seen.finished(job='read'))} of {NATIVE} tasks have ended", pause=0.5)
            decoded = 0
            for task in seen.of(job="read"):
                story.check(task.pod["status"]["phase"] == "Succeeded", f"{task.name}: {task.pod['status']}")
                block = int(task.pod["metadata"]["annotations"]["batch.kubernetes.io/job-completion-index"])
                told, found = api.request("GET", f"/api/v1/namespaces/default/pods/{task.name}/log").splitlines()
                story.check(found.split()[0] == hashes[block], f"{task.name}: block {block} has changed; its input was {told}")
                story.check(told.startswith("degraded:") == (block in LOST), f"{task.name} reads block {block} and was told {told}")
                if block in LOST:
                    sources = [part for part in told.split(";") if part[0].isdigit()]
                    story.check(len(sources) == 2, f"block {block}: found {len(sources)} sources in {told}; its stripe has k = 2")
                    decoded += 1
            story.figure(f"tasks of {NATIVE} that read the right bytes", len(seen.finished(job="read")))
            story.figure("of them from k blocks of the stripe, decoded in the container", decoded)
            story.check(not seen.broken, lambda: "; ".join(seen.broken))
