"""Tenants: each has a namespace and, in it, Kubernetes' role `edit` with what the chart adds to it, and no right anywhere else."""
import json
import os

from kit import api as kube
from kit import helm, objects
from kit.cluster import wait_for

ACCOUNT = "tenant"


def install_roles(cluster):
    """The chart's roles for people; the role `edit` has grown by what tenants may do with LiPS once this returns."""
    cluster.api.create(objects.namespace(helm.NAMESPACE))
    cluster.kubectl("apply", "-f", "-", stdin=helm.template(cluster, "roles.yaml"))
    wait_for(lambda: any("lips.dev" in rule.get("apiGroups", []) for rule in cluster.api.get("ClusterRole", "edit").get("rules") or []), 30,
             "the role edit does not grow by that of the chart")


def add(cluster, space):
    """A new namespace with its tenant; back, the path of the tenant's kubeconfig."""
    api = cluster.api
    api.create(objects.namespace(space))
    where = f"/api/v1/namespaces/{space}/serviceaccounts"
    wait_for(lambda: api.find("ServiceAccount", "default", space), 30, f"no service account in {space}")
    api.request("POST", where, {"metadata": {"name": ACCOUNT}})
    api.request("POST", f"/apis/rbac.authorization.k8s.io/v1/namespaces/{space}/rolebindings",
                {"metadata": {"name": ACCOUNT}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "edit"},
                 "subjects": [{"kind": "ServiceAccount", "name": ACCOUNT, "namespace": space}]})
    token = api.request("POST", f"{where}/{ACCOUNT}/token", {"spec": {"expirationSeconds": 7200}})["status"]["token"]
    with open(cluster.kubeconfig, encoding="utf-8") as file:
        config = json.load(file)
    config["users"] = [{"name": "token", "user": {"token": token}}]
    config["current-context"] = next(c["name"] for c in config["contexts"] if c["context"]["user"] == "token")
    path = os.path.join(cluster.folder, f"{space}.kubeconfig")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(config, file)
    tenant = kube.Api(path)

    def may():
        try:
            return tenant.list("DataSet", space) == []
        except kube.ApiError:
            return False
    wait_for(may, 30, f"the tenant of {space} has no rights")
    return path


def limit(cluster, space, hard):
    """A ResourceQuota, which the API server enforces once it knows what is used."""
    where = f"/api/v1/namespaces/{space}/resourcequotas"
    cluster.api.request("POST", where, {"metadata": {"name": "limits"}, "spec": {"hard": hard}})
    wait_for(lambda: cluster.api.request("GET", where + "/limits").get("status", {}).get("hard"), 30, f"the quota of {space} does not count")
