"""Real Spark beside other load, again and again: its pods are in the zone that an exhaustive search finds cheapest, in every run.

Each run draws how much room other pods leave in each zone, and where the application's data lies. Of five runs, one leaves room for the whole
application in no zone; and where much data lies in a zone with room for a part, that part is worth more there than the shuffle that then
crosses zones. The same application in cluster mode under kube-scheduler, under LiPS, and under kube-scheduler where LiPS steers, in a random
order, while short pods of LiPS come and go.
"""
import dataclasses
import itertools
import random
import statistics
import threading

from kit import objects
from kit.bill import PER_GB
from kit.spark import DRIVER, PRICE, ZONE, Application, fill, sleeper, three_zones

RUNS, FEW = 10, 3
LANE = "real nodes"
EXECUTORS, CPU = 4, 250           # millicores of each
SHORT, SHORT_PODS = 100, 2        # millicores of a short pod; so many at once
WHOLE = EXECUTORS * CPU + DRIVER + SHORT * SHORT_PODS
ROWS = 1_000_000
DATA = {"none": 0, "less than CPU differs": 1, "more than CPU differs": 512}  # MiB
WAYS = {"kube-scheduler": ("plain", None), "lips": ("plain", "lips"), "steered": ("steered", None)}  # namespace, scheduler's name


def add_options(group):
    group.add_argument("--runs", type=int, metavar="N", help=f"applications under each way (default: {FEW}; --full: {RUNS})")


def count(options):
    return options.runs or (RUNS if options.full else FEW)


def limit(options):
    return 120 + 240 * count(options)


@dataclasses.dataclass
class Draw:
    room: dict   # millicores left in each zone
    data: str    # of DATA
    home: str    # zone of the data

    @property
    def zones(self):
        """With room for the whole application."""
        return [place for place, room in self.room.items() if room >= WHOLE]

    @property
    def pulled_apart(self):
        """Its data is worth going to, but the application does not fit there whole."""
        return bool(self.zones) and DATA[self.data] > 1 and self.home not in self.zones

    def cheapest(self):
        """The zone where CPU and reads cost least. What CPU differs by lies far from what either size of data costs."""
        away = lambda place: DATA[self.data] > 1 and place != self.home
        return min(self.zones, key=lambda place: (away(place), PRICE[place]))

    def transfer(self, done):
        """USD of what a run has read and exchanged across zones."""
        away = sum(done.zone(pod) != self.home for pod in done.executors.values()) / len(done.executors)
        return (DATA[self.data] * 2**20 * away + done.crossed()) * PER_GB / 1e9

    def least_share(self):
        """The share of the exchange that crosses zones, over all divisions of the executors."""
        most = [min(EXECUTORS, room // CPU) for room in self.room.values()]
        divisions = (each for each in itertools.product(*(range(n + 1) for n in most)) if sum(each) == EXECUTORS)
        return min(1 - sum(n * n for n in each) / EXECUTORS**2 for each in divisions)


def draw(dice, number):
    """Every zone holds two executors beside the short pods."""
    scarce = lambda: dice.randint(2 * CPU + SHORT * SHORT_PODS, EXECUTORS * CPU - 50)
    room = {place: scarce() if dice.random() < 0.5 else dice.randint(WHOLE, 1900) for place in PRICE}
    if number % 5 == 4:
        room = {place: scarce() for place in PRICE}
    elif all(left < WHOLE for left in room.values()):
        room[dice.choice(list(PRICE))] = dice.randint(WHOLE, 1900)
    return Draw(room, dice.choice(list(DATA)), dice.choice(list(PRICE)))


class ShortPods:
    """They come and go while it is open."""

    def __init__(self, api, seed):
        self.api, self.dice, self.closed, self.ended = api, random.Random(seed), threading.Event(), 0
        self.threads = [threading.Thread(target=self.feed, args=(i,), daemon=True) for i in range(SHORT_PODS)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.closed.set()
        for thread in self.threads:
            thread.join()

    def feed(self, lane):
        number = 0
        while not self.closed.is_set():
            name, number = f"short-{lane}-{number}", number + 1
            self.api.create(sleeper(name, "lips", SHORT, self.dice.randint(2, 8)))
            while not self.closed.wait(0.5) and self.api.get("Pod", name).get("status", {}).get("phase") != "Succeeded":
                pass
            self.ended += 1
            self.api.delete("Pod", name, grace=0)


def tell(story):
    dice = random.Random(story.seed)
    with three_zones(story) as (api, spark, _):
        runs = {way: [] for way in WAYS}

        def run(way, number, drawn):
            namespace, scheduler = WAYS[way]
            conf = {"spark.app.name": "nightly"}
            if scheduler:
                conf["spark.kubernetes.scheduler.name"] = scheduler
            if DATA[drawn.data]:
                conf["spark.kubernetes.driver.annotation.lips.dev/dataset"] = "input"
            name = f"{way}-{number}"
            done = spark.run_in_cluster(Application(name, namespace, ROWS, EXECUTORS, CPU, conf=conf))
            story.check(len(done.executors) == EXECUTORS, f"{name}: {len(done.executors)} of {EXECUTORS} executors")
            share = done.crossed() / done.shuffled()
            story.say(f"{name}: {done.places()}; {100 * share:.0f} % of {done.shuffled() / 1e6:.0f} MB across zones, {done.seconds:.1f} s")
            runs[way].append(done)
            if way == "kube-scheduler":
                return
            if not drawn.zones:
                story.say(f"{name}: no zone has room for all; if all exchange alike, at least {100 * drawn.least_share():.0f} % crosses zones")
                return
            if drawn.pulled_apart:
                whole = DATA[drawn.data] * 2**20 * PER_GB / 1e9
                story.figure(f"{name}: transfer, over that of the whole application beside {drawn.home}", drawn.transfer(done) / whole, at_most=1)
                return
            story.expect(done.crossed() == 0, f"{name}: {done.crossed()} bytes cross zones")
            story.expect(set(done.zones()) == {drawn.cheapest()}, f"{name}: {drawn.cheapest()} is cheapest, but its pods are in {done.zones()}")

        draws = [draw(dice, number) for number in range(count(story.options))]
        with ShortPods(api, story.seed) as short:
            for number, drawn in enumerate(draws):
                left = ", ".join(f"{room}m in {place}" for place, room in drawn.room.items())
                story.say(f"run {number}: room of {left}; data: {drawn.data}" + (f", in {drawn.home}" if DATA[drawn.data] else ""))
                for node, place in ZONE.items():
                    fill(api, f"load-{number}-{node}", node, drawn.room[place])
                if DATA[drawn.data]:
                    api.create(objects.bucket_store("lake", drawn.home, "lake", "http://buckets.example"))
                    for space in ("plain", "steered"):
                        api.create(objects.data_set("input", DATA[drawn.data], {"lake": f"0-{DATA[drawn.data] - 1}"}, "1Mi", space))
                for way in dice.sample(list(WAYS), len(WAYS)):
                    run(way, number, drawn)
                for node in ZONE:
                    api.delete("Pod", f"load-{number}-{node}", grace=0)
                if DATA[drawn.data]:
                    for space in ("plain", "steered"):
                        api.delete("DataSet", "input", space)
                    api.delete("DataStore", "lake")
        whole = [number for number, drawn in enumerate(draws) if drawn.zones and not drawn.pulled_apart]
        story.figure("runs", len(draws))
        story.figure("of them with one zone that is cheapest for the whole application", len(whole))
        story.figure("short pods of LiPS beside them", short.ended, at_least=len(draws))
        usual = statistics.median(done.seconds for done in runs["kube-scheduler"])
        for way, found in runs.items():
            shares = [found[number].crossed() / found[number].shuffled() for number in whole]
            cheapest = sum(set(found[number].zones()) == {draws[number].cheapest()} for number in whole)
            story.figure(f"{way}: of these, runs in which shuffle crosses zones", sum(share > 0 for share in shares))
            story.figure(f"{way}: of these, the greatest share of shuffle that crosses", 100 * max(shares, default=0), "%", digits=0)
            story.figure(f"{way}: of these, runs in the cheapest zone", cheapest)
            story.figure(f"{way}: median from spark-submit to its end, over kube-scheduler's", statistics.median(done.seconds for done in found) / usual)
            for number, drawn in enumerate(draws):
                if not drawn.zones:
                    share = 100 * found[number].crossed() / found[number].shuffled()
                    least = f"at least {100 * drawn.least_share():.0f} % if all exchange alike"
                    story.figure(f"{way}: share across zones in run {number}, {least}", share, "%", digits=0)
