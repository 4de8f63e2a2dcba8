"""Data moves from a node's directory to a bucket of a real S3-compatible server, and on to a node in another zone, byte for byte."""
import hashlib
import os
import random

from kit import objects
from kit.cluster import Cluster, TOOLS, wait_for
from kit.data import ReplicaWatch, leftovers, phases, replicas
from kit.operator import Operator, Process
from kit.recorder import Recorder

LANE = "real nodes"

BLOCKS, SIZE = 4, 2 << 20
KEY, SECRET = "e2e-access-key", "e2e-secret-key"


def files_below(folder):
    """Hash of each file's bytes, by its path."""
    found = {}
    for base, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(base, name)
            try:
                with open(path, "rb") as file:
                    found[os.path.relpath(path, folder)] = hashlib.sha256(file.read()).hexdigest()
            except FileNotFoundError:
                pass  # deleted since it was listed
    return found


def tell(story):
    draw = random.Random(story.seed)
    with Cluster(story, real_nodes=2, scheduler=True, kwok=False) as cluster:
        api = cluster.api
        cluster.install_custom_resources()
        first = os.path.join(cluster.folder, "nodes", "real-0", "data", "data")
        last = os.path.join(cluster.folder, "nodes", "real-1", "data", "data")
        buckets = os.path.join(cluster.folder, "buckets")
        os.makedirs(os.path.join(buckets, "lake"))
        os.makedirs(os.path.join(first, "default", "waves"))
        content = {}
        for block in range(BLOCKS):
            data = draw.randbytes(SIZE)
            content[block] = hashlib.sha256(data).hexdigest()
            with open(os.path.join(first, "default", "waves", f"block-{block:05}"), "wb") as file:
                file.write(data)
        # Inside the network namespace of the cluster, where pods reach it at the address of the API server.
        Process(cluster, "s3", [os.path.join(TOOLS, "bin", "rclone"), "serve", "s3", buckets, "--addr", "0.0.0.0:9000", "--auth-key", f"{KEY},{SECRET}",
                                "--vfs-cache-mode", "off", "-v"]).start()
        api.create({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "lake", "namespace": "default"},
                    "stringData": {"accessKeyId": KEY, "secretAccessKey": SECRET}})
        api.create(objects.node_store("first", "real-0", "zone-a"))
        api.create(objects.node_store("last", "real-1", "zone-b"))
        api.create(objects.bucket_store("lake", "zone-a", "lake", "http://10.0.0.1:9000", "lake"))
        api.create(objects.data_set("waves", BLOCKS, {"first": f"0-{BLOCKS - 1}"}, str(SIZE)))
        with Recorder(cluster, kinds=("Pod", "DataSet")) as seen:
            watch = ReplicaWatch(seen)
            Operator(cluster, {"leaderElection": {"enabled": False}}).start().wait_ready()
            wait_for(lambda: replicas(api.get("DataSet", "waves")), 30, "the data set has no replicas in its status")

            def moved(name, source, target, everything):
                api.create(objects.data_move(name, "waves", source, target))
                wait_for(lambda: api.get("DataMove", name).get("status", {}).get("phase") in ("Committed", "Failed"), 120,
                         lambda: f"{name}: {api.get('DataMove', name).get('status')}")
                status = api.get("DataMove", name)["status"]
                story.check(status["phase"] == "Committed", f"{name} failed: {status.get('message')}")
                wait_for(lambda: replicas(api.get("DataSet", "waves")).get(target) == set(range(BLOCKS)), 20, f"{target} does not hold all blocks")
                wait_for(lambda: not replicas(api.get("DataSet", "waves")).get(source), 60, f"{source} still holds blocks")
                found = wait_for(lambda: set(files_below(everything).values()) >= set(content.values()) and files_below(everything), 30,
                                 f"{everything} does not hold the bytes")
                story.say(f"{name}: {sorted(found)}")

            moved("to-the-bucket", "first", "lake", os.path.join(buckets, "lake"))
            wait_for(lambda: not set(files_below(first).values()) & set(content.values()), 60, "the old files stay on the node")
            moved("to-the-other-node", "lake", "last", last)
            wait_for(lambda: not set(files_below(os.path.join(buckets, "lake")).values()) & set(content.values()), 60, "the old files stay in the bucket")
            wait_for(lambda: not leftovers(cluster), 60, lambda: f"left behind: {leftovers(cluster)}")
            story.check(not watch.broken, lambda: "; ".join(watch.broken))
            story.figure("moves to and from a bucket, every byte the same", phases(cluster)["Committed"])
            story.figure("MiB moved", 2 * BLOCKS * SIZE >> 20)
