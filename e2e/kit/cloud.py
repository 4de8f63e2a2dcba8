"""The cloud beneath Karpenter: a real kubelet and containerd boot for each machine that it launches, and end with it.

As in a cloud the kubelet makes its Node itself, under the name, the provider's id and the taint by which Karpenter knows it, and has as much to
allocate as the type of the machine. Karpenter's kwok provider would make the Node of a played machine; it is told to do so LATER.
"""
import json
import os
import threading

from kit.amounts import amount
from kit.bill import LABELS
from kit.story import Missing, StoryFailed

LATER = "24h"  # of the KWOKNodeClass: nodeRegistrationDelay
PROVIDER = "kwok://"
UNREGISTERED = {"key": "karpenter.sh/unregistered", "effect": "NoExecute"}


def here():
    """The size of this machine: every kubelet on it takes it for its own."""
    with open("/proc/meminfo", encoding="ascii") as file:
        kibibytes = int(next(line for line in file if line.startswith("MemTotal:")).split()[1])
    return {"cpu": 1000 * os.cpu_count(), "memory": kibibytes * 2**10}


def need_room(machines):
    """Real nodes cannot have more than this machine."""
    have = here()
    for name, machine in machines.items():
        if machine.cores * 1000 > have["cpu"] or machine.memory_gib * 2**30 > have["memory"]:
            raise Missing(f"a node of type {name} wants {machine.cores} cores and {machine.memory_gib:.0f} GiB; this machine has "
                          f"{os.cpu_count()} and {have['memory'] / 2**30:.0f}")


def kubelet_settings(claim):
    """The words of a kubelet about itself beside its defaults: JSON is YAML. What this machine has beyond the type is the system's."""
    have, sold = here(), claim["status"]["allocatable"]
    return "\n".join(f"{key}: {json.dumps(value)}" for key, value in {
        "providerID": claim["status"]["providerID"], "registerWithTaints": [UNREGISTERED],
        "systemReserved": {"cpu": f"{have['cpu'] - amount('cpu', sold['cpu'])}m", "memory": str(have["memory"] - amount("memory", sold["memory"]))},
    }.items())


class Machine(threading.Thread):
    """From the launch of a NodeClaim until it is released."""

    def __init__(self, cluster, number, claim):
        super().__init__(daemon=True)
        self.cluster, self.place, self.claim = cluster, f"real-{number}", claim
        self.released = threading.Event()

    def run(self):
        name = self.claim["status"]["providerID"].removeprefix(PROVIDER)
        labels = ",".join(f"{key}={self.claim['metadata']['labels'][key]}" for key in LABELS)
        try:
            self.cluster.script("real-nodes", "add", self.place, name, labels, kubelet_settings(self.claim))
            self.released.wait()
            self.cluster.script("real-nodes", "remove", self.place)
        except StoryFailed as error:
            self.cluster.story.failures.append(str(error))


class Cloud:
    """`with Cloud(cluster) as cloud:` has machines for Karpenter until its end."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.machines = {}  # by the provider's id
        self.closed = threading.Event()
        self.thread = threading.Thread(target=self.serve, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.closed.set()
        self.thread.join()
        for machine in self.machines.values():
            machine.released.set()
        for machine in self.machines.values():
            machine.join()

    def serve(self):
        try:
            while not self.closed.wait(0.5):
                self.follow([claim for claim in self.cluster.api.list("NodeClaim") if claim.get("status", {}).get("providerID")])
        except Exception as error:
            self.cluster.story.failures.append(f"the cloud has failed: {error}")

    def follow(self, claims):
        launched = {claim["status"]["providerID"]: claim for claim in claims}
        for new in launched.keys() - self.machines.keys():
            self.machines[new] = Machine(self.cluster, len(self.machines), launched[new])
            self.machines[new].start()
        for gone in self.machines.keys() - launched.keys():
            self.machines[gone].released.set()
