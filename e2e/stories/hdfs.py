"""A real HDFS over two zones: a data set has the blocks and replicas of HDFS, tasks read them in their zone, and LiPS follows changes.

A NameNode and three DataNodes of Apache Hadoop, as they start, die, copy blocks again and come back.
"""
import hashlib
import math
import random
import re
import time

from kit import objects
from kit.cluster import Cluster, wait_for
from kit.data import replicas
from kit.hdfs import Hdfs, need_hdfs
from kit.operator import Operator
from kit.recorder import Recorder

LIMIT = 300
LANE = "real nodes"
AS_ETL = {"user.name": "etl"}
ZONE = {"real-0": "zone-a", "real-1": "zone-b", "real-2": "zone-a"}
FOLDER, BLOCK = "/warehouse/my logs", 1 << 20
# A partitioned table. Name, blocks, the node whose DataNode is written to, replicas. Names as people give them.
FILES = [("day=1/hour=7/part-0", 1.5, "real-2", 1), ("day=2/part-0", 1, "real-1", 2), ("part a+b", 2.5, "real-1", 2),
         ("part-2%20;&ü?", 2, "real-0", 1), ("part-3", 1.000001, "real-2", 1), ("part-4", 3, "real-1", 1)]

# The URL leads to the NameNode, which sends the reader on to a DataNode.
READ = r"""
set -e
rclone copyurl "$INPUT" --stdout > /tmp/in
echo "$INPUT"
sha256sum < /tmp/in
"""


def reading_job(name, tasks, hdfs):
    env = [{"name": "INPUT", "valueFrom": {"fieldRef": {"fieldPath": "metadata.annotations['lips.dev/input']"}}}]
    task = objects.container("50m", "64Mi", image="local.test/rclone:1", command=["sh", "-c", READ], env=env)
    return objects.indexed_job(name, tasks, containers=[task], annotations={"lips.dev/dataset": "logs", "lips.dev/cpu-seconds": "1"},
                               hostAliases=[{"ip": address, "hostnames": [node]} for node, address in hdfs.addresses.items()])


def write(hdfs, draw):
    """The blocks' hashes, in the order of their numbers."""
    hdfs.ask("PUT", "/warehouse", "MKDIRS", permission="777")
    hdfs.ask("PUT", FOLDER, "MKDIRS", **AS_ETL, permission="700")  # nobody else may even list it
    hashes = []
    for name, blocks, node, copies in FILES:
        data = draw.randbytes(int(blocks * BLOCK))
        hdfs.put(f"{FOLDER}/{name}", data, node, copies, BLOCK, **AS_ETL)
        hashes += [hashlib.sha256(data[at:at + BLOCK]).hexdigest() for at in range(0, len(data), BLOCK)]
    for name, data in (("_SUCCESS", b""), (".hidden", b"not data"), ("part-5-empty", b""), ("_temporary/0/part-6", b"of a running job"),
                       ("day=2/.part-7.crc", b"a checksum"), ("inner/metadata/v1.metadata.json", b"of Iceberg"), ("inner/metadata/snap-1.avro", b"of Iceberg")):
        hdfs.put(f"{FOLDER}/{name}", data, "real-2", 1, BLOCK, **AS_ETL)
    return hashes


def said_by_hdfs(hdfs):
    """Files with their sizes, and the blocks of each store."""
    files, held, number = [], {}, 0
    for path, blocks in sorted(hdfs.blocks(FOLDER).items()):
        names = path[len(FOLDER) + 1:].split("/")
        if any(name[0] in "_." for name in names) or "metadata" in names or not blocks:
            continue
        files.append((path[1:], sum(size for size, _ in blocks)))
        for _, nodes in filter(lambda block: block[0], blocks):  # one that was just begun has no bytes
            for node in nodes:
                held.setdefault("dn-" + node, set()).add(number)
            number += 1
    return files, held


def homes_of(hdfs):
    """The nodes of each block."""
    files, held = said_by_hdfs(hdfs)
    return [{store[3:] for store, blocks in held.items() if block in blocks} for block in range(sum(-(-size // BLOCK) for _, size in files))]


def said_by_lips(data_set):
    status = data_set.get("status", {})
    return [(file["path"], int(file["size"])) for file in status.get("files", [])], {store: held for store, held in replicas(data_set).items() if held}


def served(hdfs):
    """Which DataNodes sent something to each address, by their logs of requests."""
    found = {}
    for node, process in hdfs.data_nodes.items():
        for address in re.findall(r"webhdfs: (\S+) GET \S*op=OPEN\S* 200", process.log()):
            found.setdefault(address, set()).add(node)
    return found


def block_of(task):
    return int(task.pod["metadata"]["annotations"]["batch.kubernetes.io/job-completion-index"])


def tell(story):
    need_hdfs()
    draw = random.Random(story.seed)
    with Cluster(story, real_nodes=3, scheduler=True, kwok=False) as cluster:
        api = cluster.api
        cluster.install_custom_resources()
        hdfs = Hdfs(cluster, ZONE).start()
        hashes = write(hdfs, draw)
        story.say("HDFS is up, and the files are written")
        for node, zone in ZONE.items():
            cluster.label_node(node, **{"topology.kubernetes.io/zone": zone, "topology.kubernetes.io/region": objects.REGION,
                                        "node.kubernetes.io/instance-type": "test.node"})
            api.create(objects.node_store("dn-" + node, node, zone, serve=False))

        def follows(what, seconds=60):
            """Waits until LiPS agrees with HDFS."""
            began = time.monotonic()
            wait_for(lambda: said_by_lips(api.get("DataSet", "logs")) == said_by_hdfs(hdfs), seconds,
                     lambda: f"{what}: LiPS says {said_by_lips(api.get('DataSet', 'logs'))}, HDFS {said_by_hdfs(hdfs)}")
            story.say(f"{what}: LiPS agrees with HDFS after {time.monotonic() - began:.1f} s")

        def start(job):
            api.create(reading_job(job, len(hashes), hdfs))

        def read(job, blocks):
            """A task reads each of these correctly, in a zone that has it and from a DataNode there."""
            homes = homes_of(hdfs)
            done = lambda: {block_of(task): task for task in seen.finished(job=job)}
            wait_for(lambda: blocks <= set(done()), 60, lambda: f"{job}: of {blocks} only {set(done())} have been read", pause=0.3)
            local, sent = 0, served(hdfs)
            for block in sorted(blocks):
                task = done()[block]
                story.check(task.pod["status"]["phase"] == "Succeeded", f"{task.name}: {task.pod['status']}")
                told, found = api.request("GET", f"/api/v1/namespaces/default/pods/{task.name}/log").splitlines()
                story.check(found.split()[0] == hashes[block], f"{task.name}: block {block} is not what was written; it was told {told}")
                story.expect(ZONE[task.node] in {ZONE[node] for node in homes[block]}, f"{task.name} runs on {task.node}; block {block} is on {homes[block]}")
                senders = sent.get(task.pod["status"]["podIP"], set())
                story.expect({ZONE[node] for node in senders} == {ZONE[task.node]}, f"{task.name} on {task.node} was sent block {block} by {senders}")
                local += task.node in homes[block]
            story.figure(f"{job} job: blocks read right in a zone that has them, and on a node that has them", f"{len(blocks)} and {local}")

        began = time.monotonic()
        api.create(objects.custom("DataSet", "logs", {"blockSize": str(BLOCK), "discover": {"everySeconds": 10, "hdfs": {
            "url": hdfs.url, "user": "etl", "path": FOLDER, "hosts": [{"host": node, "store": "dn-" + node} for node in ZONE]}}}, "default"))
        with Recorder(cluster) as seen:
            operator = Operator(cluster, {"leaderElection": {"enabled": False}, "data": {"discoverFrom": [{"url": hdfs.url, "namespaces": ["default"], "paths": ["/warehouse"], "user": "etl"}]}, "prices": {"instances": {"test.node": 0.1}}}).start().wait_ready()
            follows("first look")
            story.figure("from the DataSet and the operator's start to all files, blocks and replicas", time.monotonic() - began, "s", digits=0)
            start("first")
            read("first", set(range(len(hashes))))
            # More replicas, and a file that is still being written: its complete blocks count.
            hdfs.ask("PUT", f"{FOLDER}/part-3", "SETREPLICATION", replication=2)
            data = draw.randbytes(BLOCK * 3 // 2)
            writer = hdfs.begin(f"{FOLDER}/part-3-open", data, "real-2", 1, BLOCK, **AS_ETL)
            hashes.insert(sum(math.ceil(blocks) for _, blocks, _, _ in FILES[:-1]), hashlib.sha256(data[:BLOCK]).hexdigest())  # behind those of part-3
            both = lambda: all(len(nodes) == 2 for _, nodes in hdfs.blocks(f"{FOLDER}/part-3")[f"{FOLDER}/part-3"])
            wait_for(lambda: both() and (f"{FOLDER[1:]}/part-3-open", BLOCK) in said_by_hdfs(hdfs)[0], 30, lambda: f"HDFS says {said_by_hdfs(hdfs)}")
            follows("two replicas, and a file that is being written")
            # A DataNode dies: blocks that only it had are lost, and HDFS makes new replicas of the others.
            hdfs.data_nodes["real-0"].kill()
            lost = {block for block, nodes in enumerate(homes_of(hdfs)) if nodes == {"real-0"}}
            story.check(lost, "no block has its only replica on real-0")
            hdfs.wait_for_live({"real-1", "real-2"})
            wait_for(lambda: all(nodes == set() if block in lost else "real-0" not in nodes for block, nodes in enumerate(homes_of(hdfs))), 30,
                     lambda: f"HDFS says {said_by_hdfs(hdfs)}")
            follows("a DataNode is dead")
            ready = lambda: next((c for c in api.get("DataSet", "logs")["status"]["conditions"] if c["type"] == "Ready"), {})
            wait_for(lambda: ready().get("reason") == "BlocksMissing", 20, lambda: f"the data set is {ready()}")
            start("second")
            read("second", set(range(len(hashes))) - lost)
            waits = {block_of(task) for task in seen.of(job="second") if not task.node}
            story.check(waits == lost, f"lost are the blocks {lost}, but the tasks of {waits} wait")
            hdfs.data_nodes["real-0"].start()
            hdfs.wait_for_live(set(ZONE))
            wait_for(lambda: all(homes_of(hdfs)[block] == {"real-0"} for block in lost), 30, lambda: f"HDFS says {said_by_hdfs(hdfs)}")
            follows("it is back")
            read("second", lost)
            writer.close()
            story.figure("blocks lost with the DataNode: their tasks waited, and ran when it was back", len(lost))
            story.check(not seen.broken, lambda: "; ".join(seen.broken))
            story.check(operator.running(), "the operator ended")
