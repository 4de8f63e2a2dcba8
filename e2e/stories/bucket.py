"""Data moves from a node's directory to a bucket of a real S3-compatible server, and on to a node in another zone, byte for byte.

A table in the bucket is found without what is no data.
"""
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
TABLE = {"data/day=1/part-0": 700, "data/day=2/part-0": 300}
NO_DATA = ("metadata/v1.metadata.json", "metadata/snap-1.avro", "data/_temporary/0/part-1", "data/.part-0.crc", "_SUCCESS")
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


def write_table(folder):
    for name, size in [*TABLE.items(), *((name, 10) for name in NO_DATA)]:
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(bytes(size))


def tell(story):
    draw = random.Random(story.seed)
    with Cluster(story, real_nodes=2, scheduler=True, kwok=False) as cluster:
        api = cluster.api
        cluster.install_custom_resources()
        first = os.path.join(cluster.folder, "nodes", "real-0", "data", "data")
        last = os.path.join(cluster.folder, "nodes", "real-1", "data", "data")
        buckets = os.path.join(cluster.folder, "buckets")
        write_table(os.path.join(buckets, "lake", "default", "events"))
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

            api.create(objects.custom("DataSet", "events", {"discover": {"listing": {"store": "lake", "path": "default/events"}}}, "default"))
            files = lambda: {file["path"]: int(file["size"]) for file in api.get("DataSet", "events").get("status", {}).get("files", [])}
            wait_for(files, 60, lambda: f"no table was found: {api.get('DataSet', 'events')}")
            story.check(files() == {f"default/events/{name}": size for name, size in TABLE.items()}, lambda: f"of the table were found {files()}")

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
