"""The dollars that the story's workloads would pay beyond use with machines chosen in hindsight: a constant number of cores in each zone.
They are up before the zone's first job and until its last task has ended. Of all such numbers it is the least paid at a mean completion no
longer than the pinned jobs'.

Tasks run in the zone of their data, those of the job with the least work left first. Nobody waits for a boot, which is paid all the same, as are the idle
seconds at the end. Memory is left out, so the pods of `shapes` may need more than it says. It needs the built program:
    PYTHONPATH=e2e python3 -m kit.hindsight [--lips PROGRAM] [--worth K] [--seeds N]
"""
import argparse
import heapq
import statistics
import tempfile

from kit import karpenter, simulated, workloads

CORES_OF_MACHINE = 16  # of the usual one in the story
# Seconds: boot, empty, seen to be and seen again, off.
BOOT_AND_TAIL = sum(float(text.rstrip("s")) for text in (karpenter.READY, karpenter.IDLE, karpenter.TERMINATION)) + 5 + 15


def run(jobs, cores):
    """Sum of the completions, and seconds from the first arrival to the last end, of jobs on so many cores."""
    jobs = sorted(jobs, key=lambda job: job.at)
    waiting, running, completions, last = [], [], 0.0, 0.0
    left = {job.name: job.tasks for job in jobs}
    at_work = {job.name: 0 for job in jobs}
    arrived = 0
    while arrived < len(jobs) or running:
        now = min([task[0] for task in running[:1]] + [job.at for job in jobs[arrived:arrived + 1]])
        while arrived < len(jobs) and jobs[arrived].at <= now:
            waiting.append(jobs[arrived])
            arrived += 1
        while running and running[0][0] <= now:
            _, name, taken, came = heapq.heappop(running)
            cores += taken
            at_work[name] -= 1
            if left[name] == 0 and at_work[name] == 0:
                completions += now - came
                last = now
        for job in sorted(waiting, key=lambda job: left[job.name] * job.seconds * job.cores):
            while left[job.name] > 0 and job.cores <= cores + 1e-9:
                left[job.name] -= 1
                at_work[job.name] += 1
                cores -= job.cores
                heapq.heappush(running, (now + job.seconds, job.name, job.cores, job.at))
        waiting = [job for job in waiting if left[job.name] > 0]
    return completions, last - jobs[0].at


def choices(jobs):
    """Yields for each number of cores that could hold a task and at most all: sum of completions, and core-hours paid."""
    share = 1 - karpenter.KEPT_CORES / CORES_OF_MACHINE
    most = sum(job.tasks * job.cores for job in jobs)
    cores, found = max(job.cores for job in jobs), []
    while True:
        completions, span = run(jobs, cores)
        found.append((completions, cores / share * (span + BOOT_AND_TAIL) / 3600))
        if cores >= most:
            return found
        cores = min(most, cores + max(1.0, cores // 30))


def least_paid(jobs, completion):
    """Core-hours of the best choice found for each zone whose mean completion is at most that, by a price of completion common to the zones."""
    zones = [choices([job for job in jobs if job.zone == zone]) for zone in sorted({job.zone for job in jobs})]
    best = None
    for step in range(-80, 41):
        chosen = [min(zone, key=lambda choice: choice[1] + 10 ** (step / 10) * choice[0] / 3600) for zone in zones]
        paid = sum(choice[1] for choice in chosen)
        if sum(choice[0] for choice in chosen) <= completion * len(jobs) and (best is None or paid < best):
            best = paid
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lips", default="build/release/lips")
    parser.add_argument("--worth", default=2, type=float, help="core-hours that an hour's wait of a task is worth (%(default)s)")
    parser.add_argument("--seeds", default=3, type=int, help="draws of each workload (%(default)s)")
    options = parser.parse_args()
    rows = []
    print("| paid beyond use, over kube-scheduler's | pinned | LiPS | in hindsight |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name in workloads.WHOLE:
            found = []
            for seed in range(1, options.seeds + 1):
                jobs = workloads.WORKLOADS[name].draw(seed)
                kube, pinned = (simulated.simulate(options.lips, folder, jobs, alone, simulated.POLICIES[False], {}) for alone in (False, True))
                ours = simulated.simulate(options.lips, folder, jobs, False, simulated.POLICIES[True], workloads.settings_of_worth(jobs, options.worth))
                paid = [pinned["core_hours"], ours["core_hours"], least_paid(jobs, pinned["completion"])]
                found.append([simulated.beyond_use(hours, kube, jobs) for hours in paid])
            rows.append([statistics.mean(column) for column in zip(*found)])
            print(f"| {name} | " + " | ".join(f"{mean:.2f}" for mean in rows[-1]) + " |")
    print("| mean | " + " | ".join(f"{statistics.mean(column):.2f}" for column in zip(*rows)) + " |")


if __name__ == "__main__":
    main()
