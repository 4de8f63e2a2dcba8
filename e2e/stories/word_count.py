"""Words are counted on real nodes in two zones, over real bytes, one block of which lies in the wrong zone.

The counts are right; each task reads the path or URL that it was given; the copy that pays is made by rclone, verified and committed.
"""
import collections
import hashlib
import os
import random

from kit import objects
from kit.cluster import Cluster, wait_for
from kit.data import ReplicaWatch, leftovers, phases, replicas
from kit.operator import Operator
from kit.recorder import Recorder

LIMIT = 300
LANE = "real nodes"
WORDS = "block node zone plan move data task pool epoch price copy least read write slot wave".split()
BLOCKS, SIZE = 6, 3 << 20

# The annotation lips.dev/input names the task's input.
COUNT = r"""
set -e
case "$INPUT" in http*) wget -q -O /tmp/in "$INPUT"; in=/tmp/in ;; *) in=$INPUT ;; esac
echo "read $INPUT on $NODE"
tr -s ' ' '\n' < "$in" | sort | uniq -c | awk '{print "word", $2, $1}'
"""


def text_of(draw):
    words = []
    size = 0
    while size < SIZE:
        word = draw.choice(WORDS)
        words.append(word)
        size += len(word) + 1
    return " ".join(words) + "\n"


def counting_job(name):
    env = [{"name": "INPUT", "valueFrom": {"fieldRef": {"fieldPath": "metadata.annotations['lips.dev/input']"}}},
           {"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}]
    task = objects.container("50m", "64Mi", command=["sh", "-c", COUNT], env=env,
                             mounts=[{"name": "data", "mountPath": "/srv/node/data", "readOnly": True}])
    return objects.indexed_job(name, BLOCKS, containers=[task], backoff=3,
                               annotations={"lips.dev/dataset": "books", "lips.dev/cpu-seconds-per-mebibyte": "8"},
                               volumes=[{"name": "data", "hostPath": {"path": "/srv/node/data", "type": "DirectoryOrCreate"}}])


def tell(story):
    draw = random.Random(story.seed)
    with Cluster(story, real_nodes=2, scheduler=True, kwok=False) as cluster:
        api = cluster.api
        cluster.install_custom_resources()
        prices = {"instances": {"test.cheap": 0.02, "test.dear": 4.0}}
        for node, kind in (("real-0", "test.cheap"), ("real-1", "test.dear")):
            cluster.label_node(node, **{"node.kubernetes.io/instance-type": kind, "topology.kubernetes.io/region": objects.REGION})
        right = collections.Counter()
        sizes = []
        for block in range(BLOCKS):
            text = text_of(draw)
            right.update(text.split())
            sizes.append(len(text))
            misplaced = hashlib.sha256(text.encode()).hexdigest()  # of the last one
            home = "real-1" if block == BLOCKS - 1 else "real-0"
            folder = os.path.join(cluster.folder, "nodes", home, "data", "data", "default", "books")
            os.makedirs(folder, exist_ok=True)
            with open(os.path.join(folder, f"part-{block}"), "w", encoding="ascii") as file:
                file.write(text)
        api.create(objects.node_store("cheap", "real-0", "zone-a"))
        api.create(objects.node_store("dear", "real-1", "zone-b"))
        api.create(objects.custom("DataSet", "books", {
            "files": [{"path": f"default/books/part-{i}", "size": sizes[i]} for i in range(BLOCKS)],
            "stores": [{"name": "cheap", "blocks": f"0-{BLOCKS - 2}"}, {"name": "dear", "blocks": str(BLOCKS - 1)}]}, "default"))
        with Recorder(cluster, kinds=("Pod", "DataSet")) as seen:
            watch = ReplicaWatch(seen)
            jobs = ["count-0", "count-1", "count-2"]
            for job in jobs:
                api.create(counting_job(job))
            wait_for(lambda: len(api.list("Pod", "default")) == BLOCKS * len(jobs), 60, "the pods were not made")
            # One plan sees all readers of the block: for the first alone a copy would not pay, and for the last none does.
            # At its default a move of so small a block costs more than it saves.
            policy = {"settings": {"moveCost": 0}}
            operator = Operator(cluster, {"leaderElection": {"enabled": False}, "prices": prices, "policy": policy}).start().wait_ready()
            wait_for(lambda: replicas(api.get("DataSet", "books")), 30, "the data set has no replicas in its status")
            finished = lambda: sum(len(seen.finished(job=job)) for job in jobs)
            wait_for(lambda: finished() == BLOCKS * len(jobs), 180, lambda: f"{finished()} of {BLOCKS * len(jobs)} tasks have ended", pause=0.5)
            given = collections.Counter()
            for job in jobs:
                found = collections.Counter()
                for task in seen.of(job=job):
                    story.check(task.pod["status"]["phase"] == "Succeeded", f"{task.name}: {task.pod['status']}")
                    told = task.pod["metadata"]["annotations"]["lips.dev/input"]
                    log = api.request("GET", f"/api/v1/namespaces/default/pods/{task.name}/log").splitlines()
                    story.check(log[0] == f"read {told} on {task.node}", f"{task.name} was told {told}, but says '{log[0]}'")
                    local = told.startswith("/")
                    given["paths" if local else "URLs"] += 1
                    for line in log[1:]:
                        _, word, count = line.split()
                        found[word] += int(count)
                story.check(found == right, f"{job}: {found} is not {right}")
            read, ledger = len(jobs) * sum(sizes), operator.metric("lips_read_bytes_total")
            story.figure("MiB read by the containers, and by the operator's books", f"{read / 2**20:.2f} and {ledger / 2**20:.2f}")
            story.expect(abs(read - ledger) < 0.01 * read, f"containers read {read} bytes, the operator counts {ledger:.0f}")
            story.figure("words counted right, by each of 3 jobs", sum(right.values()))
            story.figure("tasks that were given", f"{given['paths']} paths and {given['URLs']} URLs, and read them")
            wait_for(lambda: phases(cluster).get("Committed"), 90, lambda: f"no copy was made of the block in the wrong zone: moves {phases(cluster)}")
            came = [BLOCKS - 1 in replicas(version).get("cheap", ()) for _, _, version in seen.history["DataSet"]]
            story.check(any(came), "the data set never said that the block is in the cheap zone")
            folder = os.path.join(cluster.folder, "nodes", "real-0", "data", "data")
            # LiPS may drop it again when nobody needs it; a user asks for it to stay.
            api.create(objects.data_move("stay", "books", "dear", "cheap", str(BLOCKS - 1)))
            wait_for(lambda: api.get("DataMove", "stay").get("status", {}).get("phase") == "Committed", 120,
                     lambda: f"the move of a person: {api.get('DataMove', 'stay').get('status')}")
            there = {hashlib.sha256(open(os.path.join(base, name), "rb").read()).hexdigest(): name for base, _, names in os.walk(folder) for name in names}
            story.check(misplaced in there, "the bytes of the block are not in the cheap zone")
            story.figure("moves made by rclone, verified and committed", phases(cluster)["Committed"])
            wait_for(lambda: not leftovers(cluster), 60, lambda: f"left behind: {leftovers(cluster)}")
            story.check(not seen.broken and not watch.broken, lambda: "; ".join(seen.broken + watch.broken))
            story.check(operator.running(), "the operator ended")
