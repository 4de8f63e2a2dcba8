"""The same workload in the simulator: what `lips simulate` says of a run that the story had on a real API server with the real Karpenter.

As a program it compares LiPS with kube-scheduler and with pinned jobs on several draws of all workloads, in seconds and without Karpenter:
    PYTHONPATH=e2e python3 -m kit.simulated [--lips PROGRAM] [--waiting-prices P,...] [--worths K,...] [--per-jobs H,...] [--seeds N]
or the virtual Kubernetes with runs of the story `invoice` that were at the operator's defaults:
    PYTHONPATH=e2e python3 -m kit.simulated [--lips PROGRAM] --bills FILE,...
"""
import argparse
import collections
import json
import os
import statistics
import subprocess
import tempfile

from kit import karpenter, objects, workloads
from kit.story import StoryFailed

# The figures of kube-scheduler, scoring by LeastAllocated, and of LiPS.
POLICIES = {False: "spread", True: "lips"}


def scenario(jobs, pinned, settings, ready=karpenter.READY, off=karpenter.TERMINATION):
    """As `lips simulate` reads it; JSON is YAML. No link limits a read: the played pods run for a fixed time. `ready`: from a launch until a machine takes
    pods, `off`: from its taint until it is gone."""
    groups = [{"name": name.replace(".", "-"), "fleet": "elastic", "instanceType": name, "cores": machine.cores - karpenter.KEPT_CORES,
               "slots": karpenter.PODS, "capacityTypes": ["spot", "on-demand"], "bootTime": ready, "limit": 40}
              for name, machine in karpenter.machines().items()]
    autoscaler = {"consolidateAfter": karpenter.IDLE, "terminationTime": off, "billNodesLeft": True, "budget": 1}
    found = {"name": "story", "seed": 1, "zones": objects.ZONES, "prices": {"region": objects.REGION, "spotFactors": karpenter.SPOT},
             "nodes": groups, "autoscaler": autoscaler,
             "stores": {"nodeDirectories": False, "buckets": [{"name": f"bucket-{zone}", "zone": zone, "price": 0} for zone in objects.ZONES]},
             "network": {"localRead": 0, "nodeLink": 0, "rackLink": 0, "zoneLink": 0, "zoneStream": 0, "remoteStream": 0},
             "settings": {**settings, "keepCopies": False}, "dataSets": [], "jobs": []}
    for job in jobs:
        found["dataSets"].append({"name": job.name, "blocks": job.tasks, "blockSize": f"{job.mebibytes}Mi", "placement": {"store": f"bucket-{job.zone}"}})
        found["jobs"].append({"name": job.name, "arrival": f"{job.at:.3f}s", "input": job.name, "cores": job.cores, "memory": job.memory,
                              "cpuPerTask": job.cores * job.seconds, **({"nodeSelector": {"topology.kubernetes.io/zone": job.zone}} if pinned else {})})
    return found


def run(lips, folder, jobs, pair, settings):
    return simulate(lips, folder, jobs, pair.pinned, POLICIES[pair.mode is not None], settings)


def run_virtual(lips, folder, jobs, pair, settings, **machines):
    """The same on a virtual Kubernetes: its API server, kube-scheduler, kubelets and autoscaler, and the operator's own lines."""
    policy = "lips" if pair.mode else "most-allocated" if pair.packed else "spread"
    return simulate(lips, folder, jobs, pair.pinned, policy, settings, ["--through", "kubernetes", "--mode", pair.mode or "watch"], **machines)


def simulate(lips, folder, jobs, pinned, policy, settings, door=(), **machines):
    """Dollars of nodes and of transfer, core-hours, mean completion in seconds, nodes launched and tasks evicted."""
    path = os.path.join(folder, "scenario.yaml")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(scenario(jobs, pinned, settings, **machines), file, indent=1)
    ran = subprocess.run([lips, "simulate", path, "--policy", policy, "--format", "json", *door], capture_output=True, text=True)
    if ran.returncode != 0:
        raise StoryFailed(f"lips simulate {path}: {ran.stderr[-600:]}")
    found = json.loads(ran.stdout)["runs"][0]
    invoice = found["invoice"]
    return {"nodes": invoice["nodes"], "transfer": invoice["transfer"], "invoice": invoice["nodes"] + invoice["transfer"],
            "core_hours": invoice["coreHoursPaid"], "completion": found["completionSeconds"]["mean"], "launches": found["fleet"]["launches"],
            "evictions": found["fleet"]["underutilized"]}


def beyond_use(core_hours, kube, jobs):
    """Core-hours paid and not used, over those of kube-scheduler."""
    used = sum(job.work for job in jobs) / 3600
    return (core_hours - used) / (kube["core_hours"] - used)


def compare(lips, folder, settings, seeds):
    """Prints means over all workloads and seeds of the ratios of LiPS to kube-scheduler and to the pinned jobs. `settings`: name to settings of LiPS for jobs."""
    found = {name: [] for name in settings}
    for name in workloads.WHOLE:
        for seed in range(1, seeds + 1):
            jobs = workloads.WORKLOADS[name].draw(seed)
            kube, pinned = (simulate(lips, folder, jobs, alone, POLICIES[False], {}) for alone in (False, True))
            for setting, settings_for in settings.items():
                ours = simulate(lips, folder, jobs, False, POLICIES[True], settings_for(jobs))
                found[setting].append([ours[what] / other[what] for other in (kube, pinned) for what in ("invoice", "completion")] +
                                      [beyond_use(ours["core_hours"], kube, jobs)])
    print("| setting | invoice over kube-scheduler's | completion | invoice over the pinned jobs' | completion | paid beyond use, over kube-scheduler's |\n"
          "|---|---|---|---|---|---|")
    for setting, ratios in found.items():
        print(f"| {setting} | " + " | ".join(f"{statistics.mean(column):.2f}" for column in zip(*ratios)) + " |")


def compare_bills(lips, folder, pairs, files):
    """Prints each run of the story beside the same jobs on a virtual Kubernetes, and the means and the worst of the differences."""
    off = collections.defaultdict(list)  # by pair and figure
    print("| workload | seed | pair | invoice, real and virtual | | completion | nodes launched | tasks evicted |\n|---|---|---|---|---|---|---|---|")
    for bill in (bill for file in files for bill in json.load(open(file, encoding="utf-8"))):
        jobs = workloads.WORKLOADS[bill["workload"]].draw(bill["seed"])
        # A busy machine plays slow machines: those of the run.
        said = run_virtual(lips, folder, jobs, pairs[bill["pair"]], {}, ready=f"{bill['launchSeconds']:.1f}s", off=f"{bill['terminationSeconds']:.1f}s")
        both = {"invoice": (bill["invoice"], said["invoice"]), "nodes": (bill["nodes"], said["nodes"]), "completion": (bill["meanCompletion"], said["completion"]), "launches": (bill["machines"], said["launches"])}
        for what, (real, virtual) in both.items():
            off[bill["pair"], what].append(virtual / real - 1)
        print(f"| {bill['workload']} | {bill['seed']} | `{bill['pair']}` | {bill['invoice']:.3f}, {said['invoice']:.3f} | {100 * off[bill['pair'], 'invoice'][-1]:+.1f} % | "
              f"{bill['meanCompletion']:.0f}, {said['completion']:.0f} s | {bill['machines']}, {said['launches']} | {bill['runs'] - bill['tasks']}, {said['evictions']} |", flush=True)
    for (pair, what), ratios in sorted(off.items()):
        print(f"{pair}, {what}: {len(ratios)} runs, {100 * statistics.mean(ratios):+.1f} % in the mean, {100 * statistics.mean(map(abs, ratios)):.1f} % off in the mean, "
              f"{100 * max(map(abs, ratios)):.1f} % at worst")


def main():
    def numbers(text):
        return [float(number) for number in text.split(",")]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lips", default="build/release/lips")
    parser.add_argument("--waiting-prices", default="1,350,700,1500,3000", type=numbers, help="of a CPU-second; jobs count for no more (%(default)s)")
    parser.add_argument("--worths", default="0.1,0.2,0.5,1,2,4,8,20", type=numbers, help="core-hours that an hour's wait of a task is worth (%(default)s)")
    parser.add_argument("--per-jobs", default="1,2,5,10,20,50,100,300", type=numbers, help="waitingPerJob, at a waitingPrice of 1 (%(default)s)")
    parser.add_argument("--seeds", default=3, type=int, help="draws of each workload (3)")
    parser.add_argument("--bills", metavar="FILE,...", help="invoice.json of runs of the story, to compare with a virtual Kubernetes")
    options = parser.parse_args()
    if options.bills:
        from stories.invoice import PAIRS
        with tempfile.TemporaryDirectory() as folder:
            return compare_bills(options.lips, folder, PAIRS, options.bills.split(","))
    with tempfile.TemporaryDirectory() as folder:
        settings = {f"waitingPrice {price:g}": lambda _, price=price: {"waitingPrice": price, "waitingPerJob": 0} for price in options.waiting_prices}
        settings |= {f"{worth:g} core-hours a task": lambda jobs, worth=worth: workloads.settings_of_worth(jobs, worth) for worth in options.worths}
        settings |= {f"waitingPerJob {hours:g}": lambda _, hours=hours: {"waitingPrice": 1, "waitingPerJob": hours} for hours in options.per_jobs}
        compare(options.lips, folder, settings, options.seeds)


if __name__ == "__main__":
    main()
