"""The scheduling gate lips.dev/zone, as the chart has the API server set it."""
from kit import helm, objects
from kit.cluster import wait_for

GATE = "lips.dev/zone"


def gates(pod):
    return [gate["name"] for gate in pod["spec"].get("schedulingGates", [])]


def policy(cluster):
    """The chart's objects that gate pods in the API server, without those of the operator."""
    versions = cluster.kubectl("api-resources", "--api-group=admissionregistration.k8s.io", "--no-headers").splitlines()
    served = [f"{line.split()[-3]}/{line.split()[-1]}" for line in versions if line.split()[-1] == "MutatingAdmissionPolicy"]
    flags = ["--set", "config.mode=steer"]
    for version in served:
        flags += ["--api-versions", version]
    return helm.template(cluster, "steering.yaml", *flags)


def gate_pods(cluster, space):
    """Installs the policy, and waits until it gates the pods of Jobs in that namespace."""
    cluster.kubectl("apply", "-f", "-", stdin=policy(cluster))
    probe = objects.pod("probe", space=space, scheduler="default-scheduler")
    probe["metadata"]["ownerReferences"] = [{"apiVersion": "batch/v1", "kind": "Job", "name": "none", "uid": "none", "controller": True}]
    wait_for(lambda: gates(cluster.api.request("POST", f"/api/v1/namespaces/{space}/pods?dryRun=All", probe)) == [GATE], 30, "the policy gates no pod")
