"""The operator is killed again and again in the middle of its work: no pod is lost or bound twice, and no block is ever without a replica.

What it sent last arrives after its death: a proxy holds some bindings on the wire. The lease keeps the next process from planning before they are over.
"""
import random
import time

from kit import objects
from kit.cluster import Cluster, wait_for
from kit.data import ReplicaWatch, leftovers, phases, replicas
from kit.operator import FaultProxy, Operator
from kit.recorder import Recorder

text_of = lambda counts: ", ".join(f"{n} {phase}" for phase, n in sorted(counts.items())) or "none"
LIMIT, FULL_LIMIT = 400, 3000
LEASE = {"leaseDuration": "3s", "renewDeadline": "2s", "retryPeriod": "500ms"}
ON_THE_WIRE = {"name": "late", "verb": "POST", "path": "/binding$", "share": 0.5, "delay": "500ms", "late": True}


def tell(story):
    kills, pods, moves = (200, 2000, 50) if story.full else (20, 400, 12)
    draw = random.Random(story.seed)
    with Cluster(story, scheduler=True) as cluster:
        api = cluster.api
        cluster.install_custom_resources()
        cluster.add_nodes([objects.fake_node(f"node-{i}", objects.ZONES[i % 3], cores=8, instance_type="m7g.2xlarge") for i in range(12)])
        api.create_all(objects.node_store(f"store-{i}", f"node-{i}", objects.ZONES[i % 3]) for i in range(12))
        sets = max(1, moves // 4)
        # All in one zone, so that tasks of the others read from afar and copies are worth keeping.
        home = lambda i: 3 * i % 12
        api.create_all(objects.data_set(f"set-{i}", 50, {f"store-{home(i)}": "0-49"}) for i in range(sets))
        with Recorder(cluster, kinds=("Pod", "DataSet")) as seen:
            watch = ReplicaWatch(seen)
            # Moves requested by the story, beside those of the plans: waiting is expensive, so remote reads pay off; small copies are worth a move, and soon count as idle.
            settings = {"waitingPrice": 1000, "keepCopies": True, "moveCost": 0, "dropCopiesAfter": "10s"}
            proxy = FaultProxy(cluster, seed=story.seed).start()
            proxy.rules(ON_THE_WIRE)
            operator = Operator(cluster, {"leaderElection": LEASE, "policy": {"settings": settings}}, kubeconfig=proxy.kubeconfig).start()
            wait_for(lambda: all(replicas(s) for s in api.list("DataSet")), 30, "data sets have no replicas in their status")
            jobs, run_seconds = pods // 50, 30 if story.full else 10  # long enough that the nodes are full most of the time
            made = 0
            for kill in range(kills):
                share = min(jobs, (kill + 1) * jobs * 3 // kills)  # soon: the nodes are full also where each kill takes long
                while made < share:
                    name = f"job-{made}"
                    api.create(objects.indexed_job(name, 50, run_for=f"{run_seconds}s", cpu=draw.choice(["500m", "1", "2"]), annotations={
                        "lips.dev/dataset": f"set-{draw.randrange(sets)}", "lips.dev/cpu-seconds": str(run_seconds)}))
                    made += 1
                for i in range(kill * moves // kills, (kill + 1) * moves // kills):
                    source = i % sets
                    api.create(objects.data_move(f"story-{i}", f"set-{source}", f"store-{home(source)}", f"store-{(home(source) + 1 + i // sets) % 12}",
                                                 blocks=f"{10 * (i // sets) % 50}-{10 * (i // sets) % 50 + 4}"))
                if kill % 10:  # sometimes before it leads
                    wait_for(operator.leads, 30, "the operator does not lead", pause=0.02)
                time.sleep(draw.uniform(0.02, 1.2))
                operator.kill()
                operator.start()
            story.say(f"killed {kills} times; now it may finish")
            operator.wait_ready()
            ours = [f"job-{i}" for i in range(made)]
            done = lambda: sum(len(seen.finished(job=job)) for job in ours)
            wait_for(lambda: done() >= pods, 400 if story.full else 150, lambda: f"{done()} of {pods} pods have finished", pause=0.5)
            wait_for(lambda: set(phases(cluster)) <= {"Committed", "Failed"}, 900 if story.full else 240, lambda: f"moves: {phases(cluster)}", pause=0.5)
            wait_for(lambda: all(m.get("status", {}).get("finished") for m in api.list("DataMove")), 120, "a move does not come to its end", pause=0.5)
            wait_for(lambda: not leftovers(cluster), 60, lambda: f"left behind: {leftovers(cluster)}", pause=0.5)
            story.check(not seen.broken, lambda: "; ".join(seen.broken[:5]))
            story.check(not watch.broken, lambda: "; ".join(watch.broken[:5]))
            bound = [s for job in ours for s in seen.of(job=job)]
            story.check(len(bound) == pods and all(s.node for s in bound), f"{len(bound)} pods were made for {pods} tasks")
            moved, planned = phases(cluster, "story-"), phases(cluster, "move-")
            story.check(moved.get("Committed", 0) == moves, f"moves: {moved}")
            story.figure("kills", kills)
            story.figure("bindings held on the wire for half a second, also beyond a death", proxy.counts()["late"])
            story.figure("pods, each bound once, no node overcommitted", len(bound))
            story.check(planned.get("Committed", 0) > 0, "no plan made a copy")
            story.figure("moves committed, every block always with a verified replica", moved["Committed"])
            story.figure("beside them, of plans", f"copies {text_of(planned)}; drops {text_of(phases(cluster, 'drop-'))}")
            story.figure("left behind", len(leftovers(cluster)))
