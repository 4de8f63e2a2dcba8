"""The same workload in the simulator: what `lips simulate` says of a run that the story had on a real API server with the real Karpenter."""
import json
import os
import subprocess

from kit import karpenter, objects
from kit.amounts import amount
from kit.story import StoryFailed

# Of kube-scheduler, scoring by LeastAllocated, and of LiPS.
POLICIES = {False: "spread", True: "lips"}


def scenario(jobs, pinned, waiting_price):
    """As `lips simulate` reads it; JSON is YAML. No link limits a read: the played pods run for a fixed time."""
    groups = [{"name": name.replace(".", "-"), "fleet": "elastic", "instanceType": name, "capacityTypes": ["spot", "on-demand"],
               "bootTime": karpenter.BOOT, "limit": 40} for name in karpenter.TYPES]
    found = {"name": "story", "seed": 1, "zones": objects.ZONES, "prices": {"region": objects.REGION, "spotFactors": karpenter.SPOT},
             "nodes": groups, "autoscaler": {"consolidateAfter": karpenter.IDLE, "budget": 1},
             "stores": {"nodeDirectories": False, "buckets": [{"name": f"bucket-{zone}", "zone": zone, "price": 0} for zone in objects.ZONES]},
             "network": {"localRead": 0, "nodeLink": 0, "rackLink": 0, "zoneLink": 0, "zoneStream": 0, "remoteStream": 0},
             "settings": {"waitingPrice": waiting_price, "keepCopies": False}, "dataSets": [], "jobs": []}
    for job in jobs:
        cores = amount("cpu", job.cpu) / 1000
        found["dataSets"].append({"name": job.name, "blocks": job.tasks, "blockSize": f"{job.mebibytes}Mi", "placement": {"store": f"bucket-{job.zone}"}})
        found["jobs"].append({"name": job.name, "arrival": f"{job.at:.3f}s", "input": job.name, "cores": cores, "memory": job.memory,
                              "cpuPerTask": cores * job.seconds, **({"nodeSelector": {"topology.kubernetes.io/zone": job.zone}} if pinned else {})})
    return found


def run(lips, folder, jobs, pair, waiting_price):
    """Dollars of nodes and of transfer, core-hours and mean completion in seconds."""
    path = os.path.join(folder, "scenario.yaml")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(scenario(jobs, pair.pinned, waiting_price), file, indent=1)
    ran = subprocess.run([lips, "simulate", path, "--policy", POLICIES[pair.mode is not None], "--format", "json"], capture_output=True, text=True)
    if ran.returncode != 0:
        raise StoryFailed(f"lips simulate {path}: {ran.stderr[-600:]}")
    found = json.loads(ran.stdout)["runs"][0]
    invoice = found["invoice"]
    return {"nodes": invoice["nodes"], "transfer": invoice["transfer"], "invoice": invoice["nodes"] + invoice["transfer"],
            "core_hours": invoice["coreHoursPaid"], "completion": found["completionSeconds"]["mean"]}
