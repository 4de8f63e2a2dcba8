"""Real Spark, two lines of configuration: all pods are in the cheapest zone with room for them, and no byte of the shuffle crosses zones.

Three real nodes in a dear, a cheap and a middle zone. The same job under kube-scheduler, under LiPS, and under kube-scheduler in a namespace
with the label by which LiPS steers; in client mode beside another pod that leaves room for two of four executors in the cheap zone, and in
cluster mode beside one that leaves room for all executors there, but not for the driver too. What crosses zones is counted from Spark's event
log; LiPS learns the same from the driver.
"""
from kit import objects
from kit.cluster import wait_for
from kit.spark import DRIVER, PRICE, PROPERTIES, Application, fill, three_zones

LIMIT, FULL_LIMIT = 900, 2400
LANE = "real nodes"
EXECUTORS, CPU = 4, 450  # millicores of each
CHEAP = "real-1"


def learned(operator):
    """Megabytes of shuffle that LiPS expects of the next run of each application."""
    return {one["application"]: one["shuffleMebibytes"] * 2**20 / 1e6 for one in operator.answers("applications")}


def usd_per_hour(done):
    """The share of the executors' cores, on nodes of two."""
    return sum(PRICE[done.zone(pod)] * CPU / 2000 for pod in done.executors.values())


def tell(story):
    rows = 12_000_000 if story.full else 1_000_000
    with three_zones(story) as (api, spark, operator):

        def run(name, how, namespace, properties=None):
            done = how(Application(name, namespace, rows, EXECUTORS, CPU, properties))
            story.check(len(done.executors) == EXECUTORS, f"{name}: {len(done.executors)} of {EXECUTORS} executors")
            story.check(done.shuffled() > rows * 20, f"{name}: only {done.shuffled()} bytes were shuffled")
            story.figure(f"{name}: executors", done.places())
            story.figure(f"{name}: of {done.shuffled() / 1e6:.0f} MB of shuffle, across zones", done.crossed() / 1e6, "MB", digits=1)
            story.figure(f"{name}: CPU that the executors hold", usd_per_hour(done), "USD/h", digits=3)
            return done

        def compare(how, suffix):
            done = run("kube-scheduler" + suffix, how, "plain")
            story.expect(done.crossed() > 0, "nothing crosses zones under kube-scheduler: the comparison says nothing")
            for name, namespace, properties, scheduler in (("lips", "plain", PROPERTIES, "lips"), ("steered", "steered", None, "default-scheduler")):
                name += suffix
                done = run(name, how, namespace, properties)
                story.expect(done.crossed() == 0, f"{name}: {done.crossed()} bytes cross zones")
                story.expect(set(done.zones()) == {"zone-c"}, f"{name}: the cheapest zone with room for all is zone-c, but its pods are in {done.zones()}")
                story.expect({pod["spec"]["schedulerName"] for pod in done.pods()} == {scheduler}, f"{name}: {scheduler} does not schedule all")
                if done.driver:
                    wrote = done.shuffled() / 1e6
                    exchanged = wait_for(lambda: learned(operator).get(f"{namespace}/{name}"), 30, lambda: f"{name}: LiPS has learned {learned(operator)}")
                    story.figure(f"{name}: of {wrote:.1f} MB of shuffle, learned from the driver", exchanged, "MB", at_least=0.9 * wrote, digits=1)

        fill(api, "room-for-two", CHEAP, 2 * CPU + 50)
        compare(spark.run, "")
        api.delete("Pod", "room-for-two", grace=0)
        fill(api, "room-for-four", CHEAP, EXECUTORS * CPU + DRIVER // 3)
        # The template that the shipped properties name; in client mode no driver pod carries it.
        api.create(objects.bucket_store("lake", "zone-c", "lake", "http://buckets.example"))
        api.create(objects.data_set("books", 4, {"lake": "0-3"}, space="plain"))
        compare(spark.run_in_cluster, "-cluster")
