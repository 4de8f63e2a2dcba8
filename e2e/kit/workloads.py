"""Workloads for the invoice: jobs over zonal data that arrive over a few minutes, each drawn from a seed.

Each is small, so that a run ends a few minutes after its last arrival; they differ in what decides the bill.
"""
import dataclasses
import random

from kit import objects
from kit.amounts import amount


@dataclasses.dataclass
class Job:
    name: str
    at: float         # seconds after the start
    zone: str         # of its data
    tasks: int
    seconds: int      # that each task runs
    mebibytes: int    # that each task reads
    cpu: str
    memory: str

    @property
    def cores(self):
        return amount("cpu", self.cpu) / 1000

    @property
    def work(self):
        """Core-seconds of all tasks."""
        return self.tasks * self.seconds * self.cores


@dataclasses.dataclass
class Workload:
    """The distribution of each job. `zones`: shares of the jobs, by objects.ZONES."""
    seed: int
    about: str
    jobs: int = 24
    over: int = 240
    zones: tuple = (60, 25, 15)
    tasks: tuple = (12, 30)
    seconds: tuple = (15, 60)
    mebibytes: tuple = (64, 64)
    shapes: tuple = (("1", "2Gi"),)

    def draw(self, seed):
        """The jobs, by the time of their arrival. `seed`: other jobs of the same kind."""
        dice = random.Random(self.seed * 1000 + seed)
        found = []
        for i in range(self.jobs):
            cpu, memory = dice.choice(self.shapes)
            found.append(Job(f"job-{i:02}", 0.0 if i == 0 else dice.uniform(0, self.over), dice.choices(objects.ZONES, self.zones)[0],
                             dice.randint(*self.tasks), dice.randint(*self.seconds), dice.randint(*self.mebibytes), cpu, memory))
        return sorted(found, key=lambda job: job.at)


def settings_of_worth(jobs, core_hours):
    """The setting of LiPS: an hour's wait of a mean task of these jobs is worth so many core-hours, and that of a job no more than of its tasks."""
    return {"waitingPrice": 3600 * core_hours * sum(job.tasks for job in jobs) / sum(job.work for job in jobs), "waitingPerJob": 0}


def told_of_waiting(options):
    """The operator's settings of waiting that options name."""
    told = {"waitingPrice": options.waiting_price, "waitingPerJob": options.per_job}
    return {key: value for key, value in told.items() if value is not None}


SHAPES = (("500m", "1Gi"), ("1", "2Gi"), ("1", "7Gi"), ("2", "4Gi"), ("3500m", "6Gi"))

WORKLOADS = {
    "brief": Workload(1, "a minute and a half of arrivals", jobs=10, over=90, tasks=(8, 20), seconds=(15, 40)),
    "mixed": Workload(2, "tasks of 15 to 60 s, 64 MiB each"),
    "short": Workload(3, "short tasks, little data", jobs=28, tasks=(14, 26), seconds=(4, 14), mebibytes=(8, 24)),
    "long": Workload(4, "long tasks, much data", jobs=20, over=200, tasks=(10, 24), seconds=(60, 150), mebibytes=(256, 768)),
    "hot": Workload(5, "nearly all data in the dearest zone", zones=(5, 5, 90)),
    "shapes": Workload(6, "pods of five sizes", jobs=26, tasks=(8, 22), seconds=(15, 75), mebibytes=(16, 192), shapes=SHAPES),
    "bursts": Workload(7, "few large jobs at once, even zones", jobs=8, over=240, zones=(1, 1, 1), tasks=(40, 70), seconds=(20, 45), mebibytes=(32, 128)),
    "tiny": Workload(8, "seconds of work, hardly any data", jobs=40, tasks=(4, 12), seconds=(1, 5), mebibytes=(1, 8), shapes=(("250m", "512Mi"),)),
    "memory": Workload(9, "memory decides which machine", tasks=(6, 16), shapes=(("1", "7Gi"), ("500m", "6Gi"), ("2", "15Gi"))),
    "lone": Workload(10, "jobs of one task, from seconds to minutes", jobs=120, tasks=(1, 1), seconds=(5, 180), mebibytes=(16, 512)),
    "two-zones": Workload(11, "data in two zones of three", zones=(50, 0, 50), tasks=(10, 40), seconds=(20, 90), mebibytes=(64, 256)),
}

WHOLE = ["mixed", "short", "long", "hot", "shapes", "bursts"]  # those whose figures are quoted
