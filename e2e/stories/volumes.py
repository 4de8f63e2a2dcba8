"""Claims that are bound on first use get their volumes on the nodes that LiPS chooses, from a provisioner or from volumes that exist."""
import collections
import threading
import time

from kit import objects
from kit.api import ApiError
from kit.cluster import Cluster, wait_for
from kit.operator import Operator
from kit.recorder import Recorder

DRIVER = "csi.test.lips.dev"
TELLING = "telling.test.lips.dev"  # a driver that says how much room it has
SELECTED, PROVISIONER = "volume.kubernetes.io/selected-node", "volume.kubernetes.io/storage-provisioner"
FULL_ZONE = "zone-a"  # the cheapest: its provisioner has nothing left
ATTACHED = 2          # volumes, at most, on a node


def storage_class(name, provisioner, zones=None):
    found = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": name}, "provisioner": provisioner,
             "volumeBindingMode": "WaitForFirstConsumer"}
    if zones:
        found["allowedTopologies"] = [{"matchLabelExpressions": [{"key": "topology.kubernetes.io/zone", "values": zones}]}]
    return found


def room(zone, of, left):
    return {"apiVersion": "storage.k8s.io/v1", "kind": "CSIStorageCapacity", "metadata": {"name": f"{of}-{zone}", "namespace": "default"},
            "storageClassName": of, "nodeTopology": {"matchLabels": {"topology.kubernetes.io/zone": zone}}, "capacity": left}


def claim(name, of):
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name, "namespace": "default"},
            "spec": {"storageClassName": of, "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}


def volume(name, of, source, key, value, claim_of=None):
    terms = [{"matchExpressions": [{"key": key, "operator": "In", "values": [value]}]}]
    spec = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": of, "persistentVolumeReclaimPolicy": "Retain",
            "nodeAffinity": {"required": {"nodeSelectorTerms": terms}}, **source}
    if claim_of:
        spec["claimRef"] = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "default", "name": claim_of["metadata"]["name"],
                            "uid": claim_of["metadata"]["uid"]}
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name}, "spec": spec}


def reader(name, claims):
    return objects.pod(name, volumes=[{"name": f"v{i}", "persistentVolumeClaim": {"claimName": one}} for i, one in enumerate(claims)])


class Provisioner(threading.Thread):
    """Like a CSI driver's: a second after a node is chosen it makes a volume in the node's zone, or asks for another node where it has none."""

    def __init__(self, api, zone_of):
        super().__init__(daemon=True)
        self.api, self.zone_of = api, zone_of
        self.stop = threading.Event()
        self.asked, self.given_back, self.failure = {}, collections.Counter(), ""  # given back: by driver

    def run(self):
        while not self.stop.wait(0.2):
            try:
                for one in self.api.list("PersistentVolumeClaim"):
                    self.serve(one)
            except Exception as error:  # shown by the story
                self.failure = repr(error)

    def serve(self, one):
        name, notes = one["metadata"]["name"], one["metadata"].get("annotations", {})
        if one["spec"].get("volumeName") or notes.get(PROVISIONER) not in {DRIVER, TELLING} or SELECTED not in notes:
            self.asked.pop(name, None)
            return
        node = notes[SELECTED]
        since = self.asked.setdefault(name, (node, time.monotonic()))
        if since[0] != node:
            self.asked[name] = (node, time.monotonic())
        elif time.monotonic() - since[1] > 1:
            self.make(one, node, notes[PROVISIONER])

    def make(self, one, node, driver):
        name, zone = one["metadata"]["name"], self.zone_of[node]
        if zone == FULL_ZONE:
            self.given_back[driver] += 1
            self.asked.pop(name)
            self.api.patch("PersistentVolumeClaim", name, {"metadata": {"annotations": {SELECTED: None}}})
            return
        source = {"csi": {"driver": driver, "volumeHandle": name}}
        try:
            self.api.create(volume("pv-" + name, one["spec"]["storageClassName"], source, "topology.kubernetes.io/zone", zone, one))
        except ApiError as error:
            if error.code != 409:
                raise


def tell(story):
    count = 40 if story.full else 8
    with Cluster(story) as cluster:
        api = cluster.api
        nodes, zone_of = [], {}
        for i in range(count):
            zone = objects.ZONES[i % 3]
            node = objects.fake_node(f"node-{i}", zone, cores=4)
            node["metadata"]["annotations"]["lips.dev/usd-per-hour"] = str({"zone-a": 0.1, "zone-b": 0.2, "zone-c": 0.4}[zone])
            nodes.append(node)
            zone_of[f"node-{i}"] = zone
        cluster.add_nodes(nodes)
        for name in zone_of:
            api.create({"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": name},
                        "spec": {"drivers": [{"name": DRIVER, "nodeID": name, "allocatable": {"count": ATTACHED}}]}})
        api.create(storage_class("anywhere", DRIVER))
        api.create(storage_class("in-c", DRIVER, ["zone-c"]))
        api.create({"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": TELLING},
                    "spec": {"storageCapacity": True, "attachRequired": False}})
        api.create(storage_class("told", TELLING))
        api.create_all([room(zone, "told", "1Mi" if zone == FULL_ZONE else "100Gi") for zone in objects.ZONES])
        api.create(storage_class("local", "kubernetes.io/no-provisioner"))
        disks = {f"disk-{i}": f"node-{i}" for i in range(0, count, 2)}
        api.create_all([volume(disk, "local", {"local": {"path": "/disk"}}, "kubernetes.io/hostname", node) for disk, node in disks.items()])
        wanted = {f"a-{i}": ["anywhere"] for i in range(count // 4)}
        wanted |= {f"c-{i}": ["in-c"] for i in range(count // 4)}
        wanted |= {f"l-{i}": ["local"] for i in range(len(disks))}
        wanted |= {f"t-{i}": ["told"] for i in range(count // 4)}
        wanted["both"] = ["anywhere", "in-c"]
        api.create_all([claim(f"{name}-{i}", of) for name, classes in wanted.items() for i, of in enumerate(classes)])
        with Recorder(cluster) as seen:
            operator = Operator(cluster, {"leaderElection": {"enabled": False}}).start().wait_ready()
            provisioner = Provisioner(api, zone_of)
            provisioner.start()
            began = time.monotonic()
            api.create_all([reader(name, [f"{name}-{i}" for i in range(len(classes))]) for name, classes in wanted.items()])
            bound = lambda: {s.name: s.node for s in seen.bound()}
            wait_for(lambda: len(bound()) == len(wanted), 120,
                     lambda: f"{len(bound())} of {len(wanted)} pods are bound; without: {sorted(set(wanted) - set(bound()))}; {provisioner.failure}")
            took = time.monotonic() - began
            where = bound()
            claims = {c["metadata"]["name"]: c for c in api.list("PersistentVolumeClaim")}
            volumes = {v["metadata"]["name"]: v for v in api.list("PersistentVolume")}
            story.check(all(c["status"]["phase"] == "Bound" for c in claims.values()), "a pod is bound, and a claim of it is not")
            attached = {}
            for name, classes in wanted.items():
                for i, of in enumerate(classes):
                    got = volumes[claims[f"{name}-{i}"]["spec"]["volumeName"]]
                    term = got["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"][0]["matchExpressions"][0]
                    here = where[name] if term["key"] == "kubernetes.io/hostname" else zone_of[where[name]]
                    story.check(here in term["values"], f"{name} is on {where[name]}, and its volume {got['metadata']['name']} in {term['values']}")
                    story.check(of != "in-c" or zone_of[where[name]] == "zone-c", f"{name} is not where its class allows")
                    if of not in {"local", "told"}:
                        attached[where[name]] = attached.get(where[name], 0) + 1
            story.check(provisioner.given_back[DRIVER] > 0, "the provisioner never asked for another node: nothing was shown of that")
            story.check(provisioner.given_back[TELLING] == 0, "a driver that says where it has no room was asked there")
            provisioner.stop.set()
            # A claim that no provisioner serves: the choice is taken back with its pod.
            api.create(claim("orphan", "anywhere"))
            api.create(reader("gone", ["orphan"]))
            chosen = lambda: api.get("PersistentVolumeClaim", "orphan")["metadata"].get("annotations", {}).get(SELECTED)
            wait_for(chosen, 30, "no node is chosen for the claim")
            api.delete("Pod", "gone", grace=0)
            wait_for(lambda: not chosen(), 30, "the choice of a pod that is gone stays")
            story.check(operator.running(), "the operator ended")
            story.check(not seen.broken, lambda: "; ".join(seen.broken))
    story.figure("pods bound after their volumes", len(wanted))
    story.figure("times that the provisioner asked for another node", provisioner.given_back[DRIVER])
    story.figure("most provisioned volumes on a node", max(attached.values()), at_most=ATTACHED)
    story.figure("until the last was bound", took, "s", at_most=60)
