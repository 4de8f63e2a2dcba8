"""Kubernetes objects as the stories need them, as dictionaries."""

ZONES = ["zone-a", "zone-b", "zone-c"]
REGION = "us-east-1"
IGNORES_EVICTIONS = {"rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}]}  # podFailurePolicy


def fake_node(name, zone="zone-a", cores=4, memory="16Gi", instance_type=None, capacity_type="on-demand", pods=110, labels=None, taints=None):
    """A fake node, run by kwok."""
    amounts = {"cpu": str(cores), "memory": memory, "pods": str(pods)}
    found = {"topology.kubernetes.io/zone": zone, "topology.kubernetes.io/region": REGION, "kubernetes.io/hostname": name,
             "karpenter.sh/capacity-type": capacity_type, **(labels or {})}
    if instance_type:
        found["node.kubernetes.io/instance-type"] = instance_type
    return {"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "annotations": {"kwok.x-k8s.io/node": "fake"}, "labels": found},
            "spec": {"taints": taints or []},
            "status": {"capacity": amounts, "allocatable": amounts}}


def ready_node(name, zone="zone-a", **more):
    """A node without kwok: ready from the start, for clusters of thousands of nodes in which no pod has to run."""
    node = fake_node(name, zone, **more)
    del node["metadata"]["annotations"]
    node["status"]["conditions"] = [{"type": "Ready", "status": "True", "reason": "KubeletReady", "lastHeartbeatTime": "2026-01-01T00:00:00Z",
                                     "lastTransitionTime": "2026-01-01T00:00:00Z"}]
    return node


def namespace(name):
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def container(cpu="1", memory="64Mi", image="local.test/busybox:1", command=None, env=None, mounts=None, extended=None):
    found = {"name": "task", "image": image, "imagePullPolicy": "Never",
             "resources": {"requests": {"cpu": cpu, "memory": memory, **(extended or {})}}}
    if extended:
        found["resources"]["limits"] = dict(extended)
    if command:
        found["command"] = command
    if env:
        found["env"] = env
    if mounts:
        found["volumeMounts"] = mounts
    return found


def pod_spec(scheduler="lips", restart="Never", containers=None, **more):
    return {"schedulerName": scheduler, "restartPolicy": restart, "terminationGracePeriodSeconds": 1,
            "containers": containers or [container()], **more}


def pod(name, space="default", scheduler="lips", annotations=None, labels=None, cpu="1", memory="64Mi", **more):
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "namespace": space, "annotations": annotations or {}, "labels": labels or {}},
            "spec": pod_spec(scheduler, containers=[container(cpu, memory)], **more)}


def indexed_job(name, tasks, space="default", scheduler="lips", annotations=None, labels=None, run_for=None, containers=None,
                cpu="1", memory="64Mi", backoff=6, **more):
    """A MapReduce-style job: task i of N reads the i-th part of its data set."""
    notes = dict(annotations or {})
    if run_for:
        notes["test.lips.dev/run-for"] = run_for
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name, "namespace": space},
            "spec": {"completionMode": "Indexed", "completions": tasks, "parallelism": tasks, "backoffLimit": backoff,
                     "template": {"metadata": {"annotations": notes, "labels": labels or {}},
                                  "spec": pod_spec(scheduler, containers=containers or [container(cpu, memory)], **more)}}}


# ---- custom resources ----

def custom(kind, name, spec, space=None):
    meta = {"name": name}
    if space:
        meta["namespace"] = space
    return {"apiVersion": "lips.dev/v1alpha1", "kind": kind, "metadata": meta, "spec": spec}


def node_store(name, node, zone, folder="/srv/node/data", **more):
    return custom("DataStore", name, {"zone": zone, "nodeDirectory": {"node": node, "path": folder}, **more})


def bucket_store(name, zone, bucket, endpoint, secret="", prefix=""):
    return custom("DataStore", name, {"zone": zone, "bucket": {"name": bucket, "endpoint": endpoint, "provider": "Rclone", "secretName": secret,
                                                               "prefix": prefix}})


def data_set(name, blocks, stores, block_size="16Mi", space="default", **more):
    """`stores`: which blocks each store holds, such as {"store-a": "0-5"}."""
    return custom("DataSet", name, {"blocks": blocks, "blockSize": block_size,
                                    "stores": [{"name": store, "blocks": held} for store, held in stores.items()], **more}, space)


def pool(name, weight=1, **more):
    return custom("Pool", name, {"weight": weight, **more})


def data_move(name, data_set, source, target, blocks=None, space="default", drop_source=True, **more):
    spec = {"dataSet": {"namespace": space, "name": data_set}, "from": source, "to": target, "dropSource": drop_source, **more}
    if blocks is not None:
        spec["blocks"] = blocks
    return custom("DataMove", name, spec)
