"""Everything goes wrong once between the operator and the API server; it recovers without a restart and breaks no promise.

Watches are cut in the middle of an event, versions are too old (410), bindings meet a conflict (409), the server has no time (429) or fails (500),
answers are slow or lost, watches overtake each other, the clock jumps an hour ahead and back, answers are lost right before an outage that costs the
leader its lease.
"""
import os
import time

from kit import objects
from kit.cluster import Cluster, wait_for
from kit.operator import FaultProxy, Operator
from kit.recorder import Recorder
from kit.story import Missing

LIMIT, FULL_LIMIT = 300, 600

TROUBLES = {
    "watches cut in the middle": [{"name": "x", "verb": "WATCH", "cutAfter": "700ms"}],
    "410 for watches": [{"name": "x", "verb": "WATCH", "expire": True, "share": 0.7, "count": 12}],
    "410 for lists": [{"name": "x", "verb": "GET", "path": "/(pods|nodes|datasets)$", "status": 410, "share": 0.5, "count": 6},
                      {"name": "x", "verb": "WATCH", "expire": True, "count": 6}],
    "409 for bindings": [{"name": "x", "verb": "POST", "path": "/binding$", "status": 409, "share": 0.3}],
    "429 with Retry-After": [{"name": "x", "verb": "POST", "status": 429, "retryAfter": 1, "share": 0.3},
                             {"name": "x", "verb": "GET", "status": 429, "retryAfter": 1, "share": 0.3}],
    "500 for everything, now and then": [{"name": "x", "status": 500, "share": 0.25}],
    "slow answers": [{"name": "x", "delay": "600ms", "share": 0.5}],
    "answers lost after the deed": [{"name": "x", "verb": "POST", "path": "/binding$", "loseAnswer": True, "share": 0.3}],
    "watch of pods a second late": [{"name": "x", "verb": "WATCH", "path": "/pods$", "lag": "1s"}],
    "watch of nodes a second late": [{"name": "x", "verb": "WATCH", "path": "/nodes$", "lag": "1s"}],
}


def faketime():
    for folder in ("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib"):
        library = os.path.join(folder, "faketime", "libfaketimeMT.so.1")
        if os.path.exists(library):
            return library
    raise Missing("no libfaketime (Debian: faketime)")


def tell(story):
    tasks = 100 if story.full else 30
    nodes, cores, renew_deadline = 6, 8, 5
    room = nodes * cores
    clock = os.path.join(story.folder, "clock")

    def set_clock(offset):
        with open(clock + ".new", "w", encoding="ascii") as file:
            file.write(offset + "\n")
        os.replace(clock + ".new", clock)

    set_clock("+0")
    jumping = {"LD_PRELOAD": faketime(), "FAKETIME_TIMESTAMP_FILE": clock, "FAKETIME_CACHE_DURATION": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1",
               "DONT_FAKE_MONOTONIC": "1"}
    with Cluster(story) as cluster:
        cluster.add_nodes([objects.fake_node(f"node-{i}", objects.ZONES[i % 3], cores=cores) for i in range(nodes)])
        proxy = FaultProxy(cluster, seed=story.seed).start()
        with Recorder(cluster) as seen:
            operator = Operator(cluster, {"leaderElection": {"leaseDuration": "6s", "renewDeadline": f"{renew_deadline}s", "retryPeriod": "1s"}},
                                kubeconfig=proxy.kubeconfig, env=jumping)
            operator.start().wait_ready()
            process = operator.child.pid

            def works(job, seconds):
                """Runs a job of several pods despite the fault, and returns the time until the last one was bound."""
                cluster.api.create(objects.indexed_job(job, tasks, run_for="1s"))
                wait_for(lambda: len(seen.bound(job=job)) == tasks, seconds, lambda: f"{job}: {len(seen.bound(job=job))} of {tasks} pods are bound")
                pods = seen.of(job=job)
                cluster.api.delete("Job", job)
                story.check(operator.running() and operator.child.pid == process, "the operator ended")
                story.check(not seen.broken, lambda: "; ".join(seen.broken))
                return max(s.bound_at for s in pods) - min(s.appeared for s in pods)

            def outage():
                """Bindings that fill half of every node are carried out though nobody hears of it; then nothing answers until the leader has ceased to lead. When it
                leads again its watch of pods is still late, and pods that came earlier may have the same nodes by now."""
                began = time.monotonic()
                proxy.rules({"name": "busy", "verb": "POST", "path": "/binding$", "status": 500})
                cluster.api.create(objects.indexed_job("patient", room, run_for="1s", nodeSelector={"test.lips.dev/after": "outage"}))
                cluster.api.create(objects.indexed_job("doubtful", room, run_for="40s"))
                wait_for(lambda: len(seen.of(job="patient")) == len(seen.of(job="doubtful")) == room, 30, "not all pods come")
                time.sleep(1)  # the operator knows them
                proxy.rules({"name": "lost", "verb": "POST", "path": "/binding$", "loseAnswer": True},
                            {"name": "late", "verb": "WATCH", "path": "/pods$", "lag": "30s"})
                proxy.cut()
                wait_for(lambda: len(seen.bound(job="doubtful")) >= room / 2, 60, lambda: f"{len(seen.bound(job='doubtful'))} of {room} pods are bound")
                proxy.rules({"name": "down", "status": 503})
                proxy.cut()
                for node in range(nodes):
                    cluster.label_node(f"node-{node}", **{"test.lips.dev/after": "outage"})
                time.sleep(renew_deadline + 2)
                wait_for(lambda: not operator.leads(), 30, "it still leads though nothing answers")
                proxy.rules({"name": "late", "verb": "WATCH", "path": "/pods$", "lag": "5s"})
                wait_for(operator.leads, 60, "it does not lead again")
                wait_for(lambda: len(seen.bound(job="patient")) == room, 120, lambda: f"{len(seen.bound(job='patient'))} of {room} patient pods are bound")
                took = time.monotonic() - began
                proxy.rules()
                proxy.cut()
                for job in ("patient", "doubtful"):
                    cluster.api.delete("Job", job)
                story.check(operator.running() and operator.child.pid == process, "the operator ended")
                story.check(not seen.broken, lambda: "; ".join(seen.broken))
                return took

            story.figure(f"no trouble: {tasks} pods bound in", works("quiet", 30), "s")
            for number, (trouble, rules) in enumerate(TROUBLES.items()):
                proxy.rules(*rules)
                applied = lambda: sum(proxy.counts().values())
                if rules[0].get("verb") == "WATCH":
                    proxy.cut()
                    # A watch is opened again when the client has waited long enough; before that nothing would go wrong.
                    wait_for(lambda: applied() > 0, 30, f"{trouble}: the rule was never applied")
                took = works(f"trouble-{number}", 60)
                times = applied()
                proxy.rules()
                proxy.cut()
                story.check(times > 0, f"{trouble}: the rule was never applied")
                story.figure(f"{trouble} ({times} times): bound in", took, "s")
            story.figure("answers lost, then no API server for longer than renewDeadline: bound in", outage(), "s")
            for number, offset in enumerate(("+3600", "+0")):
                set_clock(offset)
                story.figure(f"clock jumps to {offset} s: bound in", works(f"clock-{number}", 60), "s")
            story.figure("trouble over: bound in", works("after", 30), "s")
