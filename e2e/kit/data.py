"""The blocks in the status of data sets, checked in every version of it."""


def numbers(text):
    """{0, 1, 2, 5} of "0-2,5"."""
    found = set()
    for part in filter(None, (text or "").split(",")):
        first, _, last = part.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return found


def replicas(data_set):
    """The verified blocks of each store."""
    return {held["store"]: numbers(held.get("blocks")) for held in data_set.get("status", {}).get("replicas", [])}


def blocks_of(data_set):
    return int(data_set.get("status", {}).get("blocks", 0))


class ReplicaWatch:
    """Notes every version of a data set in which a block had no verified replica, once all had one."""

    def __init__(self, recorder):
        self.whole = set()
        self.broken = []
        self.seen = recorder
        recorder.watchers["DataSet"].append(self.look)

    def look(self, event, data_set):
        name = data_set["metadata"]["namespace"] + "/" + data_set["metadata"]["name"]
        if event == "DELETED":
            self.whole.discard(name)
            return
        wanted = set(range(blocks_of(data_set)))
        held = set().union(*replicas(data_set).values()) if replicas(data_set) else set()
        if wanted and wanted <= held:
            self.whole.add(name)
        elif name in self.whole:
            self.broken.append(f"{name} has no verified replica of blocks {sorted(wanted - held)}")


def leftovers(cluster, space="default"):
    """Leftovers of finished moves: jobs, pods and marks that should be gone."""
    found = []
    for kind in ("Job", "Pod"):
        # Serving pods of stores, and the records of drops, live as long as their objects.
        found += [f"{kind} {o['metadata']['name']}" for o in cluster.api.list(kind, space, "lips.dev/move,lips.dev/role notin (serve,drop,clean)")]
    for data_set in cluster.api.list("DataSet"):
        found += [f"leaving blocks {h['leaving']} of {data_set['metadata']['name']} in {h['store']}"
                  for h in data_set.get("status", {}).get("replicas", []) if h.get("leaving")]
    return found


def phases(cluster, prefix=""):
    """The number of DataMoves with this name prefix in each phase."""
    count = {}
    for move in cluster.api.list("DataMove"):
        if not move["metadata"]["name"].startswith(prefix):
            continue
        phase = move.get("status", {}).get("phase") or "new"
        count[phase] = count.get(phase, 0) + 1
    return count
