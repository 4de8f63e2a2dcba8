"""The scheduling gate lips.dev/zone, as the chart has the API server set it."""
import os
import subprocess

from kit import objects
from kit.cluster import E2E, TOOLS, wait_for

GATE = "lips.dev/zone"


def gates(pod):
    return [gate["name"] for gate in pod["spec"].get("schedulingGates", [])]


def policy(cluster):
    """The chart's objects that gate pods in the API server, without those of the operator."""
    versions = cluster.kubectl("api-resources", "--api-group=admissionregistration.k8s.io", "--no-headers").splitlines()
    served = [f"{line.split()[-3]}/{line.split()[-1]}" for line in versions if line.split()[-1] == "MutatingAdmissionPolicy"]
    chart = os.path.join(os.path.dirname(E2E), "charts", "lips")
    command = ["helm", "template", "lips", chart, "--namespace", "lips-system", "--set", "config.mode=steer", "--show-only", "templates/steering.yaml"]
    for version in served:
        command += ["--api-versions", version]
    homes = {f"HELM_{name}_HOME": os.path.join(cluster.folder, "helm") for name in ("CACHE", "CONFIG", "DATA")}
    return subprocess.run([os.path.join(TOOLS, "bin", command[0]), *command[1:]], check=True, capture_output=True, text=True,
                          env={**os.environ, **homes}).stdout


def gate_pods(cluster, space):
    """Installs the policy, and waits until it gates the pods of Jobs in that namespace."""
    cluster.kubectl("apply", "-f", "-", stdin=policy(cluster))
    probe = objects.pod("probe", space=space, scheduler="default-scheduler")
    probe["metadata"]["ownerReferences"] = [{"apiVersion": "batch/v1", "kind": "Job", "name": "none", "uid": "none", "controller": True}]
    wait_for(lambda: gates(cluster.api.request("POST", f"/api/v1/namespaces/{space}/pods?dryRun=All", probe)) == [GATE], 30, "the policy gates no pod")
